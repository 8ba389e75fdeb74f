// The shell command that is equivalent to a button, to read and copy.

import { make, setAttribute, setText } from "../../client/parts/dom.js";
import { curlOf } from "./request.js";

/** @typedef {import("./request.js").HostRequest} HostRequest */

export class Command {
  /** @param {string} session @param {string | undefined} token */
  constructor(session, token) {
    this.session = session;
    this.token = token;
    this.code = make("code", {});
    this.copyButton = make("button", { class: "copy", type: "button", onclick: () => this.#copy() });
    this.text = make("pre", { dir: "ltr", tabindex: "0", role: "group" }, this.code);
    this.element = make("div", { class: "command" }, this.text, this.copyButton);
    /** @type {HostRequest | null} */
    this.request = null;
  }

  /** @param {import("./action.js").HostWords} words */
  setWords(words) {
    this.words = words;
    setAttribute(this.text, "aria-label", words.host.command);
    setText(this.copyButton, words.host.copy);
  }

  /** @param {HostRequest | null} request null: there is no action now */
  show(request) {
    this.element.hidden = request === null;
    if (JSON.stringify(request) === JSON.stringify(this.request)) return;
    this.request = request;
    if (request === null) return this.code.replaceChildren();
    const parts = curlOf(this.session, request, this.token);
    this.code.replaceChildren(...parts.map((part, at) => (at === 1 ? make("span", { class: "secret" }, part) : part)));
    if (this.words) setText(this.copyButton, this.words.host.copy);
  }

  async #copy() {
    const { words } = this;
    if (!words) return;
    try {
      await navigator.clipboard.writeText(this.code.textContent);
      setText(this.copyButton, words.copied);
    } catch {
      // The clipboard needs a secure context. Without it the command is selected, so that the user can copy it.
      getSelection()?.selectAllChildren(this.code);
      setText(this.copyButton, words.host.selected);
    }
  }
}
