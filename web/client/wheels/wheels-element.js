// <pickerd-wheels session="…">: dates, slots, cascades and columns.

import { movedRows } from "../core/hosting.js";
import { columnLabel } from "../parts/column-label.js";
import { make, setAttribute, setText } from "../parts/dom.js";
import { PickerElement } from "../parts/picker-element.js";
import { rowText } from "../parts/row-text.js";
import { dateOrder } from "../words/words.js";
import { ColumnView } from "./column-view.js";
import { wheelsSheet } from "./sheet.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */

export class WheelsElement extends PickerElement {
  static get element() { return "pickerd-wheels"; }

  static sheets() { return [wheelsSheet]; }

  constructor() {
    super();
    /** @type {ColumnView[]} */
    this.views = [];
    /** What was typed while the search was loaded. */
    this.typed = "";
    /** @type {number[]} the columns in the order in which they are shown */
    this.order = [];
    /** @type {Promise<import("./finder.js").Finder> | undefined} */
    this.loading = undefined;
    /** @type {import("./finder.js").Finder | null} the search for a row; loaded when rows are missing */
    this.finder = null;
    /** Why the server has selected another row than was wanted, at its column; it is announced as well. */
    this.tip = make("p", { class: "tip", part: "tip", "aria-hidden": "true", hidden: true });
    this.columnsElement = make("div", { class: "columns", part: "columns", role: "group" }, this.tip);
    this.stage.append(this.columnsElement);
  }

  /** @param {PickerSession} picker */
  draw(picker) {
    const { state } = picker;
    const { words } = this;
    this.#haveColumns(state.columns.length);
    this.#arrange(picker);
    setAttribute(this.columnsElement, "data-many", state.columns.length > 2);
    setAttribute(this.columnsElement, "data-kind", state.definition?.kind ?? null);
    const way = matchMedia("(pointer: coarse)").matches ? words.hint.touch : words.hint.wheels;
    setText(this.hint, !state.hasKnownKind ? words.hint.unknown : picker.canChange ? way : "");
    const rows = picker.rows;
    this.views.forEach((view, index) => {
      const label = columnLabel(picker, index, words, this.labels);
      view.setWords(label, words);
      view.handlers.text = (row) => rowText(picker, index, row);
      view.setGhosts(this.#ghostsOn(picker, index));
      view.update(state.columns[index], rows[index], !picker.canChange || picker.connection === "away");
    });
    // At once: without a connection it could not be loaded.
    if (this.views.some(({ lacksRows }) => lacksRows)) void this.#load();
    this.finder?.draw();
  }

  flush() { for (const view of this.views) view.finish(); }

  letGo() { for (const view of this.views) view.fingers.letGo(); }

  forget() {
    this.finder?.draw();
    this.#haveColumns(0);
    this.order = [];
  }

  /** @returns {Promise<import("./finder.js").Finder>} */
  #load() {
    this.loading ??= import("./finder.js").then(({ Finder }) => {
      this.finder = new Finder(this);
      this.finder.draw();
      return this.finder;
    });
    // It may be tried again; a browser reports the failure.
    this.loading.catch(() => { this.loading = undefined; });
    return this.loading;
  }

  /**
   * Opens the search for a row.
   * @param {number} column @param {string} text
   */
  async #find(column, text) {
    this.typed += text;
    const finder = this.finder ?? await this.#load();
    const { typed } = this;
    this.typed = "";
    // Keys that were pressed while it was loaded come at once.
    if (typed !== "" || text === "") finder.open(column, typed);
  }

  /** @param {import("../core/types").Notice} notice */
  noticed(notice) {
    // By nobody: time has passed, which may have moved several columns.
    if (notice.kind === "corrected" && notice.by === null) this.views[notice.column]?.flash();
    if (notice.kind === "hosted") for (const { column } of movedRows(notice.before, notice.after)) this.views[column]?.flash();
  }

  /**
   * Shows at a column why the server has selected another row than was wanted.
   * @param {Extract<import("../core/types").Notice, {kind: "corrected"}>} notice @param {string} text
   */
  explain({ column, wanted, to }, text) {
    const view = this.views[column];
    if (!view || !wanted) return;
    view.correct(wanted, to);
    const place = this.order.indexOf(column);
    setText(this.tip, text);
    this.tip.hidden = false;
    this.tip.style.setProperty("--_at", String(place + 1));
    setAttribute(this.tip, "data-end", place * 2 >= this.order.length - 1);
    setAttribute(this.tip, "data-after", (view.struck?.side ?? 0) > 0);
    this.redraw();
  }

  /** @param {number} index @returns {boolean} whether own changes of earlier columns have no answer, which may change the rows of this one */
  #awaits(index) {
    const { picker } = this;
    if (picker?.connection !== "live" || picker.state.definition?.kind === "columns") return false;
    return this.views.slice(0, index).some(({ isTurning }) => isTurning)
      || picker.pending.some(({ message }) => message.type === "select" && message.column < index);
  }

  /** @param {number} count */
  #haveColumns(count) {
    while (this.views.length < count) {
      const index = this.views.length;
      const view = new ColumnView(index, {
        // Not to another session: the element may have got one while the wheel was turning.
        select: (row, seen) => { if (this.picker === this.drawn) void this.picker?.select(index, row, seen); },
        touch: (row) => this.touch(row === null ? null : { column: index, row }),
        hover: (row) => this.hover(row === null ? null : { column: index, row }),
        want: (from, through) => this.picker?.wantRows(index, from, through),
        find: (text) => void this.#find(index, text),
        beside: (steps) => this.#beside(index, steps),
        text: ({ text }) => text,
        awaits: () => this.#awaits(index),
        tipOver: () => { this.tip.hidden = true; },
      });
      this.views.push(view);
      this.tip.before(view.element);
    }
    for (const view of this.views.splice(count)) view.remove();
  }

  /** @param {PickerSession} picker whose date is written in the order of the language, also for Tab and screen readers */
  #arrange({ state, locale }) {
    const order = state.definition?.kind === "date" ? dateOrder(locale) : [...this.views.keys()];
    if (order.join() === this.order.join()) return;
    this.order = order;
    const { activeElement } = /** @type {ShadowRoot} */ (this.shadowRoot);
    this.columnsElement.append(...order.flatMap((index) => this.views[index]?.element ?? []), this.tip);
    // A moved element loses the focus.
    /** @type {HTMLElement | null} */ (activeElement)?.focus({ preventScroll: true });
  }

  /** @param {number} index of a column @param {number} steps */
  #beside(index, steps) {
    const next = this.order[this.order.indexOf(index) + steps];
    if (next !== undefined) this.views[next]?.focus();
  }

  /** @param {PickerSession} picker @param {number} column */
  #ghostsOn({ state }, column) {
    const ghosts = [];
    for (const touch of state.touching.values()) {
      const member = state.members.get(touch.member);
      if (touch.column !== column || touch.row === undefined || !member) continue;
      ghosts.push({ row: touch.row, member, hover: touch.hover });
    }
    return ghosts;
  }
}
