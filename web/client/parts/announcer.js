// The live region: one's own corrections at once, what others do merged every two seconds, focus never moved.

import { make } from "./dom.js";

const mergeMilliseconds = 2000;

export class Announcer {
  constructor() {
    this.element = make("div", { class: "unseen", role: "status", "aria-live": "polite" });
    /** @type {Map<string, string>} the last thing that each of them did */
    this.waiting = new Map();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** @param {string} text */
  sayNow(text) { this.#say(text); }

  /** @param {string} who @param {string} text */
  sayLater(who, text) {
    this.waiting.set(who, text);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.#say([...this.waiting.values()].join(". "));
      this.waiting.clear();
    }, mergeMilliseconds);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting.clear();
  }

  /** @param {string} text */
  #say(text) {
    // The same words twice are two events: a new node is read again.
    this.element.replaceChildren(make("span", {}, text));
  }
}
