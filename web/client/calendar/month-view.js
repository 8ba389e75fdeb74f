// A month: title, weekday header, days, and the bands of the range behind them.

import { bandsOf, dateOf, gridOf, monthIndexOf } from "../core/civil.js";
import { isNights, stayFinder } from "../core/stays.js";
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
 * @property {{start: string, end: string, color: string | null}[]} previews of open ranges; those of others have a color
 * @property {Map<string, {name: string, initial: string, color: string}>} [ends] who has picked the first and the last day
 * @property {Map<string, import("../parts/ghosts.js").Ghost[]>} [touches] the members that touch days
 * @property {import("../parts/stock.js").Stock["levelOf"]} [levelOf] what is said of a day with few units left
 * @property {string} focusDate the day that is reached with Tab
 */

/** The maximum of days whose price is set off as the lowest. */
const cheapestMax = 4;

export class MonthView {
  /** @param {string} month @param {number} firstWeekday */
  constructor(month, firstWeekday) {
    this.month = month;
    this.index = monthIndexOf(month);
    this.firstWeekday = firstWeekday;
    // The days of other months are not drawn, because those are above and below.
    this.grid = gridOf(this.index, firstWeekday, "fit");
    /** @type {Set<string>} the days with a note that can be picked, or whose night can be part of a stay */
    this.free = new Set();
    /** @type {import("../core/types").Note[]} the notes of these days with the lowest amount, if not all have the same */
    this.cheapest = [];
    /** @type {any[]} the elements of the days, from the 1st */
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
    return date.slice(0, 7) === this.month ? this.days[Number(date.slice(8)) - 1] : null;
  }

  /** @param {Scene} scene @param {boolean} isFolded whether only the weeks of the range are shown */
  draw(scene, isFolded) {
    const { picker, words } = scene;
    const known = picker.state.months.get(this.month);
    // The server's names if it sends them, otherwise the browser's.
    const title = known?.title ?? monthTitle(this.month, picker.locale);
    const { weekdays } = picker.state;
    if (this.locale !== picker.locale || this.name !== title || this.weekdays !== weekdays) {
      this.#name(picker.locale, title, weekdays);
    }
    const bandsTo = (/** @type {{start: string, end: string} | null} */ range) => bandsOf(this.index, range, this.firstWeekday, "fit");
    const bands = known && !scene.isGuess ? known.bands : bandsTo(scene.range);
    const first = (isFolded && bands[0]?.row) || 0;
    this.#drawBands(this.bandsElement, bands.map((band) => ({ ...band, row: band.row - first })));
    this.element.style.setProperty("--_weeks", String(isFolded ? bands.length : this.grid.weekCount));
    const previews = scene.previews.flatMap((one) => bandsTo(one).map((band) => ({ ...band, color: one.color })));
    this.#drawBands(this.previewElement, previews);
    setAttribute(this.element, "data-loading", !known);
    setAttribute(this.title, "tabindex", scene.focusDate.startsWith(this.month) ? "0" : "-1");
    const covered = coveredCells(bands);
    const isSame = this.#isDrawnFor(picker, words, scene.levelOf);
    if (!isSame) this.#findFree(known?.cells ?? [], picker.state);
    const { lead } = this.grid;
    this.days.forEach((day, at) => {
      const cell = lead + at;
      const date = day.dataset.date;
      const band = covered.get(cell);
      const end = scene.ends?.get(date);
      const touches = scene.touches?.get(date);
      const own = `${band?.isHead} ${band?.isTail} ${date === scene.focusDate} ${!touches} ${end?.name} ${end?.color}`;
      // Touches are drawn each time: their members may have changed.
      if (isSame && this.drawn[cell] === own && !touches) return;
      this.drawn[cell] = own;
      const wire = known?.cells[cell];
      setText(day.firstChild, wire?.text ?? String(at + 1));
      setAttribute(day, "data-by", end?.name);
      setAttribute(day, "data-initial", end?.initial);
      if (end) day.style.setProperty("--_by", end.color);
      this.#drawDay(day, date, wire, band, touches, scene, words);
    });
  }

  /**
   * Whether everything is as it was when this was called last that days depend on, besides their bands, focus and touches.
   * @param {PickerSession} picker @param {import("../words/words.js").Words} words @param {Scene["levelOf"]} levelOf
   */
  #isDrawnFor(picker, words, levelOf) {
    const { state, locale, canChange } = picker;
    const before = this.drawnFor;
    // The reason why a day is not available can depend on days of the months beside it.
    const first = this.grid.first + this.grid.lead;
    const cells = [-1, 0, 31].map((days) => state.months.get(dateOf(first + days).slice(0, 7))?.cells);
    this.drawnFor = [...cells, state.definition, state.status, todayOf(picker), locale, canChange, words, levelOf];
    return this.drawnFor.every((one, at) => one === before[at]);
  }

  /** @param {import("../core/types").Cell[]} cells @param {import("../core/state.js").PickerState} state */
  #findFree(cells, state) {
    const noted = cells.filter(({ outside, note }) => note && !outside);
    const canInclude = stayFinder(state);
    const free = noted.filter(({ date, disabled }) => (isNights(state) ? canInclude(date) : !disabled));
    this.free = new Set(free.map(({ date }) => date));
    this.cheapest = cheapestOf(free);
  }

  #build() {
    this.title = make("button", { class: "title", part: "title", type: "button", "aria-haspopup": "dialog" });
    this.header = make("div", { class: "weekdays", role: "row" },
      ...Array.from({ length: 7 }, () => make("span", { role: "columnheader", class: "weekday" })));
    this.bandsElement = make("div", { class: "bands", "aria-hidden": "true" });
    this.previewElement = make("div", { class: "bands preview", "aria-hidden": "true" });
    const { first, lead, dayCount, weekCount } = this.grid;
    this.days = Array.from({ length: dayCount }, (_, at) => {
      const date = dateOf(first + lead + at);
      // A page can show something of its own instead of the host's note.
      const remark = make("span", { class: "remark", part: "remark", "aria-hidden": "true" });
      return make("div", { class: "day", part: "day", role: "gridcell", "data-date": date, tabindex: "-1" },
        make("span", { class: "number", part: "number" }), make("slot", { name: `day-${date}` }, remark));
    });
    const weeks = Array.from({ length: weekCount }, (_, row) => make("div", { class: "week", role: "row" },
      ...Array.from({ length: 7 }, (_, column) => this.days[row * 7 + column - lead] ?? make("div", { role: "gridcell" }))));
    this.gridElement = make("div", { class: "grid", role: "grid" },
      make("div", { role: "rowgroup", class: "head" }, this.header),
      make("div", { class: "weeks", role: "rowgroup" }, ...weeks));
    this.element = make("section", { class: "month", part: "month", "data-month": this.month },
      this.title, this.bandsElement, this.previewElement, this.gridElement);
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
    });
  }

  /**
   * Bands begin in the middle of the first day and end in that of the last one, so that two stays can share a day.
   * @param {HTMLElement} place @param {(Band & {color?: string | null})[]} bands
   */
  #drawBands(place, bands) {
    const described = JSON.stringify(bands);
    if (place.dataset.bands === described) return;
    place.dataset.bands = described;
    place.replaceChildren(...bands.map(({ row, from, to, head, tail, color }) => {
      const band = make("div", { class: "band", part: "band", "data-head": head, "data-tail": tail });
      if (color) band.style.setProperty("--_band", color);
      band.style.setProperty("--_start", String(from + (head ? 0.5 : 0)));
      band.style.setProperty("--_end", String(to + (tail ? 0.5 : 1)));
      band.style.setProperty("--_row", String(row));
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
    setAttribute(day, "aria-current", wire?.today ? "date" : null);
    setAttribute(day, "tabindex", date === scene.focusDate ? "0" : "-1");
    const level = wire && scene.levelOf?.(wire);
    setAttribute(day, "data-level", level && wire.level);
    const why = level ? level.text : isDisabled ? whyNot(date, picker, words) : null;
    const only = wire?.only ? words.stay.only[wire.only] : null;
    const { note: hosts } = wire ?? {};
    // What a night costs that nobody can book, or that comes after the stay, is no use.
    const isFree = this.free.has(date) && !(band?.isTail && !band.isHead && isNights(picker.state));
    const shown = hosts && isPrice(hosts) && !isFree ? undefined : hosts ?? level?.note;
    // Of prices, only the lowest ones are set off.
    showNote(/** @type {HTMLElement} */ (day.querySelector(".remark")), shown?.amount === undefined ? shown : { text: shown.text });
    const isCheapest = isFree && this.cheapest.length <= cheapestMax && this.cheapest.some(({ amount }) => amount === hosts?.amount);
    setAttribute(day, "data-cheapest", isCheapest);
    const note = [noteText(hosts && shown, words), isCheapest && words.cell.cheapest].filter(Boolean).join(", ");
    setAttribute(day, "title", [note, why, only].filter(Boolean).join(", ") || null);
    const parts = [fullDate(date, picker.locale), wire?.today && words.cell.today, bandWord(band, words, picker.state), note, why, only];
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

/** @param {import("../core/types").Note} note */
const isPrice = ({ amount, tone }) => amount !== undefined || tone === "low" || tone === "high";

/**
 * The notes of days with the lowest amount; none if there are no two different ones.
 * @param {import("../core/types").Cell[]} cells
 */
function cheapestOf(cells) {
  const prices = cells.flatMap(({ note }) => (note?.amount === undefined ? [] : [note]));
  const least = Math.min(...prices.map(({ amount }) => Number(amount)));
  const lowest = prices.filter(({ amount }) => amount === least);
  return lowest.length < prices.length ? lowest : [];
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
