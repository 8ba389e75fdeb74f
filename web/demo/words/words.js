// The languages of the demo page.

import { ar } from "./ar.js";
import { de } from "./de.js";
import { en } from "./en.js";
import { ja } from "./ja.js";
import { zhHans } from "./zh-Hans.js";

/** @typedef {import("./types").DemoWords} DemoWords */

/**
 * By BCP 47 tag, in the order of the menu.
 * @type {{[locale: string]: DemoWords}}
 */
export const demoLanguages = { en, "zh-Hans": zhHans, ja, de, ar };

/**
 * The language of the page for what a browser prefers.
 * @param {readonly string[]} preferred
 */
export function bestLocale(preferred) {
  for (const locale of preferred) {
    const language = locale.split("-")[0].toLowerCase();
    const known = Object.keys(demoLanguages).find((one) => one.split("-")[0] === language);
    if (known) return known;
  }
  return "en";
}
