// The scrolling list of months. Only the months in view and their neighbours are in the DOM.

import { gridOf, monthIndexOf, monthOf } from "../core/civil.js";
import { make } from "../parts/dom.js";
import { MonthLayout } from "./layout.js";
import { MonthView } from "./month-view.js";

/** Months drawn beyond those in view, on either side. */
const spare = 1;
/** Months requested beyond those in view, on either side, and the delay before the request: a fling passes many. */
const askedSpare = 3;
const askMilliseconds = 70;
/** The height of the disc of a day, in `rem` of the page, and of a week beyond that: of one month and of several. */
const spotMax = 3;
const weekMargins = [0.75, 0.5];
/** The height of a month's title and weekdays, in `rem`. */
const headHeight = 4.25;
/** The width of the list, in `rem`, from which on two months are beside each other: that of a page of 900 px. */
const twoMonthsWidth = 43.75;
/** The part of a week above it in which the face at an end of the range may be. The discs of the week above end there. */
const nameShare = 0.06;
/** The gap between months beside each other, in pixels, as in the style sheet. */
const columnGap = 24;

export class MonthList {
  /**
   * @param {(from: string, count: number) => void} ask requests months
   * @param {() => void} scrolled called when other months are in view
   */
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
    /** The months beside each other; 0: as many as there is room for. */
    this.columns = 0;
    /** The date to begin at. */
    this.start = "";
    /** @type {number | null} where a smooth scroll ends */
    this.goal = null;
    /** @type {{start: string, end: string} | null} the range of whose weeks only those are shown */
    this.folded = null;
    /** @type {{first: string, count: number} | null} */
    this.list = null;
    this.frame = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {{from: number, through: number} | null} the positions of the requested months */
    this.asked = null;
    /** @type {{index: number, weeks: number} | null} what was at the top last, for when the list is shown again */
    this.anchor = null;
    this.isShown = false;
    /** @type {{scrollTop: number, clientHeight: number} | null} null after it may have changed */
    this.view = null;
    this.element.addEventListener("scroll", () => {
      this.view = null;
      if (this.isShown) this.anchor = this.#anchor();
      if (this.goal !== null && Math.abs(this.#view.scrollTop - this.goal) < 2) this.goal = null;
      this.frame ||= requestAnimationFrame(() => {
        this.frame = 0;
        this.scrolled();
      });
    }, { passive: true });
    for (const name of ["wheel", "pointerdown"]) this.element.addEventListener(name, () => { this.goal = null; }, { passive: true });
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
   * @param {number} columns months beside each other; 0: as many as there is room for
   * @param {string} start the date to begin at, the first time
   */
  setMonths(list, firstWeekday, columns, start) {
    const described = JSON.stringify([list, firstWeekday, columns]);
    if (this.described === described) return;
    const isFirst = this.described === "";
    const anchor = isFirst ? null : this.#anchor();
    const isSameGrid = this.firstWeekday === firstWeekday;
    this.described = described;
    Object.assign(this, { list, firstWeekday, columns, asked: null });
    // Months that stay keep their elements, with the focus and a finger that is down.
    for (const [month, view] of this.views) {
      if (!isSameGrid || month < list.first || month > list.last) this.#drop(month, view);
    }
    if (isFirst) this.start = start;
    this.#lay();
    if (isFirst) this.anchor = this.#startAnchor();
    const wanted = anchor ?? this.anchor;
    if (wanted) this.#restore(wanted);
  }

  /** The week to begin at. Months beside each other begin at the top, because the second one may be in view only there. */
  #startAnchor() {
    const index = monthIndexOf(this.start);
    const { lead } = gridOf(index, this.firstWeekday, "fit");
    const week = Math.floor((lead + Number(this.start.slice(8)) - 1) / 7);
    return { index, weeks: this.layout?.columns === 1 ? Math.max(0, week - nameShare) : 0 };
  }

  /** Removes the months of another session. */
  forget() {
    this.described = "";
    this.anchor = this.goal = null;
    for (const [month, view] of this.views) this.#drop(month, view);
  }


  /**
   * @param {{start: string, end: string} | null} range of whose weeks only those are shown
   */
  fold(range) {
    this.folded = range;
    this.element.toggleAttribute("data-folded", range !== null);
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
    for (const view of this.views.values()) view.draw(scene, this.folded !== null);
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
   * Scrolls to the line of months before (-1) or after (1) the one at the top, or the one that a scroll is under way to.
   * @param {number} lines @param {boolean} isSmooth
   */
  turn(lines, isSmooth) {
    if (!this.layout) return;
    const { layout } = this;
    const top = this.goal ?? this.#view.scrollTop;
    const here = layout.positionAt(top + 2);
    const isAtTop = Math.abs(layout.top(here) - top) <= 2;
    const position = lines > 0 ? layout.lineEnd(here) + 1 : isAtTop ? here - layout.columns : here;
    this.#scrollTo(layout.top(Math.max(0, Math.min(layout.count - 1, position))), isSmooth);
  }

  /**
   * Scrolls a month to the top.
   * @param {string} month @param {boolean} isSmooth
   */
  showMonth(month, isSmooth) {
    if (!this.layout) return;
    const position = Math.max(0, Math.min(this.layout.count - 1, this.layout.positionOf(month)));
    this.#scrollTo(this.layout.top(position), isSmooth);
  }

  /**
   * Adds the month of a day to the DOM, and scrolls as little as needed to show the day.
   * @param {string} date @param {boolean} isSmooth
   */
  reveal(date, isSmooth) {
    if (!this.layout) return;
    this.#have(this.layout.positionOf(date));
    const { top, bottom } = this.#placeOf(date, date);
    const { scrollTop, clientHeight } = this.#view;
    const { week, head } = this.layout.heights;
    const above = top - head - nameShare * week;
    // Months beside each other begin at their heads: otherwise the first weeks of both would be out of view.
    const goal = this.layout.columns > 1 ? Math.max(this.layout.top(this.layout.positionOf(date)), bottom + week - clientHeight) : above;
    if (above < scrollTop) this.#scrollTo(goal, isSmooth);
    else if (bottom + week > scrollTop + clientHeight) this.#scrollTo(bottom + week - clientHeight, isSmooth);
  }

  /**
   * Where a range is in relation to the view.
   * @param {{start: string, end: string}} range @returns {-1 | 0 | 1} above, in view, below
   */
  sideOf({ start, end }) {
    if (!this.layout || this.folded || this.#view.clientHeight === 0) return 0;
    const { top, bottom } = this.#placeOf(start, end);
    const { scrollTop, clientHeight } = this.#view;
    if (bottom <= scrollTop + this.layout.heights.head) return -1;
    return top >= scrollTop + clientHeight ? 1 : 0;
  }

  /**
   * The heights at which the week of the first day begins, and that of the last day ends.
   * @param {string} first @param {string} last
   */
  #placeOf(first, last) {
    const [top, bottom] = [first, last].map((date) => {
      const layout = /** @type {MonthLayout} */ (this.layout);
      const { lead } = gridOf(monthIndexOf(date), this.firstWeekday, "fit");
      const week = Math.floor((lead + Number(date.slice(8)) - 1) / 7);
      return layout.top(layout.positionOf(date)) + layout.heights.head + week * layout.heights.week;
    });
    return { top, bottom: bottom + (this.layout?.heights.week ?? 0) };
  }

  /** @param {number} top @param {boolean} isSmooth */
  #scrollTo(top, isSmooth) {
    const { scrollHeight, clientHeight } = this.element;
    const goal = Math.max(0, Math.min(top, scrollHeight - clientHeight));
    this.element.scrollTo({ top: goal, behavior: isSmooth ? "smooth" : "auto" });
    this.view = null;
    this.goal = isSmooth && Math.abs(this.#view.scrollTop - goal) >= 2 ? goal : null;
  }

  /** The scroll position and the height: reading them after a change to the DOM makes the browser lay it out at once. */
  get #view() {
    this.view ??= { scrollTop: this.element.scrollTop, clientHeight: this.element.clientHeight };
    return this.view;
  }

  #lay() {
    if (!this.list) return;
    const all = this.content.clientWidth || 320;
    const rem = Math.max(16, parseFloat(getComputedStyle(document.documentElement).fontSize));
    const columns = this.columns || (all < twoMonthsWidth * rem ? 1 : 2);
    const width = (all - (columns - 1) * columnGap) / columns;
    const spot = Math.round(Math.min(spotMax * rem, width / 7 - 2));
    const week = Math.round(spot + weekMargins[columns - 1] * rem);
    // A month that the list no longer has would leave a gap before the first one.
    const start = this.start < this.list.first ? this.list.first : this.start;
    this.layout = new MonthLayout(this.list, this.firstWeekday, { week, head: Math.round(headHeight * rem) }, columns, start);
    this.content.style.blockSize = `${this.layout.totalHeight}px`;
    this.element.style.setProperty("--_week-height", `${week}px`);
    this.element.style.setProperty("--_spot", `${spot}px`);
    this.element.style.setProperty("--_head-height", `${this.layout.heights.head}px`);
    this.element.style.setProperty("--_columns", String(columns));
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
    const before = this.layout?.columns;
    this.#lay();
    const hasMore = (this.layout?.columns ?? 0) > (before ?? 0);
    // Of months beside each other, the second one may be in view only at the top.
    if (anchor) this.#restore(hasMore ? { ...anchor, weeks: 0 } : anchor);
    this.scrolled();
  }

  /** The month at the top of the view and the weeks above it, to restore the scroll position. */
  #anchor() {
    if (!this.layout || this.layout.count === 0) return null;
    const { scrollTop } = this.#view;
    const position = this.layout.positionAt(scrollTop);
    return { index: this.layout.firstIndex + position, weeks: (scrollTop - this.layout.top(position)) / this.layout.heights.week };
  }

  /** @param {{index: number, weeks: number}} anchor */
  #restore({ index, weeks }) {
    if (!this.layout) return;
    const wanted = index - this.layout.firstIndex;
    const position = Math.max(0, Math.min(this.layout.count - 1, wanted));
    // The offset within a month that was removed is none within the nearest one.
    const offset = position === wanted ? weeks * this.layout.heights.week : 0;
    this.element.scrollTop = this.layout.top(position) + offset;
    this.view = this.goal = null;
  }

  #positionsInView() {
    if (!this.layout || this.layout.count === 0) return null;
    if (this.folded) return { from: this.layout.positionOf(this.folded.start), through: this.layout.positionOf(this.folded.end) };
    const { scrollTop, clientHeight } = this.#view;
    const last = this.layout.positionAt(scrollTop + (clientHeight || 400));
    return { from: this.layout.positionAt(scrollTop), through: this.layout.lineEnd(last) };
  }

  /** @param {number} position */
  #have(position) {
    const month = monthOf(/** @type {MonthLayout} */ (this.layout).firstIndex + position);
    let view = this.views.get(month);
    if (!view) {
      view = new MonthView(month, this.firstWeekday);
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
    view.element.style.setProperty("--_column", String(this.layout.columnOf(position)));
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
