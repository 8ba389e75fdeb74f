// The texts of ranges and prices: "3 nights, Dec 12 – 15 · €380".

import { addingMonths, ordinalOf } from "../core/civil.js";
import { isNights, nightsOf } from "../core/stays.js";
import { dateSpan, dayOf, daySpan, priceText, shortDate } from "../words/words.js";
import { todayOf } from "./session-dates.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../core/types").Result} Result */
/** @typedef {import("../words/words.js").Words} Words */

/**
 * A closed range with its number of days or nights.
 * @param {{start: string, end: string}} range @param {PickerSession} picker @param {Words} words
 * @param {boolean} hasNights that of a confirmed result may differ from that of the definition
 */
export function spanText({ start, end }, picker, words, hasNights = isNights(picker.state)) {
  const { locale } = picker;
  if (!hasNights) {
    return `${dateSpan(start, end, locale)} · ${words.days(ordinalOf(end) - ordinalOf(start) + 1)}`;
  }
  return words.stay.text(nightsOf({ start, end }), nearSpan({ start, end }, picker));
}

/**
 * A range, or a day, without the year if that is obvious.
 * @param {{start: string, end: string}} range @param {PickerSession} picker
 */
export function nearSpan({ start, end }, picker) {
  const { locale } = picker;
  const today = todayOf(picker);
  const isNear = start >= today && end < addingMonths(today, 11);
  if (start === end) return (isNear ? dayOf : shortDate)(start, locale);
  return (isNear ? daySpan : dateSpan)(start, end, locale);
}

/**
 * The total of a result in the page's language; empty if it has none.
 * @param {Result | null | undefined} result @param {string} locale
 */
export function totalText(result, locale) {
  const total = /** @type {import("../core/types").Total | undefined} */ (result?.total);
  return total ? priceText(total.amount, total.currency, locale) : "";
}

/** @param {string} text @param {Result | null | undefined} result @param {string} locale */
export const withTotal = (text, result, locale) => [text, totalText(result, locale)].filter(Boolean).join(" · ");
