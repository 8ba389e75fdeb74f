// Time zones: a picker has one, and its times and its current date are those of that zone. Both are shown to users in
// another one.

import { momentIn, offsetIn, todayIn, zoneName } from "../words/words.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../words/words.js").Words} Words */

const ownZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @param {PickerSession} picker */
const nowOf = ({ state }) => (state.now ? Date.parse(state.now) : Date.now());

/**
 * The picker's zone, if its clock is another one than the user's.
 * @param {PickerSession} picker @param {number} now
 */
function otherZone({ state }, now) {
  const zone = state.definition?.timeZone ?? "UTC";
  const own = ownZone();
  return zone === own || offsetIn(now, zone, "en") === offsetIn(now, own, "en") ? null : zone;
}

/**
 * The text above the picker; empty if the user's zone makes no difference.
 * @param {PickerSession} picker @param {Words} words
 */
export function zoneText(picker, { zone: text }) {
  const kind = picker.state.definition?.kind ?? "";
  const now = nowOf(picker);
  const zone = ["date", "slot", "calendar"].includes(kind) ? otherZone(picker, now) : null;
  if (!zone) return "";
  const { locale } = picker;
  const [long, offset] = [zoneName(now, zone, locale), offsetIn(now, zone, locale)];
  // Browsers have no name for it.
  const name = zone === "UTC" ? zone : long === offset ? long : `${long} (${offset})`;
  const isOtherDay = todayIn(now, zone) !== todayIn(now, ownZone());
  const day = momentIn(now, zone, locale, true, false);
  if (kind !== "slot") return isOtherDay ? text.today(day, name) : "";
  return isOtherDay ? `${text.times(name)} ${text.there(day)}` : text.times(name);
}

/**
 * The zone of a result, and its time for the user.
 * @param {{[name: string]: unknown}} result with an instant @param {PickerSession} picker @param {Words} words
 */
export function zoneSuffix({ instant }, picker, words) {
  const at = Date.parse(String(instant));
  const zone = Number.isNaN(at) ? null : otherZone(picker, at);
  const { locale } = picker;
  return zone ? ` ${offsetIn(at, zone, locale)} · ${words.zone.yours(momentIn(at, ownZone(), locale, false, true))}` : "";
}
