// The page that is shown instead of a picker: the reason, and what the user can do.

import { make, setAttribute, setText } from "../client/parts/dom.js";
import { wordsOf } from "../client/words/words.js";
import { hasEnded } from "./ending.js";
import { openNew } from "./opening.js";
import { hashOf, pastedRoute } from "./route.js";
import { Problem, readSession } from "./server.js";

/**
 * @param {import("../client/core/session.js").PickerSession} picker @param {import("./settings.js").Settings} settings
 * @param {any} document the last response to `GET`, if any
 * @param {string} session of the address
 * @returns {{reason: string, element: HTMLElement} | null} null if the picker can be shown
 */
export function closedPageOf(picker, settings, document, session) {
  const { words } = settings;
  const { connection, closeCode } = picker;
  if (connection === "credentials" || closeCode === 4403) {
    const text = closeCode === 4302 ? wordsOf(settings.locale).connection.expired : words.noAccessText;
    return closedPage(`credentials ${settings.locale}`, words.noAccess, text, pasteForm(session, settings));
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
    const [title, text] = hasEnded(picker, document) ? [words.ended, words.endedText] : [words.notFound, words.notFoundText];
    return closedPage(`ended ${settings.locale} ${Boolean(document)}`, title, text, again,
      make("a", { class: again ? "secondary" : "primary", href: "#/" }, words.back));
  }
  const reload = make("button", { class: "primary", onclick: () => location.reload() }, words.reload);
  return closedPage(`away ${settings.locale}`, words.away, `${words.awayText} (${picker.error?.detail ?? closeCode})`, reload);
}

/**
 * The form for another link or token. The server is asked first, so that the user reads why nothing is opened.
 * @param {string} session @param {import("./settings.js").Settings} settings
 */
function pasteForm(session, settings) {
  const { words } = settings;
  const field = make("input", {
    type: "text", id: "token-link", autocomplete: "off", spellcheck: "false", "aria-describedby": "token-verdict",
    oninput: () => show(null),
  });
  const verdict = make("p", { class: "verdict", "data-verdict": "bad", id: "token-verdict", role: "status" });
  const show = (/** @type {string | null} */ problem) => {
    setText(verdict, problem ?? "");
    setAttribute(field, "aria-invalid", problem ? "true" : null);
  };
  const form = make("form", { class: "enter", onsubmit: async (/** @type {Event} */ event) => {
    event.preventDefault();
    const route = pastedRoute(field.value, session);
    const problem = route ? await problemOf(route, settings) : words.notALink;
    if (!form.isConnected) return;
    if (route && !problem) return location.replace(hashOf(route.session, route.token));
    show(problem);
    field.focus();
  } }, make("label", { for: "token-link" }, words.pasteLink), field, make("button", { class: "primary" }, words.enter), verdict);
  return form;
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

/** @param {string} reason @param {string} title @param {string} text @param {...(Node | null)} ways */
const closedPage = (reason, title, text, ...ways) => ({
  reason,
  element: make("section", { class: "closed-page", role: "alert" },
    make("h1", {}, title), make("p", {}, text), make("div", { class: "ways" }, ...ways)),
});
