// The dialog that creates an availability: asks for a title, dates and hours.

import { dialogSheet } from "../client/parts/dialog-sheet.js";
import { make, setText } from "../client/parts/dom.js";
import { cityOf, hourText, todayIn } from "../client/words/dates.js";
import { problemOf, proposedDates } from "./find-days.js";
import { openNew } from "./opening.js";
import { Problem } from "./server.js";

/** Durations of a window, in minutes. */
const durations = [30, 60, 90, 120, 180];
/** The years that dates have on the wire have four digits. */
const lastDate = "9999-12-31";
/** How long a session lasts after its last change or join: people take days to answer. */
const ttlSeconds = 60 * 86_400;
const weekdaysBlocked = [{ weekdays: [2, 3, 4, 5, 6] }];

let dialogCount = 0;

export class FindDialog {
  /**
   * @param {any} definition with everything that the dialog does not ask for @param {"dates" | "times"} kind
   * @param {string} title that is proposed @param {import("./home.js").Words} words
   */
  constructor(definition, kind, title, words) {
    this.definition = definition;
    this.kind = kind;
    this.words = words;
    const { find } = words;
    const today = todayIn(Date.now(), definition.timeZone);
    const { first, last } = proposedDates(kind, today);
    this.name = make("input", { type: "text", value: title, maxlength: "120", required: true, autocomplete: "off" });
    this.first = make("input", { type: "date", value: first, min: today, max: lastDate, required: true, oninput: () => { this.last.min = this.first.value; } });
    this.last = make("input", { type: "date", value: last, min: first, max: lastDate, required: true });
    this.from = hours(0, 23, 9);
    this.until = hours(1, 24, 18);
    this.minutes = make("select", {}, ...durations.map((minutes) =>
      make("option", { value: minutes, selected: minutes === 60 }, find.duration(minutes))));
    this.weekends = make("input", { type: "checkbox", checked: true, onchange: () => { this.days.max = this.weekends.checked ? "2" : "31"; } });
    this.days = make("input", { type: "number", min: "1", max: "2", value: definition.length ?? 1, required: true, inputmode: "numeric" });
    this.results = make("select", {}, ...["everyone", "counts", "owner"].map((one) =>
      make("option", { value: one }, find[/** @type {"everyone" | "counts" | "owner"} */ (one)])));
    this.failure = make("p", { class: "problem", role: "alert", hidden: true });
    this.button = make("button", { class: "primary", type: "submit" }, find.create);
    const headingId = `find-${dialogCount += 1}`;
    this.form = make("form", { oninput: () => this.#check(), onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#create();
    } }, named(find.title, this.name), pair(named(find.first, this.first), named(find.last, this.last)),
    ...(kind === "times"
      ? [pair(named(find.from, this.from), named(find.until, this.until)), named(find.minutes, this.minutes),
        make("p", { class: "remark" }, find.zone(cityOf(definition.timeZone)))]
      : [make("label", { class: "check" }, this.weekends, find.weekends), named(find.days, this.days)]),
    named(find.results, this.results), this.failure,
    make("div", { class: "ways" }, make("button", { class: "secondary", type: "button", onclick: () => this.element.close() }, find.cancel), this.button));
    this.element = make("dialog", { class: "find", "aria-labelledby": headingId, onclose: () => {
      this.element.remove();
      this.opener?.focus({ preventScroll: true });
    } }, make("h2", { id: headingId }, title), this.form);
  }

  /** Has the browser name the field for which no time can be found. */
  #check() {
    const { kind, definition: { timeZone, stepMinutes: step } } = this;
    const now = new Date();
    // More days than a weekend has are refused by their own field.
    const weekends = this.weekends.checked;
    const dates = { days: Math.min(Number(this.days.value), weekends ? 2 : Infinity), weekends };
    const times = {
      from: minutesOf(this.from.value), until: minutesOf(this.until.value), minutes: Number(this.minutes.value), step,
      now: minutesOf(now.toLocaleTimeString("en-GB", { timeZone, timeStyle: "short" })),
    };
    const found = problemOf({
      title: this.name.value, today: todayIn(now.getTime(), timeZone), first: this.first.value, last: this.last.value,
      ...(kind === "dates" ? { dates } : { times }),
    });
    const { problems } = this.words.find;
    const text = found && (found.problem === "tooManyDays" ? problems.tooManyDays(found.days ?? 0) : problems[found.problem]);
    for (const field of /** @type {const} */ (["name", "first", "last", "until", "minutes"])) {
      this[field].setCustomValidity(field === found?.field ? text : "");
    }
  }

  /** @param {HTMLElement} opener that gets the focus back */
  open(opener) {
    this.opener = opener;
    if (!document.adoptedStyleSheets.includes(dialogSheet())) document.adoptedStyleSheets.push(dialogSheet());
    document.body.append(this.element);
    this.element.showModal();
    this.#check();
    this.name.select();
  }

  /** The definition of what was filled in. */
  get filled() {
    const dates = { from: this.first.value, through: this.last.value };
    const results = this.results.value;
    if (this.kind === "dates") {
      const blocked = this.weekends.checked ? { blocked: weekdaysBlocked } : {};
      return { ...this.definition, dates, length: Number(this.days.value), results, ...blocked };
    }
    const length = Number(this.minutes.value) / this.definition.stepMinutes;
    return { ...this.definition, dates, hours: [{ from: this.from.value, until: this.until.value }], length, results };
  }

  async #create() {
    const { words } = this;
    this.button.disabled = true;
    this.failure.hidden = true;
    try {
      await openNew(this.filled, this.name.value.trim(), undefined, undefined, ttlSeconds);
      this.element.close();
    } catch (problem) {
      setText(this.failure, problem instanceof Problem ? words.createFailed(problem.message) : words.unreachable);
      this.failure.hidden = false;
      this.button.disabled = false;
      this.button.focus();
    }
  }
}

/** @param {string} label @param {HTMLElement} field */
const named = (label, field) => make("label", {}, label, field);

/** @param {...HTMLElement} fields */
const pair = (...fields) => make("div", { class: "pair" }, ...fields);

/** @param {string} time `HH:MM` */
function minutesOf(time) {
  const [hour, minute] = time.split(":").map(Number);
  return hour * 60 + minute;
}

/** @param {number} first @param {number} last @param {number} chosen */
const hours = (first, last, chosen) => make("select", {}, ...Array.from({ length: last - first + 1 }, (_, at) => {
  const time = `${String(first + at).padStart(2, "0")}:00`;
  return make("option", { value: time, selected: first + at === chosen }, hourText(time.slice(0, 2), document.documentElement.lang) ?? time);
}));
