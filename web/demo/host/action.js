// An action of the host: a view of its controls, and of the equivalent command.

import { h } from "../patch.js";
import { curlOf } from "./request.js";

/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */
/** @typedef {import("./panel.js").HostPanel} HostPanel */
/** @typedef {import("./request.js").HostRequest} HostRequest */
/** @typedef {import("../words/types").DemoWords & import("../words/types").HomeWords & import("../words/types").DeveloperWords} HostWords */
/** @typedef {import("../patch.js").View} View */
/** @typedef {(host: HostPanel, picker: PickerSession) => View} ActionView null: there is no such action now */

/**
 * @param {HostPanel} host @param {string} name @param {string} title @param {HostRequest | null} request null: there is none now
 * @param {...View} controls @returns {View}
 */
export const action = (host, name, title, request, ...controls) =>
  h("section", { class: `host-action ${name}`, key: name }, h("h2", {}, title),
    h("div", { class: "host-controls" }, ...controls), commandView(host, request));

/**
 * Controls with a button that sends a request.
 * @param {HostPanel} host @param {HostRequest | null} request @param {string} label @param {...View} controls @returns {View}
 */
export const sending = (host, request, label, ...controls) =>
  h("form", { class: "host-fields", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    if (request) void host.perform(request);
    // Not `disabled`: the button may have the focus.
  } }, ...controls, h("button", { class: "secondary", type: "submit", "aria-disabled": request ? null : "true" }, label));

/**
 * A field with a label before it.
 * @param {string} label @param {View} field
 */
export const labelled = (label, field) => h("label", { class: "host-field" }, h("span", {}, label), field);

/**
 * A field for a value. What the user has typed stays until the server's value changes.
 * @param {HostPanel} host @param {string} name @param {string} known the server's value @param {string} proposed
 * @param {{[name: string]: any}} [attributes]
 * @returns {{value: string, field: View}}
 */
export function typed(host, name, known, proposed, attributes = {}) {
  const key = `${name} ${known}`;
  const value = host.typed.get(key) ?? proposed;
  // A date that is typed half has no value yet, and must stay.
  const shown = attributes.type === "date" ? proposed : value;
  const field = h(attributes.options ? "select" : "input", {
    autocomplete: "off", ...attributes, options: null, key, value: shown,
    oninput: (/** @type {any} */ { target }) => {
      host.typed.set(key, target.value);
      host.redraw();
    },
  }, (attributes.options ?? []).map((/** @type {string[]} */ [one, text]) => h("option", { key: one, value: one }, text)));
  return { value, field };
}

const tones = /** @type {const} */ (["none", "low", "high", "good", "bad"]);

/**
 * The fields for the text and the tone of a note, and its merge patch; without a tone it removes the previous one.
 * @param {HostPanel} host @param {string} name @param {string} label @param {string} proposed
 * @returns {{fields: View, note: {text: string, tone: string | null} | null}} null: no note
 */
export function noteFields(host, name, label, proposed) {
  const { words } = host;
  const text = typed(host, `${name} text`, "", proposed.slice(0, 24), { maxlength: "24", size: "10" });
  const tone = typed(host, `${name} tone`, "", "none", {
    "aria-label": words.host.tone, options: tones.map((one) => [one, words.host.tones[one]]),
  });
  const trimmed = text.value.trim();
  return {
    fields: h("div", { class: "host-fields" }, labelled(label, text.field), tone.field),
    note: trimmed ? { text: trimmed, tone: tone.value === "none" ? null : tone.value } : null,
  };
}

/** @param {HostPanel} host @param {HostRequest | null} request */
function commandView(host, request) {
  const { words } = host;
  if (!request) return null;
  const parts = curlOf(host.session, request, host.token);
  const whole = parts.join("");
  return h("div", { class: "command" },
    h("pre", { dir: "ltr", tabindex: "0", role: "group", "aria-label": words.host.command },
      h("code", {}, parts.map((part, at) => (at === 1 ? h("span", { class: "secret" }, part) : part)))),
    h("button", { class: "copy", type: "button", onclick: (/** @type {any} */ { currentTarget }) => copy(host, whole, currentTarget) },
      host.copied?.whole === whole ? host.copied.text : words.host.copy));
}

/** @param {HostPanel} host @param {string} whole the command @param {HTMLElement} button */
async function copy(host, whole, button) {
  const { words } = host;
  try {
    await navigator.clipboard.writeText(whole);
    host.copied = { whole, text: words.copied };
  } catch {
    // The clipboard needs a secure context. Without it the command is selected, so that the user can copy it.
    getSelection()?.selectAllChildren(/** @type {Element} */ (button.previousElementSibling));
    host.copied = { whole, text: words.host.selected };
  }
  host.redraw();
}
