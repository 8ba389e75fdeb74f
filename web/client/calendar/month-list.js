// The scrolling list of months. Only the months in view and their neighbours are in the DOM.

import { monthIndexOf, monthOf } from "../core/civil.js";
import { make } from "../parts/dom.js";
import { MonthLayout } from "./layout.js";
import { MonthView } from "./month-view.js";

/** Months drawn beyond those in view, on either side. */
const spare = 1;
/** Months requested beyond those in view, on either side, and the delay before the request: a fling passes many. */
const askedSpare = 3;
const askMilliseconds = 70;
/** Heights of a week, in `rem` of the page. */
const rowHeightMin = 2.5;
const rowHeightMax = 3.4;
/** The additional height of a week, in `rem`, if days have notes. */
const noteHeight = 1.1;

export class MonthList {
  /** @param {(from: string, count: number) => void} ask requests months @param {() => void} scrolled called when other months are in view */
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
    /** Whether weeks have room for notes. Never reset, so that the layout does not jump. */
    this.hasNotes = false;
    this.frame = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {{from: number, through: number} | null} the positions of the requested months */
    this.asked = null;
    /** @type {{index: number, within: number} | null} what was at the top last, for when the list is shown again */
    this.anchor = null;
    this.isShown = false;
    /** @type {{scrollTop: number, clientHeight: number} | null} null after it may have changed */
    this.view = null;
    this.element.addEventListener("scroll", () => {
      this.view = null;
      if (this.isShown) this.anchor = this.#anchor();
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
    this.isShown = false;
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
    const isSameGrid = this.firstWeekday === firstWeekday && this.weeks === weeks;
    this.described = described;
    Object.assign(this, { list, firstWeekday, weeks, asked: null });
    // Months that stay keep their elements, with the focus and a finger that is down.
    for (const [month, view] of this.views) {
      if (!isSameGrid || month < list.first || month > list.last) this.#drop(month, view);
    }
    this.#lay();
    const month = start.slice(0, 7);
    if (isFirst) this.anchor = { index: monthIndexOf(month), within: 0 };
    if (isFirst) this.showMonth(month, false);
    else if (anchor) this.#restore(anchor);
  }

  /** Removes the months of another session. */
  forget() {
    this.described = "";
    this.anchor = null;
    this.hasNotes = false;
    for (const [month, view] of this.views) this.#drop(month, view);
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
    const span = this.#positionsInView();
    if (!span || !this.layout) return;
    const { from, through } = span;
    const { clientHeight } = this.#view;
    const shown = new Set();
    for (let position = Math.max(0, from - spare); position <= Math.min(this.layout.count - 1, through + spare); position += 1) {
      shown.add(this.#have(position).month);
    }
    for (const [month, view] of this.views) {
      // A month with the focus stays, because removing it would lose the focus.
      if (!shown.has(month) && !view.element.matches(":focus-within")) this.#drop(month, view);
    }
    for (const view of this.views.values()) view.draw(scene);
    // A hidden list would take the months of another one of the same session away.
    if (clientHeight > 0 || !scene.picker.hasMonths) this.#askFor(from, through);
  }

  /** @param {string} date @returns {HTMLElement | null} */
  cellOf(date) { return this.views.get(date.slice(0, 7))?.cellOf(date) ?? null; }

  /** The day that has the focus. @returns {string | null} */
  get focusedDate() {
    const { activeElement } = /** @type {ShadowRoot} */ (this.element.getRootNode());
    return this.element.contains(activeElement) ? activeElement?.getAttribute("data-date") ?? null : null;
  }

  /**
   * Focuses a day, whose month is added to the DOM, without scrolling.
   * @param {string} date
   */
  focus(date) {
    if (this.layout) this.#have(this.layout.positionOf(date)).cellOf(date)?.focus({ preventScroll: true });
  }

  /** The month that fills most of the view. */
  get monthInView() {
    if (!this.layout || !this.list) return "0001-02";
    const { scrollTop, clientHeight } = this.#view;
    const middle = scrollTop + clientHeight * 0.4;
    return monthOf(this.layout.firstIndex + this.layout.positionAt(middle));
  }

  /**
   * Scrolls a month to the top.
   * @param {string} month @param {boolean} isSmooth
   */
  showMonth(month, isSmooth) {
    if (!this.layout) return;
    const position = Math.max(0, Math.min(this.layout.count - 1, this.layout.positionOf(month)));
    this.element.scrollTo({ top: this.layout.top(position), behavior: isSmooth ? "smooth" : "auto" });
    this.view = null;
  }

  /**
   * Adds the month of a day to the DOM, and scrolls as little as needed to show the day.
   * @param {string} date @param {boolean} isSmooth
   */
  reveal(date, isSmooth) {
    if (!this.layout) return;
    const position = this.layout.positionOf(date);
    const view = this.#have(position);
    const cell = view.cellOf(date);
    if (!cell) return;
    const top = this.layout.top(position) + (this.layout.height(position) - view.grid.weekCount * this.layout.rowHeight)
      + Math.floor((view.grid.lead + Number(date.slice(8)) - 1) / 7) * this.layout.rowHeight;
    const margin = this.layout.rowHeight;
    const { scrollTop, clientHeight } = this.#view;
    const behavior = isSmooth ? "smooth" : "auto";
    if (top - margin < scrollTop) this.element.scrollTo({ top: top - 2 * margin, behavior });
    else if (top + 2 * margin > scrollTop + clientHeight) {
      this.element.scrollTo({ top: top + 2 * margin - clientHeight, behavior });
    }
    this.view = null;
  }

  /** The scroll position and the height: reading them after a change to the DOM makes the browser lay it out at once. */
  get #view() {
    this.view ??= { scrollTop: this.element.scrollTop, clientHeight: this.element.clientHeight };
    return this.view;
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
    for (const view of this.views.values()) this.#put(view);
    this.view = null;
  }

  #resized() {
    // A hidden list cannot be scrolled, and has forgotten its position.
    const wasShown = this.isShown;
    this.view = null;
    this.isShown = this.#view.clientHeight > 0;
    if (!this.isShown) return;
    // Another list may have asked for other months meanwhile.
    if (!wasShown) this.asked = null;
    const anchor = wasShown ? this.#anchor() : this.anchor;
    this.#lay();
    if (anchor) this.#restore(anchor);
    this.scrolled();
  }

  /** The month at the top of the view and the offset within it, to restore the scroll position. */
  #anchor() {
    if (!this.layout || this.layout.count === 0) return null;
    const { scrollTop } = this.#view;
    const position = this.layout.positionAt(scrollTop);
    const within = (scrollTop - this.layout.top(position)) / this.layout.height(position);
    return { index: this.layout.firstIndex + position, within };
  }

  /** @param {{index: number, within: number}} anchor */
  #restore({ index, within }) {
    if (!this.layout) return;
    const wanted = index - this.layout.firstIndex;
    const position = Math.max(0, Math.min(this.layout.count - 1, wanted));
    // The offset within a month that was removed is none within the nearest one.
    const offset = position === wanted ? within * this.layout.height(position) : 0;
    this.element.scrollTop = this.layout.top(position) + offset;
    this.view = null;
  }

  #positionsInView() {
    if (!this.layout || this.layout.count === 0) return null;
    const { scrollTop, clientHeight } = this.#view;
    return { from: this.layout.positionAt(scrollTop), through: this.layout.positionAt(scrollTop + (clientHeight || 400)) };
  }

  /** @param {number} position */
  #have(position) {
    const month = monthOf(/** @type {MonthLayout} */ (this.layout).firstIndex + position);
    let view = this.views.get(month);
    if (!view) {
      view = new MonthView(month, this.firstWeekday, this.weeks);
      this.views.set(month, view);
      this.#put(view);
      // In chronological order, for Tab and screen readers.
      const next = [...this.views.keys()].filter((one) => one > month).sort()[0];
      this.content.insertBefore(view.element, next ? this.views.get(next)?.element ?? null : null);
    }
    return view;
  }

  /** @param {MonthView} view */
  #put(view) {
    if (!this.layout) return;
    const position = this.layout.positionOf(view.month);
    view.element.style.insetBlockStart = `${this.layout.top(position)}px`;
    view.element.style.blockSize = `${this.layout.height(position)}px`;
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
      const span = this.#positionsInView();
      if (!span || !this.layout) return;
      const first = Math.max(0, span.from - askedSpare);
      const last = Math.min(this.layout.count - 1, span.through + askedSpare, first + 23);
      this.asked = { from: first, through: last };
      this.ask(monthOf(this.layout.firstIndex + first), last - first + 1);
    };
    if (isFirst) ask();
    else this.timer = setTimeout(ask, askMilliseconds);
  }
}
