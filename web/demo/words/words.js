// The languages of the page: those of the elements.

import { writerOf } from "../../client/words/patterns.js";
import { bestOf, languages, loadWords, textsOf } from "../../client/words/words.js";
import { en } from "./en.js";

/** @typedef {import("./types").DemoWords} DemoWords */
/** @typedef {import("./types").HomeWords} HomeWords */
/** @typedef {import("./types").DeveloperWords} DeveloperWords */

/** The BCP 47 tags of the languages. */
export const locales = ["en", ...languages];

/**
 * The names of the languages in themselves by tag, in the order of the menu.
 * @returns {[locale: string, name: string][]}
 */
export function languageNames() {
  /** @param {string} locale @returns {[string, string]} */
  const named = (locale) => {
    const name = new Intl.DisplayNames(locale, { type: "language" }).of(locale) ?? locale;
    return [locale, name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)];
  };
  return locales.map(named).sort(([, a], [, b]) => a.localeCompare(b, "en"));
}

/** @type {Map<string, import("./types").PageTable>} those that are loaded */
const tables = new Map();

/** @type {Map<string, DemoWords>} */
const written = new Map();

/**
 * The texts in a language once they are loaded, otherwise in English.
 * @param {string} locale one of `locales` @returns {DemoWords}
 */
export function demoWordsOf(locale) {
  const words = written.get(locale) ?? textsOf(en, [tables.get(locale)], writerOf(locale, locale));
  written.set(locale, words);
  return words;
}

/**
 * The texts of the home page in a language that is loaded, otherwise in English.
 * @param {import("../../client/words/types").Patterns<HomeWords>} english @param {string} locale one of `locales`
 * @returns {HomeWords}
 */
export const homeWordsOf = (english, locale) => textsOf(english, [tables.get(locale)?.home], writerOf(locale, locale));

/**
 * Loads the texts of the page and of the elements in a language. If that fails, they are English.
 * @param {string} locale one of `locales`
 */
export async function loadLanguage(locale) {
  const load = async () => {
    const { table } = await import(`./tables/${locale}.js`).catch(() => ({}));
    if (table) tables.set(locale, table);
    written.delete(locale);
  };
  await Promise.all([locale === "en" || tables.has(locale) || load(), loadWords(locale)]);
}

/**
 * The texts of the panels for developers in other languages than English.
 * @type {{[locale: string]: () => Promise<{developers: import("../../client/words/types").Patterns<DeveloperWords>}>}}
 */
const developerLoads = {
  "zh-Hans": () => import("./developers-zh-Hans.js"),
  ja: () => import("./developers-ja.js"),
  de: () => import("./developers-de.js"),
  ar: () => import("./developers-ar.js"),
};

/**
 * Loads all texts in a language, also those of the panels for developers, which many languages have in English.
 * @param {string} locale one of `locales` @returns {Promise<DemoWords & HomeWords & DeveloperWords>}
 */
export async function loadDeveloperWords(locale) {
  const [{ home }, { developers }, own] = await Promise.all([
    import("./home-en.js"), import("./developers-en.js"), developerLoads[locale]?.()]);
  return { ...demoWordsOf(locale), ...homeWordsOf(home, locale), ...textsOf(developers, [own?.developers], writerOf(locale, locale)) };
}

/**
 * The language of the page for what a browser prefers.
 * @param {readonly string[]} preferred
 */
export const bestLocale = (preferred) => preferred.map((locale) => bestOf(locale, locales)).find(Boolean) ?? "en";
