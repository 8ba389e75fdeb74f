// The row that gives a column its width.

/**
 * The received row with the longest text and note.
 * @param {import("../core/column.js").Column} column @param {import("./column-view.js").ColumnHandlers["note"]} noteOf
 */
export function longestOf(column, noteOf) {
  let longest = { key: "", text: "" };
  const lengthOf = (/** @type {import("../core/types").Row} */ row) => row.text.length + (noteOf(row)?.text.length ?? 0);
  for (const row of column.rows.values()) if (lengthOf(row) > lengthOf(longest)) longest = row;
  return longest;
}
