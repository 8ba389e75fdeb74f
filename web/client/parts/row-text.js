// The texts of rows: the server's, except hours in languages with 12 of them.

import { hourText } from "../words/words.js";

/**
 * @param {import("../core/session.js").PickerSession} picker @param {number} column
 * @param {import("../core/types").Row | null | undefined} row
 */
export function rowText(picker, column, row) {
  // An empty column has no row with a key.
  if (!row?.key) return row?.text ?? "";
  const isHour = column === 1 && picker.state.definition?.kind === "slot";
  return (isHour && hourText(row.key, picker.locale)) || row.text;
}
