// The scrolling list of months: only those in view, and their neighbours, are in the DOM.

import { monthOf } from "../core/civil.js";
import { make } from "../parts/dom.js";
import { MonthLayout } from "./layout.js";
import { MonthView } from "./month-view.js";

/** Months drawn beyond those in view, on either side. */
const spare = 1;
/** Months asked for beyond those in view, on either side, and the wait before: a fling passes many. */
const askedSpare = 3;
const askMilliseconds = 70;
/** Heights of a week, in `rem` of the page. */
const rowHeightMin = 2.5;
const rowHeightMax = 3.4;
/** What a week is higher by, in `rem`, where days have notes. */
const noteHeight = 1.1;

export class MonthList {
  /** @param {(from: string, count: number) => void} ask @param {() => void} scrolled something else is in view */
  constructor(ask, scrolled) {
    this.ask = ask;
    this.scrolled = scrolled;
    this.content = make("div", { class: "content" });
    /** @type {HTMLElement} */
    this.element = make("div", { class: "scroller", part: "scroller", role: "group" }, this.content);
    /** @type {Map<string, MonthView>} */
    this.views = new Map();
    /** @type {MonthLayout | null} */
    this.layout = null;
    this.described = "";
    this.firstWeekday = 1;
    /** @type {"six" | "fit"} */
    this.weeks = "six";
    /** @type {{first: string, count: number} | null} */
    this.list = null;
    /** Whether there is room for notes: from the first one on, so that the weeks do not jump. */
    this.hasNotes = false;
    this.frame = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {{from: number, through: number} | null} places that were asked for */
    this.asked = null;
    this.element.addEventListener("scroll", () => {
      this.frame ||= requestAnimationFrame(() => {
        this.frame = 0;
        this.scrolled();
      });
    }, { passive: true });
    this.resizing = new ResizeObserver(() => this.#resized());
  }

  observe() { this.resizing.observe(this.element); }

  stop() {
    this.resizing.disconnect();
    clearTimeout(this.timer);
  }

  /**
   * @param {{first: string, last: string, count: number}} list @param {number} firstWeekday
   * @param {"six" | "fit"} weeks @param {string} start the date to begin at, the first time
   */
  setMonths(list, firstWeekday, weeks, start) {
    const described = JSON.stringify([list, firstWeekday, weeks]);
    if (this.described === described) return;
    const isFirst = this.described === "";
    const anchor = isFirst ? null : this.#anchor();
    this.described = described;
    Object.assign(this, { list, firstWeekday, weeks, asked: null });
    for (const [month, view] of this.views) this.#drop(month, view);
    this.#lay();
    if (isFirst) this.showMonth(start.slice(0, 7), false);
    else if (anchor) this.#restore(anchor);
  }

  /** Makes room for notes under the days. */
  showNotes() {
    if (this.hasNotes) return;
    this.hasNotes = true;
    const anchor = this.#anchor();
    this.#lay();
    if (anchor) this.#restore(anchor);
  }

  /** @param {import("./month-view.js").Scene} scene */
  draw(scene) {
    const places = this.#placesInView();
    if (!places || !this.layout) return;
    const { from, through } = places;
    const kept = new Set();
    for (let place = Math.max(0, from - spare); place <= Math.min(this.layout.count - 1, through + spare); place += 1) {
      kept.add(this.#have(place).month);
    }
    for (const [month, view] of this.views) {
      // A month that has the focus stays, or the focus would be lost.
      if (!kept.has(month) && !view.element.matches(":focus-within")) this.#drop(month, view);
    }
    for (const view of this.views.values()) view.draw(scene);
    this.#askFor(from, through);
  }

  /** @param {string} date @returns {HTMLElement | null} */
  cellOf(date) { return this.views.get(date.slice(0, 7))?.cellOf(date) ?? null; }

  /** The month that fills most of the view. */
  get monthInView() {
    if (!this.layout || !this.list) return "0001-02";
    const middle = this.element.scrollTop + this.element.clientHeight * 0.4;
    return monthOf(this.layout.firstIndex + this.layout.placeAt(middle));
  }

  /**
   * Scrolls a month to the top.
   * @param {string} month @param {boolean} isSmooth
   */
  showMonth(month, isSmooth) {
    if (!this.layout) return;
    const place = Math.max(0, Math.min(this.layout.count - 1, this.layout.placeOf(month)));
    this.element.scrollTo({ top: this.layout.top(place), behavior: isSmooth ? "smooth" : "auto" });
  }

  /**
   * Scrolls just as far as a day needs to be seen, and puts its month into the DOM.
   * @param {string} date @param {boolean} isSmooth
   */
  reveal(date, isSmooth) {
    if (!this.layout) return;
    const place = this.layout.placeOf(date);
    const view = this.#have(place);
    const cell = view.cellOf(date);
    if (!cell) return;
    const top = this.layout.top(place) + (this.layout.height(place) - view.grid.weekCount * this.layout.rowHeight)
      + Math.floor((view.grid.lead + Number(date.slice(8)) - 1) / 7) * this.layout.rowHeight;
    const margin = this.layout.rowHeight;
    const { scrollTop, clientHeight } = this.element;
    const behavior = isSmooth ? "smooth" : "auto";
    if (top - margin < scrollTop) this.element.scrollTo({ top: top - 2 * margin, behavior });
    else if (top + 2 * margin > scrollTop + clientHeight) {
      this.element.scrollTo({ top: top + 2 * margin - clientHeight, behavior });
    }
  }

  #lay() {
    if (!this.list) return;
    const width = this.content.clientWidth || 320;
    const rem = Math.max(16, parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);
    const dayHeight = Math.round(Math.max(rowHeightMin * rem, Math.min(rowHeightMax * rem, (width / 7) * 0.88)));
    const remarkHeight = this.hasNotes ? Math.round(noteHeight * rem) : 0;
    const rowHeight = dayHeight + remarkHeight;
    this.layout = new MonthLayout(this.list, this.firstWeekday, this.weeks, rowHeight);
    this.content.style.blockSize = `${this.layout.totalHeight}px`;
    this.element.style.setProperty("--week-height", `${rowHeight}px`);
    this.element.style.setProperty("--day-height", `${dayHeight}px`);
    this.element.style.setProperty("--spot", `${Math.min(dayHeight, width / 7) - 6}px`);
    for (const view of this.views.values()) this.#place(view);
  }

  #resized() {
    const anchor = this.#anchor();
    this.#lay();
    if (anchor) this.#restore(anchor);
    this.scrolled();
  }

  /** What is at the top of the view, so that it can be put there again. */
  #anchor() {
    if (!this.layout || this.layout.count === 0) return null;
    const place = this.layout.placeAt(this.element.scrollTop);
    const within = (this.element.scrollTop - this.layout.top(place)) / this.layout.height(place);
    return { index: this.layout.firstIndex + place, within };
  }

  /** @param {{index: number, within: number}} anchor */
  #restore({ index, within }) {
    if (!this.layout) return;
    const place = Math.max(0, Math.min(this.layout.count - 1, index - this.layout.firstIndex));
    this.element.scrollTop = this.layout.top(place) + within * this.layout.height(place);
  }

  #placesInView() {
    if (!this.layout || this.layout.count === 0) return null;
    const { scrollTop, clientHeight } = this.element;
    return { from: this.layout.placeAt(scrollTop), through: this.layout.placeAt(scrollTop + (clientHeight || 400)) };
  }

  /** @param {number} place */
  #have(place) {
    const month = monthOf(/** @type {MonthLayout} */ (this.layout).firstIndex + place);
    let view = this.views.get(month);
    if (!view) {
      view = new MonthView(month, this.firstWeekday, this.weeks);
      this.views.set(month, view);
      this.#place(view);
      // In order, so that Tab and a screen reader meet them as the eye does.
      const next = [...this.views.keys()].filter((one) => one > month).sort()[0];
      this.content.insertBefore(view.element, next ? this.views.get(next)?.element ?? null : null);
    }
    return view;
  }

  /** @param {MonthView} view */
  #place(view) {
    if (!this.layout) return;
    const place = this.layout.placeOf(view.month);
    view.element.style.insetBlockStart = `${this.layout.top(place)}px`;
    view.element.style.blockSize = `${this.layout.height(place)}px`;
  }

  /** @param {string} month @param {MonthView} view */
  #drop(month, view) {
    view.element.remove();
    this.views.delete(month);
  }

  /** @param {number} from @param {number} through */
  #askFor(from, through) {
    if (this.asked && this.asked.from <= from && this.asked.through >= through) return;
    const isFirst = this.asked === null;
    clearTimeout(this.timer);
    const ask = () => {
      const places = this.#placesInView();
      if (!places || !this.layout) return;
      const first = Math.max(0, places.from - askedSpare);
      const last = Math.min(this.layout.count - 1, places.through + askedSpare, first + 23);
      this.asked = { from: first, through: last };
      this.ask(monthOf(this.layout.firstIndex + first), last - first + 1);
    };
    if (isFirst) ask();
    else this.timer = setTimeout(ask, askMilliseconds);
  }
}
