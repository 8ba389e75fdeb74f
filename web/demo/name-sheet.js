// The question for the user's name, at the first change that it makes.

import { dialogSheet } from "../client/parts/dialog-sheet.js";
import { make } from "../client/parts/dom.js";

/** @param {import("./settings.js").Settings} settings @param {HTMLElement} back that gets the focus back */
export function askName(settings, back) {
  const { words } = settings;
  if (!document.adoptedStyleSheets.includes(dialogSheet())) document.adoptedStyleSheets.push(dialogSheet());
  const field = make("input", {
    type: "text", id: "own-name", maxlength: "64", autocomplete: "nickname", spellcheck: "false", required: true,
    placeholder: settings.guestName, "aria-describedby": "own-name-text",
  });
  const form = make("form", { onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    const name = field.value = field.value.trim();
    // Blanks are no name: the browser asks for one, as for an empty field.
    if (!field.reportValidity()) return;
    settings.setName(name);
    dialog.close();
  } }, make("label", { for: "own-name" }, words.askName), field,
  make("p", { class: "remark", id: "own-name-text" }, words.nameText), make("button", { class: "primary" }, words.saveName));
  const dialog = make("dialog", {
    class: "name-sheet", "aria-label": words.askName,
    // A click beside it.
    onclick: (/** @type {Event} */ event) => { if (event.target === dialog) dialog.close(); },
    onclose: () => {
      dialog.remove();
      back.focus({ preventScroll: true });
    },
  }, form);
  document.body.append(dialog);
  dialog.showModal();
}
