// The bar under the picker: the result, and buttons for commands.

import { clockText, fullDate, timeText } from "../words/words.js";
import { icon, make, setAttribute, setText } from "./dom.js";
import { spanText, withTotal } from "./stay-texts.js";
import { zoneSuffix } from "./zone.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../words/words.js").Words} Words */

/** The commands with a button, in order. */
const commands = /** @type {const} */ (["undo", "redo", "clear", "cancel", "reopen", "confirm"]);

export class Bar {
  /** @param {(command: typeof commands[number]) => void} act */
  constructor(act) {
    this.act = act;
    /** @type {"cancel" | "reopen" | null} what the user is asked about */
    this.asked = null;
    this.status = make("span", {});
    this.value = make("span", { class: "value" });
    this.chosen = make("output", { class: "chosen", part: "result", tabindex: "-1" }, this.status, this.value);
    this.buttons = Object.fromEntries(commands.map((command) => [command, make("button", {
      class: `act ${command}${command === "confirm" ? " primary" : ""}`, part: `button ${command}`, type: "button", onclick: () => this.press(command),
    })]));
    // It is done for everybody.
    this.question = make("span", { class: "question" });
    this.yes = make("button", { class: "act", part: "button", type: "button", onclick: () => {
      const { asked } = this;
      this.#ask(null);
      if (asked) act(asked);
    } });
    this.no = make("button", { class: "act", part: "button", type: "button", onclick: () => this.#ask(null) });
    this.ask = make("div", { class: "acts", role: "group", hidden: true, onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") this.#ask(null);
    } }, this.question, this.no, this.yes);
    this.acts = make("div", { class: "acts" }, ...Object.values(this.buttons));
    // On the line above the bar, so that nothing moves.
    this.unstored = make("span", { class: "unstored", part: "unstored", role: "status" });
    this.element = make("div", { class: "bar", part: "bar", tabindex: "-1" }, this.unstored,
      make("slot", { name: "result" }, this.chosen), this.acts, this.ask);
    // An element may have its own.
    this.resultText = resultText;
    this.usability = usability;
  }

  /**
   * Does what a button does.
   * @param {typeof commands[number]} command
   */
  press(command) {
    if (command === "cancel" || command === "reopen") this.#ask(command);
    else this.act(command);
  }

  /** @param {"cancel" | "reopen" | null} asked before what to ask; null: shows the buttons again */
  #ask(asked) {
    const { asked: before } = this;
    const hasFocus = this.element.matches(":focus-within");
    this.asked = asked;
    this.ask.hidden = !asked;
    this.acts.hidden = Boolean(asked);
    this.#drawQuestion();
    if (asked) this.no.focus();
    else if (hasFocus && before) this.buttons[before].focus();
  }

  #drawQuestion() {
    const { asks } = this.words ?? {};
    if (!asks || !this.asked) return;
    const { ask, yes } = asks[this.asked];
    setText(this.question, ask);
    setAttribute(this.ask, "aria-label", ask);
    setText(this.yes, yes);
    setText(this.no, asks.no);
    this.yes.classList.toggle("cancel", this.asked === "cancel");
  }

  /** @param {Words} words */
  setWords(words) {
    for (const command of commands) {
      const button = this.buttons[command];
      const hasIcon = command === "undo" || command === "redo" || command === "clear";
      button.replaceChildren(...(hasIcon ? [icon(command)] : [words[command]]));
      setAttribute(button, "aria-label", words[command]);
      setAttribute(button, "title", hasIcon ? words[command] : null);
    }
    this.words = words;
    this.#drawQuestion();
  }

  /** @param {PickerSession} picker @param {Words} words */
  draw(picker, words) {
    const { state } = picker;
    const focused = this.#focused;
    const text = this.resultText(picker, words);
    const status = statusText(picker, words);
    setText(this.status, status);
    setText(this.value, text.slice(status.length));
    this.chosen.hidden = text === "";
    setAttribute(this.chosen, "data-status", state.status);
    setText(this.unstored, picker.isUnstored ? words.unstored : "");
    for (const command of commands) {
      const button = this.buttons[command];
      const { isShown, isUsable } = this.usability(command, picker);
      button.hidden = !isShown;
      // Not `disabled`, because a disabled button would lose the focus.
      setAttribute(button, "aria-disabled", isUsable ? null : "true");
    }
    if (this.asked && !usability(this.asked, picker).isUsable) this.#ask(null);
    if (focused?.hidden) this.focus();
  }

  /** Focuses the result, after the focused button has disappeared. A button in its place might be pressed by mistake. */
  focus() {
    // Without a result there is nothing to see, and so nothing to focus.
    const place = this.chosen.textContent ? this.chosen : this.element;
    place.focus({ preventScroll: true });
  }

  /** The button that has the focus, if one has. */
  get #focused() { return Object.values(this.buttons).find((button) => button.matches(":focus")); }
}

/**
 * Whether a button for a command is shown to this member, and whether it can be used now.
 * @param {import("../core/types").CommandName} command @param {PickerSession} picker
 */
export function usability(command, picker) {
  const { status, isCalendar, hasKnownKind, hostReopens, hostCancels } = picker.state;
  const isLive = picker.connection === "live";
  const isOpen = status === "open";
  switch (command) {
    case "clear": return { isShown: picker.canChange && isCalendar, isUsable: picker.rangeShown.range !== null };
    case "confirm": return { isShown: picker.isOwner && isOpen, isUsable: isLive && picker.result !== null && picker.result.open !== false };
    case "cancel": return { isShown: picker.isOwner && ((isOpen && !hostCancels) || status === "confirming"), isUsable: isLive };
    case "reopen": return { isShown: picker.isOwner && !hostReopens && !isOpen && status !== "confirming", isUsable: isLive };
    case "undo": case "redo": {
      // A change without an answer can be undone, too.
      const count = command === "redo" ? picker.state.redos : picker.state.undos + picker.pendingCount;
      return { isShown: picker.canChange && hasKnownKind, isUsable: isLive && count > 0 };
    }
    default: return { isShown: picker.canChange && hasKnownKind, isUsable: isLive };
  }
}

/**
 * The status before a result; empty while the session is open, or the host decides.
 * @param {PickerSession} picker @param {Words} words
 */
export const statusText = ({ state }, words) => ({
  open: "", confirming: "", confirmed: `✓ ${words.confirmedNow} `,
  cancelled: `${words.cancelledNow} ${state.reason ? `${state.reason}${state.result ? " · " : ""}` : ""}`,
}[state.status] ?? "");

/**
 * A result as text, with the status of the session.
 * @param {string} text @param {PickerSession} picker @param {Words} words
 */
export const withStatus = (text, picker, words) => (picker.state.status === "confirming"
  ? words.confirmingNow({ what: text, until: clockText(picker.state.until, picker.locale) }) : statusText(picker, words) + text);

/**
 * The result as text, in the page's language.
 * @param {PickerSession} picker @param {Words} words
 */
export function resultText(picker, words) {
  const text = chosenText(picker, words);
  const { units } = picker.state;
  return withStatus(text && units && units > 1 ? `${units}\u00a0× ${text}` : text, picker, words);
}

/** @param {PickerSession} picker @param {Words} words */
function chosenText(picker, words) {
  const { state, locale } = picker;
  const { result, texts } = picker.chosen;
  const kind = state.definition?.kind;
  if (result && (kind === "date" || "date" in result)) {
    return withTotal(fullDate(String(result.date), locale), result, locale);
  }
  if (kind === "slot" && !result) return texts.join(" ");
  if (result && "local" in result) {
    const [date, time] = String(result.local).split("T");
    const day = kind === "slot" ? texts[0] : fullDate(date, locale);
    return `${day} ${timeText(time, locale)}${zoneSuffix(result, picker, words)}`;
  }
  if (result && "start" in result) {
    const range = { start: String(result.start), end: String(result.end) };
    return withTotal(spanText(range, picker, words, "nights" in result), result, locale);
  }
  return texts.join(" · ");
}
