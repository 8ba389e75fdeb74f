// The languages of the demo page.

import { languageOf, loadWords } from "../../client/words/words.js";
import { en } from "./en.js";

/** @typedef {import("./types").DemoWords} DemoWords */
/** @typedef {import("./types").HomeWords} HomeWords */
/** @typedef {import("./types").DeveloperWords} DeveloperWords */

/**
 * The names of the languages by BCP 47 tag, in the order of the menu.
 * @type {{[locale: string]: string}}
 */
export const languageNames = { en: "English", "zh-Hans": "简体中文", ja: "日本語", de: "Deutsch", ar: "العربية" };

/**
 * The languages that are loaded when they are needed.
 * @type {{[locale: string]: () => Promise<DemoWords>}}
 */
const loads = {
  "zh-Hans": async () => (await import("./zh-Hans.js")).zhHans,
  ja: async () => (await import("./ja.js")).ja,
  de: async () => (await import("./de.js")).de,
  ar: async () => (await import("./ar.js")).ar,
};

/** @type {{[locale: string]: DemoWords}} */
const languages = { en };

/**
 * The texts in a language once they are loaded, otherwise in English.
 * @param {string} locale one of `languageNames`
 */
export const demoWordsOf = (locale) => languages[locale] ?? en;

/**
 * Loads the texts of the page and of the elements in a language. If that fails, they are English.
 * @param {string} locale one of `languageNames`
 */
export async function loadLanguage(locale) {
  const load = async () => { languages[locale] ??= await loads[locale]().catch(() => en); };
  await Promise.all([locale in languages || load(), loadWords(locale)]);
}

/**
 * The texts of the home page.
 * @type {{[locale: string]: () => Promise<HomeWords>}}
 */
const homeLoads = {
  en: async () => (await import("./home-en.js")).en,
  "zh-Hans": async () => (await import("./home-zh-Hans.js")).zhHans,
  ja: async () => (await import("./home-ja.js")).ja,
  de: async () => (await import("./home-de.js")).de,
  ar: async () => (await import("./home-ar.js")).ar,
};

/**
 * Loads the texts of the home page in a language; undefined if that fails.
 * @param {string} locale one of `languageNames`
 */
export const loadHomeWords = (locale) => homeLoads[locale]().catch(() => undefined);

/**
 * The texts of the panels for developers.
 * @type {{[locale: string]: () => Promise<DeveloperWords>}}
 */
const developerLoads = {
  en: async () => (await import("./developers-en.js")).en,
  "zh-Hans": async () => (await import("./developers-zh-Hans.js")).zhHans,
  ja: async () => (await import("./developers-ja.js")).ja,
  de: async () => (await import("./developers-de.js")).de,
  ar: async () => (await import("./developers-ar.js")).ar,
};

/**
 * Loads all texts in a language, also those of the panels for developers.
 * @param {string} locale one of `languageNames`
 */
export async function loadDeveloperWords(locale) {
  const [home, developers] = await Promise.all([homeLoads[locale](), developerLoads[locale]()]);
  return { ...demoWordsOf(locale), ...home, ...developers };
}

/**
 * The language of the page for what a browser prefers.
 * @param {readonly string[]} preferred
 */
export function bestLocale(preferred) {
  for (const locale of preferred) {
    const known = Object.keys(languageNames).find((one) => languageOf(one) === languageOf(locale));
    if (known) return known;
  }
  return "en";
}
