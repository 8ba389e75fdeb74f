// The panel with the definition of the picker, to read, edit and open as a new picker.

import { openNew } from "./opening.js";
import { rangeOf, parseError } from "./json-range.js";
import { h } from "./patch.js";
import { checkDefinition, Problem } from "./server.js";

/** @typedef {import("./host/action.js").HostWords} Words */

/**
 * What is known of the edited definition: where its mistake is, and a sentence about it in the language of the page.
 * @typedef {{range: import("./json-range.js").TextRange | null, text: (words: Words) => string, is: "" | "good" | "bad"}} Verdict
 */

const checkMilliseconds = 350;
/** @type {Verdict} */
const none = { range: null, text: () => "", is: "" };

/** @param {any} definition */
const textOf = (definition) => JSON.stringify(definition, null, 2);

export class DefinitionPanel {
  /** @param {() => void} draw draws the page, after any change */
  constructor(draw) {
    this.draw = draw;
    this.isOpen = matchMedia("(min-width: 900px)").matches;
    /** @type {any} the picker's */
    this.shown = null;
    this.title = "";
    /** What is in the field. */
    this.source = "";
    this.verdict = none;
    /** @type {any} the edited definition, if the server has accepted it */
    this.good = null;
    /** @type {AbortController | null} */
    this.checking = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** @param {Words} words @returns {import("./patch.js").View} */
  view(words) {
    const { source, verdict: { range, text, is } } = this;
    return h("details", { class: "panel definition", open: this.isOpen }, h("summary", {}, words.definition),
      h("p", { class: "remark" }, words.definitionText),
      h("div", { class: "editor", dir: "ltr" },
        h("pre", { class: "marks", "aria-hidden": "true" }, range && [
          source.slice(0, range.start), h("mark", {}, source.slice(range.start, range.end)), source.slice(range.end), "\n",
        ]),
        h("textarea", {
          class: "source", spellcheck: "false", autocomplete: "off", autocapitalize: "off", rows: "14", wrap: "off", dir: "ltr",
          id: "definition-source", "aria-describedby": "definition-verdict", "aria-label": words.definition,
          "aria-invalid": is === "bad" ? "true" : null, value: source,
          oninput: (/** @type {any} */ { target }) => this.#edited(target.value),
          onscroll: (/** @type {any} */ { target }) => follow(target),
        })),
      h("p", { class: "verdict", role: "status", id: "definition-verdict", "data-verdict": is }, text(words)),
      h("div", { class: "ways" },
        h("button", { class: "primary", type: "button", disabled: !this.good, onclick: () => this.#open() }, words.openThis),
        h("button", { class: "secondary", type: "button", onclick: () => {
          this.show(this.shown, this.title);
          this.draw();
        } }, words.reset)));
  }

  /** @param {any} definition @param {string} title */
  show(definition, title) {
    this.shown = definition;
    this.title = title;
    this.source = textOf(definition);
    this.verdict = none;
    this.good = null;
  }

  /**
   * Shows a definition that the host has changed, unless the user is editing the previous one.
   * @param {any} definition @param {string} title
   */
  follow(definition, title) {
    const isEdited = this.shown !== null && this.source !== textOf(this.shown);
    if (!isEdited) return this.show(definition, title);
    this.shown = definition;
    this.title = title;
  }

  /** @param {string} source */
  #edited(source) {
    clearTimeout(this.timer);
    this.checking?.abort();
    this.source = source;
    this.good = null;
    try {
      const definition = JSON.parse(source);
      this.timer = setTimeout(() => this.#check(definition), checkMilliseconds);
      this.#judge({ range: null, text: ({ checking }) => checking, is: "" });
    } catch (error) {
      const { range, detail } = parseError(source, error);
      this.#judge({ range, text: ({ noJSON }) => noJSON(detail), is: "bad" });
    }
  }

  /** @param {any} definition */
  async #check(definition) {
    this.checking = new AbortController();
    const { signal } = this.checking;
    try {
      await checkDefinition(definition, signal);
      this.good = definition;
      this.#judge({ range: null, text: ({ fine }) => fine, is: "good" });
    } catch (problem) {
      if (!signal.aborted) this.#judge(this.#verdictOn(problem));
    }
  }

  /** @param {unknown} problem @returns {Verdict} */
  #verdictOn(problem) {
    if (!(problem instanceof Problem)) return { range: null, text: ({ unreachable }) => unreachable, is: "bad" };
    const { pointer, message } = problem;
    if (pointer === undefined) return { range: null, text: ({ createFailed }) => createFailed(message), is: "bad" };
    const range = rangeOf(this.source, pointer);
    const line = lineOf(this.source, range.start);
    return { range, text: (words) => `${words.line(line)}, ${words.mistakeAt(pointer, message)}`, is: "bad" };
  }

  /** @param {Verdict} verdict */
  #judge(verdict) {
    this.verdict = verdict;
    this.draw();
    const field = /** @type {HTMLTextAreaElement | null} */ (document.getElementById("definition-source"));
    if (!field) return;
    if (verdict.range) bringIntoView(field, lineOf(this.source, verdict.range.start) - 1);
    follow(field);
  }

  async #open() {
    if (!this.good) return;
    await openNew(this.good, this.title).catch((problem) => this.#judge({ ...this.#verdictOn(problem), range: null }));
  }
}

/** @param {string} source @param {number} at @returns {number} from 1 */
const lineOf = (source, at) => source.slice(0, at).split("\n").length;

/**
 * Scrolls the marks as far as the text above them.
 * @param {HTMLTextAreaElement} field
 */
function follow(field) {
  field.previousElementSibling?.scrollTo(field.scrollLeft, field.scrollTop);
}

/** @param {HTMLTextAreaElement} field @param {number} line from 0 */
function bringIntoView(field, line) {
  const height = field.scrollHeight / field.value.split("\n").length;
  const top = line * height;
  if (top < field.scrollTop || top > field.scrollTop + field.clientHeight - 2 * height) field.scrollTop = top - field.clientHeight / 2;
}
