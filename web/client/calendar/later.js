// What the first paint of a calendar does not need: the dialog for months and dates, ranges by dragging, who has picked the
// ends of the range, the previews of others, the mark of a range out of view, and the lowest prices of the months.

import { isOpen } from "../core/predict.js";
import { dialogSheet } from "../parts/dialog-sheet.js";
import { make, setAttribute, setText } from "../parts/dom.js";
import { initialOf, solidOf } from "../parts/people.js";
import { dayOf, daySpan, isolated, wordsOf } from "../words/words.js";
import { MonthDialog } from "./dialog.js";
import { dragsOf } from "./drag.js";
import { dateAfterKey } from "./keys.js";
import { laterSheet } from "./later-sheet.js";

/** @typedef {import("./calendar-element.js").CalendarElement} CalendarElement */
/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {{start: string | null, end: string | null}} Names the members that have picked the ends of a range; null: unknown */

/** The ranges whose authors are known, the last ones: an undo restores a range. */
const namedMax = 20;

/** @param {import("../core/types").Range} range */
const keyOf = ({ start, end, hits, by }) => `${start}/${end}/${hits}/${by}`;

/**
 * Who has picked the ends of a range by its second tap. Only the date of the first tap says which end is whose.
 * @param {{date: string, by: string | null} | null} first
 * @param {import("../core/types").Range} range @param {string | null} by the member of the second tap
 * @returns {Names | null} null if it is unknown
 */
function namesAfter(first, { start, end }, by) {
  if (first?.date === end && start !== end) return { start: by, end: first.by };
  return first?.date === start ? { start: first.by, end: by } : null;
}

export class Later {
  /** @param {CalendarElement} element */
  constructor(element) {
    this.element = element;
    /** @type {Map<string, Names>} by range */
    this.names = new Map();
    /** @type {{date: string, by: string | null} | null} the first tap of the open range */
    this.first = null;
    this.mark = make("button", { class: "mark", part: "mark", type: "button", hidden: true, onclick: () => this.#show() });
    element.stage.append(this.mark);
    this.dialog = new MonthDialog(element);
    this.drags = dragsOf(element);
    element.adopt(dialogSheet, laterSheet);
  }

  /**
   * The day that a key moves the focus to.
   * @param {KeyboardEvent} event @param {string} date @param {PickerSession} picker
   */
  dateAfter({ key, shiftKey }, date, { state }) {
    const isRightToLeft = getComputedStyle(this.element.list.element).direction === "rtl";
    return dateAfterKey(key, shiftKey, date, { firstWeekday: state.definition?.firstWeekday ?? 1, isRightToLeft });
  }

  letGo() { this.drags.cancel(); }

  forget() {
    this.names.clear();
    this.first = null;
    this.dialog.close();
  }

  /** @param {string} month @param {boolean} [isTyping] whether to begin with the dates */
  open(month, isTyping = false) { this.dialog.open(month, isTyping); }

  /** @param {import("../core/types").Notice} notice of a change, to remember who has made it */
  noticed(notice) {
    if (notice.kind === "hosted") return this.#keepNames(notice);
    if (notice.kind !== "range" && notice.kind !== "rangeCorrected") return;
    const { range, by, cause } = notice;
    const { first } = this;
    const picker = /** @type {PickerSession} */ (this.element.picker);
    this.#noteFirst(picker, range);
    if (!range || this.first || cause === "undo" || by === null) return;
    const names = cause === "set" ? { start: by, end: by } : namesAfter(first, range, by);
    if (names) this.#name(range, names);
  }

  /**
   * A range that the host has cut is still that of its members.
   * @param {Extract<import("../core/types").Notice, {kind: "hosted"}>} notice
   */
  #keepNames({ before, after }) {
    const names = before.range && this.names.get(keyOf(before.range));
    if (names && after.range) this.#name(after.range, names);
  }

  /** @param {import("../core/types").Range} range @param {Names} names */
  #name(range, names) {
    this.names.set(keyOf(range), names);
    if (this.names.size > namedMax) this.names.delete([...this.names.keys()][0]);
  }

  /** @param {PickerSession} picker @param {import("../core/types").Range | null} range that of the server */
  #noteFirst({ state }, range) {
    this.first = range && isOpen(state, range) ? { date: range.start, by: range.by ?? null } : null;
  }

  /**
   * What is drawn of others.
   * @param {PickerSession} picker
   */
  others(picker) {
    // A snapshot may have replaced the range without a notice.
    this.#noteFirst(picker, picker.state.range);
    return { previews: this.#previews(picker), ends: this.#ends(picker), touches: touchesOf(picker) };
  }

  /**
   * The ranges that other members would choose now, where their pointers and fingers are.
   * @param {PickerSession} picker
   * @returns {{start: string, end: string, color: string | null}[]}
   */
  #previews(picker) {
    return [...picker.state.touching.values()].flatMap(({ member: id, date }) => {
      const member = picker.state.members.get(id);
      const range = member && member.role !== "viewer" && date ? this.element.previewTo(picker, date) : null;
      return range && member ? [{ ...range, color: solidOf(member.color) }] : [];
    });
  }

  /**
   * Who has picked the ends of the range, if there are several members.
   * @param {PickerSession} picker
   */
  #ends(picker) {
    /** @type {Map<string, {name: string, initial: string, color: string}>} */
    const ends = new Map();
    const names = this.#namesOf(picker);
    const { range } = picker.rangeShown;
    if (!range || !names || picker.state.members.size < 2) return ends;
    for (const [date, id] of [[range.start, names.start], [range.end, names.end]]) {
      const member = picker.state.members.get(id ?? "");
      const name = member && (member.id === picker.self?.id ? this.element.words.you : member.name);
      if (date && member && name) ends.set(date, { name, initial: initialOf(member.name), color: solidOf(member.color) });
    }
    return ends;
  }

  /** @param {PickerSession} picker @returns {Names | null} */
  #namesOf(picker) {
    const { range, isGuess } = picker.rangeShown;
    if (!range) return null;
    const by = range.by ?? null;
    if (picker.isRangeOpen || picker.state.definition?.selection === "single") return { start: by, end: by };
    // A snapshot says who has tapped last, but not on which end.
    return (isGuess ? namesAfter(this.first, range, by) : this.names.get(keyOf(range))) ?? null;
  }

  /** @param {PickerSession} picker */
  draw(picker) {
    this.#drawMark(picker);
    for (const { title, cheapest } of this.element.list.views.values()) {
      setAttribute(title, "data-from", cheapest[0] && wordsOf(picker.locale).dialog.from(cheapest[0].text));
    }
  }

  /** @param {PickerSession} picker */
  #drawMark(picker) {
    const { range } = picker.rangeShown;
    const side = range ? this.element.list.sideOf(range) : 0;
    const losesFocus = side === 0 && this.mark.matches(":focus");
    this.mark.hidden = side === 0;
    if (losesFocus) this.element.bar.focus();
    if (!range || side === 0) return;
    const { locale } = picker;
    const words = wordsOf(locale).dialog;
    const span = range.start === range.end ? dayOf(range.start, locale) : daySpan(range.start, range.end, locale);
    const author = picker.state.members.get(range.by ?? "");
    const isOthers = author && author.id !== picker.self?.id;
    setText(this.mark, `${isOthers ? words.picked(isolated(author.name, locale), span) : span} · ${words.show}`);
    setAttribute(this.mark, "data-side", side < 0 ? "above" : "below");
    this.mark.style.setProperty("--_author", isOthers ? solidOf(author.color) : "var(--_accent)");
  }

  #show() {
    const { range } = this.element.picker?.rangeShown ?? {};
    if (range) this.element.focusOn(range.start);
  }
}

/**
 * The members that touch days, by date.
 * @param {PickerSession} picker
 */
function touchesOf({ state }) {
  /** @type {Map<string, import("../parts/ghosts.js").Ghost[]>} */
  const touches = new Map();
  for (const { member: id, date, hover } of state.touching.values()) {
    const member = state.members.get(id);
    if (member && date) touches.set(date, [...(touches.get(date) ?? []), { member, hover }]);
  }
  return touches;
}
