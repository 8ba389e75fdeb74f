// The row that gives a column its width.

/**
 * The received row with the longest text and note.
 * @param {import("../core/column.js").Column} column
 */
export function longestOf(column) {
  let longest = { key: "", text: "" };
  for (const row of column.rows.values()) if (lengthOf(row) > lengthOf(longest)) longest = row;
  return longest;
}

/** @param {import("../core/types").Row} row */
const lengthOf = ({ text, note }) => text.length + (note?.text.length ?? 0);
