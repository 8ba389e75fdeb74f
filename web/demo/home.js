// The home page with its cards. Opening a card creates a session.

import { dateOfExpression } from "../client/core/civil.js";
import { make, setText } from "../client/parts/dom.js";
import { todayIn } from "../client/words/dates.js";
import { artOf, together } from "./art.js";
import { openNew } from "./opening.js";
import { demoPickers } from "./pickers.js";
import { notesFrom } from "./prices.js";
import { forgetAll, recentPickers } from "./recent.js";
import { hashOf } from "./route.js";
import { Problem } from "./server.js";
import { en } from "./words/home-en.js";

/** @typedef {import("./words/words.js").DemoWords & import("./words/types").HomeWords} Words */
/** @typedef {{words: Words, locale: string}} Language */
/** @typedef {import("./pickers.js").DemoPicker} DemoPicker */

/**
 * The definition with the language of the page, this browser's time zone and its first day of the week, and with relative
 * days and times (`today+P3D`, `today+P3D 19:00`) resolved.
 * @param {any} definition @param {Pick<DemoPicker, "blocked" | "taken">} picker @param {string} locale
 */
export function localised(definition, { blocked, taken }, locale, now = Date.now()) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const today = todayIn(now, timeZone);
  const given = JSON.parse(JSON.stringify({ blocked, taken }), (_, value) => (typeof value === "string" ? dated(value, today) : value));
  const firstWeekday = ["calendar", "availability"].includes(definition.kind) ? firstWeekdayOf(locale) : undefined;
  return { ...definition, timeZone: definition.timeZone ?? timeZone, locale, ...(firstWeekday && { firstWeekday }), ...given };
}

/**
 * The first day of the user's week, 1 = Sunday … 7 = Saturday; undefined in a browser that does not know it.
 * @param {string} locale of the page @returns {number | undefined}
 */
function firstWeekdayOf(locale) {
  const language = (/** @type {string} */ tag) => tag.split("-")[0].toLowerCase();
  // The browser's tag of the page's language has a region: weeks begin on Sunday in en-US, and on Monday in en-GB.
  const tag = navigator.languages.find((one) => language(one) === language(locale)) ?? locale;
  const known = /** @type {any} */ (new Intl.Locale(tag));
  const { firstDay } = known.getWeekInfo?.() ?? known.weekInfo ?? {};
  // Monday is 1 there, and Sunday 7.
  return firstDay && (firstDay % 7) + 1;
}

/** @param {string} text @param {string} today */
function dated(text, today) {
  const [day, time] = text.split(" ");
  const date = dateOfExpression(day, today);
  if (!date) return text;
  return time ? `${date}T${time}` : date;
}

/**
 * The definitions of a picker, with texts that readers of a language can read.
 * @param {DemoPicker} picker @param {string} locale
 */
export function definitionsOf({ definitions, latin }, locale) {
  if (!latin || /^(zh|ja)/.test(locale)) return definitions;
  return JSON.parse(JSON.stringify(definitions), (_, value) => (typeof value === "string" ? latin[value] ?? value : value));
}

/** @param {HTMLElement} container @param {import("./settings.js").Settings} settings @param {import("./words/types").HomeWords} [texts] */
export async function showHome(container, settings, texts = en) {
  const words = { ...settings.words, ...texts };
  const language = { words, locale: settings.locale };
  document.title = "pickerd";
  const status = make("p", { class: "problem", role: "alert", hidden: true });
  const pickers = await demoPickers();
  const range = pickers.find(({ id }) => id === "range");
  const title = make("input", { type: "text", id: "title", maxlength: "200", autocomplete: "off", placeholder: words.whatExample });
  const first = range && make("form", { class: "start", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    make("label", { for: "title" }, words.what), title,
    opener(range.definitions[0], range, () => title.value.trim() || words.plan, language, status, {
      class: "primary large", type: "submit", "data-start": true,
    }, words.start));
  const picture = together(language.locale);
  picture.addEventListener("click", () => first?.querySelector("button")?.click());
  const cards = pickers.map((picker) => cardOf(picker, () => title.value.trim(), language, status));
  container.replaceChildren(make("div", { class: "home" },
    make("section", { class: "hero" },
      make("div", { class: "hero-words" }, make("h1", {}, words.headline), make("p", { class: "lead" }, words.lead), first, status),
      picture),
    recent(words),
    make("h2", { class: "cards-title" }, words.cards),
    make("ul", { class: "cards" }, ...cards)));
}

/** @param {Words} words */
function recent(words) {
  const all = recentPickers();
  if (all.length === 0) return null;
  const element = make("section", { class: "recent" },
    make("h2", { class: "cards-title" }, words.recent),
    make("ul", {}, ...all.map(({ session, title }) => make("li", {}, make("a", { class: "secondary", href: hashOf(session), dir: "auto" }, title)))),
    make("button", { class: "plain", type: "button", onclick: () => {
      forgetAll();
      element.remove();
      document.getElementById("main")?.focus();
    } }, words.forget));
  return element;
}

/**
 * @param {DemoPicker} picker @param {() => string} typedTitle @param {Language} language
 * @param {HTMLElement} status
 */
function cardOf(picker, typedTitle, language, status) {
  const { words, locale } = language;
  const title = words.pickers[picker.id];
  const labels = picker.definitions.length > 1 ? [words.openLinked, words.openColumns] : [words.open];
  const buttons = definitionsOf(picker, locale).map((/** @type {any} */ definition, /** @type {number} */ index) => opener(definition, picker, () => typedTitle() || title, language, status, {
    class: index === 0 ? "primary" : "secondary", "data-open": `${picker.id}-${index}`,
    "aria-label": `${labels[index]}: ${title}`,
  }, labels[index]));
  const art = artOf(picker.id);
  // A click on the picture is one on the first button, which the keyboard reaches.
  art.addEventListener("click", () => buttons[0].click());
  return make("li", { class: "card" }, art,
    make("h3", {}, title), make("p", {}, words.texts[picker.id]), make("div", { class: "opens" }, ...buttons));
}

/**
 * A button that creates a session and opens it.
 * @param {any} definition @param {DemoPicker} picker @param {() => string} title
 * @param {Language} language
 * @param {HTMLElement} status shows a failure beside the button @param {{[name: string]: any}} attributes @param {string} label
 */
function opener(definition, picker, title, { words, locale }, status, attributes, label) {
  const button = make("button", { type: "button", ...attributes, onclick: async () => {
    const hadFocus = button.matches(":focus");
    button.disabled = true;
    button.ariaBusy = "true";
    status.hidden = true;
    // Moved while it is hidden: screen readers announce it when it appears.
    button.parentElement?.append(status);
    try {
      const local = localised(definition, picker, locale);
      if (picker.find) {
        const { FindDialog } = await import("./find-dialog.js");
        new FindDialog(local, picker.find, title(), words).open(button);
        button.disabled = false;
        button.ariaBusy = null;
        return;
      }
      await openNew(local, title(), picker.prices && notesFrom(picker.prices, local, locale), picker.decide);
    } catch (problem) {
      const text = problem instanceof Problem ? words.createFailed(problem.message) : words.unreachable;
      setText(status, text);
      status.hidden = false;
      status.scrollIntoView({ block: "nearest" });
      button.disabled = false;
      button.ariaBusy = null;
      // A disabled button loses the focus.
      if (hadFocus) button.focus({ preventScroll: true });
    }
  } }, label);
  return button;
}
