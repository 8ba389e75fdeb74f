// The panel with the messages of the connection, for developers.

import { make, setText } from "../client/parts/dom.js";
import { messagesMax } from "./message-record.js";

/** The maximum of displayed characters of a message. */
const shownMax = 4000;

export class MessagesPanel {
  /** @param {import("./message-record.js").MessageRecord} record */
  constructor(record) {
    this.heading = make("summary", {});
    this.text = make("p", { class: "remark" });
    this.isPaused = false;
    this.pauseButton = make("button", { class: "secondary", type: "button", onclick: () => this.#pause() });
    this.list = make("ol", { class: "messages", dir: "ltr", tabindex: "0" });
    this.nothing = make("p", { class: "remark" });
    this.element = make("details", { class: "panel wire" }, this.heading, this.text,
      make("div", { class: "ways" }, this.pauseButton), this.nothing, this.list);
    /** The messages that are not in the list, because the panel is closed or was not there. */
    this.unlisted = [...record.messages];
    this.element.addEventListener("toggle", () => this.#list());
    record.addEventListener("message", () => {
      if (this.isPaused) return;
      this.unlisted.push(...record.messages.slice(-1));
      if (this.unlisted.length > messagesMax) this.unlisted.shift();
      this.#list();
    });
  }

  /** @param {import("./words/types").DeveloperWords} words */
  setWords(words) {
    this.words = words;
    setText(this.heading, words.messages);
    setText(this.text, words.messagesText);
    setText(this.nothing, words.empty);
    this.list.setAttribute("aria-label", words.messages);
    setText(this.pauseButton, this.isPaused ? words.resume : words.pause);
  }

  /** Lists the messages. */
  #list() {
    this.nothing.hidden = this.unlisted.length + this.list.childElementCount > 0;
    // Nobody can see them.
    if (!this.element.open) return;
    const isAtEnd = this.list.scrollTop + this.list.clientHeight > this.list.scrollHeight - 24;
    this.list.append(...this.unlisted.splice(0).map(itemOf));
    while (this.list.childElementCount > messagesMax) this.list.firstElementChild?.remove();
    if (isAtEnd) this.list.scrollTop = this.list.scrollHeight;
  }

  #pause() {
    this.isPaused = !this.isPaused;
    if (this.words) this.setWords(this.words);
  }
}

/** @param {{direction: string, time: string, message: any}} recorded */
function itemOf({ direction, time, message }) {
  const text = JSON.stringify(withoutSecrets(message));
  const shown = text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
  return make("li", { class: direction },
    make("span", { class: "arrow" }, direction === "in" ? "↓" : "↑"), make("time", {}, time), make("code", {}, shown));
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
