// The base of both elements: session, list of members, and bar; the note and the live region are loaded later.

import { directionOf, hasWords, loadWords, wordsOf } from "../words/words.js";
import { Bar } from "./bar.js";
import { Control } from "./control.js";
import { controlSheet } from "./controls.js";
import { make, setAttribute, setText } from "./dom.js";
import { peopleSheet } from "./people-sheet.js";
import { People } from "./people.js";
import { acquire, release } from "./shared.js";
import { baseSheet } from "./sheet.js";
import { tokenSheet } from "./tokens.js";
import { zoneText } from "./zone.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../core/types").Notice} Notice */
/** @typedef {import("./speaker.js").Speaker} Speaker */

/** A server that renders the tags has no elements. */
const Base = globalThis.HTMLElement ?? /** @type {typeof HTMLElement} */ (/** @type {unknown} */ (class {}));

/**
 * Attributes: `session` (URL, path or id), `member-name`, `locale` (default: the page's `lang`), `token`, `labels` (the names
 * of the columns, separated by commas), `presence="off"`, `frame="none"` (the element fills the room that it has, and the page
 * shows the members), `actions="none"` (no bar); as a control of a form: `name`, `required`, `disabled`. The property
 * `picker` can be set to a session that is connected already.
 */
export class PickerElement extends Base {
  // Getters, because esbuild rewrites all private members of a class with static fields.
  static get observedAttributes() { return ["session", "member-name", "locale", "labels", "token", "required", "frame", "actions"]; }
  static get formAssociated() { return true; }

  constructor() {
    super();
    /** @type {PickerSession | null} */
    this.current = null;
    /** @type {PickerSession | null} the session that was drawn last */
    this.drawn = null;
    /** @type {string | null} the session that this element acquired itself */
    this.acquired = null;
    /** @type {import("../words/words.js").Words | null} the texts of the bar */
    this.worded = null;
    /** What the others see the mouse pointer over, as JSON. */
    this.hovered = "null";
    /** @type {AbortController | null} */
    this.listening = null;
    this.people = new People();
    /** @type {Promise<Speaker> | undefined} */
    this.speaking = undefined;
    /** @type {Speaker | null} */
    this.speaker = null;
    /** @type {import("./stock.js").Stock | null} what is left of an inventory, loaded by the speaker */
    this.stock = null;
    this.bar = new Bar((command) => {
      this.flush();
      void this.current?.[command]();
    });
    this.zone = make("div", { class: "zone", part: "zone", hidden: true });
    this.stage = make("div", { class: "stage", part: "stage" }, this.zone);
    /** The buttons of the subclass, beside the list of members. */
    this.tools = make("div", { class: "tools" });
    /** The hint that is shown while there is no note. */
    this.hint = make("div", { class: "hint", part: "hint" });
    this.notePlace = make("div", { class: "note-place" }, this.hint);
    this.top = make("div", { class: "top" }, make("slot", { name: "people" }, this.people.element), this.tools);
    this.frameElement = make("div", { class: "frame", part: "frame" }, this.top, this.stage,
      this.notePlace, make("slot", { name: "bar" }, this.bar.element));
    this.control = new Control(this);
    // A click on the control's label is one on the element itself.
    this.addEventListener("click", (event) => {
      if (event.composedPath()[0] === this) this.focus();
    });
    this.addEventListener("keydown", (event) => this.#press(event));
    const root = this.attachShadow({ mode: "open" });
    this.adopt(tokenSheet, controlSheet, peopleSheet, baseSheet, .../** @type {typeof PickerElement} */ (this.constructor).sheets());
    root.append(this.frameElement);
  }

  /** The name of the subclass's element. */
  static get element() { return ""; }

  /** @returns {(() => CSSStyleSheet)[]} the style sheets of the subclass */
  static sheets() { return []; }

  /**
   * The time zone in which the session is joined; undefined for kinds that do not depend on it.
   * @returns {string | undefined}
   */
  get timeZone() { return undefined; }

  /**
   * The displayed session.
   * @returns {PickerSession | null}
   */
  get picker() { return this.current; }
  set picker(picker) {
    if (picker !== this.current) this.#letGo();
    // Preact sets null as an empty text.
    this.current = picker || null;
    if (!this.isConnected) return;
    this.#listen();
    this.redraw();
  }

  /**
   * Focuses the day, wheel or cell that is reached with Tab.
   * @param {FocusOptions} [options]
   */
  focus(options) {
    /** @type {HTMLElement | null | undefined} */ (this.shadowRoot?.querySelector('[tabindex="0"]:not(.title)'))?.focus(options);
  }

  /**
   * Does what a button of the bar does: before it cancels, it asks.
   * @param {"undo" | "redo" | "clear" | "cancel" | "reopen" | "confirm"} command
   */
  act(command) { this.bar.press(command); }

  /** The result that the server has stored, as a form sends it: `2026-11-20`, `2026-11-20/2026-11-22`; empty for none. */
  get value() { return this.control.value ?? ""; }
  get form() { return this.control.internals?.form; }
  get validity() { return this.control.internals?.validity; }
  checkValidity() { return this.control.internals?.checkValidity(); }
  reportValidity() { return this.control.internals?.reportValidity(); }

  /** @param {boolean} isDisabled by its attribute or a `fieldset`; a reset changes nothing, because others share the value */
  formDisabledCallback(isDisabled) { this.frameElement.inert = isDisabled; }

  get labels() { return (this.getAttribute("labels") ?? "").split(",").map((label) => label.trim()); }

  connectedCallback() {
    // A page may have set the property before the element was defined.
    if (Object.hasOwn(this, "picker")) {
      const { picker } = this;
      delete (/** @type {any} */ (this).picker);
      this.#releaseSession();
      this.current = picker;
    }
    this.#join();
    this.#listen();
    // What says what happens is loaded at once, while the session connects: without a network it could not be loaded.
    this.redraw();
  }

  disconnectedCallback() {
    this.#letGo();
    this.listening?.abort();
    this.speaker?.announcer.stop();
    this.#releaseSession();
  }

  /** @param {string} name */
  attributeChangedCallback(name) {
    if (!this.isConnected) return;
    if (name === "session") {
      this.#releaseSession();
      this.#join();
    } else if (name === "locale") {
      this.current?.setLocale(this.#locale);
    } else if (name === "token") {
      this.#renewToken();
    } else if (name === "member-name" && this.acquired !== null) {
      void this.current?.rename(this.#memberName ?? "");
    }
    this.redraw();
  }

  /**
   * Draws the picker. Implemented by the subclass.
   * @param {PickerSession} picker
   */
  draw(picker) { void picker; }

  /** Sends at once what the user has chosen, but a moving picker has not sent. Implemented by the subclass. */
  flush() {}

  /** Ends what a finger does that is down. Implemented by the subclass. */
  letGo() {}

  /** Removes what was drawn of another session. Implemented by the subclass. */
  forget() {}

  /**
   * Shows the others where the user's finger is.
   * @param {import("../core/types").OwnTouch | null} touch null: lifted
   */
  touch(touch) {
    this.hovered = "null";
    if (this.#showsPointer) this.current?.touch(touch);
  }

  /**
   * Shows the others what the mouse pointer is over.
   * @param {import("../core/types").OwnTouch | null} touch null: nothing
   */
  hover(touch) {
    const hovered = JSON.stringify(touch);
    if (hovered === this.hovered || !this.#showsPointer || (touch && !this.current?.canChange)) return;
    this.hovered = hovered;
    this.current?.touch(touch && { ...touch, hover: true });
  }

  /** The page can keep to itself where the user's pointer and finger are. */
  get #showsPointer() { return this.getAttribute("presence") !== "off"; }

  /** @param {KeyboardEvent} event Ctrl+Z, and Ctrl+Y or Ctrl+Shift+Z */
  #press(event) {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const { current: picker } = this;
    const isTyping = /** @type {Element} */ (event.composedPath()[0]).matches("input,textarea,[contenteditable]");
    const letter = key.toLowerCase();
    if (ctrlKey === metaKey || altKey || isTyping || !picker?.canChange || !(letter === "z" || (letter === "y" && ctrlKey))) return;
    event.preventDefault();
    this.flush();
    void picker[shiftKey || letter === "y" ? "redo" : "undo"]();
  }

  /**
   * Shows at the place of a correction why it was made. Implemented by the subclass that has such places.
   * @param {Extract<Notice, {kind: "corrected"}>} notice @param {string} text
   */
  explain(notice, text) { void [notice, text]; }

  /**
   * Called for each notice, so that the subclass can mark where it happened.
   * @param {Notice} notice
   */
  noticed(notice) { void notice; }

  get words() { return wordsOf(this.current?.locale ?? this.#locale); }

  redraw() {
    const picker = this.current;
    const locale = picker?.locale ?? this.#locale;
    if (!hasWords(locale)) {
      void loadWords(locale).then(() => this.redraw());
      return;
    }
    const words = wordsOf(locale);
    if (this.worded !== words) {
      this.worded = words;
      this.bar.setWords(words);
    }
    setAttribute(this.frameElement, "dir", directionOf(locale));
    setAttribute(this.frameElement, "lang", locale);
    setAttribute(this.frameElement, "data-connection", picker?.connection ?? "idle");
    this.speak((speaker) => speaker.drawConnection());
    const isKnown = picker?.state.isKnown ?? false;
    const isOther = isKnown && this.#isOther(/** @type {PickerSession} */ (picker));
    this.frameElement.hidden = isOther;
    const [hasFrame, hasActions] = ["frame", "actions"].map((part) => this.getAttribute(part) !== "none");
    setAttribute(this.frameElement, "data-bare", !hasFrame);
    // Without a frame, the hint has the place of the result until there is one.
    const place = hasFrame ? this.notePlace : this.bar.element;
    if (this.hint.parentElement !== place) place.prepend(this.hint);
    this.control.draw(isKnown && !isOther ? picker : null, hasActions ? this.bar.element : this.stage);
    this.hint.hidden = this.top.inert = this.stage.inert = !isKnown;
    this.bar.element.hidden = !isKnown || !hasActions;
    if (picker !== this.drawn) {
      this.speaker?.forget();
      setAttribute(this.frameElement, "data-status", null);
    }
    if (!picker || !isKnown) return;
    if (this.drawn && picker !== this.drawn) this.forget();
    this.drawn = picker;
    if (isOther) return;
    const zone = zoneText(picker, words);
    this.zone.hidden = zone === "";
    setText(this.zone, zone);
    if (hasFrame) this.people.draw(picker, words);
    this.bar.draw(picker, words);
    this.speak((speaker) => speaker.draw(words));
    setAttribute(this.frameElement, "data-status", picker.state.status);
    this.draw(picker);
  }

  /**
   * Whether another element shows the session. Logs it once, and also a kind that is newer than all elements.
   * @param {PickerSession} picker
   */
  #isOther(picker) {
    const { state } = picker;
    const own = /** @type {typeof PickerElement} */ (this.constructor).element;
    const other = state.isCalendar ? "pickerd-calendar" : state.availability ? "pickerd-availability" : "pickerd-wheels";
    if (picker !== this.drawn) this.speak((speaker) => speaker.logKind(own, other, state));
    return own !== other;
  }

  /**
   * Adopts style sheets, once.
   * @param {...(() => CSSStyleSheet)} sheets
   */
  adopt(...sheets) {
    const adopted = new Set([.../** @type {ShadowRoot} */ (this.shadowRoot).adoptedStyleSheets, ...sheets.map((sheet) => sheet())]);
    /** @type {ShadowRoot} */ (this.shadowRoot).adoptedStyleSheets = [...adopted];
  }

  #letGo() {
    this.letGo();
    this.flush();
  }

  get #locale() {
    return this.getAttribute("locale") ?? (document.documentElement.lang || navigator.language);
  }

  #join() {
    const session = this.getAttribute("session");
    // An element that is upgraded gets its attributes first, and then is connected.
    if (!session || this.current || this.acquired === session) return;
    this.acquired = session;
    const name = this.#memberName;
    const token = this.getAttribute("token") ?? undefined;
    acquire(session, { name, token, locale: this.#locale, timeZone: this.timeZone }).then((picker) => {
      if (this.acquired !== session) return;
      this.picker = picker;
      if (this.getAttribute("token") !== (token ?? null)) this.#renewToken();
    });
  }

  /** In a form, `name` is that of the control. */
  get #memberName() { return this.getAttribute("member-name") ?? (this.form ? null : this.getAttribute("name")) ?? undefined; }

  #renewToken() {
    const token = this.getAttribute("token");
    if (token) this.current?.setToken(token);
  }

  #releaseSession() {
    if (this.acquired === null) return;
    this.picker = null;
    release(this.acquired);
    this.acquired = null;
  }

  /** Listens to the session while this element is in the page. */
  #listen() {
    this.listening?.abort();
    this.listening = new AbortController();
    const { signal } = this.listening;
    const { current: picker } = this;
    document.addEventListener("visibilitychange", () => document.hidden && this.flush(), { signal });
    if (!picker) return;
    picker.addEventListener("change", () => this.redraw(), { signal });
    picker.addEventListener("connection", () => this.redraw(), { signal });
    picker.addEventListener("notice", (event) => {
      const { detail } = /** @type {CustomEvent<Notice>} */ (event);
      this.noticed(detail);
      this.speak((speaker) => speaker.handle(detail));
    }, { signal });
  }

  /**
   * Works with what says what happens. It is loaded after the first paint; what was to be said before that comes in order.
   * @param {(speaker: Speaker) => void} work
   */
  speak(work) {
    if (this.speaker) return work(this.speaker);
    this.speaking ??= import("./speaker.js").then((module) => new module.Speaker(this));
    // It may be tried again; a browser reports the failure.
    this.speaking.then((speaker) => {
      this.speaker = speaker;
      work(speaker);
    }, () => { this.speaking = undefined; });
  }
}
