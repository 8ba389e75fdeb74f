// Where the months of a list stand: plain arithmetic, however many there are. Heights in pixels.

import { gridOf, monthIndexOf } from "../core/civil.js";

/** Of a month view's height: its title, its weekday header, and its week rows (rules.md, "Hit test"). */
export const titleShare = 0.095;
export const headerShare = 0.089;
export const weeksShare = 1 - titleShare - headerShare;
/** Between two months. */
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
    /** Weeks of all months before each, or null when all have six. */
    this.weeksBefore = weeks === "fit" ? weeksBefore(this.firstIndex, list.count, firstWeekday) : null;
  }

  /** @param {number} place of a month in the list, from 0 */
  top(place) {
    const weeks = this.weeksBefore ? this.weeksBefore[place] : place * 6;
    return (weeks * this.rowHeight) / weeksShare + place * gap;
  }

  /** @param {number} place */
  height(place) { return this.top(place + 1) - this.top(place) - gap; }

  get totalHeight() { return Math.max(0, this.top(this.count) - gap); }

  /**
   * The month at a height; the last that begins above it.
   * @param {number} y
   */
  placeAt(y) {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.top(middle) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** @param {string} month or a date @returns {number} outside the list it may be negative or too great */
  placeOf(month) { return monthIndexOf(month) - this.firstIndex; }
}

/** @param {number} firstIndex @param {number} count @param {number} firstWeekday */
function weeksBefore(firstIndex, count, firstWeekday) {
  const before = new Uint32Array(count + 1);
  for (let place = 0; place < count; place += 1) {
    before[place + 1] = before[place] + gridOf(firstIndex + place, firstWeekday, "fit").weekCount;
  }
  return before;
}
