// The definitions of the demo's pickers in the language, time zone and weeks of this browser.

import { dateOfExpression } from "../client/core/civil.js";
import { todayIn } from "../client/words/dates.js";

/** @typedef {import("./pickers.js").DemoPicker} DemoPicker */

/**
 * The definition with the language of the page, this browser's time zone and its first day of the week, and with relative
 * days and times (`today+P3D`, `today+P3D 19:00`) resolved.
 * @param {any} definition @param {Pick<DemoPicker, "blocked" | "taken">} picker @param {string} locale
 */
export function localised(definition, { blocked, taken }, locale, now = Date.now()) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const today = todayIn(now, timeZone);
  const given = JSON.parse(JSON.stringify({ blocked, taken }), (_, value) => (typeof value === "string" ? dated(value, today) : value));
  const firstWeekday = ["calendar", "availability"].includes(definition.kind) ? firstWeekdayOf(locale) : undefined;
  return { ...definition, timeZone: definition.timeZone ?? timeZone, locale, ...(firstWeekday && { firstWeekday }), ...given };
}

/**
 * The first day of the user's week, 1 = Sunday … 7 = Saturday; undefined in a browser that does not know it.
 * @param {string} locale of the page @returns {number | undefined}
 */
function firstWeekdayOf(locale) {
  const language = (/** @type {string} */ tag) => tag.split("-")[0].toLowerCase();
  // The browser's tag of the page's language has a region: weeks begin on Sunday in en-US, and on Monday in en-GB.
  const tag = navigator.languages.find((one) => language(one) === language(locale)) ?? locale;
  const known = /** @type {any} */ (new Intl.Locale(tag));
  const { firstDay } = known.getWeekInfo?.() ?? known.weekInfo ?? {};
  // Monday is 1 there, and Sunday 7.
  return firstDay && (firstDay % 7) + 1;
}

/** @param {string} text @param {string} today */
function dated(text, today) {
  const [day, time] = text.split(" ");
  const date = dateOfExpression(day, today);
  if (!date) return text;
  return time ? `${date}T${time}` : date;
}

/**
 * The definitions of a picker, with texts that readers of a language can read.
 * @param {DemoPicker} picker @param {string} locale
 */
export function definitionsOf({ definitions, latin }, locale) {
  if (!latin || /^(zh|ja)/.test(locale)) return definitions;
  return JSON.parse(JSON.stringify(definitions), (_, value) => (typeof value === "string" ? latin[value] ?? value : value));
}
