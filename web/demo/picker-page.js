// The page of one picker, with its panels: host, share, definition and messages.

import "../client/define-calendar.js";
import { connectionText } from "../client/parts/connection-texts.js";
import { make, setAttribute, setText } from "../client/parts/dom.js";
import { wordsOf } from "../client/words/words.js";
import { CalendarLinks } from "./calendar-links.js";
import { loadElement, nameKeyOf } from "./joining.js";
import { loadLaterSheet } from "./later-sheet.js";
import { reloadLater } from "./loading.js";
import { MessagesPanel } from "./messages-panel.js";
import { demoPickers } from "./opening.js";
import { readSession } from "./server.js";
import { write } from "./storage.js";
import { closedPageOf, shownConnection } from "./closed-page.js";
import { demoWordsOf, languageNames, loadLanguage } from "./words/words.js";

/** @typedef {import("../client/core/session.js").PickerSession} PickerSession */

/** The pause after a failed request for the title and the definition. */
const readAgainMilliseconds = 3_000;

export class PickerPage {
  /**
   * @param {HTMLElement} container @param {import("./settings.js").Settings} settings
   * @param {NonNullable<import("./route.js").Route>} route @param {import("./joining.js").Joining} joining
   */
  constructor(container, settings, route, joining) {
    this.container = container;
    this.settings = settings;
    this.route = route;
    this.joining = joining;
    this.token = joining.token;
    /** @type {PickerSession | null} */
    this.picker = null;
    /** @type {any} the element, once the kind is known */
    this.element = null;
    /** @type {any} the response to `GET`: title and complete definition */
    this.document = null;
    /** The version and status for which `document` was last read; it is read again when they change. */
    this.readFor = "";
    this.isClosed = false;
    /** @type {string | null} the reason of the page that is shown instead of the picker */
    this.closedPage = null;
    this.listening = new AbortController();
    this.back = make("a", { class: "back", href: "#/" });
    this.title = make("h1", { class: "picker-title" });
    this.chip = make("span", { class: "chip", role: "status" });
    this.latency = make("span", { class: "figure latency" });
    this.revision = make("span", { class: "figure revision" });
    this.stage = make("div", { class: "picker-stage" });
    this.links = new CalendarLinks();
    this.side = make("aside", { class: "side" });
    /** @type {import("./panels.js").Panels | null} */
    this.panels = null;
    /** @type {string | null} names of the columns, separated by commas */
    this.labels = null;
    this.messages = new MessagesPanel();
  }

  async open() {
    this.container.replaceChildren(make("div", { class: "picker-page" },
      make("div", { class: "picker-head" }, this.back, this.title,
        make("div", { class: "figures" }, this.chip, this.latency, this.revision)),
      make("div", { class: "picker-column" }, this.stage, this.links.element), this.side));
    this.translate();
    await this.#join();
  }

  close() {
    this.isClosed = true;
    this.listening.abort();
    this.picker?.stop();
  }

  /** Updates all texts to the current language. */
  translate() {
    const { words, locale } = this.settings;
    setText(this.back, words.back);
    this.picker?.setLocale(locale);
    this.links.setWords(words);
    this.messages.setWords(words);
    this.panels?.translate();
    this.#draw();
    void this.#name();
  }

  /** The user has typed a name, here or before the page was opened. */
  async rename() {
    const { typedName, name } = this.settings;
    const answer = await this.picker?.rename(name);
    // Refused, because the token has a name: it is not tried again when the page is opened the next time.
    if (answer?.outcome === "done" || answer?.outcome === "refused") write("sessionStorage", this.#nameKey, typedName);
  }

  get #nameKey() { return nameKeyOf(this.route.session); }

  async #join() {
    const { before } = this.joining;
    const picker = await this.joining.picker;
    if (this.isClosed) return picker.stop();
    this.picker = picker;
    // It was changed while this page was loaded.
    picker.setLocale(this.settings.locale);
    if (this.settings.typedName !== before) void this.rename();
    else write("sessionStorage", this.#nameKey, before);
    const { signal } = this.listening;
    this.messages.follow(picker, signal);
    picker.addEventListener("change", () => this.#draw(), { signal });
    picker.addEventListener("connection", () => this.#draw(), { signal });
    picker.addEventListener("answered", () => this.#draw(), { signal });
    if (this.element) this.element.picker = picker;
    this.#draw();
  }

  /** @param {PickerSession} picker */
  async #read(picker) {
    const { definition, version, status } = picker.state;
    const readFor = `${version ?? JSON.stringify(definition)} ${status}`;
    if (this.readFor === readFor) return;
    this.readFor = readFor;
    let document;
    try {
      document = await readSession(this.route.session, this.token, this.settings.locale);
    } catch {
      // The connection reports a problem in more detail. If there is none, the answer was lost.
      setTimeout(() => {
        if (this.readFor === readFor) this.readFor = "";
        if (!this.isClosed) this.#draw();
      }, readAgainMilliseconds);
      return;
    }
    if (this.isClosed || this.readFor !== readFor) return;
    this.document = document;
    this.links.show(document.links);
    this.panels?.read(document);
    await this.#name();
  }

  /** Sets the titles of the picker and its columns, in the page's language if it is one of the demo's pickers. */
  async #name() {
    if (!this.document) return;
    const { words } = this.settings;
    const { title, snapshot } = this.document;
    const picker = await knownPicker(snapshot.definition.kind, title, this.settings.locale);
    const name = picker ? words.pickers[picker.id].title : title || words.untitled;
    setText(this.title, name);
    document.title = `${name} – pickerd`;
    this.labels = picker?.id === "linked" ? words.columnLabels[/** @type {"cascade" | "columns"} */ (snapshot.definition.kind)] : null;
    if (this.element) setAttribute(this.element, "labels", this.labels);
    if (this.picker) this.panels?.draw(this.picker, this.labels);
  }

  #draw() {
    const { picker } = this;
    const { words } = this.settings;
    const connection = picker?.connection ?? "connecting";
    const shown = picker ? shownConnection(picker, this.document) : connection;
    setText(this.chip, words.connection[shown]);
    setAttribute(this.chip, "data-connection", shown);
    const milliseconds = picker?.latencyMilliseconds;
    setText(this.latency, milliseconds === null || milliseconds === undefined ? "" : words.latency(Math.max(1, Math.round(milliseconds))));
    setAttribute(this.latency, "title", words.latencyTitle);
    if (!picker) return;
    if (connection === "live") void this.#read(picker);
    setText(this.revision, picker.state.isKnown ? words.revision(picker.state.revision) : "");
    const closedPage = closedPageOf(picker, this.settings, this.document, this.route.session);
    if (closedPage) {
      if (!this.document) setText(this.title, words.untitled);
      if (this.closedPage !== closedPage.reason) this.stage.replaceChildren(closedPage.element);
      this.closedPage = closedPage.reason;
      return;
    }
    if (this.closedPage) this.stage.replaceChildren(...(this.element ? [this.element] : []));
    this.closedPage = null;
    if (picker.state.isKnown && !this.element) void this.#show(picker);
    else if (!this.element && connection === "waiting") {
      setText(this.title, connectionText(picker, wordsOf(this.settings.locale)) ?? "");
    }
    this.panels?.draw(picker, this.labels);
  }

  /** @param {PickerSession} picker */
  async #show(picker) {
    const name = await loadElement(picker);
    if (this.element || this.isClosed) return;
    this.element = document.createElement(name);
    if (picker.state.availability) setAttribute(this.element, "zones", "Europe/Berlin, America/New_York");
    setAttribute(this.element, "labels", this.labels);
    this.element.picker = picker;
    if (!this.closedPage) this.stage.replaceChildren(this.element);
    const replay = await this.joining.notices;
    replay();
    // After the picker was painted.
    requestAnimationFrame(() => setTimeout(() => this.#loadPanels()));
  }

  async #loadPanels() {
    const [panels] = await Promise.all([import("./panels.js").catch(reloadLater), loadLaterSheet()]);
    if (!panels || this.isClosed || !this.picker) return;
    this.panels = new panels.Panels(this.route, this.joining.owner, this.settings);
    if (this.document) this.panels.read(this.document);
    this.panels.draw(this.picker, this.labels);
    this.side.replaceChildren(...this.panels.elements, this.messages.element);
  }
}

/**
 * The demo's picker of a kind whose title in any language is `title`. Most pickers have a title in the page's language,
 * so that no other one is loaded.
 * @param {string} kind @param {string | undefined} title @param {string} locale the page's
 */
async function knownPicker(kind, title, locale) {
  const pickers = (await demoPickers().catch(() => [])).filter(({ definitions }) => definitions.some((one) => one.kind === kind));
  const named = (/** @type {string} */ language) => pickers.find(({ id }) => demoWordsOf(language).pickers[id].title === title);
  if (!title || pickers.length === 0) return undefined;
  for (const language of [locale, ...Object.keys(languageNames)]) {
    await loadLanguage(language);
    const found = named(language);
    if (found) return found;
  }
  return undefined;
}
