// The home page: what pickerd is, two live windows on one session, and the ways on.

import { h } from "./patch.js";
import { recentPickers } from "./recent.js";
import { hashOf } from "./route.js";

/** @typedef {import("./home.js").Home} Home */
/** @typedef {import("./patch.js").View} View */

/** Drawings of the three doors, as paths in a view box of 136 × 88 by class. */
const drawings = {
  find: [
    ["tint-1", "M1 1h25v19H1zM109 22h25v19h-25zM1 64h25v19H1zM109 64h25v19h-25zM109 1h25v19h-25z"],
    ["tint-2", "M28 1h25v19H28zM82 1h25v19H82zM1 22h25v19H1zM1 43h25v19H1zM109 43h25v19h-25zM28 64h25v19H28zM82 64h25v19H82z"],
    ["tint-3", "M55 1h25v19H55zM82 22h25v19H82zM28 43h25v19H28zM82 43h25v19H82zM55 64h25v19H55zM28 22h25v19H28z"],
    ["tint-4", "M55 22h25v19H55zM55 43h25v19H55z"], ["outline", "M53 20h29v44H53z"],
  ],
  stay: [
    ["pips", "M14 14h.01M32 14h.01M50 14h.01M68 14h.01M86 14h.01M104 14h.01M122 14h.01M14 36h.01M32 36h.01M50 36h.01M68 36h.01M50 58h.01M68 58h.01M86 58h.01M104 58h.01M122 58h.01M14 80h.01M32 80h.01M50 80h.01M68 80h.01"],
    ["tint-2", "M86 26h46v20H86zM2 48h30v20H2z"], ["discs", "M86 36h.01M32 58h.01"],
  ],
  any: [
    ["tint-1", "M1 32h134v24H1z"], ["bars faint", "M12 8h44M78 8h14M108 8h14M12 80h44M78 80h14M108 80h14"],
    ["bars", "M12 26h44M78 26h14M108 26h14M12 62h44M78 62h14M108 62h14"], ["bars strong", "M12 44h44M78 44h14M108 44h14"],
  ],
};

/** Measured: see Tests/bench/RESULTS.md, the table of the client's README, and the tests of the store. */
const figures = /** @type {const} */ ([
  ["tap", "0.19 ms", "make bench SCENARIOS=1x100"], ["size", "33 KB", "client/v1/define-calendar.js"],
  ["kill", "kill -9", "Tests/product/test_store_kill.py"],
]);

/** @param {Home} home @returns {View[]} */
export function landingView(home) {
  const { words } = home;
  return [
    h("section", { class: "hero" },
      h("div", { class: "hero-words" },
        h("h1", {}, words.headline), h("p", { class: "lead" }, words.lead),
        h("div", { class: "calls" }, home.opener("start", "range", words.plan, { class: "primary large", "data-start": true }, words.start),
          h("a", { class: "secondary", href: "docs/" }, words.docs)),
        h("p", { class: "free" }, words.free)),
      stageView(home)),
    recentView(home),
    h("section", { class: "doors", "aria-label": words.cards }, doorsView(home)),
    embedView(home),
    footerView(home),
  ];
}

/**
 * The two windows, which have their place before they are there.
 * @param {Home} home
 */
function stageView({ words, tour, tourProblem }) {
  const problem = tour?.problem ? words.unreachable : tourProblem;
  return h("div", { class: "stage", "data-tour": tour?.isLive ? "live" : tourProblem ? "closed" : "waiting" },
    (/** @type {const} */ (["phone", "laptop"])).map((device, index) => h("figure", { class: `device ${device}` },
      h("figcaption", {}, words.tour[device]),
      h("div", { class: "screen" }, tour?.elements[index] ?? h("div", { class: "dots" }),
        h("p", { class: "result", dir: "auto" }, tour?.results[index] ?? "")))),
    h("div", { class: "stage-line" },
      problem ? h("p", { role: "status" }, problem) : h("p", { key: "hint" }, words.tour.hint),
      tour?.isLive && h("button", {
        class: "switch", type: "button", role: "switch", "aria-checked": String(tour.isSold), onclick: () => void tour.sellOut(),
      }, words.tour.sellOut(tour.day))));
}

/** @param {Home} home @returns {View} */
export function recentView(home) {
  const { words } = home;
  const all = recentPickers();
  return all.length > 0 && h("section", { class: "recent" },
    h("h2", {}, words.recent),
    h("ul", {}, all.map(({ session, title }) => h("li", { key: session }, h("a", { class: "secondary", href: hashOf(session), dir: "auto" }, title)))),
    h("button", { class: "plain", type: "button", onclick: () => home.forgetRecent() }, words.forget));
}

/** @param {Home} home @returns {View[]} */
function doorsView(home) {
  const { words } = home;
  const inside = (/** @type {keyof typeof drawings} */ name) => [
    h("svg", { viewBox: "0 0 136 88", "aria-hidden": "true" }, drawings[name].map(([kind, d]) => h("path", { class: kind, key: d, d }))),
    h("strong", {}, words.doors[name].title), h("span", {}, words.doors[name].text),
  ];
  const opening = (/** @type {"find" | "stay"} */ name, /** @type {"hour" | "stay"} */ id) => h("div", { key: name },
    home.opener(name, id, words.pickers[id], { class: "door", "data-door": name }, inside(name)));
  return [opening("find", "hour"), opening("stay", "stay"),
    h("div", { key: "any" }, h("a", { class: "door", "data-door": "any", href: "#/examples" }, inside("any")))];
}

/** What starts a server, and creates a session in it. */
const run = `make run
# in a second terminal
curl http://127.0.0.1:7681/v1/sessions \\
  -d '{"definition": {"kind": "calendar", "unit": "nights", "min": "today",
       "months": {"from": "thisMonth", "through": "thisMonth+P1Y"}}}'`;

/** @param {Home} home */
function embedView({ words: { embed, figures: texts } }) {
  const base = new URL(".", location.href).href;
  const code = `<script type="module"
  src="${base}client/v1/elements.js"></script>
<pickerd-calendar
  session="${base}s/ID"
  member-name="Ana">
</pickerd-calendar>`;
  return h("section", { class: "embed" },
    h("div", {}, h("h2", {}, embed.title), h("p", {}, embed.text), codeView(embed.title, code),
      h("h3", {}, embed.run), h("p", {}, embed.runText), codeView(embed.run, run),
      h("a", { class: "more", href: "docs/operate/install.html" }, embed.install)),
    h("dl", { class: "figures-of-home" }, figures.map(([name, figure, source]) => h("div", { key: name },
      h("dt", { dir: "ltr" }, figure), h("dd", {}, texts[name]), h("dd", { class: "measured" }, h("code", { dir: "ltr" }, source))))));
}

/**
 * Code that scrolls, also with the keyboard.
 * @param {string} name @param {string} code
 */
const codeView = (name, code) =>
  h("pre", { tabindex: "0", role: "region", "aria-label": name, dir: "ltr" }, h("code", {}, code));

/** @param {Home} home */
const footerView = ({ words: { footer, free } }) => h("footer", {},
  h("a", { href: "docs/" }, footer.docs), h("a", { href: "#/examples" }, footer.examples),
  h("a", { href: "docs/embed/html.html" }, footer.packages),
  h("a", { href: "client/api/openapi.json" }, "OpenAPI"), h("a", { href: "client/api/asyncapi.json" }, "AsyncAPI"),
  h("span", {}, free));
