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
 * The time after which a note disappears, unless it is hovered or focused. The reason of the host's decision and stale
 * commands stay until this member makes a change, or the status changes.
 */
const stayMilliseconds = { decision: Infinity, late: Infinity, correction: 9000, refusal: 7000, change: 7000, move: 5000, people: 4000 };
/** A note that a change has outdated can be read first: several changes may follow at once. */
const readMilliseconds = 2000;
/** A sentence does not replace one with a greater weight. `change`: the host has changed the definition. */
const weight = { decision: 5, late: 4, correction: 3, refusal: 3, change: 3, move: 2, people: 1 };
/**
 * Tones of sentences that are shown below a decision or stale commands, and that a later change of this member
 * outdates; others are not shown beside these.
 */
const concernsMember = new Set(["late", "correction", "refusal"]);
/** The maximum of stale commands that are shown, the last ones. */
const lateMax = 3;

export class Note {
  /** @param {() => void} undo @param {() => void} left called when the focused Undo button is hidden */
  constructor(undo, left) {
    this.left = left;
    this.list = make("ul", { class: "sentences" });
    /** @type {WeakMap<Element, () => string>} write the text of a line in the current language */
    this.writers = new WeakMap();
    /** @type {Map<HTMLElement, {button: HTMLButtonElement, offer: Offer}>} the lines of stale commands */
    this.offers = new Map();
    /** When the last stale command was shown, in milliseconds. */
    this.offeredAt = 0;
    /** The offered commands without an answer. */
    this.actingCount = 0;
    this.undoButton = make("button", { class: "undo-note", part: "undo", type: "button", onclick: () => {
      if (this.undoButton.getAttribute("aria-disabled")) return;
      undo();
      this.hide();
    } });
    this.element = make("div", { class: "note", part: "note" }, this.list, this.undoButton);
    /** @type {Sentence[]} the sentences of one event-loop iteration, which are shown together */
    this.batch = [];
    /** @type {Notice[]} the corrections that are shown */
    this.corrections = [];
    this.weight = 0;
    /** When the note was shown, in milliseconds. */
    this.shownAt = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    setAttribute(this.element, "data-shown", null);
  }

  /**
   * Writes everything in another language.
   * @param {string} undo the text of the button
   */
  setWords(undo) {
    this.undoButton.replaceChildren(icon("undo"), undo);
    for (const line of this.list.children) this.#write(line);
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

  /** @param {Element} line */
  #write(line) {
    if (line.firstElementChild) setText(line.firstElementChild, this.writers.get(line)?.() ?? "");
  }

  /**
   * @param {Sentence} sentence
   * @param {() => string} write its text with the author, in the language of the page at that time
   * @param {boolean} canUndo @param {Notice | null} [notice] that of the sentence
   * @param {Offer | null} [offer] for a stale command
   */
  show(sentence, write, canUndo, notice = null, offer = null) {
    const isLighter = this.element.hasAttribute("data-shown") && weight[sentence.tone] < this.weight;
    const isBelow = isLighter && this.#stays && concernsMember.has(sentence.tone);
    if (isLighter && !isBelow) return;
    if (this.batch.length === 0) {
      queueMicrotask(() => { this.batch = []; });
      this.#clear(isBelow, isBelow || sentence.tone === "late");
      this.weight = isBelow ? this.weight : 0;
      this.corrections = [];
      this.#hideUndo();
    }
    this.batch.push(sentence);
    if (notice && sentence.tone === "correction") this.corrections.push(notice);
    this.weight = Math.max(this.weight, weight[sentence.tone]);
    const line = make("li", { class: `sentence ${sentence.tone}` }, make("span", {}, write()));
    this.writers.set(line, write);
    if (sentence.color) line.style.setProperty("--author", sentence.color);
    this.list.append(line);
    if (offer) this.#offer(line, offer);
    if (canUndo) this.undoButton.hidden = false;
    if (isBelow) return;
    setAttribute(this.element, "data-shown", sentence.tone);
    this.shownAt = performance.now();
    this.#stay(stayMilliseconds[sentence.tone]);
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
    if (this.batch.length === 0) this.#hideUndo();
  }

  /**
   * Hides what is no longer true once this member has made a change of its own: sentences about
   * others and a decision at once, a correction or refusal when it could be read.
   */
  outdate() {
    if (this.batch.length > 0) return;
    // The change of a command that was given before them, or of another one of them.
    const isUnread = performance.now() - this.offeredAt < readMilliseconds;
    if (this.offers.size > 0 && (isUnread || this.actingCount > 0)) return;
    if (this.weight <= weight.move || this.#stays) return this.hide();
    if (!concernsMember.has(this.element.getAttribute("data-shown") ?? "")) return;
    this.#hideOnceRead();
  }

  /**
   * Hides corrections once they could be read, if a later change of anybody has outdated them.
   * @param {Notice} later
   */
  outdateBy(later) {
    if (this.batch.length > 0 || this.#stays) return;
    if (this.corrections.some((one) => isOutdatedBy(one, later))) this.#hideOnceRead();
  }

  /** Whether the reason of the host's decision is shown. */
  get hasDecision() { return this.weight === weight.decision; }

  /** Whether the note stays until this member makes a change, or the status changes. */
  get #stays() { return this.weight >= weight.late; }

  hide() {
    clearTimeout(this.timer);
    if (this.list.matches(":focus-within")) this.left();
    this.offers.clear();
    this.weight = 0;
    this.corrections = [];
    this.#hideUndo();
    setAttribute(this.element, "data-shown", null);
  }

  /**
   * Removes the lines, except a decision and stale commands that are still true.
   * @param {boolean} keepsDecision @param {boolean} keepsLate
   */
  #clear(keepsDecision, keepsLate) {
    for (const line of [...this.list.children]) {
      const isKept = keepsLate && this.offers.has(/** @type {HTMLElement} */ (line));
      if (!isKept && !(keepsDecision && line.matches(".decision"))) line.remove();
    }
    if (!keepsLate) this.offers.clear();
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
    this.offers.delete(line);
    line.remove();
    if (this.list.children.length === 0) this.hide();
  }

  #hideUndo() {
    const hasFocus = this.undoButton.matches(":focus");
    this.undoButton.hidden = true;
    // Unless the next note has the button again at once.
    if (hasFocus) queueMicrotask(() => { if (this.undoButton.hidden) this.left(); });
  }

  #hideOnceRead() {
    const unread = this.shownAt + readMilliseconds - performance.now();
    if (unread > 0) this.#stay(unread);
    else this.hide();
  }

  /** @param {number} milliseconds */
  #stay(milliseconds) {
    clearTimeout(this.timer);
    if (milliseconds === Infinity) return;
    this.timer = setTimeout(() => {
      if (this.element.matches(":hover, :focus-within")) this.#stay(1000);
      else this.hide();
    }, milliseconds);
  }
}
