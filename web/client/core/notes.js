// The host's notes: short texts on days and rows. They are stored in the cells and rows.

/** @typedef {import("./types").Change} Change */
/** @typedef {import("./types").Note} Note */
/** @typedef {import("./state.js").PickerState} PickerState */

/**
 * Applies a `notes` change. The note of a day is set in all received months, also in cells of adjacent months.
 * @param {PickerState} state @param {import("./types").AnyChange} change
 */
export function takeNotes(state, { days, column, rows }) {
  if (days) takeDays(state, days);
  if (rows) state.columns[column]?.takeNotes(rows);
}

/** @param {PickerState} state @param {{[date: string]: Note | null}} days */
function takeDays(state, days) {
  for (const [name, month] of state.months) {
    if (!month.cells.some(({ date }) => date in days)) continue;
    const cells = month.cells.map((cell) => (cell.date in days ? withNote(cell, days[cell.date]) : cell));
    state.months.set(name, { ...month, cells });
  }
}

/**
 * The cell or row with a note, or without one.
 * @template {object} Noted
 * @param {Noted & {note?: Note}} noted @param {Note | null | undefined} note @returns {Noted & {note?: Note}}
 */
export function withNote(noted, note) {
  const { note: _, ...rest } = noted;
  return /** @type {any} */ (note ? { ...rest, note } : rest);
}
