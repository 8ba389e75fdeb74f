// The search for a row of a long column, most of whose rows were not received: a combobox over the wheels, whose list has the
// rows that the server finds. Typing on a wheel opens it, or the name of the column does.

import { find } from "../core/find.js";
import { icon, make, setAttribute, setText } from "../parts/dom.js";
import { rowText } from "../parts/row-text.js";
import { finder } from "../words/en-finder.js";
import { addEnglish, wordsOf } from "../words/words.js";
import { finderSheet } from "./finder-sheet.js";

/** @typedef {import("../core/protocol").FoundMessage} Found */

addEnglish(finder);

/** The maximum of UTF-16 units, which are at most as many characters. */
const lengthMax = 64;

export class Finder {
  /** @param {import("./wheels-element.js").WheelsElement} element */
  constructor(element) {
    this.element = element;
    /** @type {number | null} the column that is searched; null: it is closed */
    this.column = null;
    /** @type {Found | null} */
    this.found = null;
    /** The option that Enter chooses. */
    this.active = 0;
    /** The generation of the column that was searched last. */
    this.generation = 0;
    this.text = make("input", {
      class: "finder-text", part: "find-text", type: "text", role: "combobox", autocomplete: "off", autocapitalize: "off",
      spellcheck: "false", enterkeyhint: "done", maxlength: lengthMax, "aria-autocomplete": "list", "aria-haspopup": "listbox",
      "aria-expanded": "false", "aria-controls": "finder-list",
      oninput: (/** @type {Event} */ event) => {
        // The element's own event is one of its value.
        event.stopPropagation();
        void this.#search();
      },
      onchange: (/** @type {Event} */ event) => event.stopPropagation(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#press(event),
    });
    this.closeButton = make("button", { class: "finder-close", type: "button", onclick: () => this.close() }, icon("clear"));
    this.list = make("div", {
      class: "finder-list", id: "finder-list", role: "listbox",
      // The focus, and with it the keyboard of a phone, stays where one types.
      onmousedown: (/** @type {Event} */ event) => event.preventDefault(),
      onclick: (/** @type {Event} */ event) => {
        const option = /** @type {Element} */ (event.target).closest(".found");
        if (option) this.#choose([...this.list.children].indexOf(option));
      },
    });
    this.status = make("div", { class: "finder-status", role: "status" });
    this.panel = make("div", {
      class: "finder", part: "find", hidden: true,
      // Not when another window gets the focus.
      onfocusout: (/** @type {FocusEvent} */ event) => {
        if (!this.panel.contains(event.relatedTarget) && document.hasFocus()) this.#hide();
      },
    }, make("div", { class: "finder-line" }, this.text, this.closeButton), this.list, this.status);
    element.adopt(finderSheet);
    element.stage.append(this.panel);
  }

  /** @param {number} column @param {string} text what was typed on the wheel */
  open(column, text) {
    // Keys that came together are all the wheel's.
    const before = column === this.column ? this.text.value : "";
    this.column = column;
    this.generation = this.element.picker?.state.columns[column]?.generation ?? 0;
    this.panel.hidden = false;
    this.text.value = (before + text).slice(0, lengthMax);
    this.draw();
    this.text.focus({ preventScroll: true });
    this.panel.scrollIntoView({ block: "nearest" });
    void this.#search();
  }

  /** Closes it, and goes back to the wheel. */
  close() {
    const { column } = this;
    this.#hide();
    if (column !== null) this.element.views[column]?.focus();
  }

  /** Redraws it in another language, and searches again when the column has got other rows. */
  draw() {
    const { picker, views } = this.element;
    const { column } = this;
    const words = wordsOf(picker?.locale ?? "en").finder;
    for (const view of views) view.setFinder(view.lacksRows ? words.find(view.label) : null);
    setAttribute(this.element.columnsElement, "data-long", views.some(({ lacksRows }) => lacksRows));
    if (column === null) return;
    const shown = picker?.state.columns[column];
    if (!picker?.canChange || !shown?.count) return this.#hide();
    const label = words.find(views[column].label);
    setAttribute(this.text, "aria-label", label);
    setAttribute(this.text, "placeholder", label);
    setAttribute(this.list, "aria-label", label);
    setAttribute(this.closeButton, "aria-label", words.close);
    if (shown.generation !== this.generation) void this.#search();
    else this.#drawStatus();
  }

  #hide() {
    this.column = null;
    this.panel.hidden = true;
    this.#show(null);
  }

  async #search() {
    const { picker } = this.element;
    const { column } = this;
    if (!picker || column === null) return;
    const text = this.text.value;
    this.generation = picker.state.columns[column].generation;
    if (text.trim() === "" || /\p{Cs}/u.test(text)) return this.#show(null);
    const found = await find(picker, column, text);
    // A later search replaces this one, and is shown; without a connection the last rows stay.
    if (column !== this.column || text !== this.text.value || picker !== this.element.picker) return;
    if (found) this.#show(found);
    else this.#drawStatus();
  }

  /** @param {Found | null} found null: nothing was searched */
  #show(found) {
    this.found = found;
    this.active = 0;
    this.list.replaceChildren(...(found?.rows ?? []).map((row, index) => {
      const [from, to] = row.at ?? [0, 0];
      const text = /** @type {any} */ (this.element.picker && found && rowText(this.element.picker, found.column, row)) ?? row.text;
      const isShown = text === row.text && to > from;
      return make("div", { class: "found", part: "found", role: "option", id: `found-${index}` },
        make("bdi", {}, ...(isShown ? [text.slice(0, from), make("mark", {}, text.slice(from, to)), text.slice(to)] : [text])));
    }));
    this.list.scrollTop = 0;
    this.#drawActive();
    this.#drawStatus();
  }

  #drawActive() {
    const options = [...this.list.children];
    options.forEach((option, index) => setAttribute(option, "aria-selected", String(index === this.active)));
    setAttribute(this.text, "aria-expanded", String(options.length > 0));
    setAttribute(this.text, "aria-activedescendant", options[this.active]?.id ?? null);
    options[this.active]?.scrollIntoView({ block: "nearest" });
  }

  #drawStatus() {
    const { picker, words } = this.element;
    const { found } = this;
    const own = wordsOf(picker?.locale ?? "en").finder;
    const count = found?.rows.length ?? 0;
    const isOffline = picker?.connection !== "live";
    setText(this.status, isOffline ? words.refusals.offline : !found ? own.type
      : found.more ? own.more(count) : count > 0 ? own.matches(count) : own.none);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const count = this.list.children.length;
    switch (event.isComposing ? "" : event.key) {
      case "ArrowDown": this.#move((this.active + 1) % Math.max(1, count)); break;
      case "ArrowUp": this.#move((this.active + Math.max(1, count) - 1) % Math.max(1, count)); break;
      case "PageDown": this.#move(Math.min(this.active + 5, count - 1)); break;
      case "PageUp": this.#move(Math.max(this.active - 5, 0)); break;
      case "Enter": this.#choose(this.active); break;
      case "Escape": this.close(); break;
      // From the wheel to what follows it.
      case "Tab": return this.close();
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} active */
  #move(active) {
    this.active = Math.max(0, active);
    this.#drawActive();
  }

  /** @param {number} index */
  #choose(index) {
    const { found } = this;
    const row = found?.rows[index];
    if (!found || !row) return;
    const { picker, drawn } = this.element;
    this.close();
    if (picker === drawn) void picker?.select(found.column, row.row, { generation: found.generation, key: row.key });
  }
}
