// What a session takes from an inventory: how much is left, the hold with its countdown, the waiting list, an offer, and how
// many units. Loaded for sessions that have an inventory.

import { clockText, wordsOf } from "../words/words.js";
import { make, setAttribute, setText } from "./dom.js";
import { keysOf, sentenceOf, textOf } from "./stock-sentences.js";
import { stockSheet } from "./stock-sheet.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../core/types").Note} Note */
/** @typedef {import("../core/types").Notice} Notice */
/** @typedef {{date?: string, level?: string, left?: number}} Leveled a day or row */

/** When the end of a hold or offer is announced, in milliseconds before it. */
const warnings = /** @type {const} */ ([["two", 120_000], ["half", 30_000]]);
/** The time from which on the end is shown as a countdown. */
const countdownMilliseconds = 3_600_000;

export class Stock {
  sentenceOf = sentenceOf;
  /**
   * What the user wants, but cannot have now; `isSeen`: whether a day or row has said so.
   * @type {{keys: string[], level: "held" | "gone", isSeen: boolean} | null}
   */
  wanted = null;
  /** @type {Map<string, string>} until when others hold a key, as far as a refusal has said */
  back = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;
  /** @type {{until: string, left: number} | null} the end whose countdown was drawn last */
  counted = null;

  /** @param {import("./picker-element.js").PickerElement} element @param {import("./announcer.js").Announcer} announcer */
  constructor(element, announcer) {
    this.element = element;
    this.announcer = announcer;
    const button = (/** @type {string} */ name, /** @type {() => void} */ act) => make("button", {
      class: `act ${name}`, part: `button ${name}`, type: "button",
      onclick: () => this[/** @type {"hold"} */ (name)].getAttribute("aria-disabled") || act(),
    });
    this.text = make("span", { class: "stock-text" });
    this.clock = make("span", { class: "clock", role: "timer" });
    this.fewer = button("fewer", () => this.#step(-1));
    this.count = make("output", { class: "units" });
    this.more = button("more", () => this.#step(1));
    this.stepper = make("div", { class: "stepper", part: "units", role: "group" }, this.fewer, this.count, this.more);
    this.hold = button("hold", () => void this.#act(() => this.#picker.hold()));
    this.release = button("release", () => void this.#act(() => this.#picker.release()));
    this.join = button("join", () => void (this.wanted && this.#act(() => this.#picker.wait(this.wanted?.keys ?? []))));
    this.panel = make("div", { class: "stock", part: "inventory", role: "group", tabindex: "-1" },
      make("p", {}, this.text, this.clock), make("div", { class: "stock-acts" }, this.stepper, this.join, this.release, this.hold));
    element.adopt(stockSheet);
    element.notePlace.after(this.panel);
    this.levelOf = this.#levels();
  }

  get words() { return wordsOf(this.#picker.locale).stock; }
  get #picker() { return /** @type {PickerSession} */ (this.element.picker); }

  /** Removes what belongs to another session. */
  forget() {
    clearTimeout(this.timer);
    this.wanted = this.counted = null;
    this.back.clear();
    this.levelOf = this.#levels();
  }

  /** @param {Notice} notice that is shown or announced now */
  noticed(notice) {
    const picker = this.#picker;
    if (notice.kind === "refused" && ["soldOut", "held", "waiting"].includes(notice.code)) {
      const { keys, until } = notice.params ?? {};
      for (const key of until ? keys : []) this.back.set(key, until);
      // A tap names its day only.
      if (notice.command?.type !== "tap") this.#want(keysOf(picker.result, picker), notice.code === "held" ? "held" : "gone");
    } else if (notice.kind === "hosted" && causeOf(notice)) {
      this.#want(keysOf(notice.before.result, picker), causeOf(notice) === "held" ? "held" : "gone");
    } else if (notice.kind === "range" || notice.kind === "moved" || notice.kind === "hold") this.wanted = null;
    else return;
    this.levelOf = this.#levels();
  }

  /**
   * Offers the waiting list for a day that cannot be had now, if there is one.
   * @param {Leveled} cell @returns {boolean} whether the panel says what is the matter with it
   */
  want({ date, level }) {
    if (!date || (level !== "held" && level !== "gone") || !this.#canJoin(this.#picker)) return false;
    this.#want([date], level);
    this.draw();
    this.announcer.announceNow(this.text.textContent ?? "");
    return true;
  }

  /** @param {PickerSession} picker @returns {boolean} whether there is a list, and nothing is held that a place on it would replace */
  #canJoin({ canChange, state: { inventory, hold } }) { return canChange && Boolean(inventory?.waiting) && hold === null; }

  /** @param {string[]} keys @param {"held" | "gone"} level */
  #want(keys, level) { this.wanted = keys.length > 0 ? { keys, level, isSeen: false } : null; }

  /**
   * Follows the levels of what the user wants, until it can be had.
   * @param {PickerSession} picker
   */
  #follow(picker) {
    if (picker.result?.open === false) this.#want(keysOf(picker.result, picker), "gone");
    const { wanted } = this;
    if (!wanted) return;
    const levels = wanted.keys.map((key) => this.#levelOf(key, picker)?.level);
    const level = /** @type {const} */ (["gone", "held"]).find((one) => levels.includes(one));
    if (level) this.wanted = { ...wanted, level, isSeen: true };
    else if (wanted.isSeen) this.wanted = null;
  }

  draw() {
    const { element, words } = this;
    const picker = this.#picker;
    const { inventory, hold, status } = picker.state;
    clearTimeout(this.timer);
    this.panel.hidden = !inventory || status !== "open" || element.getAttribute("actions") === "none";
    if (!inventory || this.panel.hidden) return;
    if (this.locale !== picker.locale) this.#setWords();
    this.#follow(picker);
    const { wanted } = this;
    const canHold = picker.result !== null && picker.result.open !== false;
    const mayChange = picker.canChange;
    const isLive = picker.connection === "live";
    setAttribute(this.panel, "data-hold", hold?.state);
    setText(this.text, this.#stateText(picker));
    this.#count();
    const focused = this.#focused;
    const [fewest, most] = [inventory.units.min, inventory.units.max];
    this.stepper.hidden = !mayChange || most === fewest || hold?.state === "offered" || hold?.state === "waiting";
    setText(this.count, new Intl.NumberFormat(picker.locale).format(this.#units));
    this.#allow(this.fewer, isLive && this.#units > fewest);
    this.#allow(this.more, isLive && this.#units < most);
    this.join.hidden = !wanted || !this.#canJoin(picker);
    this.#allow(this.join, isLive);
    this.release.hidden = !mayChange || hold === null;
    setText(this.release, hold?.state === "waiting" ? words.leave : words.release);
    this.#allow(this.release, isLive);
    this.hold.hidden = !mayChange || inventory.holdSeconds === 0 || (hold ? hold.state !== "held" : wanted !== null && !canHold);
    setText(this.hold, hold ? words.extend : words.hold);
    this.#allow(this.hold, isLive && canHold);
    setAttribute(this.panel, "data-quiet", !this.text.textContent && this.stepper.hidden && this.join.hidden && this.hold.hidden);
    if (focused?.hidden) this.panel.focus({ preventScroll: true });
  }

  /**
   * What the panel says.
   * @param {PickerSession} picker
   */
  #stateText(picker) {
    const { words, wanted } = this;
    const { hold } = picker.state;
    if (hold?.state === "held") return words.heldFor;
    if (hold?.state === "offered") return words.offered(textOf(hold.keys, picker));
    if (hold?.state === "waiting") return words.waiting(textOf(hold.keys, picker), hold.place ?? 1);
    if (wanted) {
      const what = textOf(wanted.keys, picker);
      return wanted.level === "held" ? words.heldNow({ what, time: this.#backText(wanted.keys) }) : words.goneNow(what);
    }
    const left = keysOf(picker.result, picker).flatMap((key) => this.#levelOf(key, picker)?.left ?? []);
    return left.length > 0 ? words.left(Math.min(...left)) : "";
  }

  /**
   * The day or row of a key, if it is in view.
   * @param {string} key @param {PickerSession} picker @returns {Leveled | undefined}
   */
  #levelOf(key, { state }) {
    if (state.isCalendar) return state.months.get(key.slice(0, 7))?.cells.find(({ date, outside }) => date === key && !outside);
    return state.columns.filter(({ selected }) => selected).at(-1)?.selected;
  }

  /** @param {string[]} keys when the first of them may come back; empty if that is unknown */
  #backText(keys) {
    const ends = keys.flatMap((key) => this.back.get(key) ?? []).filter((until) => Date.parse(until) > this.#picker.now).sort();
    return clockText(ends[0] ?? null, this.#picker.locale);
  }

  /** How many units there will be after the pending commands. */
  get #units() {
    const { pending, state } = this.#picker;
    return pending.filter(({ message }) => message.type === "units").at(-1)?.message.units ?? state.units ?? 1;
  }

  /** @param {number} steps */
  #step(steps) { void this.#act(() => this.#picker.units(this.#units + steps)); }

  /** @param {() => Promise<unknown>} act */
  #act(act) {
    this.element.flush();
    return act();
  }

  /** Draws how long the hold or offer lasts, and announces its end before it comes. */
  #count() {
    // It may have left the page, or show no session any more.
    if (!this.element.isConnected || !this.element.picker) return;
    const { hold } = this.#picker.state;
    const until = hold?.until;
    this.clock.hidden = !until;
    if (!until) return void (this.counted = null);
    const left = Math.max(0, Date.parse(until) - this.#picker.now);
    const { locale } = this.#picker;
    setText(this.clock, left < countdownMilliseconds ? durationText(left, locale) : clockText(until, locale));
    const before = this.counted?.until === until ? this.counted.left : left;
    this.counted = { until, left };
    const due = warnings.filter(([, milliseconds]) => before > milliseconds && left <= milliseconds && left > 0).at(-1);
    if (due) this.announcer.announceNow(this.words[hold.state === "offered" ? "offerEnds" : "holdEnds"][due[0]]);
    setAttribute(this.panel, "data-ending", left <= warnings[1][1]);
    if (left > 0) this.timer = setTimeout(() => this.#count(), left % 1000 || 1000);
  }

  /** @param {HTMLElement} button @param {boolean} isUsable not `disabled`, because a disabled button would lose the focus */
  #allow(button, isUsable) { setAttribute(button, "aria-disabled", isUsable ? null : "true"); }

  /** @returns {HTMLElement | undefined} the button that has the focus */
  get #focused() { return [this.hold, this.release, this.join, this.fewer, this.more].find((one) => one.matches(":focus")); }

  #setWords() {
    const { words } = this;
    this.locale = this.#picker.locale;
    setAttribute(this.panel, "aria-label", words.label);
    setAttribute(this.stepper, "aria-label", words.units);
    for (const [button, sign, label] of [[this.fewer, "−", words.fewer], [this.more, "+", words.more]]) {
      setText(button, sign);
      setAttribute(button, "aria-label", label);
      setAttribute(button, "title", label);
    }
    setText(this.join, words.join);
    this.levelOf = this.#levels();
  }

  /**
   * What is said of a day or row with few units left: below it, and to screen readers. Another
   * function each time, so that days are drawn again.
   * @returns {(cell: Leveled) => {note: Note | undefined, text: string} | null}
   */
  #levels() {
    return ({ date = "", level, left }) => {
      const { words } = this;
      if (level === "few") return { note: { text: words.left(left ?? 0) }, text: words.left(left ?? 0) };
      if (level === "held") return { note: { text: words.held }, text: words.back(this.#backText([date])) };
      // A day is struck out.
      return level ? { note: date ? undefined : { text: words.soldOut }, text: words.soldOut } : null;
    };
  }
}

/**
 * Why an inventory has changed the selection; undefined if it has not.
 * @param {Extract<Notice, {kind: "hosted"}>} notice @returns {string | undefined}
 */
const causeOf = ({ changes }) => /** @type {import("../core/types").AnyChange[]} */ (changes).find(({ cause }) => cause === "inventory")?.reason;

/**
 * A time that is left: "4:05".
 * @param {number} milliseconds @param {string} locale
 */
function durationText(milliseconds, locale) {
  const seconds = Math.ceil(milliseconds / 1000);
  const two = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 });
  return `${new Intl.NumberFormat(locale).format(Math.floor(seconds / 60))}:${two.format(seconds % 60)}`;
}
