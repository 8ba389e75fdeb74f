// The vertical layout of the list of months, by plain arithmetic. Heights are in pixels.

import { gridOf, monthIndexOf } from "../core/civil.js";

/** The fractions of a month's height: title, weekday header and weeks (as in the hit test on the server). */
export const titleShare = 0.095;
export const headerShare = 0.089;
export const weeksShare = 1 - titleShare - headerShare;
/** The gap between two months. */
export const gap = 14;

export class MonthLayout {
  /**
   * @param {{first: string, count: number}} list @param {number} firstWeekday @param {"six" | "fit"} weeks
   * @param {number} rowHeight of a week
   */
  constructor(list, firstWeekday, weeks, rowHeight) {
    this.firstIndex = monthIndexOf(list.first);
    this.count = list.count;
    this.rowHeight = rowHeight;
    /** The number of weeks before each month; null if all have six. */
    this.weeksBefore = weeks === "fit" ? weeksBefore(this.firstIndex, list.count, firstWeekday) : null;
  }

  /** @param {number} position of a month in the list, from 0 */
  top(position) {
    const weeks = this.weeksBefore ? this.weeksBefore[position] : position * 6;
    return (weeks * this.rowHeight) / weeksShare + position * gap;
  }

  /** @param {number} position */
  height(position) { return this.top(position + 1) - this.top(position) - gap; }

  get totalHeight() { return Math.max(0, this.top(this.count) - gap); }

  /**
   * The position of the month at a height: the last one that begins above it.
   * @param {number} y
   */
  positionAt(y) {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.top(middle) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** @param {string} month or a date @returns {number} negative or too great for a month outside the list */
  positionOf(month) { return monthIndexOf(month) - this.firstIndex; }
}

/** @param {number} firstIndex @param {number} count @param {number} firstWeekday */
function weeksBefore(firstIndex, count, firstWeekday) {
  const before = new Uint32Array(count + 1);
  for (let position = 0; position < count; position += 1) {
    before[position + 1] = before[position] + gridOf(firstIndex + position, firstWeekday, "fit").weekCount;
  }
  return before;
}
