// A wheel: a drum of rows. Only the rows near the middle are in the DOM.

import { icon, make, setAttribute, setText, wantsLessMotion } from "../parts/dom.js";
import { showGhosts } from "../parts/ghosts.js";
import { noteText, showNote } from "../parts/remark.js";
import { listenToFingers } from "./fingers.js";
import { listenToKeys } from "./keys.js";
import { longestOf } from "./longest.js";
import { clamped, Motion } from "./motion.js";

/** @typedef {import("../core/column.js").Column} Column */

/** Rows in the DOM on either side of the middle. */
const reach = 4;
const pool = 2 * reach + 1;
/** The rotation of the drum for one row, in degrees. */
const turn = 14;
/** The delay between the last key and the select: while a key is held down, only the last row is selected. */
const keyPatienceMilliseconds = 140;
/** How long the row that was wanted stays beside the one that was selected instead, with the reason. */
const tipMilliseconds = 4000;
/** The maximum time that a wheel waits until the row it rests on is received. */
const rowPatienceMilliseconds = 4000;
/** How long a device vibrates that can, when a row passes under a finger. */
const tickMilliseconds = 5;

/**
 * @typedef {object} ColumnHandlers
 * @property {(row: number, seen: {generation: number, key: string}) => void} select
 * @property {(row: number | null) => void} touch
 * @property {(row: number | null) => void} hover
 * @property {(from: number, through: number) => void} want requests the rows in view
 * @property {(text: string) => void} find opens the search for a row, with what was typed
 * @property {(steps: number) => void} beside focuses another column, in reading order
 * @property {(row: import("../core/types").Row) => string} text of a row
 * @property {() => boolean} awaits whether own changes of earlier columns have no answer, which may change the rows
 * @property {() => void} tipOver the row that was wanted is not shown any more
 */

export class ColumnView {
  /** @param {number} index @param {ColumnHandlers} handlers */
  constructor(index, handlers) {
    this.index = index;
    this.label = "";
    this.handlers = handlers;
    this.motion = new Motion();
    /**
     * The drawn column. While the user holds the wheel, updates from the server do not replace it.
     * @type {Column | null}
     */
    this.source = null;
    /**
     * The column as last received, and the row that should be in the middle.
     * @type {{column: Column, row: number | null} | null}
     */
    this.latest = null;
    /** The user holds the wheel, or it is still moving and its row has not been selected yet. */
    this.isHeld = false;
    this.hasMoved = false;
    /** @type {(() => void)[]} what keys and buttons do once the own changes of earlier columns are answered */
    this.turns = [];
    /** Whether such changes had no answer while the wheel was turned. */
    this.hasAwaited = false;
    /**
     * The row that was wanted, and the key of the one that the server has selected instead; `side`: where it is shown, -1
     * above, once that is selected.
     * @type {{wanted: import("../core/types").Row, key: string, side: number, at: number | null} | null}
     */
    this.struck = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.tipTimer = undefined;
    /** Whether a finger has turned it last, which feels the rows. */
    this.isFelt = false;
    /** The row in the lens, as drawn last. */
    this.middle = 0;
    this.isDisabled = false;
    this.selectAt = 0;
    this.frame = 0;
    this.lastFrameAt = 0;
    /** @type {(import("../parts/ghosts.js").Ghost & {row: number})[]} */
    this.ghosts = [];
    /** @type {any[]} elements for the rows near the middle; that of a row is at index `row % pool` */
    this.rows = [];
    /** @type {any[]} the rows in the lens, which are drawn above the others */
    this.copies = [];
    /** @type {any[]} two of the row that was wanted, as of all others: in the drum and in the lens */
    this.struckRows = [];
    /** @type {import("../words/words.js").Words | null} */
    this.words = null;
    this.#build();
    this.fingers = listenToFingers(this);
    listenToKeys(this);
  }

  /** @param {string} label @param {import("../words/words.js").Words} words */
  setWords(label, words) {
    this.words = words;
    this.label = label;
    setText(this.labelElement, label);
    setText(this.findButton.firstChild, label);
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
    }
    this.upButton.disabled = this.downButton.disabled = isDisabled || column.count === 0;
    if (!this.isHeld) this.#adopt();
    this.#turnNow();
    this.draw();
  }

  /** @param {string | null} name of the button that opens the search for a row; null: it is not needed, or not loaded */
  setFinder(name) {
    this.findButton.hidden = name === null;
    this.labelElement.hidden = name !== null;
    setAttribute(this.findButton, "aria-label", name);
  }

  /** Whether most rows were not received: they are found by the server. */
  get lacksRows() { return !this.isDisabled && this.latest !== null && this.latest.column.rows.size < this.latest.column.count; }

  /** Whether the user has turned the wheel, and its row is not selected yet. */
  get isTurning() { return this.turns.length > 0 || (this.isHeld && this.hasMoved); }

  /**
   * Turns the wheel, at once or after own changes of earlier columns, which may give it other rows.
   * @param {() => void} turn
   */
  turnLater(turn) {
    this.turns.push(turn);
    this.#turnNow();
  }

  #turnNow() { while (this.turns.length > 0 && !this.handlers.awaits()) this.turns.shift()?.(); }

  /** @param {(import("../parts/ghosts.js").Ghost & {row: number})[]} ghosts fingers and pointers of others on this column */
  setGhosts(ghosts) {
    this.ghosts = ghosts;
    this.draw();
  }

  /** The row that is selected, or will be when the wheel comes to rest. */
  get row() { return this.motion.isHeld ? this.motion.row : this.motion.target; }

  get rowHeight() { return this.lens.offsetHeight || 40; }

  focus() { this.wheel.focus(); }

  /** Removes the column, and ends what turns it. */
  remove() {
    this.source = this.latest = null;
    this.turns = [];
    clearTimeout(this.tipTimer);
    this.fingers.letGo();
    cancelAnimationFrame(this.frame);
    this.element.remove();
  }

  /** The user has grabbed the wheel. */
  hold() {
    this.endTip();
    this.isHeld = true;
    this.#run();
  }

  /**
   * Turns the wheel to a row, as the user does.
   * @param {number} row
   */
  turnTo(row) {
    if (this.isDisabled || !this.source?.count) return;
    this.endTip();
    this.isHeld = true;
    this.hasMoved = true;
    this.selectAt = performance.now() + keyPatienceMilliseconds;
    this.motion.moveTo(row, !wantsLessMotion());
    this.#run();
  }

  /** @param {number} rows */
  turnBy(rows) { this.turnTo(clamped(this.row + rows, 0, this.motion.last)); }

  /**
   * Turns from the row that was wanted, which is struck out, to the one that the server has selected instead.
   * @param {import("../core/types").Row} wanted @param {import("../core/types").Row} given
   */
  correct(wanted, given) {
    this.endTip();
    this.struck = { wanted, key: given.key, side: Number(wanted.key) < Number(given.key) ? -1 : 1, at: null };
    this.tipTimer = setTimeout(() => this.endTip(), tipMilliseconds);
  }

  /** Removes the row that was wanted. */
  endTip() {
    if (!this.struck) return;
    clearTimeout(this.tipTimer);
    this.struck = null;
    this.handlers.tipOver();
    this.draw();
  }

  /** Shows that the host has changed the selection. */
  flash() {
    this.wheel.classList.remove("corrected");
    void this.wheel.offsetWidth;
    this.wheel.classList.add("corrected");
  }

  #build() {
    this.labelElement = make("div", { class: "label", part: "label", "aria-hidden": "true" });
    const search = icon("up");
    // Not among the icons, which calendars load, too.
    search.firstElementChild?.setAttribute("d", "m20 20-5-5M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0");
    this.findButton = make("button", {
      class: "label find", part: "find-button", type: "button", hidden: true, onclick: () => this.handlers.find(""),
    }, make("span", {}), search);
    this.copies = Array.from({ length: 3 }, () => make("div", { class: "copy" }, new Text(), make("span", { class: "remark", hidden: true })));
    this.struckRows = ["row", "copy"].map((name) => make("div", { class: `${name} struck`, "aria-hidden": "true", hidden: true }, new Text(), make("span", { class: "remark", hidden: true })));
    this.lens = make("div", { class: "lens", part: "lens", "aria-hidden": "true" }, ...this.copies, this.struckRows[1]);
    this.rows = Array.from({ length: pool }, (_, slot) => make("div", {
      class: "row", part: "row", role: "option", id: `row-${this.index}-${slot}`, "aria-selected": "false",
    }, new Text(), make("span", { class: "remark", part: "remark", hidden: true })));
    // The rows have no place in the layout: this text gives the column its width.
    this.sizer = make("div", { class: "sizer", "aria-hidden": "true" }, new Text(), make("span", { class: "remark", hidden: true }));
    this.drum = make("div", { class: "drum", role: "presentation" }, ...this.rows, this.struckRows[0]);
    this.ghostAbove = make("div", { class: "edge above", "aria-hidden": "true" });
    this.ghostBelow = make("div", { class: "edge below", "aria-hidden": "true" });
    this.wheel = make("div", { class: "wheel", part: "wheel", role: "listbox", tabindex: "0", "data-column": this.index },
      this.drum, this.lens, this.ghostAbove, this.ghostBelow);
    this.upButton = make("button", { class: "step", part: "step", type: "button", tabindex: "-1" }, icon("up"));
    this.downButton = make("button", { class: "step", part: "step", type: "button", tabindex: "-1" }, icon("down"));
    this.element = make("div", { class: "column", part: "column" },
      this.labelElement, this.findButton, this.upButton, this.wheel, this.downButton, this.sizer);
  }

  /** Draws the column as last received. */
  #adopt() {
    if (!this.latest) return;
    const { column, row } = this.latest;
    const before = this.source;
    this.source = column;
    this.motion.count = column.count;
    // Here, and not when rows are received, so that the width does not change while the user turns the wheel.
    this.#drawText(this.sizer, longestOf(column));
    setAttribute(this.wheel, "data-empty", column.count === 0);
    setAttribute(this.wheel, "role", column.count === 0 ? "group" : "listbox");
    if (row === null) return this.motion.moveTo(0, false);
    if (before && before !== column) this.#carryOver(before, column, row);
    if (this.motion.target !== row || !before) this.motion.moveTo(row, before !== null && !wantsLessMotion());
    this.#strike(column, row);
    this.#run();
  }

  /** @param {Column} column @param {number} row that is selected */
  #strike(column, row) {
    const { struck } = this;
    const isThere = struck && column.at(row)?.key === struck.key;
    if (struck && struck.at === null && isThere) {
      struck.at = row;
      this.motion.position = row + struck.side;
      this.motion.moveTo(row, !wantsLessMotion());
    } else if (struck && struck.at !== null && !isThere) this.endTip();
  }

  /**
   * If rows were added or removed before the selected one, the wheel does not move; only its position is renumbered.
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
    // At most 100 ms, because a page that was hidden draws its next frame late.
    this.motion.step(Math.min(now - this.lastFrameAt, 100));
    this.lastFrameAt = now;
    if (this.isHeld && !this.motion.isHeld) this.#settle(now);
    this.draw();
    if (this.motion.isMoving || (this.isHeld && !this.motion.isHeld)) this.#run();
  }

  /** Selects the row at once, or as soon as it is received, without waiting for further keys or the end of the motion. */
  finish() {
    if (!this.isHeld || this.motion.isHeld) return;
    if (!this.hasMoved || (this.#isKnown(this.motion.target) && !this.handlers.awaits())) return this.#finish(this.motion.target);
    this.selectAt = performance.now();
    this.#run();
  }

  /**
   * Selects the row as soon as it is received, then follows the server again.
   * @param {number} now
   */
  #settle(now) {
    if (!this.motion.isNear || now < this.selectAt) return;
    const row = this.motion.target;
    const isAwaiting = this.hasMoved && this.handlers.awaits();
    this.hasAwaited ||= isAwaiting;
    if ((this.#isKnown(row) && !isAwaiting) || now - this.selectAt > rowPatienceMilliseconds) this.#finish(row);
  }

  /** @param {number} row */
  #isKnown(row) { return !this.source?.count || this.source.at(row) !== undefined; }

  /** @param {number} row */
  #finish(row) {
    const seen = this.source?.at(row);
    this.isHeld = false;
    this.handlers.touch(null);
    const { column, row: given } = this.latest ?? {};
    const isElsewhere = row !== given || this.source !== column;
    // An own change of an earlier column has removed it.
    const isGone = this.hasAwaited && this.source !== column && column && column.rowOf(seen?.key ?? "") === null;
    this.hasAwaited = false;
    if (seen && this.source && this.hasMoved && isElsewhere && !isGone) {
      this.handlers.select(row, { generation: this.source.generation, key: seen.key });
    }
    this.hasMoved = false;
    this.#adopt();
  }

  draw() {
    const { source, motion } = this;
    if (!source) return;
    const middle = Math.round(motion.position);
    if (this.isHeld && this.isFelt && middle !== this.middle && !wantsLessMotion()) navigator.vibrate?.(tickMilliseconds);
    this.middle = middle;
    const isFlat = wantsLessMotion();
    const { rowHeight } = this;
    const radius = rowHeight / ((turn * Math.PI) / 180);
    for (let row = middle - reach; row <= middle + reach; row += 1) {
      const slot = ((row % pool) + pool) % pool;
      this.#drawRow(this.rows[slot], row, this.#placeOf(row) - motion.position, isFlat ? null : radius, rowHeight);
    }
    const { struck } = this;
    for (const element of this.struckRows) {
      element.hidden = !struck || struck.at === null;
      if (struck && struck.at !== null) this.#place(element, struck.wanted, struck.at + struck.side - motion.position, isFlat ? null : radius, rowHeight);
    }
    for (let row = middle - 1; row <= middle + 1; row += 1) {
      const copy = this.copies[(row + 3) % 3];
      copy.hidden = row < 0 || row >= source.count;
      if (!copy.hidden) this.#drawLook(copy, row, this.#placeOf(row) - motion.position, isFlat ? null : radius, rowHeight);
    }
    this.#drawGhosts(middle);
    const target = this.row;
    const isNear = Math.abs(target - middle) <= reach && source.count > 0;
    setAttribute(this.wheel, "aria-activedescendant", isNear ? this.rows[target % pool].id : null);
    if (source.count > 0) this.handlers.want(middle - 3 * reach, middle + 3 * reach);
  }

  /** @param {number} row whose place is one further if the row that was wanted is before it */
  #placeOf(row) {
    const { at = null, side = 0 } = this.struck ?? {};
    return at !== null && (row - at) * side > 0 ? row + side : row;
  }

  /** @param {HTMLElement} element @param {number} row @param {number} offset @param {number | null} radius @param {number} height */
  #drawRow(element, row, offset, radius, height) {
    const source = /** @type {Column} */ (this.source);
    const isThere = row >= 0 && row < source.count && Math.abs(offset) < reach + 0.5;
    const isEmptyText = source.count === 0 && row === 0;
    element.hidden = !isThere && !isEmptyText;
    if (element.hidden) return setAttribute(element, "aria-selected", "false");
    if (isEmptyText) this.#drawText(element, null);
    setAttribute(element, "role", isEmptyText ? "note" : "option");
    setAttribute(element, "aria-selected", isEmptyText ? null : String(row === this.row));
    setAttribute(element, "aria-posinset", isEmptyText ? null : row + 1);
    setAttribute(element, "aria-setsize", isEmptyText ? null : source.count);
    setAttribute(element, "data-row", row);
    setAttribute(element, "data-lens", row === Math.round(this.motion.position));
    setAttribute(element, "data-key", source.at(row)?.key ?? null);
    if (isEmptyText) element.style.transform = "";
    else this.#drawLook(element, row, offset, radius, height);
  }

  /**
   * Draws the text of a row, where it is, and who touches it.
   * @param {HTMLElement} element @param {number} row @param {number} offset @param {number | null} radius null: a flat wheel
   * @param {number} height
   */
  #drawLook(element, row, offset, radius, height) {
    this.#place(element, this.source?.at(row), offset, radius, height);
    showGhosts(element, this.ghosts.filter((one) => one.row === row));
  }

  /**
   * @param {HTMLElement} element @param {import("../core/types").Row | undefined} row @param {number} offset
   * @param {number | null} radius @param {number} height
   */
  #place(element, row, offset, radius, height) {
    this.#drawText(element, row);
    element.style.transform = radius === null ? `translateY(${offset * height}px)`
      : `translateZ(${-radius}px) rotateX(${-offset * turn}deg) translateZ(${radius}px)`;
  }

  /** @param {HTMLElement} element @param {import("../core/types").Row | null | undefined} row null: the column is empty */
  #drawText(element, row) {
    const [text, remark] = /** @type {any} */ (element.childNodes);
    const shown = row === null ? this.words?.empty ?? "" : row ? this.handlers.text(row) : "…";
    if (text.data !== shown) text.data = shown;
    showNote(remark, row?.note);
    const note = this.words && noteText(row?.note, this.words);
    setAttribute(element, "aria-label", note ? `${shown}, ${note}` : null);
    setAttribute(element, "title", note);
  }

  /**
   * Shows touches on rows outside of the view at the upper or lower edge.
   * @param {number} middle
   */
  #drawGhosts(middle) {
    const sides = /** @type {const} */ ([[this.ghostAbove, -1], [this.ghostBelow, 1]]);
    for (const [edge, side] of sides) {
      const beyond = this.ghosts.filter((one) => !one.hover && (one.row - middle) * side > 2);
      edge.hidden = beyond.length === 0;
      showGhosts(edge, beyond);
      setText(edge, edge.dataset.ghost ?? "");
    }
  }
}
