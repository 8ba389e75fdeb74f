// The months in view, the requested windows of rows, and the touches of this member.

import { monthIndexOf } from "./civil.js";

/** @typedef {import("./types").Effect} Effect */
/** @typedef {import("./types").Message} Message */

/** The shortest time between two `touch` messages, in milliseconds. */
export const touchMilliseconds = 100;
/** The number of rows of a request. */
export const windowRows = 200;

export class Looking {
  constructor() {
    /** @type {{from: string, count: number} | null} */
    this.months = null;
    /** @type {{from: string, count: number} | null} the months that the last join was sent with */
    this.joined = null;
    /** @type {Set<string>} requested windows without a response: `column:generation:from` */
    this.asked = new Set();
    /** @type {object | null | undefined} undefined: no touch is pending */
    this.nextTouch = undefined;
    this.isTouchPaused = false;
  }

  /** Resets the requests: on a new connection only the months of `join` were requested. */
  connected() {
    this.asked.clear();
    this.nextTouch = undefined;
    this.isTouchPaused = false;
  }

  /**
   * @param {string} from @param {number} count @param {number} countMax
   * @returns {Message | null} null if these months are in view already
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

  /**
   * @param {number} index of the column @param {import("./column.js").Column} column
   * @param {number} from @param {number} through rows in view, inclusive
   * @returns {Effect[]}
   */
  wantRows(index, column, from, through) {
    /** @type {Effect[]} */
    const effects = [];
    for (const window of column.missing(from, through, windowRows)) {
      const name = `${index}:${column.generation}:${window.from}`;
      if (this.asked.has(name)) continue;
      this.asked.add(name);
      effects.push({ effect: "send", message: { type: "rows", column: index, ...window } });
    }
    return effects;
  }

  /** @param {Message} message a `rows` message */
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

  /** @param {object | null} touch null if the finger is lifted @returns {Effect[]} */
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
   * The pause after a touch is over: sends the last touch during the pause.
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
