// The page that is shown instead of a picker: the reason, and what the user can do.

import { make } from "/client/parts/dom.js";
import { wordsOf } from "/client/words/words.js";
import { openNew } from "./home.js";
import { routeOf } from "./route.js";

/**
 * @param {import("/client/core/session.js").PickerSession} picker @param {import("./settings.js").Settings} settings
 * @param {any} document the last response to `GET`, if any
 * @param {(token: string) => void} enter
 * @returns {{reason: string, element: HTMLElement} | null} null if the picker can be shown
 */
export function closedPageOf(picker, settings, document, enter) {
  const { words } = settings;
  const { connection, closeCode } = picker;
  if (connection === "credentials" || closeCode === 4403) {
    const field = make("input", { type: "text", id: "token-link", autocomplete: "off", spellcheck: "false" });
    const form = make("form", { class: "enter", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      const hash = field.value.includes("#") ? field.value.slice(field.value.indexOf("#")) : "";
      enter(routeOf(hash)?.token ?? field.value.trim());
    } }, make("label", { for: "token-link" }, words.pasteLink), field, make("button", { class: "primary" }, words.enter));
    const text = closeCode === 4302 ? wordsOf(settings.locale).connection.expired : words.noAccessText;
    return closedPage(`credentials ${settings.locale}`, words.noAccess, text, form);
  }
  if (connection !== "away") return null;
  if (closeCode === 4409) {
    const use = make("button", { class: "primary", onclick: () => picker.retry() }, words.useHere);
    return closedPage(`elsewhere ${settings.locale}`, words.elsewhere, words.elsewhereText, use);
  }
  if (closeCode === 4404 || closeCode === 4410) {
    const again = document && make("button", {
      class: "primary", onclick: () => openNew(document.snapshot.definition, document.title ?? ""),
    }, words.newOne);
    // A picker that was shown here may have ended while there was no connection.
    const [title, text] = document || picker.state.isKnown || closeCode === 4410 ? [words.ended, words.endedText] : [words.notFound, words.notFoundText];
    return closedPage(`ended ${settings.locale} ${Boolean(document)}`, title, text, again,
      make("a", { class: again ? "secondary" : "primary", href: "#/" }, words.back));
  }
  const reload = make("button", { class: "primary", onclick: () => location.reload() }, words.reload);
  return closedPage(`away ${settings.locale}`, words.away, `${words.awayText} (${picker.error?.detail ?? closeCode})`, reload);
}

/** @param {string} reason @param {string} title @param {string} text @param {...(Node | null)} ways */
const closedPage = (reason, title, text, ...ways) => ({
  reason,
  element: make("section", { class: "closed-page", role: "alert" },
    make("h1", {}, title), make("p", {}, text), make("div", { class: "ways" }, ...ways)),
});
