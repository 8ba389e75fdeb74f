// The note under a picker: corrections, refusals and changes of others, with an Undo button.

import { icon, make, setAttribute } from "./dom.js";

/** @typedef {import("./sentences.js").Sentence} Sentence */

/** The time after which a note disappears, unless it is hovered or focused. */
const stayMilliseconds = { correction: 9000, refusal: 7000, change: 7000, move: 5000, people: 4000 };
/** A sentence does not replace one with a greater weight. `change`: the host has changed the definition. */
const weight = { correction: 3, refusal: 3, change: 3, move: 2, people: 1 };

export class Note {
  /** @param {() => void} undo */
  constructor(undo) {
    this.list = make("ul", { class: "sentences" });
    this.undoButton = make("button", { class: "undo-note", part: "undo", type: "button", onclick: () => { undo(); this.hide(); } });
    this.element = make("div", { class: "note", part: "note" }, this.list, this.undoButton);
    /** @type {Sentence[]} the sentences of one event-loop iteration, which are shown together */
    this.batch = [];
    this.weight = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    setAttribute(this.element, "data-shown", null);
  }

  /** @param {string} undo the text of the button */
  setWords(undo) {
    this.undoButton.replaceChildren(icon("undo"), undo);
  }

  /** @param {Sentence} sentence @param {string} text with its author @param {boolean} canUndo */
  show(sentence, text, canUndo) {
    const isShown = this.element.hasAttribute("data-shown");
    if (isShown && weight[sentence.tone] < this.weight) return;
    if (this.batch.length === 0) {
      queueMicrotask(() => { this.batch = []; });
      this.list.replaceChildren();
      this.weight = 0;
      this.undoButton.hidden = true;
    }
    this.batch.push(sentence);
    this.weight = Math.max(this.weight, weight[sentence.tone]);
    const line = make("li", { class: `sentence ${sentence.tone}` }, text);
    if (sentence.color) line.style.setProperty("--author", sentence.color);
    this.list.append(line);
    if (canUndo) this.undoButton.hidden = false;
    setAttribute(this.element, "data-shown", sentence.tone);
    this.#stay(stayMilliseconds[sentence.tone]);
  }

  /** Hides a sentence about others once this member has made a change of its own. */
  outdate() {
    if (this.batch.length === 0 && this.weight <= weight.move) this.hide();
  }

  hide() {
    clearTimeout(this.timer);
    this.weight = 0;
    setAttribute(this.element, "data-shown", null);
  }

  /** @param {number} milliseconds */
  #stay(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.element.matches(":hover, :focus-within")) this.#stay(1000);
      else this.hide();
    }, milliseconds);
  }
}
