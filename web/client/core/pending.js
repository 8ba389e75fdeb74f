// Commands that have no answer yet, in the order of their refs. They outlive connections and reloads.

/** @typedef {import("./types").Pending} Pending */
/** @typedef {import("./types").Command} Command */

/** Commands that a person may give while nobody listens; more would surprise when they are done at last. */
export const queuedMax = 20;

export class PendingCommands {
  /** @param {Pending[]} entries of an earlier page @param {number} ref the greatest given out so far */
  constructor(entries = [], ref = 0) {
    this.entries = entries;
    this.ref = ref;
  }

  get isEmpty() {
    return this.entries.length === 0;
  }

  /**
   * Goes on after the greatest ref that the server knows: a smaller one would mean another command.
   * @param {number} ref
   */
  startAfter(ref) {
    this.ref = Math.max(this.ref, ref);
  }

  /**
   * Gives a command its ref. An unsent select of the same column gives way to it.
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
   * Takes the command with this ref out.
   * @param {number | undefined} ref @returns {Pending | null}
   */
  answered(ref) {
    const index = this.entries.findIndex((entry) => entry.ref === ref);
    return index < 0 ? null : this.entries.splice(index, 1)[0];
  }

  /** The commands of a member that no longer exists: whether they were done is unknown. */
  takeUncertain() {
    const uncertain = this.entries.filter((entry) => entry.sent);
    this.entries = this.entries.filter((entry) => !entry.sent);
    return uncertain;
  }

  takeAll() {
    return this.entries.splice(0);
  }
}
