// The banner over a picker: what is wrong with the connection.

import { later } from "../words/en-later.js";
import { addEnglish } from "../words/words.js";
import { make, setAttribute, setText } from "./dom.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../words/words.js").Words} Words */

addEnglish(later);

/**
 * The text of the connection banner; null if none is needed.
 * @param {PickerSession | null} picker @param {Words} words
 */
export function connectionText(picker, words) {
  if (!picker) return words.connection.idle;
  const { connection, closeCode } = picker;
  if (connection === "live" && picker.isSlow) return words.slow;
  if (connection === "live") return picker.self?.role === "viewer" ? words.viewer : null;
  if (connection === "away") {
    if (closeCode === 4404 || closeCode === 4410) return words.connection.ended;
    if (closeCode === 4409) return words.connection.elsewhere;
    return closeCode === 4403 ? words.connection.notAllowed : words.connection.away;
  }
  if (picker.isWaitingForToken) return words.connection[picker.isRevoked ? "revoked" : "access"];
  if (connection === "credentials" && closeCode === 4302) return words.connection.expired;
  if (connection === "waiting" && (closeCode === 4500 || closeCode === 4503)) return words.connection.full;
  const isQueued = picker.pendingCount > 0 && connection !== "credentials" && connection !== "left";
  return isQueued ? words.queued(picker.pendingCount) : words.connection[connection];
}

export class Banner {
  /** @param {() => void} retry */
  constructor(retry) {
    this.text = make("span", {});
    this.button = make("button", { class: "retry", type: "button", part: "retry", onclick: retry });
    this.element = make("div", { class: "banner", part: "connection", role: "status" },
      make("div", {}, this.text), this.button);
  }

  /** @param {PickerSession | null} picker @param {Words} words */
  draw(picker, words) {
    const text = connectionText(picker, words);
    this.element.hidden = text === null;
    if (text !== null) setText(this.text, text);
    setAttribute(this.element, "data-refused", picker?.isWaitingForToken || text === words.connection.full);
    const isElsewhere = picker?.closeCode === 4409;
    const canRetry = picker && (isElsewhere || ["waiting", "offline"].includes(picker.connection)
      || (picker.connection === "credentials" && picker.getToken !== null));
    this.button.hidden = !canRetry;
    setText(this.button, isElsewhere ? words.useHere : words.retry);
  }
}
