// Keyboard navigation of a calendar by days, weeks, months and years.

import { addingDays, addingMonths, ordinalOf, weekdayOf } from "../core/civil.js";

/**
 * The date that a key moves the focus to.
 * @param {string} key @param {boolean} isShifted @param {string} date
 * @param {{firstWeekday: number, isRightToLeft: boolean}} calendar
 * @returns {string | null} null for other keys
 */
export function dateAfterKey(key, isShifted, date, { firstWeekday, isRightToLeft }) {
  const forward = isRightToLeft ? -1 : 1;
  const column = (weekdayOf(ordinalOf(date)) - firstWeekday + 7) % 7;
  switch (key) {
    case "ArrowLeft": return addingDays(date, -forward);
    case "ArrowRight": return addingDays(date, forward);
    case "ArrowUp": return addingDays(date, -7);
    case "ArrowDown": return addingDays(date, 7);
    case "Home": return addingDays(date, -column);
    case "End": return addingDays(date, 6 - column);
    case "PageUp": return addingMonths(date, isShifted ? -12 : -1);
    case "PageDown": return addingMonths(date, isShifted ? 12 : 1);
    default: return null;
  }
}
