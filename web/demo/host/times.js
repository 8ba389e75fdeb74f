// Actions on bookings: another guest takes the selected time, a booking is cancelled, and the kitchen closes for lunch.

import { dateOf, ordinalOf, weekdayOf } from "../../client/core/civil.js";
import { make, setText } from "../../client/parts/dom.js";
import { dayOf } from "../../client/words/words.js";
import { Action } from "./action.js";
import { mergePatch } from "./request.js";

/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */
/** @typedef {{from: string, until: string}} Window */

const lunch = { from: "12:00", until: "14:00" };

/** An action that is one button. */
class ButtonAction extends Action {
  /** @param {import("./action.js").Host} host @param {string} name */
  constructor(host, name) {
    super(host, name);
    this.button = make("button", { class: "secondary", type: "button", onclick: () => void this.perform() });
    this.controls.append(this.button);
  }

  /** @param {string} title @param {string} label @param {import("./request.js").HostRequest | null} request */
  show(title, label, request) {
    this.setTitle(title);
    setText(this.button, label);
    this.element.hidden = request === null;
    this.command.show(request);
  }
}

export class TakeTimeAction extends ButtonAction {
  /** @param {import("./action.js").Host} host */
  constructor(host) { super(host, "host-take"); }

  /** @param {PickerSession} picker */
  draw(picker) {
    const { host } = this.host.words;
    const from = localOf(picker);
    const { definition } = picker.state;
    const until = from && later(from, Number(definition?.minutes ?? definition?.stepMinutes ?? 10));
    this.show(host.take, from ? host.takeTime(timeText(from, this.host.locale)) : "",
      from ? mergePatch({ taken: { [`host-${from}`]: { from, until } } }) : null);
  }
}

export class FreeTimeAction extends ButtonAction {
  /** @param {import("./action.js").Host} host */
  constructor(host) { super(host, "host-free"); }

  draw() {
    const { host } = this.host.words;
    const taken = this.host.given?.taken ?? {};
    const id = Object.keys(taken).filter((one) => one.startsWith("host-")).at(-1);
    this.show(host.free, id ? host.freeTime(timeText(taken[id].from, this.host.locale)) : "",
      id ? mergePatch({ taken: { [id]: null } }) : null);
  }
}

export class LunchAction extends ButtonAction {
  /** @param {import("./action.js").Host} host */
  constructor(host) {
    super(host, "host-lunch");
    /** @type {string | null} the last selected day, which is not in the list while it is closed */
    this.day = null;
  }

  /** @param {PickerSession} picker */
  draw(picker) {
    const { host } = this.host.words;
    const { definition } = picker.state;
    this.day = picker.state.columns[0]?.selected?.key ?? this.day;
    if (!definition || !this.day) return this.show(host.lunch, "", null);
    const windows = windowsOn(this.day, definition);
    const isOpen = windows.some(({ from, until }) => from < lunch.until && until > lunch.from);
    const isOurs = !isOpen && definition.dates !== undefined && this.day in /** @type {object} */ (definition.dates);
    const day = dayOf(this.day, this.host.locale);
    this.show(host.lunch, isOpen ? host.closeLunch(day) : host.openLunch(day), isOpen || isOurs
      ? mergePatch({ dates: { [this.day]: isOpen ? windows.flatMap(withoutLunch) : null } }) : null);
  }
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
