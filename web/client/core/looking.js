// What this member is looking at and touching: months in view, windows of rows, a finger.

import { monthIndexOf, monthOf } from "./civil.js";

/** @typedef {import("./types").Effect} Effect */
/** @typedef {import("./types").Message} Message */

/** The shortest time between two `touch` messages, in milliseconds. */
export const touchMilliseconds = 100;
/** Rows asked for at once. */
export const windowRows = 200;

export class Looking {
  constructor() {
    /** @type {{from: string, count: number} | null} */
    this.months = null;
    /** @type {{from: string, count: number} | null} the months that the last join was sent with */
    this.joined = null;
    /** @type {Set<string>} windows asked for that have not come: `column:generation:from` */
    this.asked = new Set();
    /** @type {object | null | undefined} undefined: no touch is pending */
    this.nextTouch = undefined;
    this.isTouchPaused = false;
  }

  /** A new connection has asked for nothing yet but its months. */
  connected() {
    this.asked.clear();
    this.nextTouch = undefined;
    this.isTouchPaused = false;
  }

  /**
   * @param {string} from @param {number} count @param {number} countMax
   * @returns {Message | null} null when these months are looked at already
   */
  lookAt(from, count, countMax) {
    const months = { from, count: Math.min(count, countMax) };
    if (this.months?.from === months.from && this.months.count === months.count) return null;
    this.months = months;
    return { type: "months", ...months };
  }

  /** @param {string} month */
  isInView(month) {
    if (!this.months) return false;
    const offset = monthIndexOf(month) - monthIndexOf(this.months.from);
    return offset >= 0 && offset < this.months.count;
  }

  /** The last month that is looked at, or null. */
  get lastMonth() {
    return this.months && monthOf(monthIndexOf(this.months.from) + this.months.count - 1);
  }

  /**
   * @param {number} index of the column @param {import("./column.js").Column} column
   * @param {number} from @param {number} through rows in view, inclusive
   * @returns {Message[]}
   */
  wantRows(index, column, from, through) {
    const messages = [];
    for (const window of column.missing(from, through, windowRows)) {
      const name = `${index}:${column.generation}:${window.from}`;
      if (this.asked.has(name)) continue;
      this.asked.add(name);
      messages.push({ type: "rows", column: index, ...window });
    }
    return messages;
  }

  /** @param {Message} message a `rows` answer */
  rowsCame({ column, generation, from }) {
    this.asked.delete(`${column}:${generation}:${from}`);
  }

  /** @param {import("./column.js").Column[]} columns */
  forgetStaleRows(columns) {
    for (const name of this.asked) {
      const [column, generation] = name.split(":").map(Number);
      if (columns[column]?.generation !== generation) this.asked.delete(name);
    }
  }

  forgetRows() {
    this.asked.clear();
  }

  /** @param {object | null} touch null when the finger is lifted @returns {Effect[]} */
  touch(touch) {
    if (this.isTouchPaused) {
      this.nextTouch = touch;
      return [];
    }
    this.isTouchPaused = true;
    return [
      { effect: "send", message: { type: "touch", ...touch } },
      { effect: "timer", name: "touch", milliseconds: touchMilliseconds },
    ];
  }

  /**
   * The pause is over: the last touch that came meanwhile counts.
   * @returns {Effect[]}
   */
  touchLater() {
    this.isTouchPaused = false;
    if (this.nextTouch === undefined) return [];
    const touch = this.nextTouch;
    this.nextTouch = undefined;
    return this.touch(touch);
  }
}
