// The live region for screen readers. Own changes are announced at once, changes of others every two seconds together.

import { make } from "./dom.js";

const mergeMilliseconds = 2000;

export class Announcer {
  constructor() {
    this.element = make("div", { class: "unseen", role: "status", "aria-live": "polite" });
    /** @type {Map<string, string>} the last pending text about each place, in the order of the changes */
    this.waiting = new Map();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /**
   * Announces a text after the pending ones, which are older. Those about the same place are outdated, and dropped.
   * @param {string} text @param {string | null} [place]
   */
  announceNow(text, place = null) {
    if (place !== null) this.waiting.delete(place);
    const all = [...this.waiting.values(), text];
    this.stop();
    this.#announce(all);
  }

  /** @param {string} place @param {string} text */
  announceLater(place, text) {
    // A text that is replaced would keep its position, before changes that were made earlier.
    this.waiting.delete(place);
    this.waiting.set(place, text);
    this.timer ??= setTimeout(() => {
      const all = [...this.waiting.values()];
      this.stop();
      this.#announce(all);
    }, mergeMilliseconds);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting.clear();
  }

  /** @param {string[]} texts */
  #announce(texts) {
    // A new node, so that the same text is announced again.
    this.element.replaceChildren(make("span", {}, texts.join(". ")));
  }
}
