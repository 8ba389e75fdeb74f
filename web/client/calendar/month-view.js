// A month: title, weekday header, days, and the bands of the range behind them.

import { bandsOf, dateOf, gridOf, monthIndexOf } from "../core/civil.js";
import { isNights } from "../core/stays.js";
import { make, setAttribute, setText } from "../parts/dom.js";
import { showGhosts } from "../parts/ghosts.js";
import { noteText, showNote } from "../parts/remark.js";
import { todayOf } from "../parts/session-dates.js";
import { fullDate, monthTitle, weekdayName } from "../words/words.js";
import { isTaken, whyNot } from "./why.js";

/** @typedef {import("../core/types").Band} Band */
/** @typedef {import("../core/session.js").PickerSession} PickerSession */

/**
 * The input of drawing a month.
 * @typedef {object} Scene
 * @property {PickerSession} picker
 * @property {import("../words/words.js").Words} words
 * @property {import("../core/types").Range | null} range including the effect of own unanswered taps
 * @property {boolean} isGuess
 * @property {{start: string, end: string} | null} preview
 * @property {string} focusDate the day that is reached with Tab
 */

export class MonthView {
  /** @param {string} month @param {number} firstWeekday @param {"six" | "fit"} weeks */
  constructor(month, firstWeekday, weeks) {
    this.month = month;
    this.index = monthIndexOf(month);
    this.firstWeekday = firstWeekday;
    this.weeks = weeks;
    this.grid = gridOf(this.index, firstWeekday, weeks);
    /** @type {any[]} the elements of the cells */
    this.days = [];
    /** @type {string[]} what the cells depend on, as they were drawn last */
    this.drawn = [];
    /** @type {unknown[]} */
    this.drawnFor = [];
    this.#build();
    /** @type {string} the locale of the drawn texts */
    this.locale = "";
  }

  /**
   * The cell of a date in this month.
   * @param {string} date @returns {HTMLElement | null}
   */
  cellOf(date) {
    return date.slice(0, 7) === this.month ? this.days[this.grid.lead + Number(date.slice(8)) - 1] : null;
  }

  /** @param {Scene} scene */
  draw(scene) {
    const { picker, words } = scene;
    const known = picker.state.months.get(this.month);
    // The server's names if it sends them, otherwise the browser's.
    const title = known?.title ?? monthTitle(this.month, picker.locale);
    const { weekdays } = picker.state;
    if (this.locale !== picker.locale || this.name !== title || this.weekdays !== weekdays) {
      this.#name(picker.locale, title, weekdays);
    }
    const own = () => bandsOf(this.index, scene.range, this.firstWeekday, this.weeks);
    const bands = known && !scene.isGuess ? known.bands : own();
    const preview = bandsOf(this.index, scene.preview, this.firstWeekday, this.weeks);
    const hasHalves = isNights(picker.state);
    this.#drawBands(this.bandsElement, bands, hasHalves);
    this.#drawBands(this.previewElement, preview, hasHalves);
    setAttribute(this.element, "data-nights", hasHalves);
    setAttribute(this.element, "data-loading", !known);
    const covered = coveredCells(bands);
    const touches = fingersOn(picker, this.month);
    const isSame = this.#isDrawnFor(picker, words);
    this.days.forEach((day, cell) => {
      const date = dateOf(this.grid.first + cell);
      const band = covered.get(cell);
      const own = `${band?.isHead} ${band?.isTail} ${date === scene.focusDate} ${touches.has(date)}`;
      // Touches are drawn each time: their members may have changed.
      if (isSame && this.drawn[cell] === own && !touches.has(date)) return;
      this.drawn[cell] = own;
      const isOutside = date.slice(0, 7) !== this.month;
      const wire = known?.cells[cell];
      setText(day.firstChild, wire?.text ?? String(Number(date.slice(8))));
      if (isOutside) return;
      showNote(day.lastChild, wire?.note);
      this.#drawDay(day, date, wire, band, touches.get(date), scene, words);
    });
  }

  /**
   * Whether everything is as it was when this was called last that days depend on, besides their bands, focus and touches.
   * @param {PickerSession} picker @param {import("../words/words.js").Words} words
   */
  #isDrawnFor(picker, words) {
    const { state, locale, canChange } = picker;
    const before = this.drawnFor;
    // The reason why a day is not available can depend on days of the months beside it.
    const first = this.grid.first + this.grid.lead;
    const cells = [-1, 0, 31].map((days) => state.months.get(dateOf(first + days).slice(0, 7))?.cells);
    this.drawnFor = [...cells, state.definition, state.status, todayOf(picker), locale, canChange, words];
    return this.drawnFor.every((one, at) => one === before[at]);
  }

  #build() {
    this.title = make("div", { class: "title", part: "title", "aria-hidden": "true" });
    this.header = make("div", { class: "weekdays", role: "row" },
      ...Array.from({ length: 7 }, () => make("span", { role: "columnheader", class: "weekday" })));
    this.bandsElement = make("div", { class: "bands", "aria-hidden": "true" });
    this.previewElement = make("div", { class: "bands preview", "aria-hidden": "true" });
    this.days = Array.from({ length: this.grid.weekCount * 7 }, (_, cell) => {
      const date = dateOf(this.grid.first + cell);
      const isOutside = date.slice(0, 7) !== this.month;
      return make("div", {
        class: isOutside ? "day outside" : "day", part: isOutside ? "day outside" : "day", role: "gridcell",
        "data-date": isOutside ? null : date, tabindex: isOutside ? null : "-1", "aria-disabled": isOutside ? "true" : null,
      }, make("span", { class: "number" }), make("span", { class: "remark", part: "remark", "aria-hidden": "true" }));
    });
    const weeks = Array.from({ length: this.grid.weekCount }, (_, row) =>
      make("div", { class: "week", role: "row" }, ...this.days.slice(row * 7, row * 7 + 7)));
    this.weeksElement = make("div", { class: "weeks", role: "rowgroup" }, ...weeks);
    this.gridElement = make("div", { class: "grid", role: "grid" },
      make("div", { role: "rowgroup", class: "head" }, this.header), this.weeksElement);
    this.element = make("section", { class: "month", part: "month", "data-month": this.month },
      this.title, this.bandsElement, this.previewElement, this.gridElement);
    this.element.style.setProperty("--weeks", String(this.grid.weekCount));
  }

  /** @param {string} locale @param {string} title @param {string[] | null} weekdays */
  #name(locale, title, weekdays) {
    this.locale = locale;
    this.name = title;
    this.weekdays = weekdays;
    setText(this.title, title);
    setAttribute(this.gridElement, "aria-label", title);
    [...this.header.children].forEach((element, column) => {
      const weekday = ((this.firstWeekday - 1 + column) % 7) + 1;
      setText(element, weekdays?.[column] ?? weekdayName(weekday, locale));
      setAttribute(element, "aria-label", weekdayName(weekday, locale, "long"));
      setAttribute(element, "data-weekend", weekday === 1 || weekday === 7);
    });
  }

  /**
   * A stay begins in the middle of its first day and ends in that of its last one, so that two can share a day.
   * @param {HTMLElement} place @param {Band[]} bands @param {boolean} hasHalves
   */
  #drawBands(place, bands, hasHalves) {
    const described = JSON.stringify([bands, hasHalves]);
    if (place.dataset.bands === described) return;
    place.dataset.bands = described;
    place.replaceChildren(...bands.map(({ row, from, to, shape, head, tail }) => {
      const isStay = hasHalves && !(head && tail && from === to);
      const band = make("div", {
        class: `band ${isStay ? "stay" : shape}`, part: "band", "data-head": head, "data-tail": tail,
      });
      band.style.setProperty("--start", String(from + (head ? 0.5 : 0)));
      band.style.setProperty("--end", String(to + (tail ? 0.5 : 1)));
      band.style.setProperty("--row", String(row));
      band.style.setProperty("--from", String(from));
      band.style.setProperty("--days", String(to - from));
      return band;
    }));
  }

  /**
   * @param {HTMLElement} day @param {string} date @param {import("../core/types").Cell | undefined} wire
   * @param {{isHead: boolean, isTail: boolean} | undefined} band
   * @param {import("../parts/ghosts.js").Ghost[] | undefined} fingers @param {Scene} scene
   * @param {import("../words/words.js").Words} words
   */
  #drawDay(day, date, wire, band, fingers, scene, words) {
    const { picker } = scene;
    const isDisabled = wire?.disabled === true;
    setAttribute(day, "aria-selected", band ? "true" : "false");
    setAttribute(day, "data-head", band?.isHead);
    setAttribute(day, "data-tail", band?.isTail);
    setAttribute(day, "aria-disabled", isDisabled || !picker.canChange ? "true" : null);
    setAttribute(day, "data-unavailable", isDisabled && (isTaken(date, picker) ? "taken" : "beyond"));
    setAttribute(day, "data-only", wire?.only);
    const isHalf = isNights(picker.state) && band && band.isHead !== band.isTail;
    setAttribute(day, "data-half", isHalf && (band.isHead ? "arrival" : "departure"));
    setAttribute(day, "aria-current", wire?.today ? "date" : null);
    setAttribute(day, "tabindex", date === scene.focusDate ? "0" : "-1");
    const why = isDisabled ? whyNot(date, picker, words) : wire?.only ? words.stay.only[wire.only] : null;
    const note = noteText(wire?.note, words);
    setAttribute(day, "title", [note, why].filter(Boolean).join(", ") || null);
    const parts = [fullDate(date, picker.locale), wire?.today && words.cell.today, bandWord(band, words, picker.state), note, why];
    setAttribute(day, "aria-label", parts.filter(Boolean).join(", "));
    showGhosts(day, fingers ?? []);
  }
}

/**
 * @param {{isHead: boolean, isTail: boolean} | undefined} band @param {import("../words/words.js").Words} words
 * @param {import("../core/state.js").PickerState} state
 */
function bandWord(band, words, state) {
  const cell = isNights(state) ? { ...words.cell, ...words.stay.cell } : words.cell;
  if (!band) return null;
  if (band.isHead && band.isTail) return cell.only;
  if (band.isHead) return cell.start;
  return band.isTail ? cell.end : cell.inside;
}

/**
 * The cells that bands cover, with the ends of the range marked.
 * @param {Band[]} bands
 */
function coveredCells(bands) {
  const covered = new Map();
  for (const { row, from, to, head, tail } of bands) {
    for (let column = from; column <= to; column += 1) {
      covered.set(row * 7 + column, { isHead: head && column === from, isTail: tail && column === to });
    }
  }
  return covered;
}

/**
 * The members that touch days of a month, by date.
 * @param {PickerSession} picker @param {string} month
 */
function fingersOn({ state }, month) {
  /** @type {Map<string, import("../parts/ghosts.js").Ghost[]>} */
  const fingers = new Map();
  for (const { member: id, date, hover } of state.touching.values()) {
    const member = state.members.get(id);
    if (member && date?.startsWith(month)) fingers.set(date, [...(fingers.get(date) ?? []), { member, hover }]);
  }
  return fingers;
}
