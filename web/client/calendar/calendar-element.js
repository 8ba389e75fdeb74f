// <pickerd-calendar session="…">: a scrolling list of months, in which two taps choose a range.

import { dayCountOf, monthIndexOf, monthOf } from "../core/civil.js";
import { within } from "../core/predict.js";
import { isNights, stayTo } from "../core/stays.js";
import { icon, make, setAttribute, setText, wantsLessMotion } from "../parts/dom.js";
import { PickerElement } from "../parts/picker-element.js";
import { todayOf } from "../parts/session-dates.js";
import { dateAfterKey } from "./keys.js";
import { MonthList } from "./month-list.js";
import { calendarSheet } from "./sheet.js";
import { isWithin, whyNot } from "./why.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */

export class CalendarElement extends PickerElement {
  static get element() { return "pickerd-calendar"; }

  static sheets() { return [calendarSheet]; }

  constructor() {
    super();
    this.guide = make("strong", { class: "guide" });
    this.hits = make("span", { class: "hits", part: "hits" });
    this.hint.append(this.guide, this.hits);
    this.before = make("button", { class: "turn", part: "turn", type: "button", onclick: () => this.#turn(-1) }, icon("up"));
    this.after = make("button", { class: "turn", part: "turn", type: "button", onclick: () => this.#turn(1) }, icon("down"));
    this.todayButton = make("button", { class: "today", part: "today", type: "button", onclick: () => this.#showToday() });
    this.tools.append(this.todayButton, this.before, this.after);
    /** @type {PickerSession | null} the session that months were requested from */
    this.asked = null;
    this.list = new MonthList((from, count) => this.picker?.months(from, count), () => this.#drawMonths());
    this.stage.append(this.list.element);
    /** @type {string | null} the date that has or last had the focus */
    this.focusDate = null;
    /** @type {string | null} the day under pointer or focus */
    this.pointed = null;
    this.#listen();
  }

  connectedCallback() {
    super.connectedCallback();
    this.list.observe();
  }

  disconnectedCallback() {
    this.list.stop();
    super.disconnectedCallback();
  }

  /** @param {PickerSession} picker */
  draw(picker) {
    const { words } = this;
    const { monthList, definition } = picker.state;
    if (!monthList) return;
    const { range } = picker.rangeShown;
    const hints = isNights(picker.state) ? { ...words.hint, ...words.stay.hint } : words.hint;
    const hint = definition?.selection === "single" ? hints.single
      : picker.isRangeOpen ? hints.second : range ? hints.again : hints.first;
    const opener = picker.isRangeOpen && range?.by !== picker.self?.id && picker.state.members.get(range?.by ?? "");
    setText(this.guide, !picker.canChange ? "" : opener ? `${words.opener(opener.name)} ${hint}` : hint);
    setText(this.hits, words.hits(range?.hits ?? 0));
    setAttribute(this.hits, "data-none", !range?.hits);
    setText(this.todayButton, words.today);
    setAttribute(this.before, "aria-label", words.previousMonth);
    setAttribute(this.after, "aria-label", words.nextMonth);
    setAttribute(this.list.element, "aria-label", words.calendar);
    this.todayButton.hidden = !this.#isListed(todayOf(picker));
    const start = range?.start ?? this.#listed(todayOf(picker));
    const hasNotes = [...picker.state.months.values()].some(({ cells }) => cells.some(({ note }) => note));
    if (hasNotes) this.list.showNotes();
    if (this.asked !== picker) this.list.asked = null;
    this.asked = picker;
    const focused = this.list.focusedDate;
    this.list.setMonths(monthList, definition?.firstWeekday ?? 1, definition?.weeks ?? "six", start);
    this.#drawMonths();
    if (!focused || this.list.focusedDate) return;
    // Its month was removed, or has another grid.
    this.list.focus(this.#listed(focused));
    this.#drawMonths();
  }

  forget() {
    this.focusDate = this.pointed = null;
    this.list.forget();
  }

  /**
   * Moves the focus to a day, and scrolls to it.
   * @param {string} date
   */
  focusOn(date) {
    this.focusDate = this.#listed(date);
    this.list.reveal(this.focusDate, false);
    this.#point(this.focusDate);
    this.#drawMonths();
    this.list.cellOf(this.focusDate)?.focus({ preventScroll: true });
  }

  #drawMonths() {
    const { picker, words } = this;
    if (!picker?.state.monthList) return;
    const { range, isGuess } = picker.rangeShown;
    this.list.draw({ picker, words, range, isGuess, preview: this.#preview(picker), focusDate: this.#tabDate(picker) });
  }

  /**
   * The day that is reached with Tab: the last focused one, otherwise the start of the range, otherwise today, if drawn.
   * @param {PickerSession} picker
   */
  #tabDate(picker) {
    const wanted = [this.focusDate, picker.rangeShown.range?.start, todayOf(picker)];
    for (const date of wanted) if (date && this.list.cellOf(date)) return date;
    return `${this.list.monthInView}-01`;
  }

  /**
   * The range that a second tap under the pointer would choose.
   * @param {PickerSession} picker
   */
  #preview(picker) {
    const { range } = picker.rangeShown;
    if (!this.pointed || !range || !picker.isRangeOpen || !picker.canChange) return null;
    if (isNights(picker.state)) return stayTo(picker.state, range, this.pointed);
    const end = within(range.reach, this.pointed);
    return end < range.start ? { start: end, end: range.start } : { start: range.start, end };
  }

  /** @param {string | null} date */
  #point(date) {
    if (this.pointed === date) return;
    this.pointed = date;
    if (this.picker?.isRangeOpen) this.#drawMonths();
  }

  #listen() {
    const { element } = this.list;
    /** @param {Event} event @returns {string | null} */
    const dateAt = (event) => /** @type {Element} */ (event.target).closest?.("[data-date]")?.getAttribute("data-date") ?? null;
    element.addEventListener("click", (event) => {
      const date = dateAt(event);
      if (date) this.#tap(date);
    });
    element.addEventListener("pointerdown", (event) => {
      const date = dateAt(event);
      if (date && this.picker?.canChange) this.touch({ date });
    });
    for (const name of ["pointerup", "pointercancel"]) element.addEventListener(name, () => this.touch(null));
    element.addEventListener("pointermove", (event) => {
      const { pointerType, buttons } = /** @type {PointerEvent} */ (event);
      const date = dateAt(event);
      if (pointerType !== "touch") this.#point(date);
      if (pointerType === "mouse" && buttons === 0) this.hover(date === null ? null : { date });
    });
    element.addEventListener("pointerleave", () => {
      this.#point(null);
      this.hover(null);
    });
    element.addEventListener("focusin", (event) => {
      const date = dateAt(event);
      if (!date) return;
      this.focusDate = date;
      this.#point(date);
    });
    element.addEventListener("keydown", (event) => this.#press(event));
  }

  /** @param {string} date */
  #tap(date) {
    const { picker } = this;
    if (!picker) return;
    this.focusDate = date;
    const cell = picker.state.months.get(date.slice(0, 7))?.cells.find((one) => one.date === date && !one.outside);
    // The second tap of a stay may be on a day that is not free: the stay ends before it.
    const mayEnd = isNights(picker.state) && picker.isRangeOpen && isWithin(date, picker);
    if (cell?.disabled && !mayEnd) {
      // Without a request: shows why the day is not available.
      const write = () => whyNot(date, picker, this.words);
      const text = write();
      this.announcer.announceNow(text);
      const about = { text, who: "", color: null, mine: true, canUndo: false };
      this.note.show({ ...about, tone: "refusal" }, "why", write, false);
    } else {
      void picker.tap({ date });
    }
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { picker } = this;
    if (!picker || event.ctrlKey || event.metaKey || event.altKey) return;
    const date = /** @type {Element} */ (event.target).getAttribute?.("data-date");
    if (!date) return;
    const calendar = {
      firstWeekday: picker.state.definition?.firstWeekday ?? 1,
      isRightToLeft: getComputedStyle(this.list.element).direction === "rtl",
    };
    const next = dateAfterKey(event.key, event.shiftKey, date, calendar);
    if (next) this.focusOn(next);
    else if (event.key === "Enter" || event.key === " ") this.#tap(date);
    else if (event.key === "Escape" && picker.isRangeOpen) void picker.clear();
    else return;
    event.preventDefault();
  }

  /** @param {number} months */
  #turn(months) {
    const month = monthOf(monthIndexOf(this.list.monthInView) + months);
    this.list.showMonth(this.#listed(`${month}-01`).slice(0, 7), !wantsLessMotion());
  }

  #showToday() {
    const { picker } = this;
    if (picker) this.list.reveal(todayOf(picker), !wantsLessMotion());
  }

  /** @param {string} date */
  #isListed(date) { return this.#listed(date) === date; }

  /**
   * The date, or the nearest one within the list of months.
   * @param {string} date
   */
  #listed(date) {
    const list = this.picker?.state.monthList;
    if (!list) return date;
    if (date.slice(0, 7) < list.first) return `${list.first}-01`;
    return date.slice(0, 7) > list.last ? `${list.last}-${dayCountOf(monthIndexOf(list.last))}` : date;
  }
}
