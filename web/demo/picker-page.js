// The page of one picker: who invites to it, the picker, its link, and panels for developers.

import "../client/define-calendar.js";
import { connectionText } from "../client/parts/connection-texts.js";
import { make, setAttribute, setText } from "../client/parts/dom.js";
import { wordsOf } from "../client/words/words.js";
import { CalendarLinks } from "./calendar-links.js";
import { shownConnection } from "./ending.js";
import { Greeting } from "./greeting.js";
import { loadElement, nameKeyOf, zoneKeyOf } from "./joining.js";
import { loadLaterSheet } from "./later-sheet.js";
import { reloadLater } from "./loading.js";
import { MessageRecord } from "./message-record.js";
import { demoPickers, isNew, markShared } from "./opening.js";
import { forget, remember } from "./recent.js";
import { readDecider, readSession } from "./server.js";
import { read, write } from "./storage.js";
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
    /** @type {string | null} the member who has confirmed or cancelled */
    this.decidedBy = null;
    /** @type {boolean | null} whether the host decides on a confirmation, as far as the page knows; null before it has read the title */
    this.isHosts = null;
    this.back = make("a", { class: "back", href: "#/" });
    this.greeting = new Greeting(settings, Boolean(route.token || joining.owner));
    this.title = this.greeting.title;
    this.chip = make("span", { class: "chip", role: "status" });
    this.stage = make("div", { class: "picker-stage" });
    this.links = new CalendarLinks();
    /** @type {import("./share-panel.js").SharePanel | null} */
    this.share = null;
    this.column = make("div", { class: "picker-column" }, this.stage, this.links.element);
    this.shareStage = make("div", { class: "share-stage" });
    this.developersHeading = make("summary", {});
    this.developers = make("details", { class: "developers", open: read("localStorage", "developers") === "open" }, this.developersHeading);
    this.developers.addEventListener("toggle", () => {
      write("localStorage", "developers", this.developers.open ? "open" : "");
      void this.#loadPanels();
    });
    /** @type {import("./panels.js").Panels | null} */
    this.panels = null;
    /** @type {string | null} names of the columns, separated by commas */
    this.labels = null;
    this.messages = new MessageRecord();
  }

  async open() {
    const isFirst = isNew(this.route.session);
    setAttribute(this.shareStage, "data-first", isFirst);
    this.container.replaceChildren(make("div", { class: "picker-page" },
      make("div", { class: "picker-head" }, this.back, this.chip), this.greeting.element, this.greeting.form,
      isFirst ? this.shareStage : null, this.column, isFirst ? null : this.shareStage));
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
    setText(this.developersHeading, words.developers);
    this.picker?.setLocale(locale);
    this.greeting.translate();
    this.links.setWords(words);
    this.share?.setWords(words);
    void this.panels?.translate();
    this.#draw();
    void this.#name();
  }

  /** The user has typed a name, here or before the page was opened. */
  async rename() {
    const { typedName, name } = this.settings;
    this.#draw();
    this.share?.name(this.title.textContent ?? "", name);
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
    let { timeZone } = picker;
    picker.addEventListener("connection", () => {
      // The user has chosen another one, which joins again.
      if (picker.timeZone !== timeZone) write("sessionStorage", zoneKeyOf(this.route.session), timeZone = picker.timeZone ?? "");
      this.#draw();
    }, { signal });
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
    // The panel of the host has the buttons for the decision. A link with a token opens none.
    const isHost = this.joining.owner || !this.route.token;
    if (document.op && picker.isOwner && isHost) this.developers.open = true;
    await this.#name();
    void this.#readDecider(picker);
  }

  /** @param {PickerSession} picker */
  async #readDecider(picker) {
    const { status, revision } = picker.state;
    this.decidedBy = null;
    if (status === "confirmed" || status === "cancelled") {
      const decidedBy = await readDecider(this.route.session, this.token, revision).catch(() => null);
      if (this.isClosed || picker.state.status !== status) return;
      this.decidedBy = decidedBy;
    }
    this.#draw();
  }

  /** Sets the titles of the picker and its columns, in the page's language if it is one of the demo's pickers. */
  async #name() {
    if (!this.document) return;
    const { words } = this.settings;
    const { title, snapshot } = this.document;
    const picker = await knownPicker(snapshot.definition, title, this.settings.locale);
    const name = picker ? words.pickers[picker.id] : title || words.untitled;
    setText(this.title, name);
    document.title = `${name} – pickerd`;
    this.isHosts = picker?.decide !== undefined;
    remember(this.route.session, name, Boolean(this.token));
    this.share?.name(name, this.settings.name);
    this.labels = picker?.id === "linked" ? words.columnLabels[/** @type {"cascade" | "columns"} */ (snapshot.definition.kind)] : null;
    if (this.element) setAttribute(this.element, "labels", this.labels);
    if (this.picker && this.developers.open) this.panels?.draw(this.picker, this.labels);
  }

  #draw() {
    const { picker } = this;
    const { words } = this.settings;
    const connection = picker?.connection ?? "connecting";
    const shown = picker ? shownConnection(picker, this.document) : connection;
    setText(this.chip, words.connection[shown]);
    setAttribute(this.chip, "data-connection", shown);
    if (!picker) return;
    if (connection === "live") void this.#read(picker);
    this.greeting.draw(picker, picker.state.status === "confirming" || this.isHosts, this.decidedBy);
    if (connection === "credentials" || connection === "away") return void this.#drawClosed(picker);
    if (this.closedPage) this.stage.replaceChildren(...(this.element ? [this.element] : []));
    this.closedPage = null;
    if (picker.state.isKnown && !this.element) void this.#show(picker);
    else if (!this.element && connection === "waiting") {
      setText(this.title, connectionText(picker, wordsOf(this.settings.locale)) ?? "");
    }
    if (this.developers.open) this.panels?.draw(picker, this.labels);
  }

  /** @param {PickerSession} picker */
  async #drawClosed(picker) {
    const module = await import("./closed-page.js").catch(reloadLater);
    const closedPage = module?.closedPageOf(picker, this.settings, this.document, this.route.session);
    if (!closedPage || this.isClosed) return;
    if (!this.document) setText(this.title, this.settings.words.untitled);
    if (picker.closeCode === 4404 || picker.closeCode === 4410) forget(this.route.session);
    if (this.closedPage !== closedPage.reason) this.stage.replaceChildren(closedPage.element);
    this.closedPage = closedPage.reason;
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
    requestAnimationFrame(() => setTimeout(() => {
      void this.#loadShare(picker);
      void this.#loadPanels();
    }));
  }

  /** @param {PickerSession} picker */
  async #loadShare(picker) {
    const [module] = await Promise.all([import("./share-panel.js").catch(reloadLater), loadLaterSheet()]);
    if (!module || this.isClosed) return;
    const { session, token } = this.route;
    this.share = new module.SharePanel(session, token, picker.isOwner, isNew(session) ? () => {
      markShared(session);
      setAttribute(this.shareStage, "data-first", null);
      this.column.after(this.shareStage);
      this.container.focus({ preventScroll: true });
    } : null);
    this.share.setWords(this.settings.words);
    this.share.name(this.title.textContent ?? "", this.settings.name);
    this.shareStage.replaceChildren(this.share.element);
    // The last element, which the others would have moved.
    this.shareStage.parentElement?.append(this.developers);
  }

  /** Loads the panels for developers, once they are opened. */
  async #loadPanels() {
    if (!this.developers.open || !this.picker) return;
    if (this.panels) return this.panels.draw(this.picker, this.labels);
    const [module] = await Promise.all([import("./panels.js").catch(reloadLater), loadLaterSheet()]);
    if (!module || this.isClosed || this.panels) return;
    this.panels = new module.Panels(this.route, this.joining.owner, this.settings, this.messages);
    this.developers.append(this.panels.element);
    await this.panels.translate();
    if (this.document) this.panels.read(this.document);
    this.panels.draw(this.picker, this.labels);
  }
}

/**
 * The demo's picker of a kind with that title in the page's language, or in that of the page on which it was created.
 * @param {{kind: string, locale: string}} definition @param {string | undefined} title @param {string} locale the page's
 */
async function knownPicker({ kind, locale: first }, title, locale) {
  const pickers = (await demoPickers().catch(() => [])).filter(({ definitions }) => definitions.some((one) => one.kind === kind));
  const named = (/** @type {string} */ language) => pickers.find(({ id }) => demoWordsOf(language).pickers[id] === title);
  if (!title || pickers.length === 0) return undefined;
  for (const language of [locale, first].filter((one) => one in languageNames)) {
    await loadLanguage(language);
    const found = named(language);
    if (found) return found;
  }
  return undefined;
}
