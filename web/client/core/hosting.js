// The notice of a change of the host: what it changed, and the effect on the selection.

import { differencesOf } from "./differences.js";

/** @typedef {import("./types").Change} Change */
/** @typedef {import("./types").Notice} Notice */
/** @typedef {import("./types").Row} Row */
/** @typedef {import("./state.js").PickerState} PickerState */
/** @typedef {ReturnType<typeof seenBefore>} Before */

/** The reasons of changes that a tick never has. */
const reasons = new Set([
  "gone", "min", "max", "blocked", "maxDays", "minDays", "selection", "unit", "noArrival", "noDeparture", "maxNights", "minNights",
]);

/**
 * Whether the changes come from the host, directly or because reopening applied a pending definition.
 * @param {Change[]} changes @param {string | null} by @param {boolean} mine
 */
export const isHosts = (changes, by, mine) => by === null && !mine && (isPrice(changes) || changes.some(({ change, cause, reason }) =>
  change === "definition" || change === "notes" || cause === "define" || (cause === "clamp" && reasons.has(reason))));

/**
 * Whether only the result of a calendar changes: the amount of a note on a day out of view.
 * @param {Change[]} changes
 */
const isPrice = (changes) => changes.length === 1 && changes[0].change === "result"
  && Boolean(changes[0].result?.start ?? changes[0].result?.date);

/**
 * The state that a notice compares with; to be called before the changes are applied.
 * @param {PickerState} state
 */
export const seenBefore = (state) => ({
  definition: state.definition,
  range: state.range,
  result: state.result,
  columns: state.columns.map((column) => ({ column, selected: column.selected ?? null })),
});

/**
 * @param {Before} before @param {PickerState} state after the fold @param {Change[]} changes
 * @returns {Notice[]} none if nothing visible has changed
 */
export function hostNotice(before, state, changes) {
  const rows = movedRows(before, state);
  const differences = differencesOf(before, state, changes);
  const range = movedRange(before, state, changes);
  const notes = changes.flatMap((change) => (change.change === "notes" ? notesOf(change, state) : []));
  const total = changedTotal(before, state);
  if (rows.length + differences.length + notes.length === 0 && !range && !total) return [];
  return [{ kind: "hosted", by: null, mine: false, differences, range, rows, notes, total }];
}

/** @param {Before} before @param {PickerState} state */
function changedTotal({ result: old }, { result: now }) {
  if (!old || !now || old.start !== now.start || old.end !== now.end || old.date !== now.date) return null;
  return JSON.stringify(old.total) === JSON.stringify(now.total) ? null : { before: old, after: now };
}

/** @param {Before} before @param {PickerState} state */
function movedRows(before, state) {
  /** @type {{column: number, from: Row | null, to: Row | null}[]} */
  const moved = [];
  state.columns.forEach((column, index) => {
    const from = before.columns[index]?.selected ?? null;
    const to = column.selected ?? null;
    if (before.columns[index] && from?.key !== to?.key) moved.push({ column: index, from, to });
  });
  return moved;
}

/** @param {Before} before @param {PickerState} state @param {Change[]} changes */
function movedRange(before, state, changes) {
  const reason = changes.find(({ change }) => change === "range")?.reason;
  if (!before.range || !reason) return null;
  return { before: before.range, after: state.range, reason };
}

/** @param {Change} change @param {PickerState} state */
function notesOf({ days = {}, column, rows = {} }, state) {
  const known = column === undefined ? undefined : state.columns[column];
  return [
    ...Object.entries(days).map(([date, note]) => ({ date, note })),
    ...Object.entries(rows).map(([key, note]) => ({ column, text: known?.rowOfKey(key)?.text ?? key, note })),
  ];
}
