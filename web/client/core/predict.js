// Predicts the effect of this member's unanswered commands. The server's answer replaces the prediction.

import { dateOf, ordinalOf } from "./civil.js";
import { late } from "./pending.js";
import { cellOf, isNights, nightsOf, stayTo, within } from "./stays.js";

export { within };

/** @typedef {import("./types").Range} Range */
/** @typedef {import("./types").Pending} Pending */
/** @typedef {import("./state.js").PickerState} PickerState */

/**
 * What the user sees after the unanswered commands. `isGuess`: the server has not confirmed the range yet.
 * @param {PickerState} state @param {Pending[]} pending @param {string} self
 */
export function viewOf(state, pending, self) {
  const rangeShown = predictRange(state, pending, self);
  return {
    rows: predictRows(state, pending), rangeShown, isRangeOpen: isOpen(state, rangeShown.range),
    chosen: predictChosen(state, pending, self),
  };
}

/**
 * The selected rows after the unanswered selects.
 * @param {PickerState} state @param {Pending[]} pending
 * @returns {(number | null)[]}
 */
export const predictRows = (state, pending) => predictWheels(state, pending).map(({ row }) => row);

/**
 * The wheels after the unanswered selects. A moved wheel of a `slot` or a `cascade` changes the later ones: until the server
 * answers, their rows are the former ones and not `isKnown`, unless they were moved after that.
 * @param {PickerState} state @param {Pending[]} pending
 */
function predictWheels({ columns, definition }, pending) {
  const isLinked = definition?.kind === "slot" || definition?.kind === "cascade";
  const wheels = columns.map(({ row }) => ({ row, isKnown: true }));
  for (const { message } of pending) {
    const column = message.type === "select" ? columns[message.column] : undefined;
    const row = column ? rowAfter(column, message) : null;
    const wheel = wheels[message.column];
    if (row === null || (wheel.row === row && wheel.isKnown)) continue;
    Object.assign(wheel, { row, isKnown: true });
    if (isLinked) for (const later of wheels.slice(message.column + 1)) later.isKnown = false;
  }
  return wheels;
}

/**
 * @param {import("./column.js").Column} column @param {import("./types").Command} select
 * @returns {number | null} null if it will be refused, or its row is not received
 */
function rowAfter(column, { row, generation, key }) {
  if (generation === column.generation) return row < column.count ? row : null;
  return key === undefined ? null : column.rowOf(key);
}

/**
 * The range after the unanswered taps, sets and clears.
 * @param {PickerState} state @param {Pending[]} pending @param {string} self
 * @returns {{range: Range | null, isGuess: boolean}}
 */
export function predictRange(state, pending, self) {
  let range = state.range;
  let isGuess = false;
  for (const { message } of pending) {
    if (message.type === "clear") {
      range = null;
      isGuess = true;
    } else if (message.type === "set") {
      const { date, start = date, end = date } = message.result;
      range = { start, end, hits: date ? 1 : 2, by: self };
      isGuess = true;
    } else if (message.type === "tap" && message.date) {
      const after = rangeAfterTap(state, range, message.date, self);
      if (after) {
        range = after;
        isGuess = true;
      }
    }
  }
  return { range, isGuess };
}

/**
 * The number of taps after the unanswered taps and clears.
 * @param {PickerState} state @param {Pending[]} pending @param {string} self
 */
export function predictHits(state, pending, self) {
  // Taps that may be done although their effect cannot be predicted.
  let unseen = 0;
  for (const { message } of pending) {
    if (late.has(message.type)) unseen = 0;
    else if (message.type === "tap" && !(message.date && cellOf(state, message.date))) unseen += 1;
  }
  return (predictRange(state, pending, self).range?.hits ?? 0) + unseen;
}

/** The text of a row that is not known. */
const unknown = "…";

/**
 * What the user sees: with the effect of the unanswered selects, taps and clears.
 * @param {PickerState} state @param {Pending[]} pending @param {string} self @returns {import("./types").Chosen}
 */
export function predictChosen(state, pending, self) {
  if (!state.isCalendar) return { range: null, ...chosenRows(state, state.status === "open" ? pending : []) };
  const { range, isGuess } = predictRange(state, pending, self);
  const isOwn = isGuess && state.status === "open";
  return { result: isOwn ? resultOfRange(state, range) : state.result, range, texts: [] };
}

/**
 * The result and the texts of the selected rows; the result is null while a part of it is unknown.
 * @param {PickerState} state @param {Pending[]} pending
 */
function chosenRows(state, pending) {
  const { columns, definition } = state;
  const wheels = predictWheels(state, pending);
  const shown = wheels.flatMap(({ row, isKnown }, index) => (row === null ? [] : [isKnown ? columns[index].at(row) : undefined]));
  const texts = shown.map((row) => row?.text ?? unknown)
    .filter((text, index, all) => text !== unknown || all[index - 1] !== unknown);
  const isOwn = wheels.some(({ row, isKnown }, index) => !isKnown || row !== columns[index].row);
  if (!isOwn) return { result: state.result, texts };
  const result = shown.includes(undefined) ? null : resultOfKeys(definition?.kind, shown.map((row) => row?.key ?? ""));
  // The month is too short: the server selects another day.
  if (!result && definition?.kind === "date") texts.splice(2, 1, unknown);
  return { result, texts };
}

/**
 * The result of selected rows; null for a date that does not exist.
 * @param {string | undefined} kind @param {string[]} keys
 */
function resultOfKeys(kind, keys) {
  if (kind === "slot") return { local: `${keys[0]}T${keys[1]}:${keys[2]}` };
  if (kind !== "date") return { keys };
  const date = keys.join("-");
  return dateOf(ordinalOf(date)) === date ? { date } : null;
}

/**
 * The two-tap rule: with an even number of hits a tap starts a range, with an odd one it ends it, within `reach`.
 * @param {PickerState} state @param {Range | null} range @param {string} date @param {string} self
 * @returns {Range | null} null when the tap will be refused, or its outcome cannot be predicted
 */
export function rangeAfterTap(state, range, date, self) {
  const cell = cellOf(state, date);
  if (state.status !== "open" || !cell) return null;
  const hits = range?.hits ?? 0;
  const opens = hits % 2 === 0 || state.definition?.selection === "single" || !range;
  if (!opens && isNights(state)) {
    const stay = stayTo(state, range, date);
    return stay && { ...stay, hits: hits + 1, by: self };
  }
  if (cell.disabled) return null;
  if (opens) return { start: date, end: date, hits: hits + 1, by: self };
  const given = range.reach ? within(range.reach, date) : walk(state, range.start, date);
  const start = given < range.start ? given : range.start;
  const end = given < range.start ? range.start : given;
  if (nightsOf({ start, end }) + 1 < (state.definition?.minDays ?? 1)) return null;
  return { start, end, hits: hits + 1, by: self };
}

/**
 * The day at which a range from `start` to `date` ends: before it has more than `maxDays`, or a day that cannot be picked.
 * Used while the server's `reach` is unknown, because the tap for `start` has no answer. Days of months out of view are
 * unknown, and taken for free.
 * @param {PickerState} state @param {string} start @param {string} date
 */
function walk({ definition, months }, start, date) {
  const [first, last] = [ordinalOf(start), ordinalOf(date)];
  const days = Math.min(Math.abs(last - first), (definition?.maxDays ?? Infinity) - 1);
  const step = Math.sign(last - first);
  for (let day = 1; !definition?.allowBlockedInside && day <= days; day += 1) {
    const next = dateOf(first + day * step);
    const cells = months.get(next.slice(0, 7))?.cells;
    if (cells?.some((cell) => cell.date === next && cell.disabled)) return dateOf(first + (day - 1) * step);
  }
  return dateOf(first + days * step);
}

/**
 * Whether a range is open: its second tap is missing.
 * @param {PickerState} state @param {Range | null} range
 */
export const isOpen = (state, range) =>
  range !== null && range.hits % 2 === 1 && state.definition?.selection !== "single";

/**
 * The result of a calendar with this range; null if there is none, or it is open.
 * @param {PickerState} state @param {Range | null} range
 */
export function resultOfRange(state, range) {
  if (!range || isOpen(state, range)) return null;
  if (state.definition?.selection === "single") return { date: range.start };
  const { start, end } = range;
  const nights = nightsOf(range);
  return isNights(state) ? { start, end, nights } : { start, end, days: nights + 1 };
}
