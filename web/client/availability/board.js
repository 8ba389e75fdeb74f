// The cells in rows and columns: of times a column for each day, of dates the weeks of months one below the other. Draws
// a cell only when something about it has changed.

import { gridOf, monthIndexOf } from "../core/civil.js";
import { make, setAttribute, setText } from "../parts/dom.js";
import { fullDate, weekdayName } from "../words/words.js";
import { cityOf } from "../words/dates.js";
import { clockOf, instantOf, placeIn } from "./zones.js";

/** @typedef {import("../core/types").Availability} Availability */
/** @typedef {import("../core/types").Grade} Grade */
/** @typedef {{x: number, y: number}} Place */
/**
 * What a cell shows.
 * @typedef {object} Look
 * @property {import("./marks.js").Counts | null} counts @property {number} heat 0 to 1, from the least to the most of all cells
 * @property {Grade | null} own @property {string} joined the neighbors with the same own grade
 * @property {Grade | "erase" | null} preview @property {boolean} isPast @property {"best" | "chosen" | null} window
 * @property {1 | 2 | null} best the window of the best ones that the cell is in @property {boolean} isFirst of that window
 * @property {() => string} about for screen readers, with the counts and the own grade
 */

export class Board {
  constructor() {
    this.element = make("div", { class: "board", part: "board" });
    /** @type {HTMLElement[]} by cell */
    this.cells = [];
    /** @type {Place[]} by cell */
    this.places = [];
    /** @type {(number | undefined)[][]} the cell of a row and a column */
    this.rows = [];
    /** @type {string[]} what each cell has shown */
    this.shown = [];
    /** @type {HTMLElement | undefined} that is reached with Tab */
    this.tabCell = undefined;
    this.columnCount = 0;
    this.isTimes = false;
    /** @type {Availability["days"] | null} the layout that was built last, which the server replaces as a whole */
    this.days = null;
    this.built = "";
  }

  /**
   * Builds the cells, if the layout has changed.
   * @param {Availability} state @param {{locale: string, firstWeekday: number, today: string, zones: string[], label: string, again: string}} how
   * @returns {boolean} whether it has
   */
  build(state, how) {
    const built = JSON.stringify(how);
    if (this.days === state.days && this.built === built) return false;
    this.days = state.days;
    this.built = built;
    this.cells = [];
    this.places = [];
    this.rows = [];
    this.shown = [];
    this.isTimes = state.rows !== undefined;
    this.columnCount = this.isTimes ? state.days.length : 7;
    setAttribute(this.element, "data-layout", this.isTimes ? "times" : "dates");
    this.element.style.setProperty("--_days", String(Math.max(1, this.columnCount)));
    this.element.replaceChildren(...(this.isTimes ? [this.#times(state, how)] : this.#dates(state, how)));
    return true;
  }

  /** @param {Availability} state @param {Parameters<Board["build"]>[1]} how */
  #times({ days, rows = [], timeZone }, { locale, today, zones, label, again }) {
    const taken = days.map(({ cells = [] }) => new Map(cells.flatMap(([first, count, row]) =>
      Array.from({ length: count }, (_, at) => [row + at, first + at]))));
    const grid = make("div", { class: "sheet", role: "grid", "aria-label": label, "aria-describedby": "summary", "aria-multiselectable": "true",
      "aria-rowcount": rows.length + 1, "aria-colcount": days.length + 1 });
    grid.style.setProperty("--_scales", String(1 + zones.length));
    grid.append(make("div", { class: "head", role: "row" },
      make("div", { class: "corner", role: "columnheader" }, ...[timeZone, ...zones].map((zone, at) =>
        make("span", { class: at ? "scale beside" : "scale", title: zone }, zones.length ? cityOf(zone) : ""))),
      ...days.map(({ date, text }, x) => make("div", {
        class: "day", role: "columnheader", "data-date": date, "data-today": date === today,
        "data-apart": x > 0 && Date.parse(date) - Date.parse(days[x - 1].date) > 86_400_000,
      }, ...dayNames(date, text, locale, days[x - 1]?.date.slice(0, 7) !== date.slice(0, 7))))));
    const starts = zones.map((zone) => rows.map(({ time }, y) => {
      const dates = days.filter((_, x) => taken[x].has(y)).map(({ date }) => date);
      return [...new Set([dates[0], dates.at(-1)].map((date) => clockAt(date, time, timeZone, zone, locale)))].join(" / ");
    }));
    rows.forEach((row, y) => {
      // The column is narrow: a line may end before AM.
      const clock = clockOf(row.time, locale).replace("\u00a0", " ") + (row.again ? ` (${again})` : "");
      const isMain = y === 0 || row.time.endsWith(":00") || row.gap;
      this.rows[y] = [];
      grid.append(make("div", { class: "line", role: "row", "data-main": isMain, "data-gap": y > 0 && row.gap },
        make("div", { class: "times", role: "rowheader" },
          make("span", { class: "scale" }, clock),
          ...starts.map((texts) => make("span", { class: "scale beside" }, texts[y]))),
        ...days.map(({ date, text }, x) => this.#cell(taken[x].get(y), x, y, {
          "data-apart": x > 0 && Date.parse(date) - Date.parse(days[x - 1].date) > 86_400_000,
          "data-name": `${text}, ${clock}`,
        }, make("span", { class: "count" })))));
    });
    return grid;
  }

  /** @param {Availability} state @param {Parameters<Board["build"]>[1]} how */
  #dates({ days, months = [], weekdays }, { locale, firstWeekday, today, label }) {
    let y = 0;
    return months.map(({ month, title, cells }) => {
      const { lead, dayCount } = gridOf(monthIndexOf(month), firstWeekday, "fit");
      const taken = new Map(cells.flatMap(([cell, count, position]) =>
        Array.from({ length: count }, (_, at) => [position + at, cell + at])));
      const grid = make("div", { class: "month", role: "grid", "aria-label": `${label}, ${title}`, "aria-describedby": "summary", "aria-multiselectable": "true" });
      grid.append(make("div", { class: "head", role: "row" }, ...Array.from({ length: 7 }, (_, x) => {
        const weekday = ((firstWeekday - 1 + x) % 7) + 1;
        return make("div", { class: "weekday", role: "columnheader", "aria-label": weekdayName(weekday, locale, "long") },
          weekdays?.[x] ?? weekdayName(weekday, locale));
      })));
      const weeks = [...taken.keys()].map((position) => Math.floor(position / 7));
      for (let week = Math.min(...weeks); week <= Math.max(...weeks); week += 1, y += 1) {
        this.rows[y] = [];
        grid.append(make("div", { class: "line", role: "row" }, ...Array.from({ length: 7 }, (_, x) => {
          const position = week * 7 + x;
          const cell = taken.get(position);
          const day = position - lead + 1;
          const number = cell === undefined ? String(day) : days[cell].day ?? "";
          const date = cell === undefined ? "" : days[cell].date;
          return this.#cell(cell, x, y, {
            "data-date": date || null, "data-today": date === today, "data-name": date && fullDate(date, locale),
          }, ...(day >= 1 && day <= dayCount ? [make("span", { class: "number" }, number), make("span", { class: "count" })] : []));
        })));
      }
      return make("section", { class: "month-place" }, make("h2", { class: "title" }, title), grid);
    });
  }

  /**
   * @param {number | undefined} cell @param {number} x @param {number} y @param {{[attribute: string]: any}} attributes
   * @param {...Node} children
   */
  #cell(cell, x, y, attributes, ...children) {
    this.rows[y][x] = cell;
    const element = make("div", {
      class: cell === undefined ? "none" : "cell", part: cell === undefined ? null : "cell", role: "gridcell",
      "data-x": x, "data-y": y, "data-cell": cell, tabindex: cell === undefined ? null : "-1",
      "aria-disabled": cell === undefined ? "true" : null, "aria-describedby": cell === undefined ? null : "who", ...attributes,
    }, ...children);
    if (cell !== undefined) {
      this.cells[cell] = element;
      this.places[cell] = { x, y };
    }
    return element;
  }

  /**
   * @param {number} cell @param {Look} look
   */
  drawCell(cell, { counts, heat, own, joined, preview, isPast, window, best, isFirst, about }) {
    const can = counts ? counts[0] + counts[1] : 0;
    const shown = `${counts}|${heat}|${own}|${joined}|${preview}|${isPast}|${window}|${best}|${isFirst}`;
    if (this.shown[cell] === shown) return;
    this.shown[cell] = shown;
    const element = this.cells[cell];
    const counter = /** @type {HTMLElement} */ (element.lastElementChild);
    const count = can > 0 ? String(can) : "";
    setAttribute(element, "data-level", counts && (can > 0 ? Math.max(1, Math.round(heat * 5)) : 0));
    element.style.setProperty("--_v", String(can > 0 ? heat : 0));
    setAttribute(element, "data-best", best);
    setAttribute(counter, "data-rank", isFirst ? best : null);
    setAttribute(element, "data-own", own);
    setAttribute(element, "data-joined", joined || null);
    setAttribute(element, "data-preview", preview);
    setAttribute(element, "aria-selected", String(preview !== null));
    setAttribute(element, "data-past", isPast);
    setAttribute(element, "data-window", window);
    setAttribute(element, "aria-label", [element.dataset.name, about()].filter(Boolean).join(", "));
    setText(counter, count);
  }

  /**
   * The cell at a place, or the nearest one in a direction.
   * @param {Place} place @param {number} right @param {number} down
   */
  next({ x, y }, right, down) {
    for (let column = x + right, row = y + down; this.rows[row] && column >= 0 && column < this.columnCount; column += right, row += down) {
      const cell = this.rows[row][column];
      if (cell !== undefined) return cell;
    }
    return undefined;
  }

  /**
   * The cells of a rectangle.
   * @param {Place} one @param {Place} other
   */
  within(one, other) {
    /** @type {number[]} */
    const cells = [];
    for (let y = Math.min(one.y, other.y); y <= Math.max(one.y, other.y); y += 1) {
      for (let x = Math.min(one.x, other.x); x <= Math.max(one.x, other.x); x += 1) {
        const cell = this.rows[y]?.[x];
        if (cell !== undefined) cells.push(cell);
      }
    }
    return cells;
  }

  /**
   * The neighbors of a cell that have the same own grade, so that their outlines are one.
   * @param {number} cell @param {(Grade | null | undefined)[]} own
   */
  joined(cell, own) {
    const { x, y } = this.places[cell];
    const same = (/** @type {number} */ right, /** @type {number} */ down) => {
      const other = this.rows[y + down]?.[x + right];
      return other !== undefined && own[other] === own[cell] && (down === 0 || !this.#isBreak(Math.max(y, y + down)));
    };
    const sides = this.isTimes ? [] : [same(-1, 0) && "before", same(1, 0) && "after"];
    if (this.isTimes) sides.push(same(0, -1) && "up", same(0, 1) && "down");
    return sides.filter(Boolean).join(" ");
  }

  /** @param {number} y whether there is a gap before a row */
  #isBreak(y) { return this.cells[this.rows[y]?.find((cell) => cell !== undefined) ?? -1]?.parentElement?.hasAttribute("data-gap") ?? false; }
}

/**
 * The texts above a day of times: its weekday, and its date, with the month where it begins.
 * @param {string} date @param {string} text the server's text of the day @param {string} locale @param {boolean} hasMonth
 */
function dayNames(date, text, locale, hasMonth) {
  const format = (/** @type {Intl.DateTimeFormatOptions} */ options) =>
    new Intl.DateTimeFormat(locale, { calendar: "gregory", timeZone: "UTC", ...options }).format(Date.parse(date));
  return [
    make("span", { class: "unseen" }, text),
    make("span", { class: "weekday", "aria-hidden": "true" }, weekdayName(new Date(date).getUTCDay() + 1, locale)),
    make("span", { class: "number", "aria-hidden": "true" }, format({ day: "numeric" }),
      ...(hasMonth ? [" ", make("span", { class: "month-name" }, format({ month: "short" }))] : [])),
  ];
}

/**
 * The time in another zone when a clock of the first one shows a time.
 * @param {string | undefined} date @param {string} time @param {string} timeZone @param {string} other @param {string} locale
 */
function clockAt(date, time, timeZone, other, locale) {
  const instant = date ? instantOf(date, time, timeZone) : Infinity;
  return Number.isFinite(instant) ? clockOf(placeIn(instant, other).time, locale) : "";
}

/**
 * The cell that something happened in; null if it was beside them.
 * @param {EventTarget | null} target @returns {number | null}
 */
export function cellOf(target) {
  /** @type {HTMLElement | null} */
  const element = /** @type {Element} */ (target)?.closest?.("[data-cell]");
  return element ? Number(element.dataset.cell) : null;
}
