// The panels for developers: host, definition and messages. Loaded when they are opened.

import { make, setAttribute, setText } from "../client/parts/dom.js";
import { DefinitionPanel } from "./definition-panel.js";
import { HostPanel } from "./host/panel.js";
import { MessagesPanel } from "./messages-panel.js";
import { loadDeveloperWords } from "./words/words.js";

/** @typedef {import("../client/core/session.js").PickerSession} PickerSession */

export class Panels {
  /**
   * @param {NonNullable<import("./route.js").Route>} route @param {string | undefined} owner the owner's token
   * @param {import("./settings.js").Settings} settings @param {import("./message-record.js").MessageRecord} messages
   */
  constructor(route, owner, settings, messages) {
    this.settings = settings;
    /** @type {import("./host/action.js").HostWords | null} */
    this.words = null;
    this.latency = make("span", { class: "latency" });
    this.revision = make("span", { class: "revision" });
    this.definition = new DefinitionPanel();
    this.messages = new MessagesPanel(messages);
    // With tokens a shared link does not contain the owner's, so that its recipients get no host panel.
    this.host = owner || !route.token ? new HostPanel(route.session, owner) : null;
    this.element = make("div", { class: "developers-panels" },
      this.host?.element ?? null, this.definition.element, this.messages.element,
      make("p", { class: "figures" }, this.revision, this.latency));
  }

  /** Updates all texts to the current language. */
  async translate() {
    const { locale } = this.settings;
    const words = await loadDeveloperWords(locale);
    if (this.settings.locale !== locale) return;
    this.words = words;
    this.definition.setWords(words);
    this.messages.setWords(words);
    this.host?.setWords(words, locale);
  }

  /**
   * Shows what the server says about the session.
   * @param {any} document the response to `GET`
   */
  read(document) {
    this.definition.follow(document.snapshot.definition, document.title ?? "");
    this.host?.ask(document.op);
  }

  /** @param {PickerSession} picker @param {string | null} labels names of the columns, separated by commas */
  draw(picker, labels) {
    const { words } = this;
    if (!words) return;
    const { latencyMilliseconds: milliseconds, state } = picker;
    setText(this.latency, milliseconds === null ? "" : words.latency(Math.max(1, Math.round(milliseconds))));
    setAttribute(this.latency, "title", words.latencyTitle);
    setText(this.revision, state.isKnown ? words.revision(state.revision) : "");
    if (!this.host) return;
    this.host.labels = labels?.split(",") ?? [];
    this.host.draw(picker);
  }
}
