// Actions on bookings: another guest takes the selected time, a booking is cancelled, and the kitchen closes for lunch.

import { dateOf, ordinalOf, weekdayOf } from "../../client/core/civil.js";
import { dayOf } from "../../client/words/words.js";
import { h } from "../patch.js";
import { action } from "./action.js";
import { mergePatch } from "./request.js";

/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */
/** @typedef {import("./panel.js").HostPanel} HostPanel */
/** @typedef {import("./action.js").ActionView} ActionView */
/** @typedef {{from: string, until: string}} Window */

const lunch = { from: "12:00", until: "14:00" };

/**
 * An action that is one button.
 * @param {HostPanel} host @param {string} name @param {string} title @param {string} label
 * @param {import("./request.js").HostRequest | null} request
 */
const button = (host, name, title, label, request) => (request
  ? action(host, name, title, request, h("button", { class: "secondary", type: "button", onclick: () => host.perform(request) }, label)) : null);

/** @type {ActionView} another guest takes the selected time */
export function takeTime(host, picker) {
  const { host: words } = host.words;
  const from = localOf(picker);
  const { definition } = picker.state;
  const until = from && later(from, Number(definition?.minutes ?? definition?.stepMinutes ?? 10));
  return button(host, "host-take", words.take, from ? words.takeTime(timeText(from, host.locale)) : "",
    from ? mergePatch({ taken: { [`host-${from}`]: { from, until } } }) : null);
}

/** @type {ActionView} a booking is cancelled */
export function freeTime(host) {
  const { host: words } = host.words;
  const taken = host.given?.taken ?? {};
  const id = Object.keys(taken).filter((one) => one.startsWith("host-")).at(-1);
  return button(host, "host-free", words.free, id ? words.freeTime(timeText(taken[id].from, host.locale)) : "",
    id ? mergePatch({ taken: { [id]: null } }) : null);
}

/** @type {ActionView} the kitchen closes for lunch */
export function lunchBreak(host, { state }) {
  const { host: words } = host.words;
  const { definition } = state;
  // The last selected day, which is not in the list while it is closed.
  host.day = state.columns[0]?.selected?.key ?? host.day;
  if (!definition || !host.day) return null;
  const windows = windowsOn(host.day, definition);
  const isOpen = windows.some(({ from, until }) => from < lunch.until && until > lunch.from);
  const isOurs = !isOpen && definition.dates !== undefined && host.day in /** @type {object} */ (definition.dates);
  const day = dayOf(host.day, host.locale);
  return button(host, "host-lunch", words.lunch, isOpen ? words.closeLunch(day) : words.openLunch(day), isOpen || isOurs
    ? mergePatch({ dates: { [host.day]: isOpen ? windows.flatMap(withoutLunch) : null } }) : null);
}

/**
 * The opening hours of a date.
 * @param {string} date @param {import("../../client/core/types").Definition} definition @returns {Window[]}
 */
export function windowsOn(date, definition) {
  const dates = /** @type {{[date: string]: Window[]}} */ (definition.dates ?? {});
  const hours = /** @type {(Window & {weekdays?: number[]})[] | undefined} */ (definition.hours);
  if (dates[date]) return dates[date];
  if (!hours) return [{ from: "00:00", until: "24:00" }];
  const weekday = weekdayOf(ordinalOf(date));
  return hours.filter(({ weekdays }) => !weekdays || weekdays.includes(weekday)).map(({ from, until }) => ({ from, until }));
}

/** @param {Window} window @returns {Window[]} the rest of it outside the lunch break */
export const withoutLunch = ({ from, until }) => [
  { from, until: until < lunch.from ? until : lunch.from },
  { from: from > lunch.until ? from : lunch.until, until },
].filter((window) => window.from < window.until);

/** @param {PickerSession} picker @returns {string | null} `YYYY-MM-DDTHH:MM` */
function localOf({ state }) {
  const keys = state.columns.map((column) => column.selected?.key);
  return keys.length === 3 && keys.every((key) => key !== undefined) ? `${keys[0]}T${keys[1]}:${keys[2]}` : null;
}

/**
 * A local time plus a number of minutes.
 * @param {string} local @param {number} minutes
 */
export function later(local, minutes) {
  const all = Number(local.slice(11, 13)) * 60 + Number(local.slice(14, 16)) + minutes;
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${dateOf(ordinalOf(local.slice(0, 10)) + Math.floor(all / 1440))}T${two(Math.floor((all % 1440) / 60))}:${two(all % 60)}`;
}

/** @param {string} local @param {string} locale */
const timeText = (local, locale) => `${dayOf(local.slice(0, 10), locale)}, ${local.slice(11, 16)}`;
