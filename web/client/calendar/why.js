// The reason why a day cannot be picked, from the definition, as text in the page's language.

import { ordinalOf, weekdayOf } from "../core/civil.js";
import { isNights, whyNoStay } from "../core/stays.js";
import { boundOf } from "../parts/session-dates.js";
import { shortDate, weekdayName } from "../words/words.js";

/** @type {import("../core/types").Definition} */
const noDefinition = { kind: "calendar" };

/**
 * @param {string} date @param {import("../core/session.js").PickerSession} picker
 * @param {import("../words/words.js").Words} words
 */
export function whyNot(date, picker, words) {
  const { locale } = picker;
  const definition = picker.state.definition ?? noDefinition;
  const first = boundOf(picker, "min");
  const last = boundOf(picker, "max");
  if (first && date < first) return words.why.beforeMin(shortDate(first, locale));
  if (last && date > last) return words.why.afterMax(shortDate(last, locale));
  const reason = isNights(picker.state) ? whyNoStay(picker.state, date) : "blocked";
  if (reason !== "blocked") return words.stay[reason](shortDate(date, locale));
  const weekday = weekdayOf(ordinalOf(date));
  for (const block of definition.blocked ?? []) {
    if (block.weekdays?.includes(weekday)) return words.why.weekday(weekdayName(weekday, locale, "long"));
    const through = block.through ?? block.from;
    if (block.from && through && date >= block.from && date <= through) {
      return words.why.blocked(shortDate(block.from, locale), through === block.from ? null : shortDate(through, locale));
    }
  }
  return words.why.other;
}

/**
 * Whether a day is within the bounds of the definition.
 * @param {string} date @param {import("../core/session.js").PickerSession} picker
 */
export function isWithin(date, picker) {
  const first = boundOf(picker, "min");
  const last = boundOf(picker, "max");
  return !(first && date < first) && !(last && date > last);
}

/**
 * Whether an unavailable day must be blocked or taken, because neither the bounds nor the rules exclude it.
 * @param {string} date @param {import("../core/session.js").PickerSession} picker
 */
export const isTaken = (date, picker) => isWithin(date, picker)
  && !(isNights(picker.state) && whyNoStay(picker.state, date) !== "blocked");
