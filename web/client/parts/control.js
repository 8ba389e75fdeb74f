// An element as a control of a form: its value, its validity and its states.

/**
 * A result as the value of a control; empty if there is none.
 * @param {import("../core/types").Result} result
 */
export function valueOf(result) {
  if (!result) return "";
  const { start, end, date, local, keys } = result;
  if (start) return `${start}/${end}`;
  return String(date ?? local ?? JSON.stringify(keys));
}

export class Control {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    /** @type {ElementInternals | undefined} missing in old browsers, where the element is no control */
    this.internals = element.attachInternals?.();
    /** @type {string | null} null while no session is shown */
    this.value = null;
    /** The states that are set. */
    this.states = "";
  }

  /**
   * Takes the value and the states of a session. A form has only a result that the server has stored.
   * @param {import("../core/session.js").PickerSession | null} picker null: none is shown
   * @param {HTMLElement} anchor where a problem is shown
   */
  draw(picker, anchor) {
    const value = valueOf(picker && picker.result);
    const isMissing = value === "" && this.element.hasAttribute("required");
    this.internals?.setFormValue(value || null);
    if (isMissing) this.internals?.setValidity({ valueMissing: true }, missingText(), anchor);
    else this.internals?.setValidity({});
    this.#setStates(picker ? [picker.state.status, picker.connection === "live" ? "online" : "offline"] : []);
    const before = this.value;
    this.value = picker ? value : null;
    if (before === null || this.value === null || before === value) return;
    for (const name of ["input", "change"]) this.element.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
  }

  /** @param {string[]} names */
  #setStates(names) {
    const states = /** @type {Set<string> | undefined} */ (/** @type {any} */ (this.internals)?.states);
    if (this.states === String(names)) return;
    this.states = String(names);
    try {
      states?.clear();
      for (const name of names) states?.add(name);
    } catch {
      // Browsers before 2024 demand two dashes.
    }
  }
}

/** The browser's text for a missing value, in the user's language. */
const missingText = () => Object.assign(document.createElement("input"), { required: true }).validationMessage;
