// The live region for screen readers. Own changes are announced at once, changes of others every two seconds together.

import { joined } from "../words/words.js";
import { make } from "./dom.js";

const mergeMilliseconds = 2000;
/** The maximum of pending texts, the last ones. */
const textsMax = 8;

export class Announcer {
  constructor() {
    // Not atomic: only what is added is announced.
    this.element = make("div", { class: "unseen", role: "status", "aria-live": "polite", "aria-atomic": "false" });
    /** @type {any[]} the elements of texts that were announced a moment ago */
    this.read = [];
    /** @type {Map<string, string>} the last pending text about each place and author, in the order of the changes */
    this.waiting = new Map();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /**
   * Announces a text after the pending ones, which are older. Those about the same place are outdated, and dropped.
   * @param {string} text @param {string | null} [place]
   */
  announceNow(text, place = null) {
    for (const key of this.waiting.keys()) {
      if (key === place || (place !== null && key.startsWith(`${place} `))) this.waiting.delete(key);
    }
    const all = [...this.waiting.values(), text];
    this.stop();
    this.#announce(all);
  }

  /**
   * Announces a text soon, together with others.
   * @param {string} key of a text that replaces the pending one with the same key: its place, and its author after that
   * @param {string} text
   */
  announceLater(key, text) {
    // A text that is replaced would keep its position, before changes that were made earlier.
    this.waiting.delete(key);
    this.waiting.set(key, text);
    const [first] = this.waiting.keys();
    if (this.waiting.size > textsMax) this.waiting.delete(first);
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
    // A new node, so that the same text is announced again. Former ones stay a moment: if they were removed in the same
    // frame, they would not be announced.
    const added = make("span", {}, joined(texts));
    for (const one of this.read.splice(0)) one.remove();
    this.element.append(added);
    setTimeout(() => this.read.push(added), mergeMilliseconds);
  }
}
