// Dates of a session: its own today, and the bounds of its definition.

import { dateOfExpression } from "../core/civil.js";
import { clockIn, todayIn } from "../words/dates.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */

/**
 * Today as the session's clock and zone have it.
 * @param {PickerSession} picker
 */
export function todayOf(picker) {
  const now = picker.state.now ? Date.parse(picker.state.now) : Date.now();
  return todayIn(now, String(picker.state.definition?.timeZone ?? "UTC"));
}

/**
 * A bound of the definition as a date, or null.
 * @param {PickerSession} picker @param {"min" | "max"} name
 */
export function boundOf(picker, name) {
  const text = picker.state.definition?.[name];
  return typeof text === "string" ? dateOfExpression(text, todayOf(picker)) : null;
}

/**
 * A time of the definition as the session's zone shows it: it may be an instant already (RFC 3339).
 * @param {string} time @param {string} timeZone @returns {string} `YYYY-MM-DDTHH:MM`
 */
export function localIn(time, timeZone) {
  if (!/(Z|[+-]\d\d:\d\d)$/i.test(time)) return time;
  const instant = Date.parse(time);
  return `${todayIn(instant, timeZone)}T${clockIn(instant, timeZone)}`;
}
