// The dialog of a month's title: another month and year, and dates to type.

import { dayCountOf, monthIndexOf, monthOf } from "../core/civil.js";
import { isNights } from "../core/stays.js";
import { make, setAttribute, setText } from "../parts/dom.js";
import { boundOf } from "../parts/session-dates.js";
import { dialog } from "../words/en-dialog.js";
import { addEnglish, monthName, wordsOf } from "../words/words.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */

addEnglish(dialog);

export class MonthDialog {
  /** @param {import("./calendar-element.js").CalendarElement} element */
  constructor(element) {
    this.calendar = element;
    this.month = "";
    this.years = make("select", { class: "years", onchange: () => this.#drawMonths() });
    this.grid = make("div", { class: "months", role: "group" });
    this.first = make("input", { type: "date", required: true });
    this.last = make("input", { type: "date" });
    this.firstName = make("span", {});
    this.lastName = make("span", {});
    this.lastLabel = make("label", {}, this.lastName, this.last);
    this.pickButton = make("button", { class: "act primary", type: "submit" });
    this.dates = make("form", { class: "dates", onsubmit: (/** @type {Event} */ event) => this.#pick(event) },
      make("label", {}, this.firstName, this.first), this.lastLabel, this.pickButton);
    this.closeButton = make("button", { class: "close", type: "button", onclick: () => this.close() });
    this.element = make("dialog", {
      class: "jump", part: "dialog",
      // The element's own event is one of its value.
      oninput: (/** @type {Event} */ event) => event.stopPropagation(),
      // A click beside it.
      onclick: (/** @type {Event} */ event) => { if (event.target === this.element) this.close(); },
    }, make("div", { class: "sheet" }, make("div", { class: "line" }, this.years, this.closeButton), this.grid, this.dates));
    element.frameElement.append(this.element);
  }

  /** @param {string} month @param {boolean} isTyping */
  open(month, isTyping) {
    const { picker } = this.calendar;
    const list = picker?.state.monthList;
    if (!picker || !list) return;
    this.month = month;
    const words = wordsOf(picker.locale).dialog;
    setAttribute(this.element, "aria-label", words.title);
    setAttribute(this.years, "aria-label", words.year);
    setAttribute(this.grid, "aria-label", words.month);
    setText(this.closeButton, words.close);
    setText(this.pickButton, words.pick);
    this.dates.hidden = !picker.canChange;
    this.#drawYears(list.first, list.last);
    this.#drawMonths();
    this.#drawDates(picker, list);
    this.element.showModal();
    if (isTyping && picker.canChange) this.first.focus();
  }

  close() { this.element.close(); }

  /** @param {string} first @param {string} last */
  #drawYears(first, last) {
    const [from, through] = [first, last].map((month) => Number(month.slice(0, 4)));
    const years = Array.from({ length: through - from + 1 }, (_, at) => String(from + at).padStart(4, "0"));
    this.years.replaceChildren(...years.map((year) => make("option", { value: year }, String(Number(year)))));
    this.years.value = this.month.slice(0, 4);
  }

  #drawMonths() {
    const { picker } = this.calendar;
    const list = picker?.state.monthList;
    if (!picker || !list) return;
    const first = monthIndexOf(`${this.years.value}-01`);
    this.grid.replaceChildren(...Array.from({ length: 12 }, (_, at) => {
      const month = monthOf(first + at);
      return make("button", {
        type: "button", disabled: month < list.first || month > list.last, "data-month": month,
        "aria-current": month === this.month ? "true" : null, onclick: () => this.#go(month),
      }, monthName(month, picker.locale));
    }));
  }

  /** @param {PickerSession} picker @param {{first: string, last: string}} list */
  #drawDates(picker, list) {
    const words = wordsOf(picker.locale).dialog;
    const isSingle = picker.state.definition?.selection === "single";
    const names = isSingle ? [words.day, ""] : isNights(picker.state) ? [words.arrival, words.departure] : [words.first, words.last];
    setText(this.firstName, names[0]);
    setText(this.lastName, names[1]);
    this.lastLabel.hidden = isSingle;
    const { range } = picker.rangeShown;
    const bounds = {
      min: boundOf(picker, "min") ?? `${list.first}-01`,
      max: boundOf(picker, "max") ?? `${list.last}-${dayCountOf(monthIndexOf(list.last))}`,
    };
    for (const input of [this.first, this.last]) Object.assign(input, bounds);
    this.first.value = range?.start ?? "";
    this.last.value = range && !picker.isRangeOpen ? range.end : "";
  }

  /** @param {string} month */
  #go(month) {
    this.close();
    this.calendar.list.showMonth(month, false);
    this.calendar.focusOn(`${month}-01`);
  }

  /**
   * Chooses the typed days.
   * @param {Event} event
   */
  #pick(event) {
    event.preventDefault();
    // Returns the focus, which the day gets then.
    this.close();
    const { picker } = this.calendar;
    const other = this.lastLabel.hidden ? "" : this.last.value;
    const [start, end] = other && other < this.first.value ? [other, this.first.value] : [this.first.value, other];
    if (!picker || !start || (end && !isNights(picker.state) && this.calendar.refuses(end))) return;
    this.calendar.focusOn(start);
    if (this.lastLabel.hidden) void picker.set({ date: start });
    else if (end) void picker.set({ start, end });
    else {
      if (picker.isRangeOpen) void picker.clear();
      this.calendar.tap(start);
    }
  }
}
