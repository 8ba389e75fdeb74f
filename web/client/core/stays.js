// Calendars of nights: the rules of stays, as far as a client knows them. Members do not receive what is booked, but the
// cells say on which days a stay can begin or end.

import { addingDays, ordinalOf, weekdayOf } from "./civil.js";

/** @typedef {import("./types").Definition} Definition */
/** @typedef {import("./state.js").PickerState} PickerState */

/** @param {PickerState} state */
export const isNights = (state) => state.definition?.unit === "nights";

/** @param {{start: string, end: string}} range */
export const nightsOf = ({ start, end }) => ordinalOf(end) - ordinalOf(start);

/**
 * The rules of a stay that begins, or ends, on a date.
 * @param {Definition | null | undefined} definition @param {string} date
 */
export function rulesOn(definition, date) {
  const rules = {
    minNights: definition?.minNights ?? 1, maxNights: definition?.maxNights ?? Infinity, arrival: true, departure: true,
  };
  const weekday = weekdayOf(ordinalOf(date));
  for (const rule of definition?.stays ?? []) {
    if (rule.from && (date < rule.from || date > (rule.through ?? rule.from))) continue;
    if (rule.weekdays && !rule.weekdays.includes(weekday)) continue;
    Object.assign(rules, rule);
  }
  return rules;
}

/**
 * Whether the night that begins on a date is known not to be free.
 * @param {PickerState} state @param {string} date
 */
export function isNightTaken(state, date) {
  const cell = cellOf(state, date);
  if (cell && rulesOn(state.definition, date).arrival) return Boolean(cell.disabled) || cell.only === "departure";
  const next = addingDays(date, 1);
  const after = cellOf(state, next);
  if (!after) return false;
  return rulesOn(state.definition, next).departure && (Boolean(after.disabled) || after.only === "arrival");
}

/**
 * A function that says whether the night that begins on a date can be part of a stay, as far as a client knows: it is free,
 * and so are all others from a day of arrival until one of departure.
 * @param {PickerState} state @returns {(date: string) => boolean}
 */
export function stayFinder(state) {
  const { definition, monthList } = state;
  const days = new Map();
  const dayOf = (/** @type {string} */ date) => days.get(date) ?? days.set(date, {
    ...rulesOn(definition, date),
    // Only nights of the received months are known, and the last one listed has no day of departure.
    isFree: cellOf(state, date) && addingDays(date, 1).slice(0, 7) <= (monthList?.last ?? "") && !isNightTaken(state, date),
  }).get(date);
  return (date) => {
    let end = date;
    do {
      if (!dayOf(end).isFree) return false;
      end = addingDays(end, 1);
    } while (!dayOf(end).departure);
    for (let start = date; dayOf(start).isFree; start = addingDays(start, -1)) {
      if (dayOf(start).arrival && nightsOf({ start, end }) <= dayOf(start).maxNights) return true;
    }
    return false;
  };
}

/** @param {PickerState} state @param {string} date */
export const cellOf = (state, date) =>
  state.months.get(date.slice(0, 7))?.cells.find((cell) => cell.date === date && !cell.outside);

/** @param {{from: string, through: string} | undefined} reach @param {string} date */
export function within(reach, date) {
  if (!reach) return date;
  if (date < reach.from) return reach.from;
  return date > reach.through ? reach.through : date;
}

/**
 * The stay that a tap on `date` makes of an open range, by the rules of the server.
 * @param {PickerState} state @param {import("./types").Range} range @param {string} date
 * @returns {{start: string, end: string} | null} null if there is none, so that the tap will be refused
 */
export function stayTo(state, { start: first, reach }, date) {
  const goal = within(reach, date);
  const stay = goal > first ? stayFrom(state, first, goal) : goal < first ? stayUntil(state, goal, first) : null;
  return stay && nightsOf(stay) >= rulesOn(state.definition, stay.start).minNights ? stay : null;
}

/** @param {PickerState} state @param {string} start @param {string} goal */
function stayFrom(state, start, goal) {
  const { arrival, maxNights } = rulesOn(state.definition, start);
  let end = null;
  if (!arrival) return null;
  for (let night = start, count = 1; night < goal && count <= maxNights && !isNightTaken(state, night); count += 1) {
    night = addingDays(night, 1);
    if (rulesOn(state.definition, night).departure) end = night;
  }
  return end && { start, end };
}

/** @param {PickerState} state @param {string} goal @param {string} end */
function stayUntil(state, goal, end) {
  let start = null;
  if (!rulesOn(state.definition, end).departure) return null;
  for (let night = addingDays(end, -1); night >= goal && !isNightTaken(state, night); night = addingDays(night, -1)) {
    const { arrival, maxNights } = rulesOn(state.definition, night);
    if (arrival && nightsOf({ start: night, end }) <= maxNights) start = night;
  }
  return start && { start, end };
}

/**
 * Why a stay can neither begin nor end on a date within the bounds.
 * @param {PickerState} state @param {string} date @returns {"noArrival" | "noDeparture" | "blocked"}
 */
export function whyNoStay(state, date) {
  const { arrival, departure } = rulesOn(state.definition, date);
  if (!arrival && !isNightTaken(state, date)) return "noArrival";
  return !departure && !isNightTaken(state, addingDays(date, -1)) ? "noDeparture" : "blocked";
}
