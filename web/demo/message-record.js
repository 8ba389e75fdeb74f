// The last messages of a connection, recorded for the panel that shows them to developers.

/** The maximum of recorded messages; older ones are removed. */
export const messagesMax = 200;

/** Event: `message`. */
export class MessageRecord extends EventTarget {
  constructor() {
    super();
    /** @type {{direction: "in" | "out", time: string, message: any}[]} */
    this.messages = [];
  }

  /** @param {import("../client/core/session.js").PickerSession} picker @param {AbortSignal} signal */
  follow(picker, signal) {
    picker.addEventListener("message", (event) => {
      const { direction, message } = /** @type {CustomEvent} */ (event).detail;
      this.messages.push({ direction, time: new Date().toISOString().slice(11, 23), message });
      if (this.messages.length > messagesMax) this.messages.shift();
      this.dispatchEvent(new Event("message"));
    }, { signal });
  }
}
