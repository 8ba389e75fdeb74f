// One wheel: a drum of rows, of which only those near the middle are in the DOM.

import { icon, make, setAttribute, setText, wantsLessMotion } from "../parts/dom.js";
import { showGhosts } from "../parts/ghosts.js";
import { noteText, showNote } from "../parts/remark.js";
import { listenToFingers } from "./fingers.js";
import { listenToKeys } from "./keys.js";
import { clamped, Motion } from "./motion.js";

/** @typedef {import("../core/column.js").Column} Column */

/** Rows in the DOM on either side of the middle. */
const reach = 4;
const pool = 2 * reach + 1;
/** The rotation of the drum for one row, in degrees. */
const turn = 19;
/** Between the last key and the select: while a key is held down only the last row counts. */
const keyPatienceMilliseconds = 140;
/** How long a wheel waits for the row it rests on to be loaded. */
const rowPatienceMilliseconds = 4000;

/**
 * @typedef {object} ColumnHandlers
 * @property {(row: number, seen: {generation: number, key: string}) => void} select
 * @property {(row: number | null) => void} touch
 * @property {(from: number, through: number) => void} want rows in view
 * @property {(steps: number) => void} beside focus the column beside, in reading order
 */

export class ColumnView {
  /** @param {number} index @param {ColumnHandlers} handlers */
  constructor(index, handlers) {
    this.index = index;
    this.handlers = handlers;
    this.motion = new Motion();
    /**
     * The column that is drawn. While the user holds the wheel, updates of the server do not replace it.
     * @type {Column | null}
     */
    this.source = null;
    /**
     * The column as the server last sent it, and the row that should be in the middle.
     * @type {{column: Column, row: number | null} | null}
     */
    this.latest = null;
    /** The user holds the wheel, or it is still moving and its row has not been selected yet. */
    this.isHeld = false;
    this.hasMoved = false;
    this.isDisabled = false;
    this.tellAt = 0;
    this.frame = 0;
    this.lastFrameAt = 0;
    /** @type {{row: number, member: import("../core/types").Member}[]} */
    this.ghosts = [];
    /** @type {any[]} elements for the rows near the middle; a row's is the one at `row % pool` */
    this.rows = [];
    /** @type {import("../words/words.js").Words | null} */
    this.words = null;
    this.#build();
    this.fingers = listenToFingers(this);
    listenToKeys(this);
  }

  /** @param {string} label @param {import("../words/words.js").Words} words */
  setWords(label, words) {
    this.words = words;
    setText(this.labelElement, label);
    setAttribute(this.wheel, "aria-label", label);
    setAttribute(this.upButton, "aria-label", words.previous(label));
    setAttribute(this.downButton, "aria-label", words.next(label));
  }

  /** @param {Column} column @param {number | null} row @param {boolean} isDisabled */
  update(column, row, isDisabled) {
    this.latest = { column, row };
    if (this.isDisabled !== isDisabled) {
      this.isDisabled = isDisabled;
      setAttribute(this.element, "data-disabled", isDisabled);
      setAttribute(this.wheel, "aria-disabled", isDisabled ? "true" : null);
      this.upButton.disabled = this.downButton.disabled = isDisabled;
    }
    if (!this.isHeld) this.#adopt();
    this.draw();
  }

  /** @param {{row: number, member: import("../core/types").Member}[]} ghosts fingers of others on this column */
  setGhosts(ghosts) {
    this.ghosts = ghosts;
    this.draw();
  }

  /** The row that is selected, or will be when the wheel comes to rest. */
  get row() { return this.motion.isHeld ? this.motion.row : this.motion.target; }

  get rowHeight() { return this.lens.offsetHeight || 40; }

  focus() { this.wheel.focus(); }

  /** A hand has come onto the wheel. */
  hold() {
    this.isHeld = true;
    this.#run();
  }

  /**
   * Turns to a row, as if by hand.
   * @param {number} row
   */
  turnTo(row) {
    if (this.isDisabled || !this.source?.count) return;
    this.isHeld = true;
    this.hasMoved = true;
    this.tellAt = performance.now() + keyPatienceMilliseconds;
    this.motion.moveTo(row, !wantsLessMotion());
    this.#run();
  }

  /** @param {number} rows */
  turnBy(rows) { this.turnTo(clamped(this.row + rows, 0, this.motion.last)); }

  /** Shows that the server has put this wheel elsewhere than was asked for. */
  flash() {
    this.wheel.classList.remove("corrected");
    void this.wheel.offsetWidth;
    this.wheel.classList.add("corrected");
  }

  #build() {
    this.labelElement = make("div", { class: "label", part: "label", "aria-hidden": "true" });
    this.lens = make("div", { class: "lens", part: "lens" });
    this.rows = Array.from({ length: pool }, (_, slot) => make("div", {
      class: "row", part: "row", role: "option", id: `row-${this.index}-${slot}`, "aria-selected": "false",
    }, new Text(), make("span", { class: "remark", part: "remark", hidden: true })));
    this.drum = make("div", { class: "drum", role: "presentation" }, ...this.rows);
    this.ghostAbove = make("div", { class: "edge above", "aria-hidden": "true" });
    this.ghostBelow = make("div", { class: "edge below", "aria-hidden": "true" });
    this.wheel = make("div", { class: "wheel", part: "wheel", role: "listbox", tabindex: "0" },
      this.lens, this.drum, this.ghostAbove, this.ghostBelow);
    this.upButton = make("button", { class: "step", part: "step", type: "button", tabindex: "-1" }, icon("up"));
    this.downButton = make("button", { class: "step", part: "step", type: "button", tabindex: "-1" }, icon("down"));
    this.element = make("div", { class: "column", part: "column" },
      this.labelElement, this.upButton, this.wheel, this.downButton);
  }

  /** Draws the column that the server last sent. */
  #adopt() {
    if (!this.latest) return;
    const { column, row } = this.latest;
    const before = this.source;
    this.source = column;
    this.motion.count = column.count;
    setAttribute(this.wheel, "data-empty", column.count === 0);
    setAttribute(this.wheel, "role", column.count === 0 ? "group" : "listbox");
    if (row === null) return this.motion.moveTo(0, false);
    if (before && before !== column) this.#carryOver(before, column, row);
    if (this.motion.target !== row || !before) this.motion.moveTo(row, before !== null && !wantsLessMotion());
    this.#run();
  }

  /**
   * Rows came or went before the one in the middle: the wheel stays where it is, only its numbers change.
   * @param {Column} before @param {Column} column @param {number} row
   */
  #carryOver(before, column, row) {
    const shown = before.at(this.motion.target)?.key;
    if (shown !== undefined && shown === column.at(row)?.key) {
      this.motion.position += row - this.motion.target;
      this.motion.target = row;
    }
    this.motion.position = clamped(this.motion.position, 0, this.motion.last);
  }

  #run() {
    if (this.frame) return;
    this.lastFrameAt = performance.now();
    this.frame = requestAnimationFrame(() => this.#tick());
  }

  #tick() {
    this.frame = 0;
    const now = performance.now();
    // A page that was hidden draws its next frame late: the wheel is simply there then.
    this.motion.step(Math.min(now - this.lastFrameAt, 100));
    this.lastFrameAt = now;
    if (this.isHeld && !this.motion.isHeld) this.#settle(now);
    this.draw();
    if (this.motion.isMoving || (this.isHeld && !this.motion.isHeld)) this.#run();
  }

  /** The hand has gone elsewhere: what it turned to counts from now on. */
  finish() {
    if (!this.isHeld || this.motion.isHeld) return;
    this.tellAt = 0;
    this.#tell(this.motion.target);
  }

  /**
   * Tells the row once it is known, then lets the server's word count again.
   * @param {number} now
   */
  #settle(now) {
    if (!this.motion.isNear || now < this.tellAt) return;
    const row = this.motion.target;
    const isKnown = !this.source?.count || this.source.at(row) !== undefined;
    if (isKnown || now - this.tellAt > rowPatienceMilliseconds) this.#tell(row);
  }

  /** @param {number} row */
  #tell(row) {
    const seen = this.source?.at(row);
    this.isHeld = false;
    this.handlers.touch(null);
    const isElsewhere = row !== this.latest?.row || this.source !== this.latest?.column;
    if (seen && this.source && this.hasMoved && isElsewhere) {
      this.handlers.select(row, { generation: this.source.generation, key: seen.key });
    }
    this.hasMoved = false;
    this.#adopt();
  }

  draw() {
    const { source, motion } = this;
    if (!source) return;
    const middle = Math.round(motion.position);
    const isFlat = wantsLessMotion();
    const { rowHeight } = this;
    const radius = rowHeight / ((turn * Math.PI) / 180);
    const used = new Set();
    for (let row = middle - reach; row <= middle + reach; row += 1) {
      const slot = ((row % pool) + pool) % pool;
      used.add(slot);
      this.#drawRow(this.rows[slot], row, row - motion.position, isFlat ? null : radius, rowHeight);
    }
    this.#drawGhosts(middle);
    const target = this.row;
    const isNear = Math.abs(target - middle) <= reach && source.count > 0;
    setAttribute(this.wheel, "aria-activedescendant", isNear ? this.rows[target % pool].id : null);
    if (source.count > 0) this.handlers.want(middle - 3 * reach, middle + 3 * reach);
  }

  /** @param {HTMLElement} element @param {number} row @param {number} offset @param {number | null} radius @param {number} height */
  #drawRow(element, row, offset, radius, height) {
    const source = /** @type {Column} */ (this.source);
    const isThere = row >= 0 && row < source.count && Math.abs(offset) < reach + 0.5;
    const isSaid = source.count === 0 && row === 0;
    element.hidden = !isThere && !isSaid;
    if (element.hidden) return setAttribute(element, "aria-selected", "false");
    this.#drawText(element, isSaid ? null : source.at(row));
    setAttribute(element, "role", isSaid ? "note" : "option");
    setAttribute(element, "aria-selected", isSaid ? null : String(row === this.row));
    setAttribute(element, "aria-posinset", isSaid ? null : row + 1);
    setAttribute(element, "aria-setsize", isSaid ? null : source.count);
    setAttribute(element, "data-row", row);
    setAttribute(element, "data-key", source.at(row)?.key ?? null);
    element.style.transform = radius === null || isSaid
      ? `translateY(${offset * height}px)`
      : `translateZ(${-radius}px) rotateX(${-offset * turn}deg) translateZ(${radius}px)`;
    showGhosts(element, this.ghosts.filter((one) => one.row === row).map(({ member }) => member));
  }

  /** @param {HTMLElement} element @param {import("../core/types").Row | null | undefined} row null: there are none at all */
  #drawText(element, row) {
    const [text, remark] = /** @type {any} */ (element.childNodes);
    const shown = row === null ? this.words?.empty ?? "" : row?.text ?? "…";
    if (text.data !== shown) text.data = shown;
    showNote(remark, row?.note);
    const note = this.words && noteText(row?.note, this.words);
    setAttribute(element, "aria-label", note ? `${row?.text}, ${note}` : null);
    setAttribute(element, "title", note);
  }

  /**
   * Fingers that are further up or down show at the edge.
   * @param {number} middle
   */
  #drawGhosts(middle) {
    const sides = /** @type {const} */ ([[this.ghostAbove, -1], [this.ghostBelow, 1]]);
    for (const [edge, side] of sides) {
      const beyond = this.ghosts.filter((one) => (one.row - middle) * side > 2).map(({ member }) => member);
      edge.hidden = beyond.length === 0;
      showGhosts(edge, beyond);
      setText(edge, edge.dataset.ghost ?? "");
    }
  }
}
