// The page that is shown instead of a picker: the reason, and what the user can do.

import { later } from "../client/words/en-later.js";
import { addEnglish, wordsOf } from "../client/words/words.js";
import { hasEnded } from "./ending.js";
import { openNew } from "./opening.js";
import { h } from "./patch.js";
import { hashOf, pastedRoute } from "./route.js";
import { Problem, readSession } from "./server.js";

/** @typedef {import("./picker-page.js").PickerPage} PickerPage */

addEnglish(later);

/** @param {PickerPage} page @returns {import("./patch.js").View} null if the picker can be shown */
export function closedView(page) {
  const { picker, document, settings: { words, locale } } = page;
  if (!picker) return null;
  const { connection, closeCode } = picker;
  if (connection === "credentials" || closeCode === 4403) {
    const text = closeCode === 4302 ? wordsOf(locale).connection.expired : words.noAccessText;
    return view("credentials", words.noAccess, text, pasteForm(page));
  }
  if (connection !== "away") return null;
  if (closeCode === 4409) {
    return view("elsewhere", words.elsewhere, words.elsewhereText, h("button", { class: "primary", onclick: () => picker.retry() }, words.useHere));
  }
  if (closeCode === 4404 || closeCode === 4410) {
    const again = document && h("button", { class: "primary", onclick: () => openNew(document.snapshot.definition, document.title ?? "") }, words.newOne);
    const [title, text] = hasEnded(picker, document) ? [words.ended, words.endedText] : [words.notFound, words.notFoundText];
    return view("ended", title, text, again, h("a", { class: again ? "secondary" : "primary", href: "#/" }, words.back));
  }
  return view("away", words.away, `${words.awayText} (${picker.error?.detail ?? closeCode})`,
    h("button", { class: "primary", onclick: () => location.reload() }, words.reload));
}

/**
 * The form for another link or token. The server is asked first, so that the user reads why nothing is opened.
 * @param {PickerPage} page
 */
function pasteForm(page) {
  const { settings, route: { session }, pasteProblem } = page;
  const { words } = settings;
  return h("form", { class: "enter", onsubmit: async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("token-link"));
    const route = pastedRoute(field.value, session);
    const problem = route ? await problemOf(route, settings) : words.notALink;
    if (!form.isConnected) return;
    if (route && !problem) return location.replace(hashOf(route.session, route.token));
    page.showPasteProblem(problem ?? "");
    field.focus();
  } }, h("label", { for: "token-link" }, words.pasteLink), h("input", {
    type: "text", id: "token-link", autocomplete: "off", spellcheck: "false", "aria-describedby": "token-verdict",
    "aria-invalid": pasteProblem ? "true" : null, oninput: () => page.showPasteProblem(""),
  }), h("button", { class: "primary" }, words.enter),
  h("p", { class: "verdict", "data-verdict": "bad", id: "token-verdict", role: "status" }, pasteProblem));
}

/**
 * Why a link gives no access; null if it does, or if the page of its session shows the reason.
 * @param {{session: string, token: string}} route @param {import("./settings.js").Settings} settings
 */
async function problemOf({ session, token }, { words, locale }) {
  try {
    await readSession(session, token, locale);
  } catch (problem) {
    if (!(problem instanceof Problem)) return words.unreachable;
    if (problem.status === 401 || problem.status === 403) return words.notALink;
  }
  return null;
}

/** @param {string} key @param {string} title @param {string} text @param {...import("./patch.js").View} ways */
const view = (key, title, text, ...ways) => h("section", { class: "closed-page", key, role: "alert" },
  h("h1", {}, title), h("p", {}, text), h("div", { class: "ways" }, ...ways));
