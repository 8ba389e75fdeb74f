// The examples: eleven pickers, each of which a click creates.

import { h } from "./patch.js";
import { recentView } from "./landing.js";

/** @typedef {import("./home.js").Home} Home */
/** @typedef {import("./pickers.js").DemoPicker} DemoPicker */

/** @param {Home} home @returns {import("./patch.js").View[]} */
export function examplesView(home) {
  const { words } = home;
  return [
    h("h1", { class: "examples-title" }, words.cards),
    h("form", { class: "start", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
      h("label", { for: "title" }, words.what),
      h("input", {
        type: "text", id: "title", maxlength: "200", autocomplete: "off", placeholder: words.whatExample,
        oninput: (/** @type {any} */ { target }) => home.typeTitle(target.value),
      }),
      home.opener("start", "range", words.plan, { class: "primary", type: "submit", "data-start": true }, words.start)),
    recentView(home),
    h("ul", { class: "cards" }, home.pickers.map((picker) => cardView(home, picker))),
  ];
}

/** @param {Home} home @param {DemoPicker} picker */
function cardView(home, { id, definitions }) {
  const { words } = home;
  const title = words.pickers[id];
  const labels = definitions.length > 1 ? [words.openLinked, words.openColumns] : [words.open];
  return h("li", { class: "card", key: id },
    h("h2", {}, title), h("p", {}, words.texts[id]),
    h("div", { class: "opens" }, labels.map((label, index) => home.opener(`${id}-${index}`, id, title, {
      class: "secondary", "data-open": `${id}-${index}`, "aria-label": `${label}: ${title}`,
    }, label, index))));
}
