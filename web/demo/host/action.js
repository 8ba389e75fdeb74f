// One thing that the host can do: its controls, and the command that does the same.

import { make, setText } from "/client/parts/dom.js";
import { Command } from "./command.js";

/** @typedef {import("/client/core/session.js").PickerSession} PickerSession */
/** @typedef {import("./request.js").HostRequest} HostRequest */
/** @typedef {import("../words/words.js").DemoWords} DemoWords */

/**
 * What an action may use of the panel.
 * @typedef {object} Host
 * @property {string} session
 * @property {string | undefined} token
 * @property {DemoWords} words
 * @property {string} locale
 * @property {any} given the whole definition as it was given; null until it is known
 * @property {string[]} labels the page's names of the columns
 * @property {(request: HostRequest) => Promise<boolean>} perform whether it was done
 */

export class Action {
  /** @param {Host} host @param {string} name @param {...Node} controls */
  constructor(host, name, ...controls) {
    this.host = host;
    this.heading = make("h2", {});
    this.command = new Command(host.session, host.token);
    this.controls = make("div", { class: "host-controls" }, ...controls);
    this.element = make("section", { class: `host-action ${name}` }, this.heading, this.controls, this.command.element);
  }

  /** @param {string} title */
  setTitle(title) {
    setText(this.heading, title);
    this.command.setWords(this.host.words);
  }

  /**
   * Shows what can be done now. The subclass's own.
   * @param {PickerSession} picker
   */
  draw(picker) { void picker; }

  /** Sends the request that the command shows. */
  async perform() {
    const { request } = this.command;
    return request !== null && this.host.perform(request);
  }
}

/**
 * A field with its name before it.
 * @param {any} field @returns {{element: HTMLElement, label: any}}
 */
export function labelled(field) {
  const label = make("span", {});
  return { label, element: make("label", { class: "host-field" }, label, field) };
}
