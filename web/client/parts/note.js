// The note under a picker: corrections, refusals and changes of others, with an Undo button, and for a command that others
// have made stale a button that does it on what is there now.

import { icon, make, setAttribute, setText } from "./dom.js";
import { isOutdatedBy } from "./places.js";

/** @typedef {import("./sentences.js").Sentence} Sentence */
/** @typedef {import("../core/types").Notice} Notice */

/**
 * The button of a stale command.
 * @typedef {object} Offer
 * @property {() => string} label
 * @property {() => {isShown: boolean, isUsable: boolean}} usability
 * @property {() => Promise<unknown>} act
 */

/**
 * A sentence of the note.
 * @typedef {object} Line
 * @property {string} key of its place and author: of two such sentences only the later one is shown
 * @property {keyof typeof weight} tone
 * @property {() => string} write its text, in the current language
 * @property {Notice | null} notice
 * @property {number} at when it was shown, in milliseconds
 * @property {number} until when it disappears
 */

/**
 * The time after which a sentence disappears, unless the note is hovered or focused. The reason of the host's decision and
 * stale commands stay until this member makes a change, or the status changes.
 */
const stayMilliseconds = { decision: Infinity, late: Infinity, correction: 9000, refusal: 7000, change: 7000, move: 5000, people: 4000 };
/** The time in which a sentence can be read, before another one replaces it or a change outdates it. */
const readMilliseconds = 2000;
/** The time after which the note checks again whether it is hovered or focused. */
const hoverMilliseconds = 1000;
/** A sentence does not replace one with a greater weight. `change`: the host has changed the definition. */
const weight = { decision: 5, late: 4, correction: 3, refusal: 3, change: 3, move: 2, people: 1 };
/**
 * Tones of sentences that are shown below a decision or stale commands, and that a later change of this member
 * outdates; others are not shown beside these.
 */
const concernsMember = new Set(["late", "correction", "refusal"]);
/** The maximum of stale commands that are shown, the last ones. Of other sentences one is shown at a time. */
const lateMax = 3;

export class Note {
  /** @param {() => void} undo @param {() => void} left called when the focused Undo button is hidden */
  constructor(undo, left) {
    this.left = left;
    this.list = make("ul", { class: "sentences" });
    /** @type {Map<HTMLElement, Line>} the shown sentences, in order */
    this.lines = new Map();
    /** @type {Map<HTMLElement, {button: HTMLButtonElement, offer: Offer}>} the lines of stale commands */
    this.offers = new Map();
    /** When the last stale command was shown, in milliseconds. */
    this.offeredAt = 0;
    /** The offered commands without an answer. */
    this.actingCount = 0;
    /**
     * The last sentence that has come before the one that is shown could be read.
     * @type {{key: string, tone: keyof typeof weight, canUndo: boolean, notice: Notice | null, show: (canUndo: boolean) => void} | null}
     */
    this.next = null;
    this.undoButton = make("button", { class: "undo-note", part: "undo", type: "button", onclick: () => {
      if (this.undoButton.getAttribute("aria-disabled")) return;
      undo();
      this.hide();
    } });
    this.element = make("div", { class: "note", part: "note" }, this.list, this.undoButton);
    /** Whether sentences of this event-loop iteration are shown, that is, of the same message. */
    this.isBatch = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    setAttribute(this.element, "data-shown", null);
  }

  /**
   * Writes everything in another language.
   * @param {string} undo the text of the button
   */
  setWords(undo) {
    this.undoButton.replaceChildren(icon("undo"), make("span", {}, undo));
    setAttribute(this.undoButton, "title", undo);
    for (const line of this.lines.keys()) this.#write(line);
  }

  /** Updates the stale commands to what is there now. */
  drawOffers() {
    for (const [line, { button, offer }] of this.offers) {
      this.#write(line);
      const { isShown, isUsable } = offer.usability();
      const losesFocus = !isShown && button.matches(":focus");
      button.hidden = !isShown;
      setText(button, offer.label());
      setAttribute(button, "aria-disabled", isUsable ? null : "true");
      if (losesFocus) this.left();
    }
  }

  /** @param {HTMLElement} line */
  #write(line) {
    if (line.firstElementChild) setText(line.firstElementChild, this.lines.get(line)?.write() ?? "");
  }

  /**
   * Shows a sentence, or has it wait until the one that is shown could be read.
   * @param {Sentence} sentence @param {string} key of its place and author
   * @param {() => string} write its text with the author, in the language of the page at that time
   * @param {boolean} canUndo @param {Notice | null} [notice] that of the sentence
   * @param {Offer | null} [offer] for a stale command
   */
  show(sentence, key, write, canUndo, notice = null, offer = null) {
    const { tone, color } = sentence;
    const now = performance.now();
    const isLighter = weight[tone] < this.#weight;
    const isBelow = isLighter && this.#stays && concernsMember.has(tone);
    const unread = [...this.lines.values()].find((line) => isUnread(line.at, now));
    const isHeavier = unread && weight[tone] >= weight[unread.tone] + (unread.key === key ? 0 : 1);
    if (unread && !isHeavier && !this.#stays && tone !== "people" && unread.tone !== "people") {
      this.next = { key, tone, canUndo, notice, show: (can) => this.show(sentence, key, write, can, notice, offer) };
      return this.#stay();
    }
    if (isLighter && !isBelow) return;
    if (this.next?.key === key) this.next = null;
    if (!this.isBatch) {
      this.isBatch = true;
      queueMicrotask(() => { this.isBatch = false; });
    }
    this.#clear(tone, isBelow);
    this.#hideUndo();
    const line = make("li", { class: `sentence ${tone}` }, make("span", {}, write()));
    this.lines.set(line, { key, tone, write, notice, at: now, until: now + stayMilliseconds[tone] });
    if (color) line.style.setProperty("--_author", color);
    this.list.append(line);
    if (offer) this.#offer(line, offer);
    if (canUndo) this.undoButton.hidden = false;
    this.#stay();
  }

  /**
   * Without a connection Undo cannot be used: sent later, it might revert something else.
   * @param {boolean} isLive
   */
  setLive(isLive) {
    // Not `disabled`, because a disabled button would lose the focus.
    setAttribute(this.undoButton, "aria-disabled", isLive ? null : "true");
  }

  /** Removes the Undo button, once there is a change after that of the note: Undo would revert that one. */
  withdrawUndo() {
    if (this.isBatch) return;
    this.#hideUndo();
    if (this.next) this.next.canUndo = false;
  }

  /**
   * Hides what is no longer true once this member has made a change of its own: a decision and stale commands at once,
   * other sentences when they could be read, except those about changes of the definition.
   */
  outdate() {
    if (this.isBatch) return;
    // The change of a command that was given before them, or of another one of them.
    const isNew = isUnread(this.offeredAt, performance.now());
    if (this.offers.size > 0 && (isNew || this.actingCount > 0)) return;
    if (this.#stays) return this.hide();
    if (this.next?.tone !== "change") this.next = null;
    this.#hideOnceRead(({ tone }) => tone !== "change");
  }

  /**
   * Hides corrections once they could be read, if a later change of anybody has outdated them.
   * @param {Notice} later
   */
  outdateBy(later) {
    if (this.isBatch || this.#stays) return;
    /** @param {{tone: string, notice: Notice | null}} line */
    const isOutdated = ({ tone, notice }) => tone === "correction" && notice !== null && isOutdatedBy(notice, later);
    if (this.next && isOutdated(this.next)) this.next = null;
    this.#hideOnceRead(isOutdated);
  }

  /** Hides that something could not be done offline, once it could be read, because the connection is back. */
  outdateOffline() { this.#hideOnceRead(({ notice }) => notice?.kind === "refused" && notice.code === "offline"); }

  /** Hides everything once it could be read, because the status has changed. */
  outdateByStatus() {
    this.next = null;
    this.#hideOnceRead(() => true);
  }

  /** Whether the reason of the host's decision is shown. */
  get hasDecision() { return this.#weight === weight.decision; }

  /** That of the heaviest sentence; 0 if none is shown. */
  get #weight() { return Math.max(0, ...[...this.lines.values()].map(({ tone }) => weight[tone])); }

  /** Whether the note stays until this member makes a change, or the status changes. */
  get #stays() { return this.#weight >= weight.late; }

  /** Hides the note. Its texts stay in the page until the next ones, so that it can fade. */
  hide() {
    clearTimeout(this.timer);
    if (this.list.matches(":focus-within")) this.left();
    this.offers.clear();
    this.lines.clear();
    this.next = null;
    this.#hideUndo();
    setAttribute(this.element, "data-shown", null);
  }

  /**
   * Removes the lines before the next one, except stale commands if that is one, too, and what it is shown below.
   * @param {keyof typeof weight} next @param {boolean} isBelow
   */
  #clear(next, isBelow) {
    for (const line of /** @type {HTMLElement[]} */ ([...this.list.children])) {
      const isTrue = (this.offers.has(line) && (isBelow || next === "late")) || (isBelow && this.lines.get(line)?.tone === "decision");
      if (!isTrue) this.#remove(line);
    }
  }

  /** @param {HTMLElement} line */
  #remove(line) {
    this.offers.delete(line);
    this.lines.delete(line);
    line.remove();
  }

  /** @param {HTMLElement} line @param {Offer} offer */
  #offer(line, offer) {
    const button = make("button", { class: "offer", part: "offer", type: "button", onclick: () => {
      if (button.getAttribute("aria-disabled")) return;
      this.#withdraw(line);
      this.left();
      this.actingCount += 1;
      void offer.act().finally(() => { this.actingCount -= 1; });
    } });
    line.append(button);
    this.offeredAt = performance.now();
    this.offers.set(line, { button, offer });
    const [first] = this.offers.keys();
    if (this.offers.size > lateMax) this.#withdraw(first);
    this.drawOffers();
  }

  /** @param {HTMLElement} line */
  #withdraw(line) {
    this.#remove(line);
    this.#stay();
  }

  #hideUndo() {
    const hasFocus = this.undoButton.matches(":focus");
    this.undoButton.hidden = true;
    // Unless the next note has the button again at once.
    if (hasFocus) queueMicrotask(() => { if (this.undoButton.hidden) this.left(); });
  }

  /** @param {(line: Line) => boolean} isOutdated */
  #hideOnceRead(isOutdated) {
    const outdated = [...this.lines.values()].filter(isOutdated);
    for (const line of outdated) line.until = Math.min(line.until, line.at + readMilliseconds);
    if (outdated.length > 0) this.#stay();
  }

  /**
   * Shows the sentences until their time is over, and the note until there are none. While the note is hovered or focused,
   * only outdated ones disappear.
   */
  #stay() {
    clearTimeout(this.timer);
    const now = performance.now();
    // After a tap of a finger on it, it would be hovered until the next one.
    const isUsed = this.element.matches(`:focus-within${matchMedia("(hover: hover)").matches ? ", :hover" : ""}`);
    const isOver = (/** @type {Line} */ { at, until }) => until <= now && (!isUsed || until - at <= readMilliseconds);
    if (this.next && ![...this.lines.values()].some(({ at }) => isUnread(at, now))) {
      const { next } = this;
      this.hide();
      return next.show(next.canUndo);
    }
    const over = [...this.lines].filter(([, line]) => isOver(line));
    if (over.length === this.lines.size) return this.hide();
    for (const [line] of over) this.#remove(line);
    const lines = [...this.lines.values()];
    const heaviest = lines.filter(({ tone }) => weight[tone] === this.#weight).at(-1);
    setAttribute(this.element, "data-shown", heaviest?.tone);
    const next = Math.min(...lines.map(({ until, at }) => {
      const end = this.next ? Math.min(until, at + readMilliseconds) : until;
      return end > now ? end - now : hoverMilliseconds;
    }));
    if (next < Infinity) this.timer = setTimeout(() => this.#stay(), next);
  }
}

/** @param {number} at when a sentence was shown @param {number} now milliseconds */
const isUnread = (at, now) => now - at < readMilliseconds;
