// <pickerd-availability session="…">: everybody marks when they can; the best times for all.

import { icon, make, setAttribute, setText, wantsLessMotion } from "../parts/dom.js";
import { PickerElement } from "../parts/picker-element.js";
import { statusText, usability, withStatus } from "../parts/bar.js";
import { cityOf, offsetIn, todayIn } from "../words/dates.js";
import { marks } from "../words/en-marks.js";
import { addEnglish, daySpan, fullDate, joined } from "../words/words.js";
import { BestList } from "./best-list.js";
import { Board, cellOf } from "./board.js";
import { Details } from "./details.js";
import { commandsOf, countsOf, grades, ownMarks, peopleAt, respondentCount, scoreOf } from "./marks.js";
import { availabilitySheet } from "./sheet.js";
import { dayTimeIn, instantOf, isZone, ownZone, placeIn, spanIn, zonesByRegion } from "./zones.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../core/types").Availability} Availability */
/** @typedef {import("../core/types").Grade} Grade */
/** @typedef {import("./board.js").Place} Place */

addEnglish(marks);

/** The maximum of zones beside the own one. */
const zonesMax = 2;

/**
 * Attributes beside those of all elements: `time-zone` (default: the one of this browser), and `zones`, which are shown
 * beside it, separated by commas (default: the one of the definition).
 */
export class AvailabilityElement extends PickerElement {
  static get observedAttributes() { return [...super.observedAttributes, "time-zone", "zones"]; }

  static get element() { return "pickerd-availability"; }

  static sheets() { return [availabilitySheet]; }

  constructor() {
    super();
    /** @type {Grade} with which the user paints */
    this.grade = "yes";
    /** @type {number | null} the cell that has, or last had, the focus */
    this.focusCell = null;
    /** @type {Place | null} where the keyboard's rectangle begins */
    this.anchor = null;
    /** @type {number | null} the cell under the pointer */
    this.pointed = null;
    /** @type {number | null} the first cell of the window that the list of the best points at */
    this.pointedWindow = null;
    /** @type {{cells: Set<number>, grade: Grade | null} | null} the rectangle that is being painted */
    this.preview = null;
    this.isDrawing = false;
    /** @type {HTMLElement | undefined} the last cell of the chosen window */
    this.chosen = undefined;
    /** @type {string | null} the best window that was announced last */
    this.best = null;
    this.board = new Board();
    this.scroller = make("div", { class: "scroller", part: "scroller" }, this.board.element);
    this.gradeButtons = Object.fromEntries(grades.map((grade, at) => [grade, make("button", {
      class: "grade", part: "grade", type: "button", "data-grade": grade, "aria-keyshortcuts": String(at + 1), onclick: () => this.#choose(grade),
    }, make("span", { class: "swatch", "aria-hidden": "true" }), make("span", { class: "grade-name" }), make("kbd", { "aria-hidden": "true" }, String(at + 1)))]));
    this.gradeGroup = make("div", { class: "grades", role: "group" }, ...Object.values(this.gradeButtons));
    this.legend = make("div", { class: "legend", "aria-hidden": "true" });
    this.details = new Details(() => this.#confirm());
    this.bestList = new BestList((cell) => this.#reveal(cell), (cell) => {
      this.pointedWindow = cell;
      this.#drawLater();
    });
    this.guide = make("span", { class: "guide" });
    this.hint.append(this.guide);
    this.zoneMenu = make("select", { class: "zone-menu", part: "zones", onchange: () => this.#setZone(this.zoneMenu.value) });
    this.zonePlace = make("label", { class: "zone-place" }, globe(), this.zoneMenu);
    this.tools.append(this.zonePlace);
    this.summary = make("p", { class: "unseen", id: "summary" });
    this.stage.append(this.summary, this.bestList.element, make("div", { class: "painting" }, this.gradeGroup, this.scroller, this.legend),
      this.details.element);
    this.bar.resultText = (picker) => this.#resultText(picker);
    this.bar.usability = (command, picker) => (command !== "clear" ? usability(command, picker) : {
      isShown: this.canMark, isUsable: this.#own(picker).some(Boolean),
    });
    /** @type {import("../parts/press.js").Press | null} by pointer; the first paint does not need it */
    this.painting = null;
    this.scroller.addEventListener("focusin", (/** @type {FocusEvent} */ event) => {
      const cell = cellOf(event.target);
      if (cell === null) return;
      this.focusCell = cell;
      // At once: screen readers read who can come.
      this.#drawCells();
    });
    this.scroller.addEventListener("focusout", () => this.#drawLater());
    // Beside a receipt it has less room.
    new ResizeObserver(() => this.#showChosen()).observe(this.stage);
    // A tap, or a click of an assistive technology, before the gestures are loaded, too.
    this.scroller.addEventListener("click", (/** @type {Event} */ { target }) => {
      const cell = cellOf(target);
      if (cell === null) return;
      this.#point(cell);
      this.#paint(this.board.places[cell], this.board.places[cell]);
    });
    this.scroller.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#press(event));
  }

  connectedCallback() {
    super.connectedCallback();
    // It may be tried again; a browser reports the failure.
    import("./painting.js").then(({ paintingOf }) => {
      this.painting ??= paintingOf(this.scroller, {
        canPaint: () => this.canMark,
        show: (from, to) => this.#show(from, to),
        paint: (from, to) => this.#paint(from, to),
        cancel: () => this.#endPreview(),
        point: (cell) => this.#point(cell),
      });
    }, () => {});
  }

  get timeZone() {
    const zone = this.getAttribute("time-zone") ?? "";
    return isZone(zone) ? zone : ownZone();
  }

  /** Whether this member may mark cells now. */
  get canMark() {
    const { picker } = this;
    return picker !== null && picker.canChange && picker.connection !== "away" && picker.state.availability?.closed === false;
  }

  /** @param {string} name */
  attributeChangedCallback(name) {
    if (name === "time-zone" && this.isConnected) this.#setZone(this.timeZone);
    super.attributeChangedCallback(name);
  }

  /** @param {PickerSession} picker */
  draw(picker) {
    const { availability } = picker.state;
    if (!availability) return;
    // The page has connected it without a zone.
    if (availability.rows && picker.timeZone === undefined && picker.connection === "live") picker.setTimeZone(this.timeZone);
    const { marks } = this.words;
    setAttribute(this.gradeGroup, "aria-label", marks.grade);
    for (const grade of grades) {
      const button = this.gradeButtons[grade];
      button.hidden = grade === "maybe" && picker.state.definition?.maybe === false;
      setText(button.children[1], marks.grades[grade]);
      setAttribute(button, "aria-pressed", String(this.grade === grade));
    }
    if (this.gradeButtons[this.grade].hidden) this.#choose("yes");
    setAttribute(this.frameElement, "data-can-mark", this.canMark);
    setText(this.guide, this.#guideText(picker, availability));
    this.#drawZone(picker, availability);
    const isBuilt = this.#build(picker, availability);
    this.#announceBest(picker, availability);
    if (isBuilt) this.#drawCells();
    else this.#drawLater();
  }

  /**
   * Builds the cells, if the layout has changed; keeps the focus and what is in view.
   * @param {PickerSession} picker @param {Availability} availability
   * @returns {boolean} whether it has
   */
  #build(picker, availability) {
    const { scroller, focusCell } = this;
    const { scrollLeft, scrollTop } = scroller;
    const hadFocus = scroller.matches(":focus-within");
    const isFirst = this.board.days === null;
    const zones = this.#zones(picker, availability);
    const { marks } = this.words;
    const isBuilt = this.board.build(availability, {
      locale: picker.locale, firstWeekday: picker.state.definition?.firstWeekday ?? 1, today: this.#today(picker, availability),
      zones, label: marks.grid, again: marks.again,
    });
    if (!isBuilt) return false;
    this.focusCell = this.pointed = this.pointedWindow = this.anchor = null;
    this.painting?.cancel();
    scroller.style.setProperty("--_scales", String(1 + zones.length));
    scroller.scrollTo(scrollLeft, scrollTop);
    const first = this.board.cells[availability.past];
    if (hadFocus && availability.count > 0) this.#focus(Math.min(focusCell ?? 0, availability.count - 1));
    else if (isFirst && first) this.#scrollTo(first);
    return true;
  }

  /**
   * Scrolls to a cell, and no page around the element.
   * @param {HTMLElement} cell
   */
  #scrollTo(cell) {
    const { scroller } = this;
    const { direction, scrollPaddingInlineStart } = getComputedStyle(scroller);
    const [here, around] = [cell, scroller].map((one) => one.getBoundingClientRect());
    const start = parseFloat(scrollPaddingInlineStart);
    // The list is at its beginning: it does not scroll back.
    scroller.scrollBy(direction === "rtl" ? here.right - around.right + start : here.left - around.left - start, here.bottom - around.bottom);
  }

  #showChosen() {
    const { chosen, stage } = this;
    if (!chosen) return;
    this.#scrollTo(chosen);
    stage.scrollBy(0, chosen.getBoundingClientRect().bottom - stage.getBoundingClientRect().bottom);
  }

  letGo() { this.painting?.cancel(); }

  forget() {
    this.board.days = null;
    this.focusCell = this.pointed = this.pointedWindow = this.anchor = null;
    this.best = null;
  }

  disconnectedCallback() {
    this.painting?.cancel();
    super.disconnectedCallback();
  }

  /** Draws at most once a frame: 500 people may be painting. */
  #drawLater() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      this.#drawCells();
    });
  }

  #drawCells() {
    const { picker } = this;
    const availability = picker?.state.availability;
    if (!picker || !availability || this.board.days !== availability.days) return;
    const stored = availability.marks.get(picker.self?.id ?? "")?.cells ?? [];
    const own = ownMarks(picker, availability);
    const respondents = respondentCount(availability, stored, own);
    const chosen = this.#window(this.#chosenCell(picker, availability), picker, availability);
    const best = this.#window(this.pointedWindow, picker, availability);
    const ranked = (picker.state.status === "open" && availability.best || []).slice(0, 2).map(({ cell }) => this.#window(cell, picker, availability));
    const counted = Array.from({ length: availability.count }, (_, cell) => countsOf(availability, cell, stored[cell], own[cell]));
    const scores = counted.map((counts) => (counts ? scoreOf(counts, respondents) : 0));
    const [least, most] = [Math.min(...scores.slice(availability.past)), Math.max(...scores.slice(availability.past))];
    const isNew = chosen.size > 0 && !this.chosen;
    this.chosen = this.board.cells[Math.max(...chosen)];
    if (isNew) this.#showChosen();
    const tab = this.focusCell ?? Math.min(availability.past, availability.count - 1);
    for (let cell = 0; cell < availability.count; cell += 1) {
      if (!this.board.cells[cell]) continue;
      const counts = counted[cell];
      const isPast = cell < availability.past;
      const rank = ranked.findIndex((cells) => cells.has(cell));
      const heat = most > least ? Math.max(0, (scores[cell] - least) / (most - least)) : 1;
      this.board.drawCell(cell, {
        counts, heat: Math.round(heat * 100) / 100, own: own[cell] ?? null, joined: own[cell] ? this.board.joined(cell, own) : "",
        preview: this.preview?.cells.has(cell) ? this.preview.grade ?? "erase" : null, isPast,
        window: chosen.has(cell) ? "chosen" : best.has(cell) ? "best" : null,
        best: /** @type {1 | 2 | null} */ (rank < 0 ? null : rank + 1), isFirst: availability.best?.[rank]?.cell === cell,
        about: () => this.#about(counts, own[cell], respondents, isPast),
      });
    }
    if (this.board.tabCell !== this.board.cells[tab]) this.board.tabCell?.setAttribute("tabindex", "-1");
    this.board.tabCell = this.board.cells[tab];
    this.board.tabCell?.setAttribute("tabindex", "0");
    const confirms = this.details.confirmButton.matches(":focus");
    this.#drawDetails(picker, availability, own, stored, respondents);
    if (confirms && this.details.confirmButton.hidden) this.bar.focus();
    const cans = counted.flatMap((counts, cell) => (counts && cell >= availability.past ? [counts[0] + counts[1]] : []));
    this.#drawLegend(respondents > 0 ? cans : [], respondents);
    this.bestList.draw(this.#best(picker, availability), respondents, this.words);
    setText(this.summary, this.#summaryText(picker, availability, own, respondents));
  }

  /**
   * @param {import("./marks.js").Counts | null} counts @param {Grade | null | undefined} own
   * @param {number} respondents @param {boolean} isPast
   */
  #about(counts, own, respondents, isPast) {
    const { marks } = this.words;
    return [
      own && marks.mine(marks.grades[own]), counts && respondents > 0 && marks.counts(...counts), isPast && marks.past,
    ].filter(Boolean).join(", ");
  }

  /**
   * @param {PickerSession} picker @param {Availability} availability
   * @param {(Grade | null | undefined)[]} own @param {(Grade | null | undefined)[]} stored @param {number} respondents
   */
  #drawDetails(picker, availability, own, stored, respondents) {
    const { marks } = this.words;
    const focused = this.scroller.matches(":focus-within") ? this.focusCell : null;
    const cell = this.pointed ?? focused ?? this.focusCell;
    const isNamed = picker.isOwner || picker.state.definition?.results === "everyone";
    const remark = availability.heat ? isNamed || respondents === 0 ? "" : marks.namesHidden : "";
    if (cell === null || !this.board.cells[cell]) {
      const people = isNamed ? { answered: this.#answered(picker, availability, own) } : null;
      // Hidden results are mentioned beside the best windows.
      const title = availability.heat ? respondents > 0 ? marks.answered(respondents) : marks.nobody : "";
      return this.details.draw({ title, counts: null, respondents, people, remark, confirm: null, canConfirm: false, unmarkedAsYes: false },
        this.words, picker.self?.id);
    }
    const window = [...this.#window(cell, picker, availability)];
    const isOffered = picker.isOwner && picker.state.status === "open" && cell >= availability.past
      && window.length === (picker.state.definition?.length ?? 1) && cell === this.focusCell;
    this.details.draw({
      title: this.board.cells[cell].dataset.name ?? "", counts: countsOf(availability, cell, stored[cell], own[cell]), respondents,
      people: isNamed ? peopleAt(picker, availability, cell, own) : null, remark,
      confirm: isOffered ? marks.confirmWindow(this.#windowText(window, picker, availability)) : null,
      canConfirm: picker.connection === "live", unmarkedAsYes: picker.state.definition?.unmarked === "yes",
    }, this.words, picker.self?.id);
  }

  /** @param {PickerSession} picker @param {Availability} availability @param {(Grade | null | undefined)[]} own */
  #answered({ self, state }, { marks }, own) {
    const all = new Map(marks);
    if (self) all.set(self.id, { name: self.name, color: self.color, cells: own });
    return [...all].filter(([, { cells }]) => cells.some(Boolean))
      .map(([id, { name, color }]) => ({ id, name: state.members.get(id)?.name ?? name, color }));
  }

  /** @param {number[]} cans how many can at each cell @param {number} respondents */
  #drawLegend(cans, respondents) {
    const ends = cans.length > 0 ? [String(Math.min(...cans)), this.words.marks.of(Math.max(...cans), respondents)] : [];
    if (this.legend.dataset.shown === ends.join()) return;
    this.legend.dataset.shown = ends.join();
    this.legend.replaceChildren(...(ends.length > 0 ? [ends[0], make("span", { class: "shades" }), ends[1]] : []));
  }

  /**
   * @param {PickerSession} picker @param {Availability} availability @param {(Grade | null | undefined)[]} own
   * @param {number} respondents
   */
  #summaryText(picker, availability, own, respondents) {
    const { marks } = this.words;
    const count = own.filter(Boolean).length;
    return joined([
      availability.heat && (respondents > 0 ? marks.answered(respondents) : marks.nobody), this.#bestText(picker, availability),
      count > 0 && marks.mine(marks.painted("", count).replace(/^[\s:：]+/, "")),
    ].filter(Boolean));
  }

  /** @param {PickerSession} picker @param {Availability} availability */
  #bestText(picker, availability) {
    const { marks } = this.words;
    const [first] = this.#best(picker, availability) ?? [];
    return first ? marks.nowBest(first.text, marks.counts(first.yes, first.maybe, first.no)) : "";
  }

  /** @param {PickerSession} picker @param {Availability} availability */
  #announceBest(picker, availability) {
    const text = this.#bestText(picker, availability);
    if (this.best !== null && text && text !== this.best) this.speak(({ announcer }) => announcer.announceLater("best", text));
    this.best = text;
  }

  /** @param {PickerSession} picker @param {Availability} availability */
  #guideText(picker, availability) {
    const { marks } = this.words;
    const { definition } = picker.state;
    if (!picker.canChange) return "";
    if (availability.closed) return marks.closed;
    const isTouch = matchMedia("(pointer: coarse)").matches;
    const guide = availability.rows
      ? isTouch ? marks.guide.touch : marks.guide.mouse : isTouch ? marks.guide.touchDates : marks.guide.mouseDates;
    return definition?.closes ? `${guide} ${marks.closes(this.#closingText(definition.closes, picker, availability))}` : guide;
  }

  /** @param {string} closes a local time or an instant @param {PickerSession} picker @param {Availability} availability */
  #closingText(closes, picker, availability) {
    const isLocal = /T\d\d:\d\d$/.test(closes);
    const [date, time] = closes.split("T");
    const instant = isLocal ? instantOf(date, time, picker.state.definition?.timeZone ?? "UTC") : Date.parse(closes);
    const zone = availability.rows ? availability.timeZone : this.timeZone;
    return Number.isFinite(instant) ? dayTimeIn(instant, zone, picker.locale) : closes;
  }

  // Zones

  /** @param {PickerSession} picker @param {Availability} availability */
  #zones(picker, availability) {
    if (!availability.rows) return [];
    const given = (this.getAttribute("zones") ?? picker.state.definition?.timeZone ?? "").split(",").map((zone) => zone.trim());
    return [...new Set(given)].filter((zone) => zone !== availability.timeZone && isZone(zone)).slice(0, zonesMax);
  }

  /** @param {PickerSession} picker @param {Availability} availability */
  #drawZone(picker, { rows, timeZone }) {
    this.zonePlace.hidden = !rows;
    if (!rows) return;
    const { marks } = this.words;
    const offset = offsetIn(Date.parse(picker.state.now ?? "") || Date.now(), timeZone, picker.locale);
    const name = matchMedia("(max-width: 480px)").matches ? cityOf(timeZone) : `${cityOf(timeZone)} (${offset})`;
    setAttribute(this.zoneMenu, "aria-label", marks.zone);
    setAttribute(this.zoneMenu, "title", `${marks.zone}: ${timeZone} (${offset})`);
    if (this.zoneMenu.dataset.name === name) return;
    this.zoneMenu.dataset.name = name;
    const near = [...new Set([timeZone, picker.state.definition?.timeZone ?? timeZone, ownZone()])];
    this.zoneMenu.replaceChildren(...near.map((zone) => make("option", { value: zone }, zone === timeZone ? name : cityOf(zone))),
      ...[...zonesByRegion()].map(([region, zones]) => make("optgroup", { label: region },
        ...zones.filter((zone) => !near.includes(zone)).map((zone) => make("option", { value: zone }, cityOf(zone))))));
    this.zoneMenu.value = timeZone;
  }

  /** @param {string} zone */
  #setZone(zone) { this.picker?.setTimeZone(zone); }

  /** @param {PickerSession} picker @param {Availability} availability */
  #today({ state }, { timeZone }) {
    return todayIn(state.now ? Date.parse(state.now) : Date.now(), timeZone);
  }

  // Windows

  /**
   * The cells of the window that begins at a cell, as far as each begins where the one before ends.
   * @param {number | null} cell @param {PickerSession} picker @param {Availability} availability
   */
  #window(cell, picker, availability) {
    /** @type {Set<number>} */
    const cells = new Set();
    if (cell === null) return cells;
    const last = Math.min(availability.count, cell + (picker.state.definition?.length ?? 1)) - 1;
    cells.add(cell);
    for (let one = cell; one < last && this.#isFollowed(one, picker, availability); one += 1) cells.add(one + 1);
    return cells;
  }

  /** @param {number} cell @param {PickerSession} picker @param {Availability} availability */
  #isFollowed(cell, picker, { days, rows, timeZone }) {
    const [here, next] = [this.board.places[cell], this.board.places[cell + 1]];
    if (!here || !next) return false;
    if (!rows) return Date.parse(days[cell + 1].date) - Date.parse(days[cell].date) === 86_400_000;
    if (here.x === next.x) return next.y === here.y + 1 && !rows[next.y].gap;
    const [from, until] = [here, next].map(({ x, y }) => instantOf(days[x].date, rows[y].time, timeZone));
    return until - from === (picker.state.definition?.stepMinutes ?? 0) * 60_000;
  }

  /**
   * The times of the window that begins at a cell, as in the result; empty for a cell of dates. The server's texts have 24 hours
   * in all languages.
   * @param {number} cell @param {PickerSession} picker @param {Availability} availability
   */
  #times(cell, { state: { definition }, locale }, { days, rows, timeZone }) {
    const place = this.board.places[cell];
    if (!rows || !place) return "";
    const from = instantOf(days[place.x].date, rows[place.y].time, timeZone);
    const minutes = (definition?.length ?? 1) * (definition?.stepMinutes ?? 0);
    return Number.isFinite(from) ? spanIn(from, from + minutes * 60_000, timeZone, locale) : "";
  }

  /**
   * The best windows.
   * @param {PickerSession} picker @param {Availability} availability
   */
  #best(picker, availability) {
    return availability.best?.map((window) => ({ ...window, text: this.#times(window.cell, picker, availability) || window.text }));
  }

  /** @param {number[]} cells @param {PickerSession} picker @param {Availability} availability */
  #windowText(cells, picker, availability) {
    const { best, days } = availability;
    const known = this.#times(cells[0], picker, availability) || best?.find(({ cell }) => cell === cells[0])?.text;
    if (known) return known;
    const [from, through] = [days[cells[0]].date, days[cells[cells.length - 1]].date];
    return from === through ? days[cells[0]].text : daySpan(from, through, picker.locale);
  }

  /**
   * The first cell of a confirmed result.
   * @param {PickerSession} picker @param {Availability} availability
   */
  #chosenCell({ state }, { days, timeZone, rows }) {
    const { result, status } = state;
    if (!result || (status !== "confirmed" && status !== "confirming")) return null;
    if (result.start) return days.findIndex(({ date }) => date === result.start);
    if (!rows || !result.instant) return null;
    const { date, time } = placeIn(Date.parse(String(result.instant)), timeZone);
    const x = days.findIndex((day) => day.date === date);
    const y = rows.findIndex((row) => row.time === time);
    return this.board.rows[y]?.[x] ?? null;
  }

  /** @param {PickerSession} picker */
  #resultText(picker) {
    const { state } = picker;
    const { availability, result } = state;
    if (!result || !availability) return statusText(picker, this.words);
    const { marks } = this.words;
    const counts = marks.counts(Number(result.yes), Number(result.maybe), state.status === "open" ? 0 : Number(result.no));
    /** @param {string} text */
    const said = (text) => withStatus(result.yes === undefined ? text : state.status === "open" ? marks.nowBest(text, counts) : `${text} · ${counts}`, picker, this.words);
    if (!result.instant) {
      const { start, end } = result;
      const text = start === end ? fullDate(String(start), picker.locale) : daySpan(String(start), String(end), picker.locale);
      return said(text);
    }
    const [from, until] = [result.instant, result.until].map((instant) => Date.parse(String(instant)));
    return said(spanIn(from, until, availability.timeZone, picker.locale));
  }

  /** Confirms the window at the cell that has the focus. */
  #confirm() {
    const { picker, focusCell } = this;
    if (picker?.connection !== "live" || focusCell === null) return;
    void picker.confirm(focusCell);
  }

  /**
   * Shows a window: scrolls to it and focuses its first cell.
   * @param {number} cell
   */
  #reveal(cell) {
    const element = this.board.cells[cell];
    if (!element) return;
    this.#focus(cell);
    element.scrollIntoView({ block: "center", inline: "center", behavior: wantsLessMotion() ? "auto" : "smooth" });
  }

  // Painting

  /** @param {Grade} grade */
  #choose(grade) {
    if (this.gradeButtons[grade].hidden) return;
    this.grade = grade;
    for (const each of grades) setAttribute(this.gradeButtons[each], "aria-pressed", String(grade === each));
  }

  /** @param {PickerSession} picker */
  #own(picker) { return picker.state.availability ? ownMarks(picker, picker.state.availability) : []; }

  /**
   * The cells of a rectangle that can be marked.
   * @param {Place} from @param {Place} to
   */
  #markable(from, to) {
    const past = this.picker?.state.availability?.past ?? 0;
    return this.board.within(from, to).filter((cell) => cell >= past);
  }

  /**
   * What painting from a place does: the chosen grade, or erasing where it is already.
   * @param {Place} from @param {number[]} cells @returns {Grade | null}
   */
  #gradeFrom(from, cells) {
    const { picker } = this;
    const first = this.board.rows[from.y]?.[from.x];
    const own = picker ? this.#own(picker) : [];
    return own[first !== undefined && cells.includes(first) ? first : cells[0]] === this.grade ? null : this.grade;
  }

  /** @param {Place} from @param {Place} to */
  #show(from, to) {
    const cells = this.#markable(from, to);
    this.preview = { cells: new Set(cells), grade: this.#gradeFrom(from, this.#markable(from, from)) };
    const cell = this.board.rows[to.y]?.[to.x];
    this.pointed = cell ?? this.pointed;
    this.#drawLater();
  }

  #endPreview() {
    this.preview = null;
    this.#drawLater();
  }

  /** @param {Place} from @param {Place} to */
  #paint(from, to) {
    const cells = this.#markable(from, to);
    const grade = this.#gradeFrom(from, this.#markable(from, from));
    this.preview = null;
    this.#mark(grade, cells);
  }

  /** @param {Grade | null} grade @param {number[]} cells */
  #mark(grade, cells) {
    const { picker } = this;
    this.anchor = null;
    this.#drawLater();
    if (!picker || !this.canMark || cells.length === 0) return;
    for (const runs of commandsOf(cells)) void picker.mark(grade, runs);
    const { marks } = this.words;
    const text = grade ? marks.painted(marks.grades[grade], cells.length) : marks.erased(cells.length);
    this.speak(({ announcer }) => announcer.announceNow(text));
  }

  /** @param {number | null} cell */
  #point(cell) {
    if (this.pointed === cell) return;
    this.pointed = cell;
    this.#drawLater();
  }

  // Keys

  /** @param {KeyboardEvent} event */
  #press(event) {
    const cell = cellOf(event.target);
    if (cell === null || event.altKey || event.metaKey) return;
    const next = this.#cellAfter(event, cell);
    if (next !== null) {
      this.anchor = event.shiftKey ? this.anchor ?? this.board.places[cell] : null;
      this.#focus(next);
      this.#select(next);
    } else if (event.ctrlKey) return;
    else if (event.key === " " || event.key === "Enter") this.#paint(this.anchor ?? this.board.places[cell], this.board.places[cell]);
    else if (event.key === "Delete" || event.key === "Backspace") {
      this.preview = null;
      this.#mark(null, this.#markable(this.anchor ?? this.board.places[cell], this.board.places[cell]));
    } else if (event.key === "Escape" && this.preview) {
      this.anchor = null;
      this.painting?.cancel();
      this.#endPreview();
    } else if (["1", "2", "3"].includes(event.key)) {
      this.#choose(grades[Number(event.key) - 1]);
      this.#select(cell);
    } else return;
    event.preventDefault();
  }

  /**
   * Shows what Space would paint, if there is a rectangle.
   * @param {number} cell
   */
  #select(cell) {
    if (this.anchor && this.canMark) this.#show(this.anchor, this.board.places[cell]);
    else this.#endPreview();
    this.pointed = null;
  }

  /**
   * The cell that a key moves the focus to; the same one at an edge, null for other keys.
   * @param {KeyboardEvent} event @param {number} cell
   */
  #cellAfter({ key, ctrlKey }, cell) {
    const { board } = this;
    const place = board.places[cell];
    const forward = getComputedStyle(this.scroller).direction === "rtl" ? -1 : 1;
    const count = board.cells.length;
    const far = { x: board.columnCount - 1, y: board.rows.length - 1 };
    switch (key) {
      case "ArrowLeft": return board.next(place, -forward, 0) ?? cell;
      case "ArrowRight": return board.next(place, forward, 0) ?? cell;
      case "ArrowUp": return board.next(place, 0, -1) ?? cell;
      case "ArrowDown": return board.next(place, 0, 1) ?? cell;
      case "Home": return ctrlKey ? 0 : board.next({ x: -1, y: place.y }, 1, 0) ?? cell;
      case "End": return ctrlKey ? count - 1 : board.next({ x: far.x + 1, y: place.y }, -1, 0) ?? cell;
      case "PageUp": return board.next({ x: place.x, y: Math.max(-1, place.y - pageOf(board)) }, 0, -1)
        ?? board.next({ x: place.x, y: -1 }, 0, 1) ?? cell;
      case "PageDown": return board.next({ x: place.x, y: Math.min(far.y + 1, place.y + pageOf(board)) }, 0, 1)
        ?? board.next({ x: place.x, y: far.y + 1 }, 0, -1) ?? cell;
      default: return null;
    }
  }

  /** @param {number} cell */
  #focus(cell) {
    this.focusCell = cell;
    this.pointed = null;
    const element = this.board.cells[cell];
    setAttribute(element, "tabindex", "0");
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.#drawLater();
  }
}

function globe() {
  const svg = icon("after");
  svg.firstElementChild?.setAttribute("d",
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3.5 12h17M12 3c2.6 2.6 3.8 5.6 3.8 9s-1.2 6.4-3.8 9c-2.6-2.6-3.8-5.6-3.8-9s1.2-6.4 3.8-9Z");
  return svg;
}

/**
 * The rows of a page: 8 of times, 4 weeks of dates.
 * @param {Board} board
 */
const pageOf = ({ isTimes }) => (isTimes ? 8 : 4) - 1;
