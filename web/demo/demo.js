// The demo page: the home page, or the picker in the URL.

import { make } from "../client/parts/dom.js";
import { wayBack } from "./address.js";
import { joinRoute } from "./joining.js";
import { loadLaterSheet } from "./later-sheet.js";
import { reloadLater } from "./loading.js";
import { demoPickers } from "./opening.js";
// Other pages use it: bundled with this module, it is no file of its own.
import "./recent.js";
import { arrivingRoute } from "./route.js";
import { Settings } from "./settings.js";
import { loadHomeWords, loadLanguage } from "./words/words.js";

const settings = new Settings();
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {import("./picker-page.js").PickerPage | null} */
let page = null;

await loadLanguage(settings.locale);
settings.build(/** @type {HTMLElement} */ (document.getElementById("settings")));
document.getElementById("skip")?.addEventListener("click", (event) => {
  // The fragment of the address is the route.
  event.preventDefault();
  main.focus();
});

/** @param {{isArriving: boolean}} how */
async function show(how) {
  try {
    await draw(how);
  } catch {
    // A file of the page could not be loaded.
    reloadLater();
    const { words } = settings;
    main.replaceChildren(make("p", { class: "problem", role: "alert" }, words.unreachable),
      make("button", { class: "primary", type: "button", onclick: () => location.reload() }, words.retry));
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
    // The socket is opened first: it needs nothing but the link.
    const joining = joinRoute(route, settings);
    try {
      // Imported here, so that the home page does not load it.
      const { PickerPage } = await import("./picker-page.js");
      if (location.hash === hash) page = new PickerPage(main, settings, route, joining);
    } finally {
      if (page?.joining !== joining) void joining.picker.then((picker) => picker.stop());
    }
    if (page?.joining === joining) await page.open();
  } else {
    demoPickers().catch(() => {});
    const [{ showHome }, words] = await Promise.all([import("./home.js"), loadHomeWords(settings.locale), loadLaterSheet()]);
    if (location.hash === hash) await showHome(main, settings, words);
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
  main.replaceChildren(make("section", { class: "closed-page" },
    make("h1", {}, words.nothingHere), make("p", {}, words.nothingHereText),
    make("a", { class: "primary", href: home }, words.back)));
  document.getElementById("home-link")?.setAttribute("href", home);
}

window.addEventListener("hashchange", () => void show({ isArriving: true }));
settings.addEventListener("locale", () => {
  if (page) page.translate();
  else void show({ isArriving: false });
});
settings.addEventListener("name", () => void page?.rename());
void show({ isArriving: false });
