// The settings of the page (language, theme and name), stored in this browser.

import { directionOf } from "../client/words/dates.js";
import { read, write } from "./storage.js";
import { bestLocale, demoWordsOf, loadLanguage, locales } from "./words/words.js";

export const themes = /** @type {const} */ (["system", "light", "dark"]);

/** @param {string} name */
const stored = (name) => read("localStorage", name);

/** @param {string} name @param {string} value */
const store = (name, value) => write("localStorage", name, value);

/** Events: `locale`, `name`. */
export class Settings extends EventTarget {
  constructor() {
    super();
    const locale = stored("locale");
    this.locale = locale && locales.includes(locale) ? locale : bestLocale(navigator.languages);
    this.theme = themes.find((theme) => theme === stored("theme")) ?? "system";
    this.guest = Number(read("sessionStorage", "guest")) || 1 + Math.floor(Math.random() * 98);
    write("sessionStorage", "guest", String(this.guest));
    this.#apply();
  }

  get words() { return demoWordsOf(this.locale); }

  /** The name that the user has typed; may be empty. */
  get typedName() { return stored("name") ?? ""; }

  /** The name that others see. */
  get name() { return [...this.typedName.trim()].slice(0, 64).join("") || this.guestName; }

  get guestName() { return this.words.guest(this.guest); }

  /** @param {string} name */
  setName(name) {
    store("name", name);
    this.dispatchEvent(new Event("name"));
  }

  /** @param {string} locale one of `locales` */
  async setLocale(locale) {
    this.locale = locale;
    await loadLanguage(locale);
    // Another one was chosen meanwhile.
    if (this.locale !== locale) return;
    store("locale", locale);
    this.#apply();
    this.dispatchEvent(new Event("locale"));
  }

  /** @param {string} theme one of `themes` */
  setTheme(theme) {
    this.theme = themes.find((known) => known === theme) ?? "system";
    store("theme", this.theme);
    this.#apply();
  }

  #apply() {
    const root = document.documentElement;
    root.lang = this.locale;
    root.dir = directionOf(this.locale);
    root.dataset.theme = this.theme;
  }
}
