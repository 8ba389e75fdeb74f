// The names of columns.

/**
 * The name of a column.
 * @param {import("../core/session.js").PickerSession} picker @param {number} index @param {import("../words/words.js").Words} words @param {string[]} labels from the page
 */
export function columnLabel(picker, index, words, labels) {
  if (labels[index]) return labels[index];
  const { columns } = words;
  switch (picker.state.definition?.kind) {
    case "date": return [columns.year, columns.month, columns.date][index] ?? "";
    case "slot": return [columns.day, columns.hour, columns.minute][index] ?? "";
    case "cascade": return words.level(index + 1);
    default: return words.column(index + 1);
  }
}
