// The vertical layout of the list of months, by plain arithmetic. Heights are in pixels.

import { gridOf, monthIndexOf } from "../core/civil.js";

/** The gap between two months. */
export const gap = 14;

export class MonthLayout {
  /**
   * @param {{first: string, count: number}} list @param {number} firstWeekday
   * @param {{week: number, head: number}} heights of a week, and of the title with the names of the weekdays
   * @param {number} columns months beside each other @param {string} start a month that is in the first column
   */
  constructor(list, firstWeekday, heights, columns, start) {
    this.firstIndex = monthIndexOf(list.first);
    this.count = list.count;
    this.heights = heights;
    this.columns = columns;
    /** The months that are missing in the first line. */
    this.lead = (((monthIndexOf(start) - this.firstIndex) % columns) + columns) % columns;
    if (this.lead > 0) this.lead = columns - this.lead;
    /** The top of each month, and the total height. */
    this.tops = new Float64Array(list.count + 1);
    let top = 0;
    let weeks = 0;
    for (let position = 0; position < list.count; position += 1) {
      if (this.columnOf(position) === 0 && position > 0) {
        top += heights.head + weeks * heights.week + gap;
        weeks = 0;
      }
      this.tops[position] = top;
      weeks = Math.max(weeks, gridOf(this.firstIndex + position, firstWeekday, "fit").weekCount);
    }
    this.tops[list.count] = list.count > 0 ? top + heights.head + weeks * heights.week : 0;
  }

  /** @param {number} position of a month in the list, from 0 */
  columnOf(position) { return (position + this.lead) % this.columns; }

  /** @param {number} position */
  top(position) { return this.tops[position]; }

  get totalHeight() { return this.tops[this.count]; }

  /**
   * The first month of the line at a height: the last line that begins above it.
   * @param {number} y
   */
  positionAt(y) {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low - this.columnOf(low));
  }

  /**
   * The last month of the line of a month.
   * @param {number} position
   */
  lineEnd(position) { return Math.min(this.count - 1, position + this.columns - 1 - this.columnOf(position)); }

  /** @param {string} month or a date @returns {number} negative or too great for a month outside the list */
  positionOf(month) { return monthIndexOf(month) - this.firstIndex; }
}
