// The host panel: changes that a host's backend makes while members pick, and the equivalent commands.

import { make, setText } from "../../client/parts/dom.js";
import { patch } from "../patch.js";
import { changeSession, Problem, readDefinition } from "../server.js";
import { deny, grant, latestDate, longestStay, remove, rename, results, rowNote } from "./actions.js";
import { days } from "./days.js";
import { methodOf, pathOf } from "./request.js";
import { freeTime, lunchBreak, takeTime } from "./times.js";

/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */

/**
 * The actions of a host by kind of picker.
 * @type {{[kind: string]: import("./action.js").ActionView[]}}
 */
const actions = {
  availability: [results],
  calendar: [days, longestStay],
  slot: [takeTime, freeTime, lunchBreak, rowNote],
  date: [latestDate, rowNote],
  cascade: [rename, remove, rowNote],
  columns: [rename, remove, rowNote],
};

export class HostPanel {
  /** @param {string} session @param {string | undefined} token of the owner, with --auth token */
  constructor(session, token) {
    this.session = session;
    this.token = token;
    /** @type {any} the texts */
    this.words = null;
    this.locale = "en";
    /** @type {any} the complete definition; null until it is loaded */
    this.given = null;
    /** @type {string | null} the confirmation that waits for the host's decision */
    this.op = null;
    /** @type {string | null} the same, as the server has it */
    this.asked = null;
    /** @type {string[]} the names of the columns in the page's language */
    this.labels = [];
    /** @type {Map<string, string>} what the user has typed, by field and the server's value */
    this.typed = new Map();
    /** @type {{whole: string, text: string} | null} the command that was copied, and how its button says so */
    this.copied = null;
    /** @type {import("./days.js").Days} */
    this.days = { month: null, date: "", isPrice: false, shownFor: "", request: null };
    /** @type {string | null} the day of the lunch break */
    this.day = null;
    /** @type {import("../../client/core/types").Definition | null} */
    this.definition = null;
    /** @type {PickerSession | null} */
    this.picker = null;
    this.heading = make("summary", {});
    this.text = make("p", { class: "remark" });
    this.failure = make("p", { class: "problem", role: "alert", hidden: true });
    this.container = make("div", { class: "host-actions" });
    this.element = make("details", { class: "panel host", hidden: true, open: true },
      this.heading, this.text, this.failure, this.container);
    this.element.addEventListener("toggle", () => this.redraw());
  }

  /** @param {import("./action.js").HostWords} words @param {string} locale */
  setWords(words, locale) {
    this.words = words;
    this.locale = locale;
    setText(this.heading, this.words.host.heading);
    setText(this.text, this.words.host.text);
    this.failure.hidden = true;
    this.redraw();
  }

  redraw() {
    if (this.picker) this.draw(this.picker);
  }

  /** @param {PickerSession} picker */
  draw(picker) {
    this.picker = picker;
    const { definition, status } = picker.state;
    if (!this.words || !definition) return;
    this.element.hidden = false;
    if (this.definition !== definition) {
      this.definition = definition;
      void this.#read();
    }
    if (!this.element.open) return;
    const wasInside = this.container.contains(document.activeElement);
    this.op = status === "confirming" ? this.asked : null;
    patch(this.container, [grant, deny, ...(actions[definition.kind] ?? [])].map((view) => view(this, picker)));
    // An element that is removed loses the focus to the page.
    if (wasInside && !this.container.contains(document.activeElement)) this.heading.focus();
  }

  /**
   * Notes which confirmation waits for the host, and opens the panel for it.
   * @param {string | undefined} op from the response to `GET`
   */
  ask(op) {
    if (op && op !== this.asked) this.element.open = true;
    this.asked = op ?? null;
    this.redraw();
  }

  /**
   * @param {import("./request.js").HostRequest} request
   * @returns {Promise<boolean>} whether it succeeded
   */
  async perform(request) {
    this.failure.hidden = true;
    try {
      await changeSession(pathOf(this.session, request), request.type, request.body, this.token, methodOf(request));
      return true;
    } catch (problem) {
      setText(this.failure, problem instanceof Problem ? this.words.host.failed(problem.message) : this.words.unreachable);
      this.failure.hidden = false;
      return false;
    }
  }

  /**
   * Loads the complete definition: messages do not contain the bookings, nor the rows and nodes that a JSON Patch refers to.
   */
  async #read() {
    if (this.definition?.kind === "date") return;
    const { definition } = this;
    try {
      const given = await readDefinition(this.session, this.token);
      if (this.definition !== definition || !this.picker) return;
      this.given = given;
      this.redraw();
    } catch {
      this.given = null; // The actions have no command until the next change.
    }
  }
}
