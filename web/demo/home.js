// The home page and the page of examples: a store, of which the views are drawn. Opening a picker creates a session.

import { addingDays, addingMonths, ordinalOf, weekdayOf } from "../client/core/civil.js";
import { todayIn } from "../client/words/dates.js";
import { examplesView } from "./examples.js";
import { landingView } from "./landing.js";
import { definitionsOf, localised } from "./local.js";
import { createSession, openNew } from "./opening.js";
import { h, patch } from "./patch.js";
import { demoPickers } from "./pickers.js";
import { notesFrom } from "./prices.js";
import { forgetAll } from "./recent.js";
import { Problem } from "./server.js";
import { home } from "./words/home-en.js";
import { homeWordsOf } from "./words/words.js";

/** @typedef {import("./words/words.js").DemoWords & import("./words/types").HomeWords} Words */
/** @typedef {import("./pickers.js").DemoPicker} DemoPicker */
/** @typedef {import("./patch.js").View} View */
/** @typedef {import("./tour.js").Tour} Tour */

/** The statuses of a server on which visitors cannot create sessions. */
const statusesOfClosed = [401, 403];
/** How long the session of the two windows lasts after its last change or join. */
const tourSeconds = 3600;
const friday = 6;

export class Home {
  /** @type {DemoPicker[]} */
  pickers = [];
  isExamples = false;
  /** The title that the user has typed for the next picker. */
  title = "";
  /** @type {string | null} the button that creates a session now */
  busy = null;
  /** @type {{at: string, text: string} | null} why a button has failed */
  problem = null;
  /** @type {Tour | null} the two live windows, once they are there */
  tour = null;
  /** Why there are none. */
  tourProblem = "";
  /** @type {Promise<void> | null} */
  #touring = null;
  isClosed = false;
  /** @type {import("./sale.js").Sale | null} the sale that is shown in place of the home page */
  sale = null;
  /** @type {typeof import("./sale.js") | null} loaded for it */
  selling = null;

  /** @param {HTMLElement} container @param {import("./settings.js").Settings} settings */
  constructor(container, settings) {
    this.container = container;
    this.settings = settings;
    /** @type {import("./words/types").HomeWords | null} */
    this.texts = null;
  }

  /** @returns {Words} */
  get words() {
    this.texts ??= homeWordsOf(home, this.settings.locale);
    return { ...this.settings.words, ...this.texts };
  }

  /**
   * Shows the home page, the examples or a sale, also after the language has changed.
   * @param {boolean} isExamples @param {string | null} [sale] its name
   */
  async show(isExamples, sale = null) {
    this.texts = null;
    if (this.isExamples !== isExamples) this.problem = null;
    this.isExamples = isExamples;
    if (this.sale?.name !== sale) {
      this.sale?.close();
      this.sale = null;
    }
    document.title = sale ? `${this.words.pickers.evening} – pickerd` : isExamples ? `${this.words.cards} – pickerd` : "pickerd";
    if (isExamples) this.pickers = await demoPickers();
    this.tour?.setLocale(this.settings.locale);
    this.sale?.setLocale(this.settings.locale);
    if (sale && !this.sale) await this.#openSale(sale);
    this.draw();
    if (!isExamples && !sale) this.#touring ??= this.#startTour();
  }

  close() {
    this.isClosed = true;
    this.sale?.close();
    void this.tour?.close();
  }

  draw() {
    if (this.isClosed) return;
    const { sale, selling } = this;
    patch(this.container, h("div", { class: "home", key: sale?.name ?? String(this.isExamples) },
      sale && selling ? selling.saleView(sale, this.words, (problem) => this.#textOf(problem)) : this.isExamples ? examplesView(this) : landingView(this)));
  }

  /** @param {string} title */
  typeTitle(title) { this.title = title.trim(); }

  forgetRecent() {
    forgetAll();
    this.draw();
    document.getElementById("main")?.focus();
  }

  /**
   * A button that creates a session and opens it, and what says why that has failed.
   * @param {string} key of the button @param {DemoPicker["id"]} id of the picker @param {string} title of the session
   * @param {{[name: string]: any}} attributes @param {View} label @param {number} [index] of the definition
   * @returns {View[]}
   */
  opener(key, id, title, attributes, label, index = 0) {
    const isBusy = this.busy === key;
    return [
      h("button", {
        type: "button", key, "aria-busy": isBusy && "true", ...attributes,
        onclick: (/** @type {any} */ { currentTarget }) => void this.#open(key, id, index, title, currentTarget),
      }, label),
      this.problem?.at === key && h("p", { class: "problem", role: "alert", key: "problem" }, this.problem.text),
    ];
  }

  /** @param {string} key @param {DemoPicker["id"]} id @param {number} index @param {string} title @param {HTMLElement} button */
  async #open(key, id, index, title, button) {
    if (this.busy) return;
    const { words, settings: { locale } } = this;
    this.busy = key;
    this.problem = null;
    this.draw();
    try {
      const picker = (await demoPickers()).find((one) => one.id === id);
      if (!picker) throw new Error(`no picker ${id}`);
      const local = localised(definitionsOf(picker, locale)[index], picker, locale);
      if (picker.inventory) {
        await (await import("./sale.js")).openSale(local, picker.inventory);
        this.busy = null;
        return;
      }
      const notes = picker.prices && notesFrom(picker.prices, local, locale);
      if (!picker.find) return await openNew(local, this.title || title, { notes, decide: picker.decide });
      const { FindDialog } = await import("./find-dialog.js");
      new FindDialog(local, picker.find, this.title || title, words).open(button);
    } catch (problem) {
      this.problem = { at: key, text: this.#textOf(problem) };
    }
    this.busy = null;
    this.draw();
    this.container.querySelector('[role="alert"]')?.scrollIntoView({ block: "nearest" });
  }

  /** @param {unknown} problem */
  #textOf(problem) {
    return problem instanceof Problem ? this.words.createFailed(problem.message) : this.words.unreachable;
  }

  /** @param {string} name */
  async #openSale(name) {
    this.selling = await import("./sale.js");
    this.sale = new this.selling.Sale(name, this.settings, () => this.draw());
    void this.sale.open();
  }

  /** Creates a session, and joins it as two members: after the first paint, because the page is complete without it. */
  async #startTour() {
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
    if (this.isClosed) return;
    const { words, settings: { locale } } = this;
    const { start, end, definition } = stayIn(locale);
    const create = (/** @type {unknown} */ result) => createSession(definition, words.doors.stay.title, { ttlSeconds: tourSeconds, result });
    try {
      const [{ Tour }, created] = await Promise.all([
        import("./tour.js"), create({ start, end }).catch((problem) => {
          // The clock of this browser is wrong by months.
          if (problem instanceof Problem && problem.pointer === "/result") return create(undefined);
          throw problem;
        }),
      ]);
      const tour = new Tour(created, { start, end }, locale, () => this.draw());
      this.tour = tour;
      // The page may have been left meanwhile.
      if (this.isClosed) return await tour.close();
      await tour.open();
    } catch (problem) {
      const isRefused = problem instanceof Problem && statusesOfClosed.includes(problem.status);
      this.tourProblem = isRefused ? words.tour.closed : this.#textOf(problem);
    }
    this.draw();
  }
}

/**
 * A stay in the next month, from a Friday in its second week to a Wednesday, between nights that are taken.
 * @param {string} locale
 */
function stayIn(locale, now = Date.now()) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const second = addingDays(addingMonths(`${todayIn(now, timeZone).slice(0, 7)}-01`, 1), 7);
  const start = addingDays(second, (friday + 7 - weekdayOf(ordinalOf(second))) % 7);
  const taken = (/** @type {number} */ from, /** @type {number} */ through) => ({ from: addingDays(start, from), through: addingDays(start, through) });
  const definition = {
    kind: "calendar", unit: "nights", months: { from: "thisMonth", through: "thisMonth+P6M" }, min: "today", maxNights: 14,
  };
  return {
    start, end: addingDays(start, 5),
    definition: localised(definition, { blocked: [taken(-4, -3), taken(8, 9), taken(17, 18)] }, locale, now),
  };
}
