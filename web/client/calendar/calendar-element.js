// <pickerd-calendar session="…">: a scrolling list of months, in which two taps choose a range.

import { dayCountOf, monthIndexOf } from "../core/civil.js";
import { within } from "../core/predict.js";
import { isNights, stayTo } from "../core/stays.js";
import { icon, make, setAttribute, setText, wantsLessMotion } from "../parts/dom.js";
import { PickerElement } from "../parts/picker-element.js";
import { boundOf, todayOf } from "../parts/session-dates.js";
import { dayOf, isolated, joined } from "../words/words.js";
import { MonthList } from "./month-list.js";
import { calendarSheet } from "./sheet.js";
import { isWithin, whyNot } from "./why.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */

export class CalendarElement extends PickerElement {
  static get element() { return "pickerd-calendar"; }

  static sheets() { return [calendarSheet]; }

  static get observedAttributes() { return [...super.observedAttributes, "months"]; }

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
    /** @type {Promise<import("./later.js").Later> | undefined} what the first paint does not need */
    this.loading = undefined;
    /** @type {import("./later.js").Later | null} */
    this.later = null;
    /** The status that was drawn last. */
    this.isConfirmed = false;
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
      : picker.isRangeOpen ? hints.second : range ? "" : hints.first;
    const opener = picker.isRangeOpen && range?.by !== picker.self?.id && picker.state.members.get(range?.by ?? "");
    setText(this.guide, !picker.canChange ? "" : opener && range ? joined([words.was(isolated(opener.name, picker.locale), words.starts(dayOf(range.start, picker.locale))), hint]) : hint);
    setText(this.hits, words.hits(range?.hits ?? 0));
    setText(this.todayButton, words.today);
    setAttribute(this.before, "aria-label", words.previousMonth);
    setAttribute(this.after, "aria-label", words.nextMonth);
    setAttribute(this.list.element, "aria-label", words.calendar);
    this.todayButton.hidden = !this.#isListed(todayOf(picker));
    const start = range?.start ?? this.#listed(this.#firstDay(picker));
    if (this.asked !== picker) this.list.asked = null;
    this.asked = picker;
    const focused = this.list.focusedDate;
    this.list.setMonths(monthList, definition?.firstWeekday ?? 1, Math.min(2, Number(this.getAttribute("months")) || 0), start);
    const isConfirmed = picker.state.status === "confirmed";
    // What is confirmed is shown, wherever the user has scrolled to; without a frame, as a receipt.
    this.list.fold(isConfirmed && this.hasAttribute("frame") ? range : null);
    if (range && isConfirmed !== this.isConfirmed) this.list.showMonth(range.start, false);
    this.isConfirmed = isConfirmed;
    this.#drawMonths();
    if (picker.state.months.size > 0) void this.more();
    if (!focused || this.list.focusedDate) return;
    // Its month was removed, or has another grid.
    this.list.focus(this.#listed(focused));
    this.#drawMonths();
  }

  /** Loads the dialog for months and dates, and all else that the first paint does not need. */
  more() {
    this.loading ??= import("./later.js").then(({ Later }) => {
      this.later = new Later(this);
      this.redraw();
      return this.later;
    });
    // It may be tried again; a browser reports the failure.
    return this.loading.catch(() => { this.loading = undefined; });
  }

  letGo() { this.later?.letGo(); }

  forget() {
    this.later?.forget();
    this.focusDate = this.pointed = null;
    this.isConfirmed = false;
    this.list.forget();
  }

  /**
   * Moves the focus to a day, and scrolls to it.
   * @param {string} date
   */
  focusOn(date) {
    this.focusDate = this.#listed(date);
    this.list.reveal(this.focusDate, false);
    this.point(this.focusDate);
    this.#drawMonths();
    this.list.cellOf(this.focusDate)?.focus({ preventScroll: true });
  }

  #drawMonths() {
    const { picker, words } = this;
    if (!picker?.state.monthList) return;
    const { range, isGuess } = picker.rangeShown;
    const own = this.pointed && this.previewTo(picker, this.pointed);
    const others = this.later?.others(picker);
    const previews = others?.previews ?? [];
    if (own && picker.canChange) previews.unshift({ ...own, color: null });
    this.list.draw({ picker, words, range, isGuess, ...others, levelOf: this.stock?.levelOf, previews, focusDate: this.#tabDate(picker) });
    this.later?.draw(picker);
  }

  /**
   * The day of the first view: today, or the day nearest to it that can be picked.
   * @param {PickerSession} picker
   */
  #firstDay(picker) {
    const today = todayOf(picker);
    const [first, last] = [boundOf(picker, "min"), boundOf(picker, "max")];
    return first && today < first ? first : last && today > last ? last : today;
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
   * The range that a second tap on a day would choose; null if there is none.
   * @param {PickerSession} picker @param {string} date
   */
  previewTo(picker, date) {
    const { range } = picker.rangeShown;
    if (!range || !picker.isRangeOpen) return null;
    if (isNights(picker.state)) return stayTo(picker.state, range, date);
    const end = within(range.reach, date);
    return end < range.start ? { start: end, end: range.start } : { start: range.start, end };
  }

  /** @param {string | null} date under the pointer, a finger that drags, or the focus */
  point(date) {
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
      if (date) this.tap(date);
      const title = /** @type {Element} */ (event.target).closest?.(".title");
      const month = title?.parentElement?.dataset.month;
      if (month) void this.more().then((later) => later?.open(month));
    });
    element.addEventListener("pointerdown", (event) => {
      const date = dateAt(event);
      if (date && this.picker?.canChange) this.touch({ date });
    });
    for (const name of ["pointerup", "pointercancel"]) element.addEventListener(name, () => this.touch(null));
    element.addEventListener("pointermove", (event) => {
      const { pointerType, buttons } = /** @type {PointerEvent} */ (event);
      const date = dateAt(event);
      if (pointerType !== "touch" && buttons === 0) this.point(date);
      if (pointerType === "mouse" && buttons === 0) this.hover(date === null ? null : { date });
    });
    element.addEventListener("pointerleave", () => {
      this.point(null);
      this.hover(null);
    });
    element.addEventListener("focusin", (event) => {
      const date = dateAt(event);
      if (!date) return;
      this.focusDate = date;
      this.point(date);
      // With keys, the focus is what a mouse pointer is otherwise.
      if (this.picker?.isRangeOpen && /** @type {Element} */ (event.target).matches(":focus-visible")) this.hover({ date });
    });
    element.addEventListener("focusout", () => this.hover(null));
    element.addEventListener("keydown", (event) => this.#press(event));
  }

  /**
   * Taps a day for the user, or shows why it cannot be picked.
   * @param {string} date @returns {boolean} whether it was tapped
   */
  tap(date) {
    this.focusDate = date;
    if (!this.picker || this.refuses(date)) return false;
    void this.picker.tap({ date });
    return true;
  }

  /**
   * Whether a day cannot be picked; then the reason is shown, without a request.
   * @param {string} date
   */
  refuses(date) {
    const { picker } = this;
    const cell = picker?.state.months.get(date.slice(0, 7))?.cells.find((one) => one.date === date && !one.outside);
    if (!picker || !cell?.disabled) return false;
    // The second tap of a stay may be on a day that is not free: the stay ends before it.
    if (isNights(picker.state) && picker.isRangeOpen && isWithin(date, picker)) return false;
    if (!this.stock?.want(cell)) this.speak((speaker) => speaker.refuse(() => this.stock?.levelOf(cell)?.text ?? whyNot(date, picker, this.words)));
    return true;
  }

  /** @param {import("../core/types").Notice} notice */
  noticed(notice) { this.later?.noticed(notice); }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { picker } = this;
    if (!picker || event.ctrlKey || event.metaKey || event.altKey) return;
    const date = /** @type {Element} */ (event.target).getAttribute?.("data-date");
    if (!date) return;
    const next = this.later?.dateAfter(event, date, picker);
    if (next) this.focusOn(next);
    else if (event.key === "t") this.focusOn(todayOf(picker));
    else if (/^\d$/.test(event.key)) void this.more().then((later) => later?.open(date.slice(0, 7), true));
    else if (event.key === "Enter" || event.key === " ") this.tap(date);
    else if (event.key === "Escape" && picker.isRangeOpen) void picker.clear();
    else return;
    event.preventDefault();
  }

  /** @param {number} lines of months */
  #turn(lines) { this.list.turn(lines, !wantsLessMotion()); }

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
