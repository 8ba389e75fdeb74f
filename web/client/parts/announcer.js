// The live region for screen readers. Own corrections are announced at once, changes of others every two seconds together.

import { make } from "./dom.js";

const mergeMilliseconds = 2000;

export class Announcer {
  constructor() {
    this.element = make("div", { class: "unseen", role: "status", "aria-live": "polite" });
    /** @type {Map<string, string>} the last pending text of each author */
    this.waiting = new Map();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** @param {string} text */
  announceNow(text) { this.#announce(text); }

  /** @param {string} who @param {string} text */
  announceLater(who, text) {
    this.waiting.set(who, text);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.#announce([...this.waiting.values()].join(". "));
      this.waiting.clear();
    }, mergeMilliseconds);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting.clear();
  }

  /** @param {string} text */
  #announce(text) {
    // A new node, so that the same text is announced again.
    this.element.replaceChildren(make("span", {}, text));
  }
}
