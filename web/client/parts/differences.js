// The differences between two definitions that are shown to users.

import { ordinalOf } from "../core/civil.js";

/** @typedef {import("../core/types").Change} Change */
/** @typedef {import("../core/types").Definition} Definition */
/** @typedef {import("../core/types").Seen} Seen */
/** @typedef {import("../core/column.js").Column} Column */
/** @typedef {{from: string, through: string}} Days */
/**
 * `from` and `to` are texts of rows, or dates.
 * @typedef {{what: "daysClosed" | "daysOpened", from: string, through: string}
 *   | {what: "rowRenamed", from: string, to: string} | {what: "rowRemoved" | "rowAdded", text: string}
 *   | {what: "maxDays" | "minDays" | "maxNights" | "minNights", days: number | null}
 *   | {what: "min" | "max" | "hours" | "other"}} Difference
 */

/**
 * @param {Seen} before @param {Seen} after @param {Change[]} changes
 * @returns {Difference[]}
 */
export function differencesOf(before, after, changes) {
  const { definition } = after;
  if (!before.definition || !definition || before.definition === definition) return [];
  if (before.definition.unit !== definition.unit) return [{ what: "other" }];
  const found = [
    ...closedDays(before.definition, definition),
    ...bounds(before.definition, definition),
    ...(definition.kind === "cascade" || definition.kind === "columns" ? changedRows(before, after, changes) : []),
  ];
  return found.length > 0 ? found : [{ what: "other" }];
}

/** @param {Definition} before @param {Definition} after @returns {Difference[]} */
function bounds(before, after) {
  /** @type {Difference[]} */
  const found = [];
  for (const what of /** @type {const} */ (["maxDays", "minDays", "maxNights", "minNights"])) {
    if (before[what] !== after[what]) found.push({ what, days: after[what] ?? null });
  }
  for (const what of /** @type {const} */ (["min", "max"])) if (before[what] !== after[what]) found.push({ what });
  const isSame = (/** @type {string} */ name) => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  if (!isSame("hours") || !isSame("dates")) found.push({ what: "hours" });
  return found;
}

/** @param {Definition} before @param {Definition} after @returns {Difference[]} */
function closedDays(before, after) {
  const [old, now] = [daysOf(before), daysOf(after)];
  return [
    ...joined(without(now, old)).map((days) => /** @type {Difference} */ ({ what: "daysClosed", ...days })),
    ...joined(without(old, now)).map((days) => /** @type {Difference} */ ({ what: "daysOpened", ...days })),
  ];
}

/**
 * The single days and spans that a definition closes, by their dates. Members do not receive those that are booked.
 * @param {Definition} definition @returns {Map<string, Days>}
 */
function daysOf({ blocked }) {
  const all = (blocked ?? [])
    .flatMap(({ from, through }) => (from ? [{ from, through: through ?? from }] : []));
  return new Map(all.map((days) => [`${days.from} ${days.through}`, days]));
}

/** @template T @param {Map<string, T>} these @param {Map<string, T>} those @returns {T[]} */
const without = (these, those) => [...these].flatMap(([name, value]) => (those.has(name) ? [] : [value]));

/**
 * Joins spans of consecutive days.
 * @param {Days[]} days @returns {Days[]}
 */
function joined(days) {
  /** @type {Days[]} */
  const stretches = [];
  for (const { from, through } of [...days].sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = stretches.at(-1);
    if (!last || ordinalOf(from) > ordinalOf(last.through) + 1) stretches.push({ from, through });
    else if (through > last.through) last.through = through;
  }
  return stretches;
}

/**
 * Renamed, added and removed rows. In a cascade, columns after a moved selection are skipped, because they show another list.
 * @param {Seen} before @param {Seen} after @param {Change[]} changes
 */
function changedRows(before, after, changes) {
  /** @type {Difference[]} */
  const found = [];
  for (const change of changes) {
    if (change.change !== "reload") continue;
    const [old, now] = [before.columns[change.column], after.columns[change.column]];
    if (!old || !now) continue;
    found.push(...rowDifferences(old.column, now.column));
    if (old.selected?.key !== now.selected?.key && after.definition?.kind === "cascade") break;
  }
  return found;
}

/** @param {Column} before @param {Column} after @returns {Difference[]} */
function rowDifferences(before, after) {
  // Only a part of a long column was received.
  if (before.rows.size < before.count || after.rows.size < after.count) return [];
  const [old, now] = [before, after].map(({ rows }) => new Map([...rows.values()].map(({ key, text }) => [key, text])));
  /** @type {Difference[]} */
  const found = [];
  for (const [key, text] of now) {
    const from = old.get(key);
    if (from === undefined) found.push({ what: "rowAdded", text });
    else if (from !== text) found.push({ what: "rowRenamed", from, to: text });
  }
  for (const [key, text] of old) if (!now.has(key)) found.push({ what: "rowRemoved", text });
  return found;
}
