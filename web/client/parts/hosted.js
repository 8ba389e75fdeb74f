// What a change of the host means to the user: its differences, and the effect on the selection.

import { movedRows } from "../core/hosting.js";
import { differencesOf } from "./differences.js";

/** @typedef {import("../core/types").Change} Change */
/** @typedef {import("../core/types").Notice} Notice */
/** @typedef {import("../core/types").Seen} Seen */
/** @typedef {Extract<Notice, {kind: "hosted"}>} Hosted */

/**
 * @param {Hosted} notice
 * @returns null if nothing visible has changed
 */
export function hostedOf({ before, after, changes }) {
  const rows = movedRows(before, after);
  const listed = differencesOf(before, after, changes);
  const range = movedRange(before, after, changes);
  const notes = changes.flatMap((change) => (change.change === "notes" ? notesOf(change, after) : []));
  const total = changedTotal(before, after);
  // Members receive no bookings: one that does not concern the selection is no news.
  const isSame = JSON.stringify(before.definition) === JSON.stringify(after.definition);
  const isUnseen = isSame && !range && rows.length === 0 && listed[0]?.what === "other";
  const differences = isUnseen ? [] : listed;
  if (rows.length + differences.length + notes.length === 0 && !range && !total) return null;
  const all = /** @type {import("../core/types").AnyChange[]} */ (changes);
  const because = all.find((change) => change.because)?.because ?? all.find(({ cause }) => cause === "inventory")?.reason;
  // The notice of the offer says more.
  if (because === "offered") return null;
  const lost = because && { because, keys: before.columns.map(({ selected }) => selected?.key ?? ""), range: before.range };
  return { rows, differences, range, notes, total, lost };
}

/**
 * The results, if only the total of the same days has changed.
 * @param {Seen} before @param {Seen} after
 */
function changedTotal({ result: old }, { result: now }) {
  if (!old || !now || old.start !== now.start || old.end !== now.end || old.date !== now.date) return null;
  return JSON.stringify(old.total) === JSON.stringify(now.total) ? null : { before: old, after: now };
}

/** @param {Seen} before @param {Seen} after @param {Change[]} changes */
function movedRange(before, after, changes) {
  const isCut = changes.some((change) => change.change === "range" && change.reason);
  return before.range && isCut ? { before: before.range, after: after.range } : null;
}

/** @param {import("../core/types").AnyChange} change @param {Seen} after */
function notesOf({ days = {}, column, rows = {} }, after) {
  const known = column === undefined ? undefined : after.columns[column]?.column;
  return [
    ...Object.entries(days).map(([date, note]) => ({ date, text: undefined, note })),
    ...Object.entries(rows).map(([key, note]) => ({ date: undefined, text: known?.rowOfKey(key)?.text ?? key, note })),
  ];
}
