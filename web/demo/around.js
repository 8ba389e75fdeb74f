// What is around a picker, but not needed for the first paint: the menu, and who is here, invites and decides.

import { isolated } from "../client/words/dates.js";
import { priceText, wordsOf } from "../client/words/words.js";
import { h } from "./patch.js";
import { themes } from "./settings.js";
import { languageNames } from "./words/words.js";

/** @typedef {import("./settings.js").Settings} Settings */
/** @typedef {import("./picker-page.js").PickerPage} PickerPage */
/** @typedef {import("../client/core/types").Member} Member */

/** @param {Settings} settings @param {PickerPage | null} page @returns {import("./patch.js").View} */
export function menuView(settings, page) {
  const { words, locale } = settings;
  return [
    labelled(words.name, h("input", {
      class: "name", type: "text", id: "name", maxlength: "64", autocomplete: "nickname", spellcheck: "false", placeholder: settings.guestName,
      value: settings.typedName, onchange: (/** @type {any} */ { target }) => settings.setName(target.value),
    })),
    labelled(words.languageLabel, h("select", { id: "language", value: locale, onchange: (/** @type {any} */ { target }) => settings.setLocale(target.value) },
      languageNames().map(([one, name]) => h("option", { key: one, value: one, lang: one }, name)))),
    labelled(words.theme, h("select", { id: "theme", value: settings.theme, onchange: (/** @type {any} */ { target }) => settings.setTheme(target.value) },
      themes.map((one) => h("option", { key: one, value: one }, words.themes[one])))),
    page && pickerItems(settings, page),
  ];
}

/**
 * What the bar of a picker has no room for on a phone, and what only some look for.
 * @param {Settings} settings @param {PickerPage} page @returns {import("./patch.js").View}
 */
function pickerItems({ words, locale }, page) {
  const { picker } = page;
  const texts = wordsOf(locale);
  /** @param {string} key @param {string} text @param {() => void} work @param {string} [name] */
  const item = (key, text, work, name = "item") => h("button", { class: name, key, type: "button", onclick: () => {
    /** @type {any} */ (document.getElementById("menu"))?.hidePopover();
    work();
  } }, text);
  return [
    page.commands.map((one) => item(one, texts[one], () => page.element.act(one), "item spare")),
    item("developers", words.developers, () => {
      page.showDevelopers(true);
      focusOn(".drawer .close");
    }),
    picker && item("forget", words.forgetPicker, () => page.forget()),
  ];
}

/** @param {string} selector */
const focusOn = (selector) => /** @type {HTMLElement | null} */ (document.querySelector(selector))?.focus();

/** @param {string} text @param {import("./patch.js").Description} field */
const labelled = (text, field) => h("label", { class: "setting", key: text }, h("span", {}, text), field);

/** @param {import("./picker-page.js").PickerPage} page @returns {import("./patch.js").View} */
export function railView(page) {
  const { picker, settings: { words, locale } } = page;
  const texts = wordsOf(locale);
  const { self, state } = picker ?? {};
  const members = [...state?.members.values() ?? []].sort((a, b) => Number(b.id === self?.id) - Number(a.id === self?.id) || Number(b.online) - Number(a.online));
  const owner = members.find(({ role, id }) => role === "owner" && id !== self?.id);
  // Without tokens, the owner may be a guest who has followed one that left.
  const isInviter = owner && page.hasToken;
  const from = !self || state?.status === "confirmed" ? "" : self.role === "owner" ? words.yours : isInviter ? words.invites(isolated(owner.name, locale)) : words.invited;
  return [
    h("p", { class: "from" }, from),
    h("h2", {}, page.title),
    h("p", { class: "who" }, self ? decision(page, owner) : ""),
    members.length > 0 && h("h3", {}, texts.here(members.length)),
    h("ul", { class: "members" }, members.map((member) => {
      const name = member.id === self?.id ? `${member.name} (${texts.you})` : member.name;
      return h("li", { key: member.id, class: "member" }, h("bdi", {}, member.online ? name : texts.offlineMember(name)));
    })),
  ];
}

/** @param {import("./picker-page.js").PickerPage} page @param {Member | undefined} owner another member */
function decision({ picker, isHosts, decidedBy, settings: { locale, words } }, owner) {
  const { self, state } = /** @type {import("../client/core/session.js").PickerSession} */ (picker);
  const { decides, confirmedBy, cancelledBy, you } = words;
  if (state.status === "confirmed" || state.status === "cancelled") {
    const name = state.members.get(decidedBy ?? "")?.name;
    const sentence = state.status === "confirmed" ? confirmedBy : cancelledBy;
    if (decidedBy === null) return isHosts && state.status === "confirmed" ? wordsOf(locale).granted : "";
    return decidedBy === self?.id ? sentence(you) : name ? sentence(isolated(name, locale)) : "";
  }
  if (state.status === "confirming") return decides.host;
  if (isHosts === null) return "";
  if (isHosts) return decides.host;
  if (self?.role === "owner") return decides.you;
  return owner ? decides.owner(isolated(owner.name, locale)) : decides.somebody;
}

/**
 * What follows a confirmed result: who has confirmed it, what its days cost, and how to add it to a calendar.
 * @param {import("./picker-page.js").PickerPage} page
 */
export function receiptView(page) {
  const { picker, document: read, settings: { words } } = page;
  if (picker?.state.status !== "confirmed") return null;
  /** @type {{ics?: string, google?: string, outlook?: string}} */
  const links = read?.links ?? {};
  const other = { target: "_blank", rel: "noopener noreferrer" };
  const file = { download: "event.ics", href: links.ics };
  const isAndroid = /Android/.test(navigator.userAgent) && links.google;
  return h("section", { class: "receipt" },
    h("p", { class: "by" }, decision(page, undefined)),
    h("ul", { class: "prices" }, priceLines(picker).map(([each, all]) => h("li", { key: each }, h("span", {}, each), h("span", {}, all)))),
    read?.links && h("div", { class: "calendar-links" },
      h("a", { class: "primary", key: "add", ...(isAndroid ? { href: links.google, ...other } : file) }, words.addToCalendar),
      links.ics && h("a", { class: "quiet", key: "ics", ...file }, words.calendarFile),
      links.google && h("a", { class: "quiet", key: "google", href: links.google, ...other }, "Google"),
      links.outlook && h("a", { class: "quiet", key: "outlook", href: links.outlook, ...other }, "Outlook")));
}

/**
 * The days or nights of a result by their price, if they have different ones: `3 × €95`, `€285`.
 * @param {import("../client/core/session.js").PickerSession} picker @returns {[string, string][]}
 */
function priceLines({ state: { result, months }, locale }) {
  const { start, end, nights, total } = /** @type {any} */ (result ?? {});
  if (!total || !end) return [];
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const { cells } of months.values()) {
    for (const { date, outside, note } of cells) {
      const isPaid = !outside && date >= start && (nights ? date < end : date <= end);
      if (isPaid && note?.amount !== undefined) counts.set(note.amount, (counts.get(note.amount) ?? 0) + 1);
    }
  }
  const sum = [...counts].reduce((before, [amount, count]) => before + amount * count, 0);
  if (counts.size < 2 || sum !== total.amount) return [];
  const text = (/** @type {number} */ amount) => priceText(amount, total.currency, locale);
  return [...counts].map(([amount, count]) => [`${count} × ${text(amount)}`, text(amount * count)]);
}
