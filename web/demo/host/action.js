// An action of the host: its controls, and the equivalent command.

import { make, setText } from "../../client/parts/dom.js";
import { Command } from "./command.js";

/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */
/** @typedef {import("./request.js").HostRequest} HostRequest */
/** @typedef {import("../words/types").DemoWords & import("../words/types").HomeWords & import("../words/types").DeveloperWords} HostWords */

/**
 * The interface of the panel to its actions.
 * @typedef {object} Host
 * @property {string} session
 * @property {string | undefined} token
 * @property {HostWords} words
 * @property {string} locale
 * @property {string | null} op the confirmation that waits for the host's decision
 * @property {any} given the complete definition; null until it is loaded
 * @property {HTMLElement} heading of the panel, which can have the focus
 * @property {string[]} labels the names of the columns in the page's language
 * @property {(request: HostRequest) => Promise<boolean>} perform resolves to whether it succeeded
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
   * Shows the action that is possible now. Implemented by the subclass.
   * @param {PickerSession} picker
   */
  draw(picker) { void picker; }

  /** Sends the request that is equivalent to the command. */
  async perform() {
    const { request } = this.command;
    return request !== null && this.host.perform(request);
  }
}

/**
 * A field with a label before it.
 * @param {any} field @returns {{element: HTMLElement, label: any}}
 */
export function labelled(field) {
  const label = make("span", {});
  return { label, element: make("label", { class: "host-field" }, label, field) };
}
