// The demo page: the home page, or the picker in the URL.

import { controlSheet } from "../client/parts/controls.js";
import { make, setAttribute, setText } from "../client/parts/dom.js";
import { tokenSheet } from "../client/parts/tokens.js";
import { wayBack } from "./address.js";
import { barView } from "./bar.js";
import { joinRoute } from "./joining.js";
import { loadLaterSheet } from "./later-sheet.js";
import { reloadLater } from "./loading.js";
import { demoPickers } from "./pickers.js";
import { patch } from "./patch.js";
// Other pages use them: bundled with this module, they are no files of their own.
import "./recent.js";
import "./server.js";
import { arrivingRoute, examplesHash, saleOf } from "./route.js";
import { Settings } from "./settings.js";
import { loadLanguage } from "./words/words.js";

document.adoptedStyleSheets = [...document.adoptedStyleSheets, tokenSheet(), controlSheet()];

const settings = new Settings();
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {import("./picker-page.js").PickerPage | null} */
let page = null;
/** @type {import("./home.js").Home | null} the home page or the examples */
let home = null;

const bar = /** @type {HTMLElement} */ (document.getElementById("bar"));
const shell = {
  drawBar,
  /** @type {typeof import("./around.js") | null} what is around a picker, but not needed for the first paint */
  around: null,
};
const homeLink = /** @type {HTMLElement} */ (document.getElementById("home-link"));

await loadLanguage(settings.locale);
drawBar();
document.getElementById("skip")?.addEventListener("click", (event) => {
  // The fragment of the address is the route.
  event.preventDefault();
  (page?.element ?? main).focus();
});

function drawBar() {
  const { words } = settings;
  patch(bar, barView(settings, page, shell.around));
  // Also while the scripts of the picker are being loaded to which a link leads: #/s/…
  const isPicker = page !== null || location.hash.startsWith("#/s/");
  homeLink.hidden = isPicker;
  setAttribute(homeLink, "aria-label", `pickerd: ${words.back}`);
  setText(/** @type {HTMLElement} */ (document.getElementById("skip")), words.skip);
  document.body.toggleAttribute("data-picker", isPicker);
}

/** @param {{isArriving: boolean}} how */
async function show(how) {
  try {
    await draw(how);
  } catch {
    // A file of the page could not be loaded.
    reloadLater();
    const { words } = settings;
    main.replaceChildren(make("div", { class: "nothing" }, make("p", { class: "problem", role: "alert" }, words.unreachable),
      make("button", { class: "primary", type: "button", onclick: () => location.reload() }, words.retry)));
  }
}

/** @param {{isArriving: boolean}} how */
async function draw({ isArriving }) {
  if (wayBack) return drawNothing(wayBack);
  const route = arrivingRoute();
  const { hash } = location;
  page?.close();
  page = null;
  if (route) {
    home?.close();
    home = null;
  }
  main.removeAttribute("data-connection");
  drawBar();
  if (route) {
    // The socket is opened first: it needs nothing but the link.
    const joining = joinRoute(route, settings);
    try {
      // Imported here, so that the home page does not load it.
      const { PickerPage } = await import("./picker-page.js");
      if (location.hash === hash) page = new PickerPage(main, settings, route, joining, shell);
    } finally {
      if (page?.joining !== joining) void joining.picker.then((picker) => picker.stop());
    }
    if (page?.joining === joining) await page.open();
  } else {
    demoPickers().catch(() => {});
    const [{ Home }] = await Promise.all([import("./home.js"), loadLaterSheet()]);
    if (location.hash !== hash) return;
    home ??= new Home(main, settings);
    await home.show(location.hash === examplesHash, saleOf(location.hash));
  }
  if (isArriving) {
    window.scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

/** @param {string} home the URL of the home page */
function drawNothing(home) {
  const { words } = settings;
  document.title = `${words.nothingHere} – pickerd`;
  main.replaceChildren(make("section", { class: "closed-page nothing" },
    make("h1", {}, words.nothingHere), make("p", {}, words.nothingHereText),
    make("a", { class: "primary", href: home }, words.back)));
  homeLink.setAttribute("href", home);
}

window.addEventListener("hashchange", () => void show({ isArriving: true }));
settings.addEventListener("locale", () => {
  drawBar();
  if (page) page.translate();
  else void show({ isArriving: false });
});
settings.addEventListener("name", () => {
  drawBar();
  void page?.rename();
});
void show({ isArriving: false }).then(async () => {
  const [module] = await Promise.all([import("./around.js").catch(reloadLater), loadLaterSheet()]);
  shell.around = module ?? null;
  if (page) page.draw();
  else drawBar();
});
