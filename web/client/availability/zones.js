// Time zones: local times, instants, and the names of zones.

import { formatOf, hourText, momentIn, timeText } from "../words/dates.js";

/** @type {Intl.DateTimeFormatOptions} */
const numbers = { hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" };

/** The zone of this browser. */
export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @param {string} timeZone */
export function isZone(timeZone) {
  try {
    return Boolean(formatOf("en-US", { timeZone }));
  } catch {
    return false;
  }
}

/**
 * The local time of an instant, as milliseconds since 1970 in UTC.
 * @param {number} milliseconds since 1970 @param {string} timeZone
 */
function localOf(milliseconds, timeZone) {
  const parts = Object.fromEntries(formatOf("en-US", { ...numbers, timeZone })
    .formatToParts(milliseconds).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute);
}

/**
 * The date and the time of day of an instant.
 * @param {number} milliseconds since 1970 @param {string} timeZone
 */
export function placeIn(milliseconds, timeZone) {
  const [date, time] = new Date(localOf(milliseconds, timeZone)).toISOString().split("T");
  return { date, time: time.slice(0, 5) };
}

/**
 * The instant of a local time: the first, if the clock shows it twice.
 * @param {string} date @param {string} time `HH:MM` @param {string} timeZone
 */
export function instantOf(date, time, timeZone) {
  const local = Date.parse(`${date}T${time}Z`);
  const day = 86_400_000;
  const offsets = [local - day, local + day].map((one) => localOf(one, timeZone) - one);
  return Math.min(...offsets.map((offset) => local - offset).filter((one) => localOf(one, timeZone) === local), Infinity);
}

/**
 * A time of day: "9 AM", "9:30 AM", "09:00".
 * @param {string} time `09:00` @param {string} locale
 */
export const clockOf = (time, locale) => (time.endsWith(":00") && hourText(time.slice(0, 2), locale)) || timeText(time, locale);

/**
 * A time with its day.
 * @param {number} milliseconds since 1970 @param {string} timeZone @param {string} locale
 */
export function dayTimeIn(milliseconds, timeZone, locale) {
  const { time } = placeIn(milliseconds, timeZone);
  return momentIn(milliseconds, timeZone, locale, true, true).replace(timeText(time, locale), clockOf(time, locale));
}

/**
 * A span of times: the day appears once if both are on one.
 * @param {number} from in milliseconds since 1970 @param {number} until @param {string} timeZone @param {string} locale
 */
export function spanIn(from, until, timeZone, locale) {
  const end = placeIn(until - 1, timeZone);
  return `${dayTimeIn(from, timeZone, locale)} – ${end.date === placeIn(from, timeZone).date
    ? clockOf(placeIn(until, timeZone).time, locale) : dayTimeIn(until, timeZone, locale)}`;
}

/** All zones by region, as far as the browser knows them. */
export function zonesByRegion() {
  /** @type {Map<string, string[]>} */
  const regions = new Map();
  /** @type {string[]} */
  const all = /** @type {any} */ (Intl).supportedValuesOf?.("timeZone") ?? [];
  for (const zone of all) {
    const region = zone.includes("/") ? zone.split("/")[0] : "UTC";
    regions.set(region, [...(regions.get(region) ?? []), zone]);
  }
  return regions;
}
