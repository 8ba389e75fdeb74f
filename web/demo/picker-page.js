// The page of one picker: the state of what is around it, of which views are drawn.

import "../client/define-calendar.js";
import { setAttribute } from "../client/parts/dom.js";
import { usability } from "../client/parts/bar.js";
import { bareSheet } from "../client/parts/bare-sheet.js";
import { peopleSheet } from "../client/parts/people-sheet.js";
import { People } from "../client/parts/people.js";
import { wordsOf } from "../client/words/words.js";
import { shownConnection } from "./ending.js";
import { loadElement, nameKeyOf, zoneKeyOf } from "./joining.js";
import { loadLaterSheet } from "./later-sheet.js";
import { pauseAfter, reloadLater } from "./loading.js";
import { demoPickers, isNew, markShared } from "./pickers.js";
import { h, patch } from "./patch.js";
import { forget, remember } from "./recent.js";
import { areaOf, namesUser, storedTokens } from "./route.js";
import { readDecider, readSession } from "./server.js";
import { read, write } from "./storage.js";
import { demoWordsOf, loadLanguage, locales } from "./words/words.js";

/** @typedef {import("../client/core/session.js").PickerSession} PickerSession */

/** The maximum of recorded messages; older ones are removed. */
const messagesMax = 200;

document.adoptedStyleSheets.push(peopleSheet());

export class PickerPage {
  /**
   * @param {HTMLElement} container @param {import("./settings.js").Settings} settings
   * @param {NonNullable<import("./route.js").Route>} route @param {import("./joining.js").Joining} joining
   * @param {{drawBar: () => void, around: typeof import("./around.js") | null}} shell `drawBar`: called when what the bar
   *   shows has changed
   */
  constructor(container, settings, route, joining, shell) {
    this.container = container;
    this.settings = settings;
    this.route = route;
    this.joining = joining;
    this.shell = shell;
    this.token = joining.token;
    this.hasToken = Boolean(route.token || joining.owner);
    /** Whether the link has a token of this user alone, which is shared with nobody. */
    this.isPersonal = !storedTokens(route.session) && namesUser(route.token);
    /** @type {PickerSession | null} */
    this.picker = null;
    this.people = new People(innerWidth < 360 ? 1 : innerWidth <= 640 ? 3 : 6);
    /** @type {any} the element, once the kind is known */
    this.element = null;
    /** @type {any} the response to `GET`: title and complete definition */
    this.document = null;
    this.title = "";
    /** The version and status for which `document` was last read; it is read again when they change. */
    this.readFor = "";
    this.readAttempt = 0;
    this.isClosed = false;
    /** Whether there is no picker, or no access to it. */
    this.isOver = false;
    this.listening = new AbortController();
    /** @type {string | null} the member who has confirmed or cancelled */
    this.decidedBy = null;
    /** @type {boolean | null} whether the host decides on a confirmation, as far as the page knows; null before it has read the title */
    this.isHosts = null;
    /** @type {string | null} names of the columns, separated by commas */
    this.labels = null;
    /** @type {typeof import("./closed-page.js").closedView | null} loaded when there is no picker to show */
    this.closedView = null;
    this.pasteProblem = "";
    /** @type {typeof import("./share.js") | null} loaded after the first paint: without a network it could not be loaded */
    this.share = null;
    this.isSharing = false;
    /** @type {"editor" | "viewer"} */
    this.sharedRole = "editor";
    this.shareStatus = "";
    /** @type {import("./panels.js").Panels | null} */
    this.panels = null;
    this.showsDevelopers = read("localStorage", "developers") === "open";
    /** @type {import("./panels.js").Recorded[]} the last messages of the connection */
    this.messages = [];
  }

  async open() {
    this.draw();
    const { before } = this.joining;
    const picker = await this.joining.picker;
    if (this.isClosed) return picker.stop();
    this.picker = picker;
    // It was changed while this page was loaded.
    picker.setLocale(this.settings.locale);
    if (this.settings.typedName !== before) void this.rename();
    else write(this.#area, nameKeyOf(this.route.session), before);
    const { signal } = this.listening;
    for (const name of ["change", "answered"]) picker.addEventListener(name, () => this.draw(), { signal });
    let { timeZone } = picker;
    picker.addEventListener("connection", () => {
      // The user has chosen another one, which joins again.
      if (picker.timeZone !== timeZone) write(this.#area, zoneKeyOf(this.route.session), timeZone = picker.timeZone ?? "");
      this.draw();
    }, { signal });
    picker.addEventListener("message", (event) => {
      const { direction, message } = /** @type {CustomEvent} */ (event).detail;
      this.messages.push({ direction, message, time: new Date().toISOString().slice(11, 23) });
      if (this.messages.length > messagesMax) this.messages.shift();
      if (this.panels?.isOpen) this.draw();
      if (direction === "out" && message.ref !== undefined && message.type !== "rename") void this.#askName();
    }, { signal });
    this.draw();
  }

  close() {
    this.isClosed = true;
    this.listening.abort();
    this.picker?.stop();
  }

  /** Updates all texts to the current language. */
  translate() {
    this.picker?.setLocale(this.settings.locale);
    this.shareStatus = "";
    void this.panels?.translate();
    this.draw();
    void this.#name();
  }

  /** The user has typed a name, here or before the page was opened. */
  async rename() {
    if (this.route.isGuest) return;
    const { typedName, name } = this.settings;
    this.draw();
    const answer = await this.picker?.rename(name);
    // Refused, because the token has a name: it is not tried again when the page is opened the next time.
    if (answer?.outcome === "done" || answer?.outcome === "refused") write(this.#area, nameKeyOf(this.route.session), typedName);
  }

  /**
   * Shows the link to share, or hides it if it is shown.
   * @param {boolean} [isAsked] by the user; otherwise it closes nothing that the user has opened
   */
  async invite(isAsked = true) {
    // As the user sees it: while the module is loaded, the page may show it unasked.
    const isShown = document.querySelector("#share:popover-open") !== null;
    await this.#loadShare();
    if (!isAsked && document.querySelector(":popover-open")) return;
    if (!this.share || this.isClosed || await this.share.shareByDevice(this)) return;
    this.isSharing = true;
    this.draw();
    /** @type {any} */ (document.getElementById("share"))?.togglePopover(!isShown);
    markShared(this.route.session);
  }

  /** @param {"editor" | "viewer"} role of those who get the link */
  shareAs(role) {
    this.sharedRole = role;
    this.say("");
  }

  /** @param {string} status of sharing */
  say(status) {
    this.shareStatus = status;
    this.draw();
  }

  /** @param {string} problem why a pasted text gives no access; empty: none */
  showPasteProblem(problem) {
    this.pasteProblem = problem;
    this.draw();
  }

  /** @param {boolean} isShown */
  showDevelopers(isShown) {
    this.showsDevelopers = isShown;
    write("localStorage", "developers", isShown ? "open" : "");
    this.draw();
    void this.#loadPanels();
  }

  /** Leaves the picker, and removes what this browser knows of it. */
  forget() {
    this.picker?.leave();
    forget(this.route.session);
    location.hash = "#/";
  }

  /** What the bar of the picker has no room for on a phone. */
  get commands() {
    const { picker, element } = this;
    return picker && element ? /** @type {const} */ (["redo", "clear", "cancel"]).filter((one) => usability(one, picker).isShown) : [];
  }

  get #area() { return areaOf(this.route.isGuest); }

  /** Asks for the name once, where the access has none. */
  async #askName() {
    const { settings, route: { isGuest }, picker } = this;
    const isNamed = settings.typedName !== "" || isGuest || picker?.self?.name !== settings.name;
    if (isNamed || read("sessionStorage", "asked") === "yes") return;
    write("sessionStorage", "asked", "yes");
    const [module] = await Promise.all([import("./name-sheet.js").catch(reloadLater), loadLaterSheet()]);
    if (module && !this.isClosed) module.askName(settings, this.element);
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
      await pauseAfter(this.readAttempt += 1);
      if (this.readFor === readFor) this.readFor = "";
      if (!this.isClosed) this.draw();
      return;
    }
    if (this.isClosed || this.readFor !== readFor) return;
    this.readAttempt = 0;
    this.document = document;
    this.panels?.read(document);
    // The panel of the host has the buttons for the decision. A link with a token opens none.
    const isHost = this.joining.owner || !this.route.token;
    if (document.op && picker.isOwner && isHost) this.showDevelopers(true);
    await this.#name();
    this.decidedBy = null;
    if (status === "confirmed" || status === "cancelled") {
      const decidedBy = await readDecider(this.route.session, this.token, picker.state.revision).catch(() => null);
      if (this.isClosed || picker.state.status !== status) return;
      this.decidedBy = decidedBy;
    }
    this.draw();
  }

  /** Sets the titles of the picker and its columns, in the page's language if it is one of the demo's pickers. */
  async #name() {
    if (!this.document) return;
    const { words } = this.settings;
    const { title, snapshot } = this.document;
    const picker = await knownPicker(snapshot.definition, title, this.settings.locale);
    this.title = picker ? words.pickers[picker.id] : title || words.untitled;
    document.title = `${this.title} – pickerd`;
    this.isHosts = picker?.decide !== undefined;
    remember(this.route.session, this.title, Boolean(this.token));
    this.labels = picker?.id === "linked" ? words.columnLabels[/** @type {"cascade" | "columns"} */ (snapshot.definition.kind)] : null;
    if (this.element) setAttribute(this.element, "labels", this.labels);
    this.draw();
  }

  /** Draws what is around the element, after any change. */
  draw() {
    const { picker, settings: { words, locale }, shell: { around } } = this;
    const connection = picker?.connection ?? "connecting";
    setAttribute(this.container, "data-connection", picker ? shownConnection(picker, this.document) : connection);
    if (picker) this.#follow(picker);
    this.isOver = connection === "credentials" || connection === "away";
    const closed = this.isOver ? this.closedView?.(this) : null;
    if (picker) this.people.draw(picker, wordsOf(locale));
    this.shell.drawBar();
    patch(this.container, h("div", { class: "picker-page" },
      h("div", { class: "picker-column", "data-status": picker?.state.status },
        closed || (this.element ?? h("div", { class: "boot" })),
        !closed && around?.receiptView(this)),
      h("aside", { class: "rail popover", id: "rail", popover: "auto" }, around?.railView(this)),
      this.isSharing && h("div", { class: "popover share", id: "share", popover: "auto" }, this.share?.shareView(this)),
      h("aside", { class: "drawer", hidden: !this.showsDevelopers, "aria-label": words.developers },
        h("div", { class: "drawer-head" }, h("h2", {}, words.developers),
          h("button", { class: "close", type: "button", "aria-label": words.done, onclick: () => this.showDevelopers(false) }, "×")),
        picker && this.showsDevelopers && this.panels?.view(picker))));
  }

  /** @param {PickerSession} picker to whose state something may have to be loaded */
  #follow(picker) {
    const { connection, closeCode, state } = picker;
    if (connection === "live") void this.#read(picker);
    if (connection === "credentials" || connection === "away") void this.#loadClosed(closeCode);
    else if (state.isKnown && !this.element) void this.#show(picker);
    else if (!this.element && connection === "waiting") void this.#sayWhyNot(picker);
  }

  /** @param {PickerSession} picker that has not joined yet */
  async #sayWhyNot(picker) {
    const { connectionText } = await import("../client/parts/banner.js");
    const title = connectionText(picker, wordsOf(this.settings.locale)) ?? "";
    if (this.element || this.title === title) return;
    this.title = title;
    this.draw();
  }

  /** @param {number | null} closeCode */
  async #loadClosed(closeCode) {
    if (!this.document) this.title ||= this.settings.words.untitled;
    if (closeCode === 4404 || closeCode === 4410) forget(this.route.session);
    if (this.closedView) return;
    const [module] = await Promise.all([import("./closed-page.js").catch(reloadLater), loadLaterSheet()]);
    if (!module || this.isClosed) return;
    this.closedView = module.closedView;
    this.draw();
  }

  /** @param {PickerSession} picker */
  async #show(picker) {
    const name = await loadElement(picker);
    if (this.element || this.isClosed) return;
    /** @type {any} */
    const element = document.createElement(name);
    // For the first paint: with all that comes later it would come, too.
    element.adopt?.(bareSheet);
    setAttribute(element, "frame", "none");
    setAttribute(element, "labels", this.labels);
    element.picker = picker;
    this.element = element;
    this.draw();
    const replay = await this.joining.notices;
    replay();
    // After the picker was painted.
    requestAnimationFrame(() => setTimeout(async () => {
      void this.#loadPanels();
      await this.#loadShare();
      if (this.isClosed) return;
      if (isNew(this.route.session) && !this.showsDevelopers && matchMedia("(pointer: fine)").matches) void this.invite(false);
    }));
  }

  async #loadShare() {
    const [module] = await Promise.all([import("./share.js").catch(reloadLater), loadLaterSheet()]);
    this.share = module ?? null;
  }

  /** Loads the panels for developers, once they are shown. */
  async #loadPanels() {
    if (!this.showsDevelopers || !this.picker || this.panels) return;
    const [module] = await Promise.all([import("./panels.js").catch(reloadLater), loadLaterSheet()]);
    if (!module || this.isClosed || this.panels) return;
    this.panels = new module.Panels(this, this.picker.isOwner);
    await this.panels.translate();
    if (this.document) this.panels.read(this.document);
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
  for (const language of [locale, first].filter((one) => locales.includes(one))) {
    await loadLanguage(language);
    const found = named(language);
    if (found) return found;
  }
  return undefined;
}
