// The five cards. Opening one makes a session on the server.

import { dateOfExpression } from "/client/core/civil.js";
import { make, setText } from "/client/parts/dom.js";
import { todayIn } from "/client/words/words.js";
import { hashOf, keepTokens } from "./route.js";
import { createSession, Problem } from "./server.js";

/** @typedef {import("./words/words.js").DemoWords} DemoWords */
/** @typedef {{id: keyof DemoWords["pickers"], art: string, definitions: any[]}} DemoPicker */

/** @type {Promise<DemoPicker[]> | undefined} */
let loaded;
/**
 * The demo's pickers, loaded once.
 * @returns {Promise<DemoPicker[]>}
 */
export const demoPickers = () => (loaded ??= fetch("/demo/pickers.json").then((response) => response.json()));

/**
 * A definition for here and now: in this browser's zone; days of `blocked` may be written as `today+P3D`,
 * which the server would not take.
 * @param {any} definition
 */
export function localised(definition, now = Date.now()) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const today = todayIn(now, timeZone);
  const dated = (/** @type {any} */ block) => Object.fromEntries(Object.entries(block)
    .map(([name, value]) => [name, typeof value === "string" ? dateOfExpression(value, today) ?? value : value]));
  return {
    ...definition, timeZone: definition.timeZone ?? timeZone,
    ...(definition.blocked && { blocked: definition.blocked.map(dated) }),
  };
}

/**
 * Makes a session and goes there. The address gets the editor's token: whoever shares it shares no ownership.
 * @param {any} definition @param {string} title
 */
export async function openNew(definition, title) {
  const { session, tokens } = await createSession(definition, title);
  if (tokens) keepTokens(session, tokens);
  location.hash = hashOf(session, tokens?.editor);
}

/** @param {HTMLElement} place @param {import("./settings.js").Settings} settings */
export async function showHome(place, settings) {
  const { words } = settings;
  document.title = "pickerd";
  const status = make("p", { class: "problem", role: "alert", hidden: true });
  const pickers = await demoPickers();
  const cards = pickers.map((picker) => cardOf(picker, settings, status));
  place.replaceChildren(make("div", { class: "home" },
    make("h1", {}, words.headline), make("p", { class: "lead" }, words.lead), status,
    make("ul", { class: "cards" }, ...cards)));
}

/** @param {DemoPicker} picker @param {import("./settings.js").Settings} settings @param {HTMLElement} status */
function cardOf(picker, settings, status) {
  const { words } = settings;
  const { title, text } = words.pickers[picker.id];
  const labels = picker.definitions.length > 1 ? [words.openLinked, words.openColumns] : [words.open];
  const buttons = picker.definitions.map((definition, index) => {
    const button = make("button", {
      class: index === 0 ? "primary" : "secondary", type: "button", "data-open": `${picker.id}-${index}`,
      "aria-label": `${labels[index]}: ${title}`,
      onclick: async () => {
        button.disabled = true;
        status.hidden = true;
        try {
          await openNew(localised(definition), title);
        } catch (problem) {
          const said = problem instanceof Problem ? words.createFailed(problem.message) : words.unreachable;
          setText(status, said);
          status.hidden = false;
          button.disabled = false;
        }
      },
    }, labels[index]);
    return button;
  });
  return make("li", { class: "card" }, artOf(picker.art),
    make("h2", {}, title), make("p", {}, text), make("div", { class: "opens" }, ...buttons));
}

/**
 * A small drawing of what the card opens.
 * @param {string} kind
 */
function artOf(kind) {
  const art = make("div", { class: `art ${kind}`, "aria-hidden": "true" });
  if (kind === "wheels") {
    for (let column = 0; column < 3; column += 1) {
      art.append(make("div", { class: "art-column" }, ...[1, 2, 3, 4, 5].map((row) => make("i", { class: `line row-${row}` }))));
    }
  } else {
    for (let day = 0; day < 28; day += 1) {
      const isChosen = kind === "range" ? day >= 10 && day <= 18 : day === 16;
      art.append(make("i", { class: `dot${isChosen ? " on" : ""}` }));
    }
  }
  return art;
}
