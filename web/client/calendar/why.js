// Why a day cannot be picked, from the definition alone, in the page's words.

import { ordinalOf, weekdayOf } from "../core/civil.js";
import { boundOf } from "../parts/sentences.js";
import { shortDate, weekdayName } from "../words/words.js";

/**
 * @param {string} date @param {import("../core/session.js").PickerSession} picker
 * @param {import("../words/words.js").Words} words
 */
export function whyNot(date, picker, words) {
  const { locale } = picker;
  const definition = picker.state.definition ?? { blocked: [] };
  const first = boundOf(picker, "min");
  const last = boundOf(picker, "max");
  if (first && date < first) return words.why.beforeMin(shortDate(first, locale));
  if (last && date > last) return words.why.afterMax(shortDate(last, locale));
  const weekday = weekdayOf(ordinalOf(date));
  for (const block of definition.blocked ?? []) {
    if (block.weekdays?.includes(weekday)) return words.why.weekday(weekdayName(weekday, locale, "long"));
    const through = block.through ?? block.from;
    if (block.from && through && date >= block.from && date <= through) {
      return words.why.blocked(shortDate(block.from, locale), shortDate(through, locale));
    }
  }
  return words.why.other;
}

/**
 * Whether the day is one of those that are blocked within the bounds; the others lie beyond them.
 * @param {string} date @param {import("../core/session.js").PickerSession} picker
 */
export function isTaken(date, picker) {
  const first = boundOf(picker, "min");
  const last = boundOf(picker, "max");
  return !(first && date < first) && !(last && date > last);
}
