// The tables of texts: nothing is missing, no gap is lost, and every number has its form.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { namesOf, writerOf } from "../../web/client/words/patterns.js";
import { bestOf, languages, loadWords, words, wordsOf } from "../../web/client/words/words.js";
import { bestLocale, demoWordsOf, homeWordsOf, loadDeveloperWords, loadLanguage, locales } from "../../web/demo/words/words.js";

const client = "../../web/client/words";
const page = "../../web/demo/words";
const later = await Promise.all(["later", "marks", "dialog", "stock", "finder"].map((name) => import(`${client}/en-${name}.js`)));
const { home } = await import(`${page}/home-en.js`);
const { developers } = await import(`${page}/developers-en.js`);

/** The patterns in English, of the elements and of the page. */
const english = {
  elements: Object.assign({}, (await import(`${client}/en.js`)).en, ...later.flatMap((one) => Object.values(one))),
  page: { ...(await import(`${page}/en.js`)).en, home },
  developers,
};

/** All tables, as [what it has the texts of, language, table]. */
const tables = [
  ...await Promise.all(languages.map(async (tag) => ["elements", tag, (await import(`${client}/tables/${tag}.js`)).table])),
  ...await Promise.all(languages.map(async (tag) => ["page", tag, (await import(`${page}/tables/${tag}.js`)).table])),
  ...await Promise.all(["ar", "de", "ja", "zh-Hans"].map(async (tag) => ["developers", tag, (await import(`${page}/developers-${tag}.js`)).developers])),
  ...Object.entries(english).map(([name, table]) => [name, "en", table]),
];

/** The texts of a table by path, such as `refusals.offline`. */
const flat = (table, path = "") => Object.entries(table).flatMap(([key, value]) =>
  (typeof value === "object" ? flat(value, `${path}${key}.`) : [[path + key, value]]));

const all = Object.fromEntries(Object.entries(english).map(([name, table]) => [name, new Map(flat(table))]));

/** The choices by number in a pattern: the texts by category. */
function choicesIn(pattern) {
  const found = [];
  for (const { index } of pattern.matchAll(/\{\w+, plural, /g)) {
    const choices = new Map();
    let rest = pattern.slice(index).replace(/^\{\w+, plural, /, "");
    while (!rest.startsWith("}")) {
      const [head, category] = /^\s*(=?\w+) \{/.exec(rest);
      let [depth, end] = [1, head.length];
      for (; depth > 0; end += 1) depth += { "{": 1, "}": -1 }[rest[end]] ?? 0;
      choices.set(category, rest.slice(head.length, end - 1));
      rest = rest.slice(end);
    }
    found.push(choices);
  }
  return found;
}

test("each language of the elements is one of the page, and has one file for each", () => {
  const files = (folder) => readdirSync(new URL(`${folder}/tables`, import.meta.url)).sort();
  const expected = languages.map((tag) => `${tag}.js`).sort();
  assert.deepEqual(files(client), expected);
  assert.deepEqual(files(page), expected);
  assert.deepEqual(locales, ["en", ...languages]);
});

test("no text is missing in any table, and none is empty or superfluous", () => {
  for (const [name, tag, table] of tables) {
    const texts = new Map(flat(table));
    assert.deepEqual([...texts.keys()].sort(), [...all[name].keys()].sort(), `${name} ${tag}`);
    for (const [path, text] of texts) assert.ok(typeof text === "string" && text.trim() !== "" && text === text.normalize("NFC"), `${tag} ${path}`);
  }
});

test("a text has the gaps of the English one", () => {
  for (const [name, tag, table] of tables) {
    for (const [path, text] of flat(table)) {
      assert.deepEqual(namesOf(text).sort(), namesOf(all[name].get(path)).sort(), `${tag} ${path}: ${text}`);
      let depth = 0;
      for (const one of text) assert.ok((depth += { "{": 1, "}": -1 }[one] ?? 0) >= 0, `${tag} ${path}`);
      assert.equal(depth, 0, `${tag} ${path}: ${text}`);
    }
  }
});

test("each number up to 200 has the form of its category", () => {
  for (const [, tag, table] of tables) {
    const rules = new Intl.PluralRules(tag);
    const needed = new Set(Array.from({ length: 200 }, (_, count) => rules.select(count + 1)));
    for (const [path, text] of flat(table)) {
      for (const choices of choicesIn(text)) {
        assert.ok(choices.has("other"), `${tag} ${path}: ${text}`);
        for (const category of choices.keys()) assert.match(category, /^(=\d+|zero|one|two|few|many|other)$/, `${tag} ${path}`);
        // "other" stands for one category: the one of its own, or that of most numbers, such as "many" in Polish.
        const rest = [...needed].filter((category) => !choices.has(category));
        if (choices.has("=0") || choices.has("=1")) continue;
        assert.ok(choices.size === 1 || rest.length <= (needed.has("other") ? 0 : 1), `${tag} ${path} lacks ${rest}: ${text}`);
      }
    }
  }
});

test("no text has a straight apostrophe or quotation mark", () => {
  for (const [, tag, table] of tables) {
    for (const [path, text] of flat(table)) assert.doesNotMatch(text, tag === "en" ? /"/ : /['"]/, `${tag} ${path}`);
  }
});

test("all languages have texts of their own", async () => {
  await Promise.all(languages.map(loadLanguage));
  for (const tag of languages) {
    assert.notEqual(wordsOf(tag).confirm, "Confirm", tag);
    assert.notEqual(demoWordsOf(tag).share, demoWordsOf("en").share, tag);
    assert.notEqual(homeWordsOf(home, tag).headline, home.headline, tag);
    assert.match((await loadDeveloperWords(tag)).host.takeTime("8:00"), /8:00/, tag);
  }
});

test("a locale has the texts of its language, script and region", () => {
  const best = (locale) => bestOf(locale, "ar de en es fa he hi pt-BR zh-Hans zh-Hant".split(" "));
  const expected = {
    "zh-Hant": ["zh-Hant", "zh-TW", "zh-HK", "zh-MO", "zh-Hant-HK", "zh-hant-tw"], "zh-Hans": ["zh", "zh-CN", "zh-SG", "zh-Hans-HK"],
    "pt-BR": ["pt", "pt-BR", "pt-PT", "pt-br"], es: ["es", "es-419", "es-MX", "es-ES"], de: ["de-AT", "de-CH-1996", "de-u-nu-latn"],
    he: ["he-IL", "iw"], fa: ["fa-AF", "fa-IR-u-nu-latn"], hi: ["hi", "hi-IN"], en: ["en-GB"],
  };
  for (const [tag, asked] of Object.entries(expected)) {
    for (const locale of asked) assert.equal(best(locale), tag, locale);
  }
  for (const locale of ["sv", "hi-Latn", "x-y", "", "nonsense!"]) assert.equal(best(locale), undefined, locale);
  assert.equal(bestOf("es-MX", ["es", "es-419"]), "es-419");
  assert.equal(bestOf("es-MX", ["es", "es-419", "es-MX"]), "es-MX");
  assert.equal(bestOf("es-ES", ["es-419", "es"]), "es");
  assert.equal(bestLocale(["sv-SE", "zh-CN", "en"]), "zh-Hans");
  assert.equal(bestLocale(["sv-SE"]), "en");
});

test("a text that could not be loaded, or that nobody has, is in English", async () => {
  await loadWords("sv");
  assert.equal(wordsOf("sv").days(2), "2 days");
  assert.equal(wordsOf("no locale").confirm, "Confirm");
});

test("a page adds a language of its own, and changes texts of another one", async () => {
  words("cs", { confirm: "Potvrdit", days: "{count, plural, one {# den} few {# dny} other {# dní}}", cell: { today: "dnes" } });
  const czech = wordsOf("cs-CZ");
  assert.deepEqual([1, 2, 5].map(czech.days), ["1 den", "2 dny", "5 dní"]);
  assert.deepEqual([czech.confirm, czech.cell.today, czech.cell.end, czech.cancel], ["Potvrdit", "dnes", "last day", "Cancel"]);

  await loadWords("de");
  words("de", { confirm: "Buchen" });
  assert.deepEqual([wordsOf("de-AT").confirm, wordsOf("de").cancel], ["Buchen", "Absagen"]);
  assert.throws(() => words("no locale", {}), RangeError);
});

test("numbers have the digits of the locale", () => {
  assert.equal(writerOf("ar", "ar-EG")("{count}", { count: 12 }), "١٢");
  assert.equal(writerOf("ar", "ar-EG-u-nu-latn")("{count, plural, one {واحد} other {# يوم}}", { count: 12 }), "12 يوم");
  assert.equal(writerOf("en", "en")("{count}", { count: 1234 }), "1234");
});

test("a value that has braces or a number sign is written as it is", () => {
  const write = writerOf("en", "en");
  assert.equal(write("{name}: {count, plural, one {# by {name}} other {#}}", { name: "{a} #", count: 1 }), "{a} #: 1 by {a} #");
  assert.equal(write("{end, select, none {open} other {until {end}}}", { end: "" }), "open");
  assert.equal(write("{end, select, none {open} other {until {end}}}", { end: "5 PM" }), "until 5 PM");
});
