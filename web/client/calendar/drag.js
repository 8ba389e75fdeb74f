// A range by dragging from its first day to its last one.

import { Press } from "../parts/press.js";

/** @param {HTMLElement} day @returns {string} */
const dateOf = (day) => day.dataset.date ?? "";

/**
 * @param {import("./calendar-element.js").CalendarElement} element
 * @returns {Press}
 */
export function dragsOf(element) {
  let first = "";
  return new Press(element.list.element, {
    selector: "[data-date]",
    beginsAtOnce: false,
    canBegin: () => {
      const { picker } = element;
      return Boolean(picker?.canChange) && picker?.state.definition?.selection !== "single" && !picker?.isRangeOpen;
    },
    begin: (from) => element.tap(first = dateOf(from)),
    reach: (to) => {
      element.touch({ date: dateOf(to) });
      element.point(dateOf(to));
    },
    end: (to, isFinger) => {
      // A finger that is lifted where it was held has chosen the first day.
      if (to && !(isFinger && dateOf(to) === first)) element.tap(dateOf(to));
      if (isFinger) element.point(null);
    },
    cancel: () => element.point(null),
  });
}
