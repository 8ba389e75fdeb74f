// The texts of the elements by language, and formats of dates (see dates.js).

import { ar } from "./ar.js";
import { de } from "./de.js";
import { en } from "./en.js";
import { ja } from "./ja.js";
import { zhHans } from "./zh-Hans.js";

/** @typedef {import("./types").Words} Words */

/** @type {{[language: string]: Words}} */
const languages = { ar, de, en, ja, zh: zhHans };

/**
 * The texts for a locale: those of its language, otherwise English.
 * @param {string} locale BCP 47 @returns {Words}
 */
export const wordsOf = (locale) => languages[locale.split("-")[0].toLowerCase()] ?? en;

export * from "./dates.js";
