// Dates of a session: its current date, and the bounds of its definition.

import { dateOfExpression } from "../core/civil.js";
import { todayIn } from "../words/dates.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */

/**
 * The current date by the session's clock and time zone.
 * @param {PickerSession} picker
 */
export function todayOf(picker) {
  const now = picker.state.now ? Date.parse(picker.state.now) : Date.now();
  const date = todayIn(now, String(picker.state.definition?.timeZone ?? "UTC"));
  const { today } = picker.state;
  return today && today > date ? today : date;
}

/**
 * A bound of the definition as a date, or null.
 * @param {PickerSession} picker @param {"min" | "max"} name
 */
export function boundOf(picker, name) {
  const text = picker.state.definition?.[name];
  return typeof text === "string" ? dateOfExpression(text, todayOf(picker)) : null;
}
