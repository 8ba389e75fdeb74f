// The host panel: changes that a host's backend makes while members pick, and the equivalent commands.

import { make, setText } from "../../client/parts/dom.js";
import { changeSession, Problem, readDefinition } from "../server.js";
import { LatestDateAction, LongestStayAction } from "./bounds.js";
import { DaysAction } from "./days.js";
import { DenyAction, GrantAction } from "./decide.js";
import { methodOf, pathOf } from "./request.js";
import { ResultsAction } from "./results.js";
import { RemoveAction, RenameAction, RowNoteAction } from "./rows.js";
import { FreeTimeAction, LunchAction, TakeTimeAction } from "./times.js";

/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */
/** @typedef {import("./action.js").Action} Action */

/**
 * The actions of a host by kind of picker.
 * @type {{[kind: string]: (new (host: import("./action.js").Host) => Action)[]}}
 */
const actions = {
  availability: [ResultsAction],
  calendar: [DaysAction, LongestStayAction],
  slot: [TakeTimeAction, FreeTimeAction, LunchAction, RowNoteAction],
  date: [LatestDateAction, RowNoteAction],
  cascade: [RenameAction, RemoveAction, RowNoteAction],
  columns: [RenameAction, RemoveAction, RowNoteAction],
};

export class HostPanel {
  /** @param {string} session @param {string | undefined} token of the owner, with --auth token */
  constructor(session, token) {
    this.session = session;
    this.token = token;
    /** @type {any} */
    this.words = null;
    this.locale = "en";
    /** @type {any} */
    this.given = null;
    /** @type {string | null} */
    this.op = null;
    /** @type {string[]} */
    this.labels = [];
    /** @type {Action[]} */
    this.actions = [];
    this.kind = "";
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
    this.element.addEventListener("toggle", () => this.picker && this.draw(this.picker));
  }

  /** @param {import("./action.js").HostWords} words @param {string} locale */
  setWords(words, locale) {
    this.words = words;
    this.locale = locale;
    setText(this.heading, this.words.host.heading);
    setText(this.text, this.words.host.text);
    this.failure.hidden = true;
    if (this.picker) this.draw(this.picker);
  }

  /** @param {PickerSession} picker */
  draw(picker) {
    this.picker = picker;
    if (!this.words) return;
    const { definition } = picker.state;
    if (!definition) return;
    if (this.kind !== definition.kind) {
      this.kind = definition.kind;
      this.actions = [GrantAction, DenyAction, ...(actions[definition.kind] ?? [])].map((Kind) => new Kind(this));
      this.container.replaceChildren(...this.actions.map(({ element }) => element));
    }
    this.element.hidden = false;
    if (this.definition !== definition) {
      this.definition = definition;
      void this.#read();
    }
    if (!this.element.open) return;
    for (const action of this.actions) {
      action.element.hidden = action instanceof LongestStayAction && definition.selection === "single";
      if (!action.element.hidden) action.draw(picker);
    }
  }

  /**
   * Notes which confirmation waits for the host, and opens the panel for it.
   * @param {string | undefined} op from the response to `GET`
   */
  ask(op) {
    if (op && op !== this.op) this.element.open = true;
    this.op = op ?? null;
    if (this.picker) this.draw(this.picker);
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
    if (this.kind === "date") return;
    const { definition } = this;
    try {
      const given = await readDefinition(this.session, this.token);
      if (this.definition !== definition || !this.picker) return;
      this.given = given;
      this.draw(this.picker);
    } catch {
      this.given = null; // The actions have no command until the next change.
    }
  }
}
