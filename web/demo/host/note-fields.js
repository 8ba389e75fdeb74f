// The fields for the text and the tone of a note.

import { make, setAttribute, setText } from "../../client/parts/dom.js";
import { labelled } from "./action.js";

const tones = /** @type {const} */ (["none", "low", "high", "good", "bad"]);

export class NoteFields {
  /** @param {string} text at first @param {() => void} changed */
  constructor(text, changed) {
    this.field = make("input", { type: "text", maxlength: "24", value: text, size: "10", autocomplete: "off", oninput: changed });
    this.tone = make("select", { onchange: changed }, ...tones.map((tone) => make("option", { value: tone })));
    this.text = labelled(this.field);
    this.element = make("div", { class: "host-fields" }, this.text.element, this.tone);
  }

  /** @param {import("./action.js").HostWords} words @param {boolean} [isPrice] */
  setWords({ host }, isPrice = false) {
    setText(this.text.label, isPrice ? host.price : host.noteText);
    setAttribute(this.tone, "aria-label", host.tone);
    [...this.tone.options].forEach((option) => setText(option, host.tones[/** @type {"low"} */ (option.value)]));
  }

  /**
   * Fills in a text, unless the user has typed one.
   * @param {string} text
   */
  propose(text) {
    if (this.field.value === this.field.defaultValue) this.field.value = this.field.defaultValue = text.slice(0, 24);
  }

  /**
   * The merge patch of a note; without a tone it removes the previous one.
   * @returns {{text: string, tone: string | null} | null} null: no note
   */
  get note() {
    const text = this.field.value.trim();
    if (!text) return null;
    return { text, tone: this.tone.value === "none" ? null : this.tone.value };
  }
}
