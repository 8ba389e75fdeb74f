// A column, with those of its rows that this client has received, by index.

import { withNote } from "./notes.js";

/** @typedef {import("./types").Row} Row */

export class Column {
  /** @param {import("./types").ColumnOnWire} wire */
  constructor(wire) {
    this.generation = wire.generation;
    this.count = wire.count;
    /** @type {number | null} the selected row; null in an empty column */
    this.row = wire.row;
    /** @type {Map<number, Row> | null} after a reload, until the `row` change: the former rows, which a notice may name */
    this.rowsBefore = null;
    /** @type {Row | null} after a reload, until the `row` change: the row that was selected before */
    this.before = null;
    /** @type {Map<number, Row>} */
    this.rows = new Map();
    this.put(wire.from, wire.rows);
  }

  /** @param {number} from @param {Row[]} rows */
  put(from, rows) {
    rows.forEach((row, offset) => this.rows.set(from + offset, row));
  }

  /** @param {{[key: string]: import("./types").Note | null}} notes by key; null removes a note */
  takeNotes(notes) {
    for (const [index, row] of this.rows) {
      if (Object.hasOwn(notes, row.key)) this.rows.set(index, withNote(row, notes[row.key]));
    }
  }

  /**
   * The row of a `row` change, which has neither a note nor a level: a known row retains them.
   * @param {import("./types").AnyChange} change @returns {Row}
   */
  rowWith({ row, key, text, note }) {
    const known = this.at(row)?.key === key ? this.at(row) : undefined;
    return withNote({ ...known, key, text }, note ?? known?.note);
  }

  /**
   * The row at an index, if it was received.
   * @param {number | null} index
   */
  at(index) {
    return index === null ? undefined : this.rows.get(index);
  }

  /**
   * The index of a key among the received rows.
   * @param {string} key
   */
  rowOf(key) {
    for (const [index, row] of this.rows) if (row.key === key) return index;
    return null;
  }

  /**
   * The row of a key, from the current rows or from those before the last reload.
   * @param {string | undefined} key @returns {Row | null}
   */
  rowOfKey(key) {
    if (key === undefined) return null;
    for (const row of [...this.rows.values(), ...this.rowsBefore?.values() ?? []]) if (row.key === key) return row;
    return { key, text: key };
  }

  get selected() {
    return this.at(this.row);
  }

  /**
   * The windows of `size` rows within from…through in which rows are missing.
   * @param {number} from @param {number} through @param {number} size
   * @returns {{from: number, count: number}[]}
   */
  missing(from, through, size) {
    const windows = [];
    const last = Math.min(through, this.count - 1);
    for (let index = Math.max(0, from); index <= last; index += 1) {
      if (this.rows.has(index)) continue;
      const start = Math.floor(index / size) * size;
      const count = Math.min(size, this.count - start);
      windows.push({ from: start, count });
      index = start + count - 1;
    }
    return windows;
  }
}
