// Actions on the selected row of a column: rename, note, remove.

import { make, setAttribute, setText } from "../../client/parts/dom.js";
import { columnLabel } from "../../client/parts/column-label.js";
import { wordsOf } from "../../client/words/words.js";
import { Action, labelled } from "./action.js";
import { NoteFields } from "./note-fields.js";
import { jsonPatch, notesPatch } from "./request.js";

/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */
/** @typedef {import("./action.js").Host} Host */

/** An action on the selected row of a column that the host chooses. */
class RowAction extends Action {
  /** @param {Host} host @param {string} name @param {...Node} controls */
  constructor(host, name, ...controls) {
    super(host, name);
    this.column = make("select", { onchange: () => this.picker && this.draw(this.picker) });
    this.button = make("button", { class: "secondary", type: "submit" });
    this.controls.append(make("form", { class: "host-fields", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.perform();
    } }, this.column, ...controls, this.button));
  }

  /** @param {PickerSession} picker */
  draw(picker) {
    this.picker = picker;
    const { columns } = picker.state;
    const labels = columns.map((_, index) => columnLabel(picker, index, wordsOf(this.host.locale), this.host.labels));
    if (this.column.options.length !== labels.length) {
      this.column.replaceChildren(...labels.map((_, index) => make("option", { value: String(index) })));
    }
    labels.forEach((label, index) => setText(this.column.options[index], label));
    this.column.hidden = labels.length < 2;
    setAttribute(this.column, "aria-label", this.host.words.host.column);
    const row = columns[this.index]?.selected;
    this.element.hidden = !row;
    // Not `disabled`: the button may have the focus.
    if (row) setAttribute(this.button, "aria-disabled", this.drawRow(picker, row) ? null : "true");
  }

  get index() { return Number(this.column.value); }

  /**
   * Implemented by the subclass.
   * @param {PickerSession} picker @param {import("../../client/core/types").Row} row the selected one
   * @returns {boolean} false while the definition is loaded, as after each change: there is no command for it
   */
  drawRow(picker, row) { return Boolean(picker && row); }

  /**
   * The path of the selected row in the complete definition, and its value; null until the definition is loaded.
   * @param {PickerSession} picker @param {import("../../client/core/types").Row} row
   */
  locate({ state }, row) {
    const { given } = this.host;
    const rows = state.columns.map((column) => column.row);
    const isTree = state.definition?.kind === "cascade";
    const path = isTree ? `/nodes/${rows.slice(0, this.index + 1).join("/children/")}` : `/columns/${this.index}/${rows[this.index]}`;
    const there = path.slice(1).split("/").reduce((value, name) => value?.[name], given);
    const text = typeof there === "string" ? there : there?.text;
    // A newer definition may not be loaded yet.
    return text === row.text ? { path, there, test: typeof there === "string" ? path : `${path}/text` } : null;
  }
}

export class RenameAction extends RowAction {
  /** @param {Host} host */
  constructor(host) {
    const field = make("input", { type: "text", maxlength: "200", required: true, autocomplete: "off", size: "12", oninput: () => this.#show() });
    const named = labelled(field);
    super(host, "host-rename", named.element);
    this.field = field;
    this.named = named;
    this.key = "";
  }

  /** @param {PickerSession} picker @param {import("../../client/core/types").Row} row */
  drawRow(picker, row) {
    const { host } = this.host.words;
    this.setTitle(host.rename);
    setText(this.named.label, host.newName);
    setText(this.button, host.renameButton);
    const described = `${this.index} ${row.key} ${row.text}`;
    if (this.key !== described) this.field.value = row.text;
    this.key = described;
    this.row = row;
    this.located = this.locate(picker, row);
    this.#show();
    return this.located !== null;
  }

  #show() {
    const text = this.field.value.trim();
    const { located, row } = this;
    if (!located || !row || !text) return this.command.show(null);
    const test = { op: "test", path: located.test, value: row.text };
    // With the same key, so that the row stays selected.
    this.command.show(jsonPatch("children" in Object(located.there) || this.picker?.state.definition?.kind === "cascade"
      ? [test, { op: "add", path: `${located.path}/key`, value: row.key }, { op: "replace", path: `${located.path}/text`, value: text }]
      : [test, { op: "replace", path: located.path, value: { text, key: row.key } }]));
  }
}

export class RemoveAction extends RowAction {
  /** @param {Host} host */
  constructor(host) { super(host, "host-remove"); }

  /** @param {PickerSession} picker @param {import("../../client/core/types").Row} row */
  drawRow(picker, row) {
    const { host } = this.host.words;
    this.setTitle(host.remove);
    setText(this.button, host.removeRow(row.text));
    const located = this.locate(picker, row);
    this.command.show(located && jsonPatch([{ op: "test", path: located.test, value: row.text }, { op: "remove", path: located.path }]));
    return located !== null;
  }
}

export class RowNoteAction extends RowAction {
  /** @param {Host} host */
  constructor(host) {
    const note = new NoteFields("", () => this.#show());
    super(host, "host-note", note.element);
    this.note = note;
  }

  /** @param {PickerSession} picker @param {import("../../client/core/types").Row} row */
  drawRow(picker, row) {
    const { words } = this.host;
    this.setTitle(words.host.note);
    this.note.setWords(words);
    this.note.propose(words.host.soldOut);
    setText(this.button, words.host.set);
    this.row = row;
    this.#show();
    return true;
  }

  #show() {
    if (this.row) this.command.show(notesPatch({ columns: { [this.index]: { [this.row.key]: this.note.note } } }));
  }
}
