// Commands without an answer, in the order of their refs. They survive lost connections and reloads.

/** @typedef {import("./types").Pending} Pending */
/** @typedef {import("./types").Command} Command */

/** The maximum of commands queued without a connection. More would surprise the user when they are finally done. */
export const queuedMax = 20;

export class PendingCommands {
  /** @param {Pending[]} entries of an earlier page @param {number} ref the greatest ref used so far */
  constructor(entries = [], ref = 0) {
    this.entries = entries;
    this.ref = ref;
  }

  get isEmpty() {
    return this.entries.length === 0;
  }

  /**
   * Continues after the greatest ref that the server knows: a smaller one belongs to another command, of another
   * device of the same member. Unsent commands get new refs in their messages; `ref` still names them here.
   * @param {number} known
   */
  startAfter(known) {
    const renumbers = this.entries.some(({ sent, message }) => !sent && /** @type {any} */ (message).ref <= known);
    this.ref = Math.max(this.ref, known);
    if (!renumbers) return;
    for (const entry of this.entries) {
      if (!entry.sent) entry.message = { ...entry.message, ref: this.ref += 1 };
    }
  }

  /**
   * Adds a command with the next ref. It replaces an unsent select of the same column.
   * @param {Command} command
   * @returns {{entry: Pending, replaced: Pending | null}}
   */
  add(command) {
    this.ref += 1;
    const entry = /** @type {Pending} */ ({ ref: this.ref, message: { ...command, ref: this.ref }, sent: false });
    const index = this.entries.findIndex((one) => !one.sent && one.message.type === "select"
      && command.type === "select" && one.message.column === command.column);
    const replaced = index < 0 ? null : this.entries.splice(index, 1)[0];
    this.entries.push(entry);
    return { entry, replaced };
  }

  /**
   * Removes the command whose message has this ref.
   * @param {number | undefined} ref @returns {Pending | null}
   */
  answered(ref) {
    const index = this.entries.findIndex(({ message }) => /** @type {any} */ (message).ref === ref);
    return index < 0 ? null : this.entries.splice(index, 1)[0];
  }

  /** Removes the sent commands, whose outcome is unknown. */
  takeUncertain() {
    const uncertain = this.entries.filter((entry) => entry.sent);
    this.entries = this.entries.filter((entry) => !entry.sent);
    return uncertain;
  }

  takeAll() {
    return this.entries.splice(0);
  }
}
