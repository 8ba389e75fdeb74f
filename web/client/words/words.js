// The texts of the elements by language, and formats of dates (see dates.js).

import { en } from "./en.js";

/** @typedef {import("./types").Words} Words */

/**
 * The languages that are loaded when they are needed.
 * @type {{[language: string]: () => Promise<Words>}}
 */
const loads = {
  ar: async () => (await import("./ar.js")).ar,
  de: async () => (await import("./de.js")).de,
  ja: async () => (await import("./ja.js")).ja,
  zh: async () => (await import("./zh-Hans.js")).zhHans,
};

/** @type {{[language: string]: Words}} */
const languages = { en };

/** @type {Map<string, Promise<void>>} */
const loading = new Map();

/**
 * The language of the texts for a locale. Readers of traditional characters get no texts in simplified ones.
 * @param {string} locale BCP 47
 */
export function languageOf(locale) {
  const [language, ...rest] = locale.toLowerCase().split("-");
  return language === "zh" && rest.some((one) => ["hant", "tw", "hk", "mo"].includes(one)) ? "zh-hant" : language;
}

/**
 * The texts for a locale: those of its language once they are loaded, otherwise English.
 * @param {string} locale BCP 47 @returns {Words}
 */
export const wordsOf = (locale) => languages[languageOf(locale)] ?? en;

/**
 * Whether there is nothing to load for a locale.
 * @param {string} locale BCP 47
 */
export const hasWords = (locale) => languageOf(locale) in languages || !(languageOf(locale) in loads);

/**
 * Loads the texts for a locale. If that fails, they are English: a browser does not load a module again that it could
 * not load.
 * @param {string} locale BCP 47
 */
export async function loadWords(locale) {
  if (hasWords(locale)) return;
  const language = languageOf(locale);
  const load = loading.get(language) ?? loads[language]().catch(() => en).then((words) => { languages[language] = words; });
  loading.set(language, load);
  await load;
}

export * from "./dates.js";
