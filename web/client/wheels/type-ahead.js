// Type-ahead: finds a row by the beginning of its text, or with digits by the beginning of its key.

const patienceMilliseconds = 800;

/** @param {string} text */
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();
/** @param {string} text */
const withoutZeros = (text) => text.replace(/^0+(?=\d)/, "");

export class TypeAhead {
  constructor() {
    this.typed = "";
    this.at = -Infinity;
  }

  /**
   * @param {string} character @param {number} at milliseconds
   * @param {Map<number, import("../core/types").Row>} rows the received rows
   * @param {number} current the row to search from
   * @returns {number | null} the matching row
   */
  type(character, at, rows, current) {
    if (at - this.at > patienceMilliseconds) this.typed = "";
    this.at = at;
    this.typed += folded(character);
    // Repeating a letter moves to the next match.
    const isRepeated = this.typed.length > 1 && [...this.typed].every((one) => one === this.typed[0]);
    const found = this.#find(this.typed, rows, current)
      ?? (isRepeated ? this.#find(this.typed[0], rows, current + 1) : null);
    if (found !== null || this.typed === folded(character)) return found;
    // No row matches: the key starts a new search.
    this.typed = folded(character);
    return this.#find(this.typed, rows, current);
  }

  /** @param {string} typed @param {Map<number, import("../core/types").Row>} rows @param {number} from */
  #find(typed, rows, from) {
    const sorted = [...rows].sort(([a], [b]) => a - b);
    const inOrder = [...sorted.filter(([index]) => index >= from), ...sorted.filter(([index]) => index < from)];
    const number = withoutZeros(typed);
    const exact = inOrder.find(([, row]) => withoutZeros(row.key) === number || folded(row.text) === typed);
    const found = exact
      ?? inOrder.find(([, row]) => withoutZeros(row.key).startsWith(number) && /^\d/.test(typed))
      ?? inOrder.find(([, row]) => folded(row.text).startsWith(typed));
    return found ? found[0] : null;
  }
}
