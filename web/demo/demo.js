// The demo page: home, or the picker that the address names.

import "/client/elements.js";
import { showHome } from "./home.js";
import { PickerPage } from "./picker-page.js";
import { routeOf } from "./route.js";
import { Settings } from "./settings.js";

const settings = new Settings();
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {PickerPage | null} */
let page = null;

settings.build(/** @type {HTMLElement} */ (document.getElementById("settings")));

/** @param {{isArriving: boolean}} how */
async function show({ isArriving }) {
  const route = routeOf(location.hash);
  page?.close();
  page = null;
  if (route) {
    page = new PickerPage(main, settings, route);
    await page.open();
  } else {
    await showHome(main, settings);
  }
  if (isArriving) {
    window.scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

window.addEventListener("hashchange", () => void show({ isArriving: true }));
settings.addEventListener("locale", () => {
  if (page) page.translate();
  else void show({ isArriving: false });
});
settings.addEventListener("name", () => void page?.rename());
void show({ isArriving: false });
