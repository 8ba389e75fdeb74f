// The panel with the messages of the connection, for developers.

import { make, setText } from "../client/parts/dom.js";

/** The maximum of listed messages; older ones are removed. */
const messagesMax = 200;
/** The maximum of displayed characters of a message. */
const shownMax = 4000;

export class MessagesPanel {
  constructor() {
    this.heading = make("summary", {});
    this.text = make("p", { class: "remark" });
    this.isPaused = false;
    this.pauseButton = make("button", { class: "secondary", type: "button", onclick: () => this.#pause() });
    this.list = make("ol", { class: "messages", dir: "ltr", tabindex: "0" });
    /** @type {(() => Node)[]} the messages that are not in the list, because the panel is closed */
    this.unlisted = [];
    this.nothing = make("p", { class: "remark" });
    this.element = make("details", { class: "panel wire" }, this.heading, this.text,
      make("div", { class: "ways" }, this.pauseButton), this.nothing, this.list);
    this.element.addEventListener("toggle", () => this.#list());
  }

  /** @param {import("./words/words.js").DemoWords} words */
  setWords(words) {
    this.words = words;
    setText(this.heading, words.messages);
    setText(this.text, words.messagesText);
    setText(this.nothing, words.empty);
    this.list.setAttribute("aria-label", words.messages);
    setText(this.pauseButton, this.isPaused ? words.resume : words.pause);
  }

  /** @param {import("../client/core/session.js").PickerSession} picker @param {AbortSignal} signal */
  follow(picker, signal) {
    picker.addEventListener("message", (event) => {
      const { direction, message } = /** @type {CustomEvent} */ (event).detail;
      if (!this.isPaused) this.#add(direction, message);
    }, { signal });
  }

  /** @param {"in" | "out"} direction @param {any} message */
  #add(direction, message) {
    this.nothing.hidden = true;
    const text = JSON.stringify(withoutSecrets(message));
    const shown = text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
    const time = new Date().toISOString().slice(11, 23);
    this.unlisted.push(() => make("li", { class: direction },
      make("span", { class: "arrow" }, direction === "in" ? "↓" : "↑"), make("time", {}, time), make("code", {}, shown)));
    if (this.unlisted.length > messagesMax) this.unlisted.shift();
    this.#list();
  }

  /** Lists the messages, unless nobody can see them. */
  #list() {
    if (!this.element.open) return;
    const isAtEnd = this.list.scrollTop + this.list.clientHeight > this.list.scrollHeight - 24;
    this.list.append(...this.unlisted.splice(0).map((item) => item()));
    while (this.list.childElementCount > messagesMax) this.list.firstElementChild?.remove();
    if (isAtEnd) this.list.scrollTop = this.list.scrollHeight;
  }

  #pause() {
    this.isPaused = !this.isPaused;
    if (this.words) this.setWords(this.words);
  }
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
