// The dialog that creates an availability: asks for a title, dates and hours.

import { dialogSheet } from "../client/parts/dialog-sheet.js";
import { make } from "../client/parts/dom.js";
import { cityOf, hourText, todayIn } from "../client/words/dates.js";
import { problemOf, proposedDates } from "./find-days.js";
import { openNew } from "./opening.js";
import { h, patch } from "./patch.js";
import { Problem } from "./server.js";

/** Durations of a window, in minutes. */
const durations = [30, 60, 90, 120, 180];
/** The years that dates have on the wire have four digits. */
const lastDate = "9999-12-31";
/** How long a session lasts after its last change or join: people take days to answer. */
const ttlSeconds = 60 * 86_400;
const weekdaysBlocked = [{ weekdays: [2, 3, 4, 5, 6] }];

/** The fields that can have a problem. */
const checked = /** @type {const} */ (["name", "first", "last", "until", "minutes"]);

let dialogCount = 0;

export class FindDialog {
  /**
   * @param {any} definition with everything that the dialog does not ask for @param {"dates" | "times"} kind
   * @param {string} title that is proposed @param {import("./home.js").Words} words
   */
  constructor(definition, kind, title, words) {
    this.definition = definition;
    this.kind = kind;
    this.title = title;
    this.words = words;
    this.today = todayIn(Date.now(), definition.timeZone);
    /** What is filled in, by the names of the fields. */
    this.filled = {
      name: title, ...proposedDates(kind, this.today), from: "09:00", until: "18:00", minutes: "60",
      weekends: true, days: String(definition.length ?? 1), results: "everyone",
    };
    this.failure = "";
    this.isCreating = false;
    this.headingId = `find-${dialogCount += 1}`;
    this.element = make("dialog", { class: "find", "aria-labelledby": this.headingId, onclose: () => {
      this.element.remove();
      this.opener?.focus({ preventScroll: true });
    } });
  }

  /** @param {HTMLElement} opener that gets the focus back */
  open(opener) {
    this.opener = opener;
    if (!document.adoptedStyleSheets.includes(dialogSheet())) document.adoptedStyleSheets.push(dialogSheet());
    this.#draw();
    document.body.append(this.element);
    this.element.showModal();
    this.#check();
    this.#field("name").select();
  }

  #draw() { patch(this.element, this.#view()); }

  /** @param {string} name @returns {any} */
  #field(name) { return this.element.querySelector(`[name="${name}"]`); }

  /** @returns {import("./patch.js").View} */
  #view() {
    const { kind, words: { find }, filled, today, failure, isCreating, definition } = this;
    /** @param {"name" | "first" | "last" | "days"} name @param {{[attribute: string]: string}} attributes */
    const input = (name, attributes) => h("input", { name, required: true, value: filled[name], ...attributes });
    /** @param {"from" | "until" | "minutes" | "results"} name @param {[value: string, text: string][]} options */
    const select = (name, options) => h("select", { name, value: filled[name] },
      options.map(([value, text]) => h("option", { key: value, value }, text)));
    return [h("h2", { id: this.headingId }, this.title), h("form", {
      oninput: () => this.#read(),
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        void this.#create();
      },
    }, named(find.title, input("name", { type: "text", maxlength: "120", autocomplete: "off" })),
    pair(named(find.first, input("first", { type: "date", min: today, max: lastDate })),
      named(find.last, input("last", { type: "date", min: filled.first, max: lastDate }))),
    kind === "times"
      ? [pair(named(find.from, select("from", hours(0, 23))), named(find.until, select("until", hours(1, 24)))),
        named(find.minutes, select("minutes", durations.map((minutes) => [String(minutes), durationText(minutes)]))),
        h("p", { class: "remark" }, find.zone(cityOf(definition.timeZone)))]
      : [h("label", { class: "check" }, h("input", { name: "weekends", type: "checkbox", checked: filled.weekends }), find.weekends),
        named(find.days, input("days", { type: "number", min: "1", max: filled.weekends ? "2" : "31", inputmode: "numeric" }))],
    named(find.results, select("results", [["everyone", find.everyone], ["counts", find.counts], ["owner", find.owner]])),
    h("p", { class: "problem", role: "alert", hidden: failure === "" }, failure),
    h("div", { class: "ways" },
      h("button", { class: "secondary", type: "button", onclick: () => this.element.close() }, find.cancel),
      h("button", { class: "primary", type: "submit", disabled: isCreating }, find.create)))];
  }

  /** Takes what is in the fields. */
  #read() {
    for (const name of Object.keys(this.filled)) {
      const field = this.#field(name);
      if (field) Object.assign(this.filled, { [name]: field.type === "checkbox" ? field.checked : field.value });
    }
    this.#draw();
    this.#check();
  }

  /** Has the browser name the field for which no time can be found. */
  #check() {
    const { kind, filled, definition: { timeZone, stepMinutes: step } } = this;
    const now = new Date();
    // More days than a weekend has are refused by their own field.
    const { weekends } = filled;
    const dates = { days: Math.min(Number(filled.days), weekends ? 2 : Infinity), weekends };
    const times = {
      from: minutesOf(filled.from), until: minutesOf(filled.until), minutes: Number(filled.minutes), step,
      now: minutesOf(now.toLocaleTimeString("en-GB", { timeZone, timeStyle: "short" })),
    };
    const found = problemOf({
      title: filled.name, today: todayIn(now.getTime(), timeZone), first: filled.first, last: filled.last,
      ...(kind === "dates" ? { dates } : { times }),
    });
    const { problems } = this.words.find;
    const text = found && (found.problem === "tooManyDays" ? problems.tooManyDays(found.days ?? 0) : problems[found.problem]);
    for (const name of checked) this.#field(name)?.setCustomValidity(name === found?.field ? text : "");
  }

  /** The definition of what was filled in. */
  get #filledDefinition() {
    const { definition, kind, filled: { first, last, from, until, minutes, weekends, days, results } } = this;
    const dates = { from: first, through: last };
    if (kind === "dates") {
      return { ...definition, dates, length: Number(days), results, ...(weekends && { blocked: weekdaysBlocked }) };
    }
    return { ...definition, dates, hours: [{ from, until }], length: Number(minutes) / definition.stepMinutes, results };
  }

  async #create() {
    const { words } = this;
    this.isCreating = true;
    this.failure = "";
    this.#draw();
    try {
      await openNew(this.#filledDefinition, this.filled.name.trim(), { ttlSeconds });
      this.element.close();
    } catch (problem) {
      this.failure = problem instanceof Problem ? words.createFailed(problem.message) : words.unreachable;
      this.isCreating = false;
      this.#draw();
      this.element.querySelector(".primary").focus();
    }
  }
}

/** @param {string} label @param {import("./patch.js").Description} field */
const named = (label, field) => h("label", {}, label, field);

/** @param {...import("./patch.js").Description} fields */
const pair = (...fields) => h("div", { class: "pair" }, ...fields);

/** @param {string} time `HH:MM` */
function minutesOf(time) {
  const [hour, minute] = time.split(":").map(Number);
  return hour * 60 + minute;
}

/**
 * Full hours as options.
 * @param {number} first @param {number} last @returns {[value: string, text: string][]}
 */
const hours = (first, last) => Array.from({ length: last - first + 1 }, (_, at) => {
  const hour = String(first + at).padStart(2, "0");
  return [`${hour}:00`, hourText(hour, document.documentElement.lang) ?? `${hour}:00`];
});

/** @param {number} minutes "30 minutes", "1.5 hours" */
const durationText = (minutes) => new Intl.NumberFormat(document.documentElement.lang, {
  style: "unit", unitDisplay: "long", unit: minutes < 60 ? "minute" : "hour",
}).format(minutes < 60 ? minutes : minutes / 60);
