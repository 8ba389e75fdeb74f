// Actions on days of a calendar: sold out, or a price. The host clicks the days in a small month.

import { dateAfterKey } from "../../client/calendar/keys.js";
import { dayCountOf, gridOf, monthIndexOf, monthOf } from "../../client/core/civil.js";
import { icon, make, setAttribute, setText } from "../../client/parts/dom.js";
import { boundOf, todayOf } from "../../client/parts/session-dates.js";
import { fullDate, monthTitle, weekdayName, wordsOf } from "../../client/words/words.js";
import { amountIn } from "../prices.js";
import { Action } from "./action.js";
import { NoteFields } from "./note-fields.js";
import { mergePatch, notesPatch } from "./request.js";

/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */

export class DaysAction extends Action {
  /** @param {import("./action.js").Host} host */
  constructor(host) {
    super(host, "host-days");
    this.tools = /** @type {const} */ (["soldOut", "price"]).map((tool) => ({
      tool, text: make("span", {}),
      field: make("input", { type: "radio", name: `host-tool-${host.session}`, value: tool, checked: tool === "soldOut", onchange: () => this.#redraw() }),
    }));
    this.legend = make("legend", { class: "unseen" });
    this.note = new NoteFields("€ 120", () => this.#redraw());
    this.before = make("button", { class: "host-turn", type: "button", onclick: () => this.#turn(-1) }, icon("before"));
    this.after = make("button", { class: "host-turn", type: "button", onclick: () => this.#turn(1) }, icon("after"));
    this.title = make("strong", { "aria-live": "polite" });
    this.weekdays = make("div", { class: "host-weekdays", "aria-hidden": "true" });
    this.grid = make("div", { class: "host-grid", role: "group" });
    this.controls.append(
      make("fieldset", { class: "host-tools" }, this.legend, ...this.tools.map(({ field, text }) => make("label", {}, field, text))),
      this.note.element,
      make("div", { class: "host-month" }, make("div", { class: "host-head" }, this.before, this.title, this.after), this.weekdays, this.grid));
    /** @type {string | null} the displayed month */
    this.month = null;
    /** @type {string} the day that is reached with Tab and whose command is shown */
    this.date = "";
    this.#listen();
  }

  get isPrice() { return this.tools.some(({ tool, field }) => tool === "price" && field.checked); }

  /** @param {PickerSession} picker */
  draw(picker) {
    this.picker = picker;
    const { monthList, range } = picker.state;
    if (!monthList) return;
    const today = todayOf(picker);
    const listed = (/** @type {string} */ month) => (month < monthList.first ? monthList.first : month > monthList.last ? monthList.last : month);
    this.month = listed(this.month ?? (range?.start ?? today).slice(0, 7));
    if (this.date.slice(0, 7) !== this.month) this.date = this.month === today.slice(0, 7) ? today : `${this.month}-01`;
    this.#drawWords();
    this.#drawDays(picker, this.month);
    if (this.shownFor !== this.#described) this.#showCommand(this.date);
  }

  #redraw() {
    if (this.picker) this.draw(this.picker);
  }

  #drawWords() {
    const { words, locale } = this.host;
    this.setTitle(words.host.days);
    setText(this.legend, words.host.days);
    for (const { tool, text } of this.tools) setText(text, words.host[tool]);
    this.note.setWords(words, true);
    this.note.element.hidden = !this.isPrice;
    setAttribute(this.before, "aria-label", `${words.host.heading}: ${wordsOf(locale).previousMonth}`);
    setAttribute(this.after, "aria-label", `${words.host.heading}: ${wordsOf(locale).nextMonth}`);
  }

  /** @param {PickerSession} picker @param {string} month */
  #drawDays(picker, month) {
    const { locale, words } = this.host;
    const first = picker.state.definition?.firstWeekday ?? 1;
    const { lead } = gridOf(monthIndexOf(month), first, "fit");
    setText(this.title, monthTitle(month, locale));
    setAttribute(this.grid, "aria-label", monthTitle(month, locale));
    this.weekdays.replaceChildren(...Array.from({ length: 7 }, (_, column) =>
      make("span", {}, weekdayName(((first - 1 + column) % 7) + 1, locale))));
    const [min, max] = [boundOf(picker, "min"), boundOf(picker, "max")];
    const digits = new Intl.NumberFormat(locale);
    const count = dayCountOf(monthIndexOf(month));
    while (this.grid.childElementCount > count) this.grid.lastElementChild.remove();
    while (this.grid.childElementCount < count) this.grid.append(make("button", { type: "button", class: "host-day" }));
    [...this.grid.children].forEach((button, index) => {
      const date = `${month}-${String(index + 1).padStart(2, "0")}`;
      const closed = this.#closedBy(date, picker);
      const note = noteOn(date, picker);
      const isPressed = this.isPrice ? note !== undefined : closed === "host";
      setText(button, digits.format(index + 1));
      setAttribute(button, "data-date", date);
      setAttribute(button, "data-closed", closed);
      setAttribute(button, "data-beyond", (min !== null && date < min) || (max !== null && date > max));
      setAttribute(button, "data-noted", note);
      setAttribute(button, "aria-pressed", String(isPressed));
      setAttribute(button, "aria-disabled", !this.isPrice && closed === "other" ? "true" : null);
      setAttribute(button, "tabindex", date === this.date ? "0" : "-1");
      setAttribute(button, "aria-label", [fullDate(date, locale), closed && words.host.soldOut, note].filter(Boolean).join(", "));
      button.style.gridColumnStart = index === 0 ? String(lead + 1) : "";
    });
  }

  #listen() {
    const dateAt = (/** @type {Event} */ event) => /** @type {Element} */ (event.target).closest?.("[data-date]")?.getAttribute("data-date");
    for (const name of ["pointerover", "focusin"]) {
      this.grid.addEventListener(name, (/** @type {Event} */ event) => {
        const date = dateAt(event);
        if (date) this.#showCommand(date);
      });
    }
    this.grid.addEventListener("click", (/** @type {Event} */ event) => {
      const date = dateAt(event);
      if (!date) return;
      this.#showCommand(date);
      if (/** @type {Element} */ (event.target).getAttribute("aria-disabled") !== "true") void this.perform();
    });
    this.grid.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#press(event, dateAt(event)));
  }

  /** @param {KeyboardEvent} event @param {string | null | undefined} date */
  #press(event, date) {
    const list = this.picker?.state.monthList;
    if (!date || !list || event.ctrlKey || event.metaKey || event.altKey) return;
    const calendar = { firstWeekday: this.picker?.state.definition?.firstWeekday ?? 1, isRightToLeft: getComputedStyle(this.grid).direction === "rtl" };
    const next = dateAfterKey(event.key, event.shiftKey, date, calendar);
    if (!next) return;
    event.preventDefault();
    if (next.slice(0, 7) < list.first || next.slice(0, 7) > list.last) return;
    this.month = next.slice(0, 7);
    this.date = next;
    this.#redraw();
    this.grid.querySelector(`[data-date="${next}"]`)?.focus();
  }

  /** @param {number} months */
  #turn(months) {
    if (!this.month) return;
    this.month = monthOf(monthIndexOf(this.month) + months);
    this.#redraw();
  }

  /** The state that the displayed command is for. The command stays while the day is the same, even after it was performed. */
  get #described() { return `${this.date} ${this.isPrice} ${JSON.stringify(this.note.note)}`; }

  /** @param {string} date */
  #showCommand(date) {
    this.date = date;
    for (const button of this.grid.children) setAttribute(button, "tabindex", button.getAttribute("data-date") === date ? "0" : "-1");
    this.shownFor = this.#described;
    this.command.show(this.picker ? this.#requestFor(date, this.picker) : null);
  }

  /** @param {string} date @param {PickerSession} picker */
  #requestFor(date, picker) {
    if (!this.isPrice) {
      const taken = this.#closedBy(date, picker) === "host" ? null : { from: date, through: date };
      return mergePatch({ taken: { [`host-${date}`]: taken } });
    }
    const { note } = this.note;
    const isThere = note !== null && noteOn(date, picker) === note.text;
    // What is added up must be what is shown.
    const amount = picker.state.definition?.currency && note && { amount: amountIn(note.text) };
    return notesPatch({ days: { [date]: isThere ? null : note && { ...note, ...amount } } });
  }

  /**
   * Who has closed a single day: this panel, another host, or nobody.
   * @param {string} date @param {PickerSession} picker @returns {"host" | "other" | null}
   */
  #closedBy(date, picker) {
    const blocked = picker.state.definition?.blocked ?? [];
    const taken = this.host.given?.taken ?? {};
    if (taken[`host-${date}`]) return "host";
    const covers = (/** @type {{from?: string, through?: string}} */ { from, through = from }) =>
      from !== undefined && through !== undefined && from <= date && date <= through;
    return [...blocked, ...Object.values(taken)].some(covers) ? "other" : null;
  }
}

/** @param {string} date @param {PickerSession} picker */
const noteOn = (date, picker) =>
  picker.state.months.get(date.slice(0, 7))?.cells.find((cell) => cell.date === date && !cell.outside)?.note?.text;
