// The two windows of the home page: one session, which this page joins as two members.

import "../client/define-calendar.js";
import { addingDays } from "../client/core/civil.js";
import { resultText } from "../client/parts/bar.js";
import { bareSheet } from "../client/parts/bare-sheet.js";
import { setAttribute } from "../client/parts/dom.js";
import { connect } from "../client/pickerd.js";
import { dayOf } from "../client/words/dates.js";
import { wordsOf } from "../client/words/words.js";
import { ask, changeSession } from "./server.js";

/** @typedef {import("../client/core/session.js").PickerSession} PickerSession */

const names = ["Ana", "Bo"];

export class Tour {
  /** @type {PickerSession[]} */
  pickers = [];
  /** @type {any[]} the elements of the two members */
  elements = [];
  isLive = false;
  /** Whether the host has sold the last night of the stay. */
  isSold = false;
  /** Whether the host's last request has failed. */
  problem = false;

  /**
   * @param {{session: string, ownerToken?: string, tokens?: import("./route.js").Tokens}} created
   * @param {{start: string, end: string}} stay that is chosen first @param {string} locale @param {() => void} changed
   */
  constructor({ session, ownerToken, tokens }, stay, locale, changed) {
    this.path = `v1/sessions/${encodeURIComponent(session)}`;
    this.owner = tokens?.owner ?? ownerToken;
    this.editor = tokens?.editor;
    this.stay = stay;
    this.locale = locale;
    this.changed = changed;
  }

  /** The night that the host sells, as a date: the last one of the stay. */
  get #night() { return addingDays(this.stay.end, -1); }

  /** The same in the page's language. */
  get day() { return dayOf(this.#night, this.locale); }

  /** What each member has chosen, as text. */
  get results() {
    return this.pickers.map((picker, index) => (this.elements[index] ? resultText(picker, wordsOf(this.locale)) : ""));
  }

  /** Joins as both members. */
  async open() {
    const months = { from: this.stay.start.slice(0, 7), count: 2 };
    this.pickers = await Promise.all([this.owner, this.editor].map((token, index) =>
      connect(this.path, { name: names[index], locale: this.locale, token, months, identity: "none" })));
    // A browser opens the second connection after the first: the first window does not wait for it.
    await Promise.all(this.pickers.map(async (picker, index) => {
      await until(picker, () => picker.state.isKnown);
      this.elements[index] = this.#elementOf(picker);
      this.changed();
    }));
    this.isLive = true;
  }

  /** @param {PickerSession} picker */
  #elementOf(picker) {
    const element = /** @type {any} */ (document.createElement("pickerd-calendar"));
    element.adopt(bareSheet);
    for (const name of ["frame", "actions"]) setAttribute(element, name, "none");
    setAttribute(element, "months", "1");
    // Both are there from the start.
    picker.addEventListener("notice", (event) => {
      if (/** @type {CustomEvent} */ (event).detail.kind === "joined") event.stopImmediatePropagation();
    });
    element.picker = picker;
    picker.addEventListener("change", this.changed);
    return element;
  }

  /** @param {string} locale */
  setLocale(locale) {
    this.locale = locale;
    for (const picker of this.pickers) picker.setLocale(locale);
  }

  /** As the host, sells the last night of the stay, or frees it again. */
  async sellOut() {
    const isSold = !this.isSold;
    const taken = { shop: isSold ? { from: this.#night, through: this.#night } : null };
    try {
      await changeSession(`${this.path}/definition`, "application/merge-patch+json", { taken }, this.owner);
      this.isSold = isSold;
      this.problem = false;
    } catch {
      this.problem = true;
    }
    this.changed();
  }

  /** Leaves nothing behind: the members are of no browser, and the session is deleted. */
  async close() {
    for (const picker of this.pickers) picker.stop();
    // Otherwise it ends by itself, a while after the last one has left.
    await ask(this.path, { method: "DELETE", token: this.owner }).catch(() => {});
  }
}

/** @param {PickerSession} picker @param {() => boolean} holds @returns {Promise<void>} resolves when that holds */
const until = (picker, holds) => new Promise((resolve) => {
  const look = () => {
    if (!holds()) return;
    picker.removeEventListener("change", look);
    resolve();
  };
  picker.addEventListener("change", look);
  look();
});
