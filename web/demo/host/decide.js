// The decision of the host on a confirmation: granted, or denied with a reason.

import { make, setText } from "../../client/parts/dom.js";
import { Action, labelled } from "./action.js";
import { settlement } from "./request.js";

/** @typedef {import("./action.js").Host} Host */
/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */

/** An action that is there while the session waits for the host. */
class DecideAction extends Action {
  /** @param {Host} host @param {string} name @param {...Node} controls */
  constructor(host, name, ...controls) {
    super(host, name);
    this.button = make("button", { class: "secondary", type: "submit" });
    this.controls.append(make("form", { class: "host-fields", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.perform();
    } }, ...controls, this.button));
  }

  /** @param {PickerSession} picker */
  draw(picker) {
    const isAsked = picker.state.status === "confirming" && this.host.op !== null;
    // An element that is hidden loses the focus to the page.
    if (!isAsked && this.element.contains(document.activeElement)) this.host.heading.focus();
    this.element.hidden = !isAsked;
    if (isAsked) this.show();
    else this.command.show(null);
  }

  /** Shows the decision. Implemented by the subclass. */
  show() {}
}

export class GrantAction extends DecideAction {
  /** @param {Host} host */
  constructor(host) { super(host, "host-grant"); }

  show() {
    const { host } = this.host.words;
    this.setTitle(host.asked);
    setText(this.button, host.grant);
    this.command.show(settlement({ op: this.host.op, granted: true }));
  }
}

export class DenyAction extends DecideAction {
  /** @param {Host} host */
  constructor(host) {
    const field = make("input", { type: "text", maxlength: "200", autocomplete: "off", size: "18", oninput: () => this.show() });
    const named = labelled(field);
    super(host, "host-deny", named.element);
    this.field = field;
    this.named = named;
    this.proposed = "";
  }

  show() {
    const { host } = this.host.words;
    this.setTitle(host.denied);
    setText(this.named.label, host.reason);
    setText(this.button, host.deny);
    if (this.field.value === this.proposed) this.field.value = host.soldOut;
    this.proposed = host.soldOut;
    const reason = this.field.value.trim();
    this.command.show(settlement({ op: this.host.op, granted: false, ...(reason && { reason }) }));
  }
}
