// The page of a sale: a shared definition with an inventory, from which sessions take. Who has begun it has two windows, each
// with a session of its own; who opens its link has one.

import "../client/define-calendar.js";
import { addingDays, ordinalOf, weekdayOf } from "../client/core/civil.js";
import { bareSheet } from "../client/parts/bare-sheet.js";
import { setAttribute } from "../client/parts/dom.js";
import { connect } from "../client/pickerd.js";
import { todayIn } from "../client/words/dates.js";
import { createSession } from "./opening.js";
import { h } from "./patch.js";
import { ask, Problem } from "./server.js";
import { read, write } from "./storage.js";

/** @typedef {import("../client/core/session.js").PickerSession} PickerSession */
/** @typedef {{session: string, owner?: string}} Created */

/** How long a session of the page lasts after its last change or join. */
const sessionSeconds = 3600;
const friday = 6;

/**
 * Stores what is sold under a name of its own, and shows it.
 * @param {unknown} definition @param {unknown} inventory
 */
export async function openSale(definition, inventory) {
  const name = `evening-${Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  await ask(`v1/definitions/${name}`, { method: "PUT", body: { definition, inventory } });
  write("sessionStorage", `sale ${name}`, JSON.stringify([null, null]));
  location.hash = `#/sale/${name}`;
}

export class Sale {
  /** @type {PickerSession[]} */
  pickers = [];
  /** @type {any[]} the elements of the windows, once they are there */
  elements = [];
  /** @type {unknown} why there is no window */
  problem = null;
  status = "";
  isClosed = false;

  /** @param {string} name of the definition @param {import("./settings.js").Settings} settings @param {() => void} changed */
  constructor(name, settings, changed) {
    this.name = name;
    this.settings = settings;
    this.changed = changed;
    /** @type {(Created | null)[]} the sessions of this tab, in the order of the windows */
    this.created = JSON.parse(read("sessionStorage", `sale ${name}`) ?? "[null]");
  }

  get link() { return `${location.origin}${location.pathname}#/sale/${this.name}`; }

  /** Opens the windows. */
  async open() {
    try {
      for (const [index, known] of this.created.entries()) {
        this.created[index] = known ?? await this.#create();
        write("sessionStorage", `sale ${this.name}`, JSON.stringify(this.created));
        await this.#join(index, /** @type {Created} */ (this.created[index]));
      }
    } catch (problem) {
      this.problem = problem;
      this.changed();
    }
  }

  /** @param {string} locale */
  setLocale(locale) { for (const picker of this.pickers) picker.setLocale(locale); }

  async copy() {
    const { words } = this.settings;
    this.status = await navigator.clipboard?.writeText(this.link).then(() => words.copied, () => words.copyFailed) ?? words.copyFailed;
    this.changed();
  }

  close() {
    this.isClosed = true;
    for (const picker of this.pickers) picker.stop();
  }

  /** @returns {Promise<Created>} a session that takes from the inventory, with the next evening chosen if it can be had */
  async #create() {
    const title = this.settings.words.pickers.evening;
    const further = { uses: this.name, ttlSeconds: sessionSeconds };
    const answer = await createSession({}, title, { ...further, result: { date: nextFriday() } }).catch((problem) => {
      if (!(problem instanceof Problem) || !problem.pointer?.startsWith("/result")) throw problem;
      return createSession({}, title, further);
    });
    return { session: answer.session, owner: answer.tokens?.owner ?? answer.ownerToken };
  }

  /** @param {number} index of the window @param {Created} created */
  async #join(index, { session, owner }) {
    const { name, locale } = this.settings;
    const months = { from: nextFriday().slice(0, 7), count: 2 };
    const picker = await connect(`v1/sessions/${encodeURIComponent(session)}`, { name: index ? "Bo" : name, locale, token: owner, months, identity: "tab" });
    if (this.isClosed) return picker.stop();
    this.pickers[index] = picker;
    const element = /** @type {any} */ (document.createElement("pickerd-calendar"));
    element.adopt(bareSheet);
    setAttribute(element, "frame", "none");
    setAttribute(element, "months", "1");
    element.picker = picker;
    this.elements[index] = element;
    this.changed();
  }
}

/** The next Friday, today included. */
function nextFriday() {
  const today = todayIn(Date.now(), Intl.DateTimeFormat().resolvedOptions().timeZone);
  return addingDays(today, (friday + 7 - weekdayOf(ordinalOf(today))) % 7);
}

/**
 * @param {Sale} sale @param {import("./words/words.js").DemoWords & import("./words/types").HomeWords} words
 * @param {(problem: unknown) => string} textOf a problem
 * @returns {import("./patch.js").View}
 */
export const saleView = (sale, words, textOf) => h("section", { class: "sale" },
  h("h1", { class: "examples-title" }, words.pickers.evening),
  h("p", { class: "lead" }, words.sale.text),
  Boolean(sale.problem) && h("p", { class: "problem", role: "alert" }, textOf(sale.problem)),
  h("div", { class: "windows" }, sale.created.map((_, index) => h("figure", { class: "device", key: String(index) },
    sale.created.length > 1 && h("figcaption", {}, index ? words.sale.other : words.sale.you),
    h("div", { class: "screen" }, sale.elements[index] ?? h("div", { class: "dots" }))))),
  h("div", { class: "sale-link" },
    h("label", { for: "sale-link" }, words.sale.link),
    h("input", {
      class: "link", id: "sale-link", type: "text", readonly: true, value: sale.link, dir: "ltr",
      onfocus: (/** @type {any} */ { target }) => target.select(),
    }),
    h("button", { class: "secondary", type: "button", onclick: () => void sale.copy() }, words.copy),
    h("p", { class: "remark", role: "status" }, sale.status)));
