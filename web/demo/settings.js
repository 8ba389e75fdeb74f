// The settings of the page (language, theme and name), stored in this browser.

import { icon, make, setAttribute, setText } from "../client/parts/dom.js";
import { directionOf } from "../client/words/dates.js";
import { read, write } from "./storage.js";
import { bestLocale, demoWordsOf, languageNames, loadLanguage } from "./words/words.js";

const themes = /** @type {const} */ (["system", "light", "dark"]);

/** @param {string} name */
const stored = (name) => read("localStorage", name);

/** @param {string} name @param {string} value */
const store = (name, value) => write("localStorage", name, value);

/** Events: `locale`, `name`. */
export class Settings extends EventTarget {
  constructor() {
    super();
    const locale = stored("locale");
    this.locale = locale && languageNames[locale] ? locale : bestLocale(navigator.languages);
    this.theme = themes.find((theme) => theme === stored("theme")) ?? "system";
    this.guest = Number(read("sessionStorage", "guest")) || 1 + Math.floor(Math.random() * 98);
    write("sessionStorage", "guest", String(this.guest));
    this.apply();
  }

  get words() { return demoWordsOf(this.locale); }

  /** The name that the user has typed; may be empty. */
  get typedName() { return stored("name") ?? ""; }

  /** The name that others see. */
  get name() { return [...this.typedName.trim()].slice(0, 64).join("") || this.words.guest(this.guest); }

  /** @param {string} name */
  setName(name) {
    store("name", name);
    const field = /** @type {HTMLInputElement | null} */ (document.getElementById("name"));
    if (field) field.value = name;
    this.dispatchEvent(new Event("name"));
  }

  apply() {
    const root = document.documentElement;
    root.lang = this.locale;
    root.dir = directionOf(this.locale);
    root.dataset.theme = this.theme;
  }

  /** @param {HTMLElement} container */
  build(container) {
    const { words } = this;
    const name = make("input", {
      class: "name", type: "text", maxlength: "64", autocomplete: "nickname", spellcheck: "false",
      value: this.typedName, placeholder: words.guest(this.guest), "aria-label": words.name, id: "name",
      onchange: () => this.setName(name.value),
    });
    const language = this.#menu("language", words.languageLabel, this.locale,
      Object.entries(languageNames), async (locale) => {
        this.locale = locale;
        await loadLanguage(locale);
        // Another one was chosen meanwhile.
        if (this.locale !== locale) return;
        store("locale", locale);
        this.apply();
        this.build(container);
        this.dispatchEvent(new Event("locale"));
        container.querySelector("select")?.focus();
      });
    const theme = this.#menu("theme", words.theme, this.theme,
      themes.map((one) => [one, words.themes[one]]), (one) => {
        this.theme = themes.find((known) => known === one) ?? "system";
        store("theme", this.theme);
        this.apply();
      });
    container.replaceChildren(signed("person", name), signed("globe", language), signed("half", theme));
    setText(/** @type {HTMLElement} */ (document.getElementById("skip")), words.skip);
    setAttribute(/** @type {HTMLElement} */ (document.getElementById("home-link")), "aria-label", `pickerd: ${words.back}`);
  }

  /** @param {string} id @param {string} label @param {string} value @param {string[][]} choices @param {(value: string) => void} choose */
  #menu(id, label, value, choices, choose) {
    const select = make("select", { id, "aria-label": label, title: label, onchange: () => choose(select.value) },
      ...choices.map(([one, text]) => make("option", { value: one, selected: one === value, lang: id === "language" ? one : null }, text)));
    return select;
  }
}

/**
 * Icons as SVG paths in a view box of 24 × 24.
 * @type {{[name: string]: string}}
 */
const signs = {
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5a7.5 7.5 0 0 1 15 0",
  globe: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3.5 12h17M12 3c2.6 2.6 3.8 5.6 3.8 9s-1.2 6.4-3.8 9c-2.6-2.6-3.8-5.6-3.8-9s1.2-6.4 3.8-9Z",
  half: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 3v18M12 8l6.5-3M12 13l8.8-4M12 18l8.6-4",
};

/**
 * A field with an icon before it.
 * @param {string} sign @param {HTMLElement} field
 */
function signed(sign, field) {
  const svg = icon("after");
  svg.firstElementChild?.setAttribute("d", signs[sign]);
  return make("span", { class: "menu" }, svg, field);
}
