// Commands without an answer, in the order of their refs. They survive lost connections and reloads.

/** @typedef {import("./types").Pending} Pending */
/** @typedef {import("./types").Command} Command */

/** The maximum of commands queued without a connection. More would surprise the user when they are finally done. */
export const queuedMax = 20;

/** Commands that can be queued without a connection. The effect of the others depends on the changes of other members. */
export const queueable = new Set(["select", "tap", "mark", "clear", "rename", "set"]);

/** Commands with `at`, the revision that the user saw: the server refuses them if others have changed the value since. */
export const late = new Set(["set", "clear", "undo", "redo", "confirm", "cancel", "reopen", "hold"]);

export class PendingCommands {
  /** @param {Pending[]} entries of an earlier page @param {number} ref the greatest ref used so far */
  constructor(entries = [], ref = 0) {
    this.entries = entries;
    this.ref = ref;
  }

  /** Whether commands were sent that have no answer. */
  get isWaiting() {
    return this.entries.some(({ sent }) => sent);
  }

  /** The commands that were not sent yet. They follow all others. */
  get unsent() {
    return this.entries.filter(({ sent }) => !sent);
  }

  /** The greatest ref that was sent. */
  get greatestSent() {
    const [first] = this.unsent;
    return first ? refOf(first) - 1 : this.ref;
  }

  /**
   * Continues after the greatest ref that the server knows: a smaller one belongs to another command, of another
   * device of the same member. Unsent commands get new refs then.
   * @param {number} known
   */
  startAfter(known) {
    this.ref = Math.max(this.ref, known);
    if (this.unsent.some((entry) => refOf(entry) <= known)) this.#renumber();
  }

  /**
   * Makes a command unsent that was not done, if it can be sent after those that followed it.
   * @param {number} ref of its message @returns {boolean} whether it can
   */
  hold(ref) {
    const index = this.entries.findIndex((entry) => refOf(entry) === ref);
    const entry = this.entries[index];
    if (!entry || !queueable.has(entry.message.type)) return false;
    const hasReplacement = this.entries.slice(index + 1).some((later) => isReplaced(entry, later.message));
    if (hasReplacement) return false;
    entry.sent = false;
    this.#renumber();
    return true;
  }

  /** Gives unsent commands refs after those of all others, in their messages; `ref` still names them here. */
  #renumber() {
    const unsent = this.unsent.sort((one, other) => one.ref - other.ref);
    this.entries = [...this.entries.filter(({ sent }) => sent), ...unsent];
    for (const entry of unsent) entry.message = { ...entry.message, ref: this.ref += 1 };
  }

  /**
   * Adds a command with the next ref. It replaces an unsent select of the same column, or an unsent name.
   * @param {Command} command
   * @returns {{entry: Pending, replaced: Pending | null}}
   */
  add(command) {
    this.ref += 1;
    const entry = /** @type {Pending} */ ({ ref: this.ref, message: { ...command, ref: this.ref }, sent: false });
    const index = this.entries.findIndex((one) => !one.sent && isReplaced(one, command));
    const replaced = index < 0 ? null : this.entries.splice(index, 1)[0];
    this.entries.push(entry);
    return { entry, replaced };
  }

  /**
   * Removes the command whose message has this ref.
   * @param {number | undefined} ref @returns {Pending | null}
   */
  answered(ref) {
    const index = this.entries.findIndex((entry) => refOf(entry) === ref);
    return index < 0 ? null : this.entries.splice(index, 1)[0];
  }

  /**
   * Removes commands.
   * @param {(entry: Pending) => boolean} isTaken
   */
  take(isTaken) {
    const taken = this.entries.filter(isTaken);
    this.entries = this.entries.filter((entry) => !taken.includes(entry));
    return taken;
  }
}

/** @param {Pending} entry @returns {number} the ref of its message */
const refOf = ({ message }) => /** @type {any} */ (message).ref;

/** @param {Pending} entry @param {Command} later whether it selects a row of the same column, or both are names */
const isReplaced = ({ message }, later) => message.type === later.type
  && (message.type === "rename" || (message.type === "select" && message.column === later.column));
