// The texts of <pickerd-availability> by language: those of all elements, and its own.

import * as base from "../../words/words.js";
import { marks as english } from "./marks-en.js";

/** @typedef {import("./types").AvailabilityWords} AvailabilityWords */
/** @typedef {import("./types").MarkWords} MarkWords */

/** @type {{[language: string]: () => Promise<{marks: MarkWords}>}} */
const loads = {
  ar: () => import("./marks-ar.js"),
  de: () => import("./marks-de.js"),
  ja: () => import("./marks-ja.js"),
  zh: () => import("./marks-zh-Hans.js"),
};

/** @type {Map<string, AvailabilityWords>} by language */
const languages = new Map();

/** @param {import("../../words/types").Words} words @param {MarkWords} marks @returns {AvailabilityWords} */
const joined = (words, marks) => ({ ...words, marks });

const inEnglish = joined(base.wordsOf("en"), english);

/**
 * The texts for a locale: those of its language once they are loaded, otherwise English.
 * @param {string} locale BCP 47
 */
export const wordsOf = (locale) => languages.get(base.languageOf(locale)) ?? inEnglish;

/**
 * Whether there is nothing to load for a locale.
 * @param {string} locale BCP 47
 */
export const hasWords = (locale) => languages.has(base.languageOf(locale)) || !(base.languageOf(locale) in loads);

/**
 * Loads the texts for a locale. If that fails, they are English.
 * @param {string} locale BCP 47
 */
export async function loadWords(locale) {
  const language = base.languageOf(locale);
  if (hasWords(locale)) return;
  const [{ marks }] = await Promise.all([loads[language]().catch(() => ({ marks: english })), base.loadWords(locale)]);
  languages.set(language, joined(base.wordsOf(locale), marks));
}
