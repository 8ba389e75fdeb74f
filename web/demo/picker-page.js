// The page of one picker, with its panels: host, share, definition and messages.

import { connect } from "../client/elements.js";
import { connectionText } from "../client/parts/connection-texts.js";
import { make, setAttribute, setText } from "../client/parts/dom.js";
import { wordsOf } from "../client/words/words.js";
import { CalendarLinks } from "./calendar-links.js";
import { DefinitionPanel } from "./definition-panel.js";
import { demoPickers } from "./home.js";
import { HostPanel } from "./host/panel.js";
import { MessagesPanel } from "./messages-panel.js";
import { storedTokens } from "./route.js";
import { readSession } from "./server.js";
import { SharePanel } from "./share-panel.js";
import { read, write } from "./storage.js";
import { closedPageOf, shownConnection } from "./closed-page.js";
import { demoLanguages } from "./words/words.js";

/** @typedef {import("../client/core/session.js").PickerSession} PickerSession */

/** The pause after a failed request for the title and the definition. */
const readAgainMilliseconds = 3_000;

export class PickerPage {
  /** @param {HTMLElement} container @param {import("./settings.js").Settings} settings @param {NonNullable<import("./route.js").Route>} route */
  constructor(container, settings, route) {
    this.container = container;
    this.settings = settings;
    this.route = route;
    const owner = storedTokens(route.session)?.owner;
    this.token = owner ?? route.token;
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
    this.share = new SharePanel(route.session, route.token);
    this.definition = new DefinitionPanel();
    this.messages = new MessagesPanel();
    this.links = new CalendarLinks();
    // With tokens a shared link does not contain the owner's, so that its recipients get no host panel.
    this.host = owner || !route.token ? new HostPanel(route.session, owner, settings) : null;
    this.side = make("aside", { class: "side" }, ...(this.host ? [this.host.element] : []),
      this.share.element, this.definition.element, this.messages.element);
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
    this.share.setWords(words);
    this.definition.setWords(words);
    this.messages.setWords(words);
    this.links.setWords(words);
    this.host?.setWords();
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

  /** Where the name is stored that the user had typed when this tab became a member, or changed its name. */
  get #nameKey() { return `name ${this.route.session}`; }

  async #join() {
    const { name, typedName, locale } = this.settings;
    const before = read("sessionStorage", this.#nameKey) ?? typedName;
    const picker = await connect(`v1/sessions/${encodeURIComponent(this.route.session)}`, { name, locale, token: this.token });
    if (this.isClosed) return picker.stop();
    this.picker = picker;
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
    this.definition.follow(document.snapshot.definition, document.title ?? "");
    this.links.show(document.links);
    this.host?.ask(document.op);
    await this.#name();
  }

  /** Sets the titles of the picker and its columns, in the page's language if it is one of the demo's pickers. */
  async #name() {
    if (!this.document) return;
    const { words } = this.settings;
    const { title, snapshot } = this.document;
    const picker = await knownPicker(snapshot.definition.kind, title);
    const name = picker ? words.pickers[picker.id].title : title || words.untitled;
    setText(this.title, name);
    document.title = `${name} – pickerd`;
    this.labels = picker?.id === "linked" ? words.columnLabels[/** @type {"cascade" | "columns"} */ (snapshot.definition.kind)] : null;
    if (this.element) setAttribute(this.element, "labels", this.labels);
    if (!this.host || !this.picker) return;
    this.host.labels = this.labels?.split(",") ?? [];
    this.host.draw(this.picker);
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
    if (picker.state.isKnown && !this.element) this.#show(picker);
    else if (!this.element && connection === "waiting") {
      setText(this.title, connectionText(picker, wordsOf(this.settings.locale)) ?? "");
    }
    this.host?.draw(picker);
  }

  /** @param {PickerSession} picker */
  #show(picker) {
    this.element = document.createElement(picker.state.isCalendar ? "pickerd-calendar" : "pickerd-wheels");
    setAttribute(this.element, "labels", this.labels);
    this.element.picker = picker;
    this.stage.replaceChildren(this.element);
  }
}

/**
 * The demo's picker of a kind whose title in any language is `title`.
 * @param {string} kind @param {string | undefined} title
 */
async function knownPicker(kind, title) {
  const pickers = await demoPickers().catch(() => []);
  return pickers.find(({ id, definitions }) => definitions.some((one) => one.kind === kind)
    && Object.values(demoLanguages).some((one) => one.pickers[id].title === title));
}
