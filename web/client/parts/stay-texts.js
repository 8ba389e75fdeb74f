// The texts of ranges and prices: "3 nights, Dec 12 – 15 · €380".

import { addingMonths, ordinalOf } from "../core/civil.js";
import { isNights, nightsOf } from "../core/stays.js";
import { dateSpan, daySpan, priceText } from "../words/words.js";
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
  const today = todayOf(picker);
  // The year is obvious.
  const isNear = start >= today && end < addingMonths(today, 11);
  const span = isNear ? daySpan(start, end, locale) : dateSpan(start, end, locale);
  return words.stay.text(nightsOf({ start, end }), span);
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
