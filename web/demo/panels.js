// The panels for developers: host, definition and messages. Loaded when they are opened.

import { DefinitionPanel } from "./definition-panel.js";
import { HostPanel } from "./host/panel.js";
import { h } from "./patch.js";
import { loadDeveloperWords } from "./words/words.js";

/** @typedef {import("../client/core/session.js").PickerSession} PickerSession */
/** @typedef {{direction: "in" | "out", time: string, message: any}} Recorded a message of the connection */

/** The maximum of displayed characters of a message. */
const shownMax = 4000;

export class Panels {
  /** @param {import("./picker-page.js").PickerPage} page @param {boolean} isOwner whether the user owns the session */
  constructor(page, isOwner) {
    this.page = page;
    /** @type {import("./host/action.js").HostWords | null} */
    this.words = null;
    this.definition = new DefinitionPanel(() => page.draw());
    const { route, joining: { owner } } = page;
    // A shared link does not contain the owner's token, so that its recipients get no host panel.
    this.host = owner || (isOwner && !route.token) ? new HostPanel(route.session, owner) : null;
    /** Whether the host is to decide about a confirmation. */
    this.isAsked = false;
    /** Whether the messages are shown. */
    this.isOpen = false;
    /** @type {Recorded[] | null} the messages that were there when the user has paused them */
    this.paused = null;
  }

  /** Updates all texts to the current language. */
  async translate() {
    const { settings } = this.page;
    const { locale } = settings;
    const words = await loadDeveloperWords(locale);
    if (settings.locale !== locale) return;
    this.words = words;
    this.host?.setWords(words, locale);
    this.page.draw();
  }

  /**
   * Shows what the server says about the session.
   * @param {any} document the response to `GET`
   */
  read(document) {
    this.definition.follow(document.snapshot.definition, document.title ?? "");
    this.host?.ask(document.op);
    // On a phone the drawer covers the picker, and what the host has just decided.
    if (this.host && this.isAsked && !document.op && this.page.showsDevelopers && matchMedia("(width < 60rem)").matches) {
      this.page.showDevelopers(false);
      this.page.element?.focus({ preventScroll: true });
    }
    this.isAsked = Boolean(document.op);
  }

  /** @param {PickerSession} picker @returns {import("./patch.js").View} */
  view(picker) {
    const { words, host, page } = this;
    if (!words) return null;
    if (host) {
      host.labels = page.labels?.split(",") ?? [];
      host.draw(picker);
    }
    const { latencyMilliseconds: milliseconds, state } = picker;
    return h("div", { class: "developers-panels" }, host?.element, this.definition.view(words), this.#messages(words),
      h("p", { class: "figures" }, h("span", { class: "revision" }, state.isKnown ? words.revision(state.revision) : ""),
        h("span", { class: "latency", title: words.latencyTitle }, milliseconds === null ? "" : words.latency(Math.max(1, Math.round(milliseconds))))));
  }

  /** @param {import("./words/types").DeveloperWords} words */
  #messages(words) {
    const messages = this.paused ?? this.page.messages;
    return h("details", { class: "panel wire", ontoggle: (/** @type {any} */ { target }) => {
      this.isOpen = target.open;
      this.page.draw();
    } }, h("summary", {}, words.messages), h("p", { class: "remark" }, words.messagesText),
    h("div", { class: "ways" }, h("button", { class: "secondary", type: "button", onclick: () => {
      this.paused = this.paused ? null : [...messages];
      this.page.draw();
    } }, this.paused ? words.resume : words.pause)),
    messages.length === 0 && h("p", { class: "remark", key: "empty" }, words.empty),
    this.isOpen && h("ol", { class: "messages", dir: "ltr", "aria-label": words.messages }, messages.map(itemOf)));
  }
}

/** @param {Recorded} recorded */
function itemOf({ direction, time, message }) {
  const text = JSON.stringify(withoutSecrets(message));
  return h("li", { class: direction }, h("span", { class: "arrow" }, direction === "in" ? "↓" : "↑"), h("time", {}, time),
    h("code", {}, text.length > shownMax ? `${text.slice(0, shownMax)}…` : text));
}

/**
 * The message without tokens and secrets, because the page may be visible to others.
 * @param {any} message
 */
function withoutSecrets(message) {
  const hidden = "…";
  const shown = { ...message };
  if (shown.token) shown.token = hidden;
  if (shown.resume) shown.resume = { ...shown.resume, secret: hidden };
  if (shown.member?.secret) shown.member = { ...shown.member, secret: hidden };
  return shown;
}
