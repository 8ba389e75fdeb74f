// Actions: the maximum stay of a calendar, and the latest date of a date picker.

import { make, setText } from "../../client/parts/dom.js";
import { boundOf } from "../../client/parts/session-dates.js";
import { Action, labelled } from "./action.js";
import { mergePatch } from "./request.js";

/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */
/** @typedef {import("./action.js").Host} Host */

/** A field whose value is sent by a button. Updates do not overwrite a value that the user is editing. */
class FieldAction extends Action {
  /** @param {Host} host @param {string} name @param {any} field */
  constructor(host, name, field) {
    super(host, name);
    this.field = field;
    this.named = labelled(field);
    this.button = make("button", { class: "secondary", type: "submit" });
    this.form = make("form", { class: "host-fields", novalidate: true, onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      if (this.field.reportValidity()) void this.perform();
    } }, this.named.element, this.button);
    this.controls.append(this.form);
    field.addEventListener("input", () => this.showCommand());
    /** @type {string | null} the server's value when the field was filled */
    this.known = null;
  }

  /** @param {string} title @param {string} label @param {string} known the server's value @param {string} proposed */
  show(title, label, known, proposed) {
    this.setTitle(title);
    setText(this.named.label, label);
    setText(this.button, this.host.words.host.set);
    if (this.known !== known) {
      this.known = known;
      this.field.value = proposed;
    }
    this.showCommand();
  }

  showCommand() {
    this.command.show(this.field.validity.valid ? mergePatch(this.patch) : null);
  }

  /** @returns {unknown} of the definition */
  get patch() { return {}; }
}

export class LongestStayAction extends FieldAction {
  /** @param {Host} host */
  constructor(host) {
    super(host, "host-longest", make("input", { type: "number", min: "1", max: "3650", step: "1", inputmode: "numeric", required: true }));
  }

  /** @param {PickerSession} picker */
  draw(picker) {
    const { words } = this.host;
    const { definition } = picker.state;
    this.unit = definition?.unit === "nights" ? "Nights" : "Days";
    const longest = /** @type {number | undefined} */ (definition?.[`max${this.unit}`]);
    const shortest = Number(definition?.[`min${this.unit}`] ?? 1);
    const label = this.unit === "Nights" ? words.host.nightsLabel : words.host.daysLabel;
    this.show(words.host.longest, label, String(longest), String(longest ?? Math.max(shortest, 7)));
  }

  get patch() { return { [`max${this.unit}`]: Number(this.field.value) }; }
}

export class LatestDateAction extends FieldAction {
  /** @param {Host} host */
  constructor(host) {
    super(host, "host-latest", make("input", { type: "date", required: true }));
  }

  /** @param {PickerSession} picker */
  draw(picker) {
    const { words } = this.host;
    const latest = boundOf(picker, "max") ?? "";
    this.show(words.host.latest, words.host.dateLabel, latest, latest);
  }

  get patch() { return { max: this.field.value }; }
}
