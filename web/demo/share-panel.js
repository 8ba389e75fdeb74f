// The link that lets somebody else in.

import { make, setAttribute, setText } from "/client/parts/dom.js";
import { keptTokens, linkOf } from "./route.js";

export class SharePanel {
  /** @param {string} session @param {string | undefined} token of the address */
  constructor(session, token) {
    this.session = session;
    this.tokens = keptTokens(session);
    this.token = this.tokens?.editor ?? token;
    this.heading = make("h2", {});
    this.text = make("p", { class: "said" });
    this.field = make("input", { class: "link", type: "text", readonly: true, id: "share-link", onfocus: () => this.field.select() });
    this.copyButton = make("button", { class: "primary", type: "button", onclick: () => this.#copy() });
    this.sendButton = make("button", { class: "secondary", type: "button", onclick: () => this.#send() });
    this.secondLink = make("a", { class: "secondary", target: "_blank", rel: "noopener" });
    this.role = make("select", { onchange: () => this.#choose(this.role.value) });
    this.role.hidden = !this.tokens;
    this.sendButton.hidden = !navigator.share;
    this.status = make("p", { class: "said", role: "status" });
    this.element = make("section", { class: "panel share" }, this.heading, this.text, this.role, this.field,
      make("div", { class: "ways" }, this.copyButton, this.sendButton, this.secondLink), this.status);
    this.#draw();
  }

  /** @param {import("./words/words.js").DemoWords} words */
  setWords(words) {
    this.words = words;
    setText(this.heading, words.share);
    setText(this.text, words.shareText);
    setText(this.copyButton, words.copy);
    setText(this.sendButton, words.send);
    setText(this.secondLink, words.secondWindow);
    setAttribute(this.field, "aria-label", words.share);
    setAttribute(this.role, "aria-label", words.share);
    if (this.tokens) {
      this.role.replaceChildren(make("option", { value: "editor" }, words.roleEditor), make("option", { value: "viewer" }, words.roleViewer));
    }
    setText(this.status, "");
  }

  /** @param {string} role */
  #choose(role) {
    this.token = this.tokens?.[/** @type {"editor" | "viewer"} */ (role)];
    this.#draw();
  }

  #draw() {
    const link = linkOf(this.session, this.token);
    this.field.value = link;
    setAttribute(this.secondLink, "href", link);
  }

  async #copy() {
    const { words } = this;
    try {
      await navigator.clipboard.writeText(this.field.value);
      setText(this.status, words?.copied ?? "");
    } catch {
      // Without a secure connection there is no clipboard: leave it selected for the hand.
      this.field.focus();
      setText(this.status, words?.copyFailed ?? "");
    }
  }

  async #send() {
    try {
      await navigator.share({ title: document.title, url: this.field.value });
    } catch {
      // The person thought better of it.
    }
  }
}
