// The panel with the definition of the picker, to read, edit and open as a new picker.

import { make, setAttribute, setText } from "../client/parts/dom.js";
import { openNew } from "./opening.js";
import { rangeOf, parseError } from "./json-range.js";
import { checkDefinition, Problem } from "./server.js";

const checkMilliseconds = 350;

export class DefinitionPanel {
  constructor() {
    this.heading = make("summary", {});
    this.text = make("p", { class: "remark" });
    this.marks = make("pre", { class: "marks", "aria-hidden": "true" });
    this.field = make("textarea", {
      class: "source", spellcheck: "false", autocomplete: "off", autocapitalize: "off", rows: "14", wrap: "off", dir: "ltr",
      id: "definition-source", oninput: () => this.#edited(), onscroll: () => this.#scroll(),
    });
    this.verdict = make("p", { class: "verdict", role: "status", id: "definition-verdict" });
    setAttribute(this.field, "aria-describedby", "definition-verdict");
    this.openButton = make("button", { class: "primary", type: "button", disabled: true, onclick: () => this.#open() });
    this.resetButton = make("button", { class: "secondary", type: "button", onclick: () => this.show(this.shown, this.title) });
    this.element = make("details", { class: "panel definition", open: matchMedia("(min-width: 900px)").matches }, this.heading, this.text,
      make("div", { class: "editor", dir: "ltr" }, this.marks, this.field), this.verdict,
      make("div", { class: "ways" }, this.openButton, this.resetButton));
    /** @type {any} */
    this.shown = null;
    this.title = "";
    /** @type {any} the edited definition, if the server has accepted it */
    this.good = null;
    /** @type {AbortController | null} */
    this.checking = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** @param {import("./host/action.js").HostWords} words */
  setWords(words) {
    this.words = words;
    setText(this.heading, words.definition);
    setText(this.text, words.definitionText);
    setText(this.openButton, words.openThis);
    setText(this.resetButton, words.reset);
    setAttribute(this.field, "aria-label", words.definition);
  }

  /** @param {any} definition @param {string} title */
  show(definition, title) {
    this.shown = definition;
    this.title = title;
    this.field.value = JSON.stringify(definition, null, 2);
    this.#showVerdict(null, "", "");
    this.openButton.disabled = true;
  }

  /**
   * Shows a definition that the host has changed, unless the user is editing the previous one.
   * @param {any} definition @param {string} title
   */
  follow(definition, title) {
    const isEdited = this.shown !== null && this.field.value !== JSON.stringify(this.shown, null, 2);
    if (!isEdited) return this.show(definition, title);
    this.shown = definition;
    this.title = title;
  }

  #edited() {
    clearTimeout(this.timer);
    this.checking?.abort();
    this.good = null;
    this.openButton.disabled = true;
    const { words } = this;
    if (!words) return;
    try {
      const definition = JSON.parse(this.field.value);
      this.#showVerdict(null, words.checking, "");
      this.timer = setTimeout(() => this.#check(definition), checkMilliseconds);
    } catch (error) {
      const { range, detail } = parseError(this.field.value, error);
      this.#showVerdict(range, words.noJSON(detail), "bad");
    }
  }

  /** @param {any} definition */
  async #check(definition) {
    const { words } = this;
    if (!words) return;
    this.checking = new AbortController();
    const { signal } = this.checking;
    try {
      await checkDefinition(definition, signal);
      this.good = definition;
      this.openButton.disabled = false;
      this.#showVerdict(null, words.fine, "good");
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) return this.#showVerdict(null, words.unreachable, "bad");
      const { pointer, message } = problem;
      if (pointer === undefined) return this.#showVerdict(null, words.createFailed(message), "bad");
      const range = rangeOf(this.field.value, pointer);
      const line = this.field.value.slice(0, range.start).split("\n").length;
      this.#showVerdict(range, `${words.line(line)}, ${words.mistakeAt(pointer, message)}`, "bad");
    }
  }

  /** @param {import("./json-range.js").TextRange | null} range @param {string} text @param {string} verdict */
  #showVerdict(range, text, verdict) {
    const source = this.field.value;
    setText(this.verdict, text);
    setAttribute(this.verdict, "data-verdict", verdict);
    setAttribute(this.field, "aria-invalid", verdict === "bad" ? "true" : null);
    this.marks.replaceChildren(...(range
      ? [source.slice(0, range.start), make("mark", {}, source.slice(range.start, range.end)), source.slice(range.end), "\n"]
      : []));
    this.#scroll();
    if (range) this.#bringIntoView(range);
  }

  #scroll() {
    this.marks.scrollTop = this.field.scrollTop;
    this.marks.scrollLeft = this.field.scrollLeft;
  }

  /** @param {import("./json-range.js").TextRange} range */
  #bringIntoView(range) {
    const line = this.field.value.slice(0, range.start).split("\n").length - 1;
    const height = this.field.scrollHeight / this.field.value.split("\n").length;
    const top = line * height;
    if (top < this.field.scrollTop || top > this.field.scrollTop + this.field.clientHeight - 2 * height) {
      this.field.scrollTop = top - this.field.clientHeight / 2;
    }
  }

  async #open() {
    const { words, good } = this;
    if (!good || !words) return;
    try {
      await openNew(good, this.title);
    } catch (problem) {
      this.#showVerdict(null, problem instanceof Problem ? words.createFailed(problem.message) : words.unreachable, "bad");
    }
  }
}
