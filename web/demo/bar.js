// The bar at the top: the way back, the title, who is here, Share, and the menu.

import { wordsOf } from "../client/words/words.js";
import { h } from "./patch.js";

/** @typedef {import("./settings.js").Settings} Settings */
/** @typedef {import("./picker-page.js").PickerPage} PickerPage */

/** Icons as SVG paths in a view box of 24 × 24. */
const signs = {
  back: "m15 5-7 7 7 7",
  share: "M12 15V4m0 0L8 8m4-4 4 4M6 12H5v8h14v-8h-1",
  menu: "M5 12h.01M12 12h.01M19 12h.01",
};

/** @param {keyof typeof signs} name */
const sign = (name) => h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: signs[name] }));

/**
 * @param {Settings} settings @param {PickerPage | null} page null: the home page
 * @param {typeof import("./around.js") | null} around null until it is loaded
 * @returns {import("./patch.js").View}
 */
export function barView(settings, page, around) {
  const { words } = settings;
  return [
    page && h("a", { class: "back", href: "#/", "aria-label": words.back, title: words.back }, sign("back")),
    page && h("h1", { class: "picker-title", title: page.title || null }, page.title),
    page?.picker && h("div", { class: "here" }, page.people.element, h("button", {
      class: "who-button", type: "button", popovertarget: "rail", "aria-label": wordsOf(settings.locale).here(page.picker.state.members.size),
    })),
    page && !page.isPersonal && !page.isOver && h("button", { class: "share-button", type: "button", onclick: () => page.invite() }, sign("share"), h("span", {}, words.share)),
    h("button", { class: "menu-button", type: "button", popovertarget: "menu", "aria-label": words.settings, title: words.settings }, sign("menu")),
    h("div", { class: "popover menu", id: "menu", popover: "auto" }, around?.menuView(settings, page)),
  ];
}
