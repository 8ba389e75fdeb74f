// Which changes come from the host, and what a notice of them compares.

/** @typedef {import("./types").Change} Change */
/** @typedef {import("./types").Seen} Seen */

/** The reasons of corrections that are not the host's. */
const othersReasons = ["elapsed", "noSuchTime", "monthLength"];

/**
 * Whether the changes come from the host, directly or because reopening applied a pending definition.
 * @param {Change[]} changes @param {string | null} by @param {boolean} mine
 */
export const isHosts = (changes, by, mine) => by === null && !mine && (isPrice(changes) || changes.some((/** @type {import("./types").AnyChange} */ { change, cause, reason, because }) =>
  change === "definition" || change === "notes" || cause === "define" || cause === "inventory" || because || (cause === "clamp" && !othersReasons.includes(reason))));

/**
 * Whether only the result of a calendar changes: the amount of a note on a day out of view.
 * @param {Change[]} changes
 */
const isPrice = ([change, ...others]) => others.length === 0 && change?.change === "result"
  && Boolean(change.result && ("start" in change.result || "date" in change.result));

/**
 * What a user sees of a state. Columns are replaced when their rows change, but their selection moves.
 * @param {import("./state.js").PickerState} state @returns {Seen}
 */
export const seen = ({ definition, range, result, columns }) =>
  ({ definition, range, result, columns: columns.map((column) => ({ column, selected: column.selected ?? null })) });

/**
 * The rows that are selected instead of others.
 * @param {Seen} before @param {Seen} after
 */
export const movedRows = (before, after) => after.columns.flatMap(({ selected: to }, column) => {
  const from = before.columns[column]?.selected;
  return from === undefined || from?.key === to?.key ? [] : [{ column, from, to }];
});
