// The texts of the elements by language, and formats of dates (see dates.js).

import { page } from "../core/identity.js";
import { en } from "./en.js";
import { namesOf, writerOf } from "./patterns.js";

/** @typedef {import("./types").Words} Words */
/** @typedef {import("./types").PartialTable} PartialTable */
/** @typedef {{[name: string]: any}} Table patterns by name */

/** The languages whose texts are loaded when they are needed, from tables/TAG.js. */
export const languages = "ar de es fa fr he hi it ja ko nl pl pt-BR ru tr uk zh-Hans zh-Hant".split(" ");

/** The maximum of locales whose texts are kept. */
const localesMax = 40;

/** @type {Map<string, Table>} those that are loaded */
const tables = new Map([["en", en]]);

/** @type {Map<string, Table>} those of the page */
const own = page.words ??= new Map();

/** @type {Map<string, Promise<void>>} */
const loading = new Map();

/** The plurals of texts that are in English because they are in no other language. */
const inEnglish = writerOf("en", "en");

/** @type {Map<string, string>} the languages of locales that were asked for; empty if they have none */
const tags = new Map();

/** @type {Map<string, {words: Words, tables: Table[], write: import("./patterns.js").Writer}>} by locale */
const written = new Map();

/**
 * The one of some language tags that suits a locale best: of the same language and script, if possible of the same region.
 * Spanish in America is `es-419` before `es`.
 * @param {string} locale BCP 47 @param {Iterable<string>} tags @returns {string | undefined}
 */
export function bestOf(locale, tags) {
  try {
    const wanted = new Intl.Locale(locale).maximize();
    const near = [...tags].map((tag) => new Intl.Locale(tag)).filter((one) =>
      one.language === wanted.language && one.maximize().script === wanted.script);
    const { language, region } = wanted;
    const best = near.find((one) => one.maximize().region === region)
      || (language === "es" && region !== "ES" && near.find((one) => one.region === "419")) || near[0];
    return best?.baseName;
  } catch {
    // No locale at all.
    return undefined;
  }
}

/**
 * The texts of a table, with functions for those that have gaps. Their arguments are in the order of the gaps of the English
 * pattern, or are one object.
 * @param {Table} english @param {(Table | undefined)[]} found the tables for a locale, the best one first
 * @param {import("./patterns.js").Writer} write
 * @returns {any}
 */
export function textsOf(english, found, write) {
  /** @param {[name: string, pattern: any]} one */
  const textOf = ([name, pattern]) => {
    const others = found.map((table) => table?.[name]);
    if (typeof pattern !== "string") return [name, textsOf(pattern, others, write)];
    const translated = others.find((one) => one !== undefined);
    const [text, put] = translated === undefined ? [pattern, inEnglish] : [translated, write];
    /** @type {string[] | undefined} */
    let names;
    return [name, !pattern.includes("{") ? text : (/** @type {any[]} */ ...values) => {
      names ??= namesOf(pattern);
      const isObject = values[0] !== null && typeof values[0] === "object";
      return put(text, isObject ? values[0] : Object.fromEntries(names.map((one, index) => [one, values[index]])));
    }];
  };
  return Object.fromEntries(Object.entries(english).map(textOf));
}

/**
 * The texts for a locale: those of its language once they are loaded, otherwise English.
 * @param {string} locale BCP 47 @returns {Words}
 */
export function wordsOf(locale) {
  const known = written.get(locale);
  if (known) return known.words;
  const [mine, ours] = [bestOf(locale, own.keys()), bestOf(locale, tables.keys())];
  const found = [own.get(mine ?? ""), tables.get(ours ?? "")].flatMap((one) => one ?? []);
  const language = mine ?? ours;
  const write = writerOf(language ?? "en", language ? locale : "en");
  const words = textsOf(en, found, write);
  if (written.size >= localesMax) written.clear();
  written.set(locale, { words, tables: found, write });
  return words;
}

/**
 * The language of the elements' texts for a locale; empty for English.
 * @param {string} locale BCP 47
 */
function tagOf(locale) {
  let tag = tags.get(locale);
  if (tag === undefined) {
    tag = bestOf(locale, languages) ?? "";
    if (tags.size >= localesMax) tags.clear();
    tags.set(locale, tag);
  }
  return tag;
}

/**
 * Whether there is nothing to load for a locale.
 * @param {string} locale BCP 47
 */
export const hasWords = (locale) => tables.has(tagOf(locale) || "en");

/**
 * Loads the texts for a locale. If that fails, they are English: a browser does not load a module again that it could
 * not load.
 * @param {string} locale BCP 47
 */
export async function loadWords(locale) {
  const tag = tagOf(locale);
  if (hasWords(locale)) return;
  const load = loading.get(tag) ?? import(`./tables/${tag}.js`).catch(() => ({ table: {} })).then(({ table }) => add(tables, tag, table));
  loading.set(tag, load);
  await load;
}

/**
 * Adds texts of the page: in a language that the elements do not have, or other ones than theirs. Call it before an element
 * is shown.
 * @param {string} language BCP 47 @param {PartialTable} table patterns as in en.js and the files en-*.js beside it; what it
 *   lacks is as before, in the elements' texts for the language, or in English. A group such as `cell` is replaced as a whole
 */
export function words(language, table) {
  const tag = new Intl.Locale(language).baseName;
  add(own, tag, { ...own.get(tag), ...table });
}

/** @param {Map<string, Table>} to @param {string} tag @param {Table} table */
function add(to, tag, table) {
  to.set(tag, table);
  written.clear();
}

/**
 * Adds texts in English that the first paint does not need. Those in other languages come with their other texts.
 * @param {Table} texts
 */
export function addEnglish(texts) {
  Object.assign(en, texts);
  for (const one of written.values()) Object.assign(one.words, textsOf(texts, one.tables, one.write));
}

export * from "./dates.js";
