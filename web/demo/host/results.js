// Action: who sees the results of an availability.

import { make, setAttribute, setText } from "../../client/parts/dom.js";
import { Action } from "./action.js";
import { mergePatch } from "./request.js";

/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */

const choices = /** @type {const} */ (["everyone", "counts", "owner"]);

export class ResultsAction extends Action {
  /** @param {import("./action.js").Host} host */
  constructor(host) {
    super(host, "host-results");
    this.options = choices.map((value) => make("option", { value }));
    this.field = make("select", { onchange: () => this.#show() }, ...this.options);
    this.button = make("button", { class: "secondary", type: "button", onclick: () => void this.perform() });
    this.controls.append(make("div", { class: "host-fields" }, this.field, this.button));
    /** @type {unknown} what the server has */
    this.known = null;
  }

  /** @param {PickerSession} picker */
  draw(picker) {
    const { find, host } = this.host.words;
    this.setTitle(find.results);
    setAttribute(this.field, "aria-label", find.results);
    setText(this.button, host.set);
    choices.forEach((choice, at) => setText(this.options[at], find[choice]));
    const { results } = picker.state.definition ?? {};
    if (this.known !== results) this.field.value = results ?? "everyone";
    this.known = results;
    this.#show();
  }

  #show() { this.command.show(mergePatch({ results: this.field.value })); }
}
