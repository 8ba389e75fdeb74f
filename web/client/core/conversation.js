// The messages of a live connection: commands and their answers, deltas in order, months and rows.

import { problemOf } from "./arguments.js";
import { Looking } from "./looking.js";
import { late, PendingCommands, queueable, queuedMax } from "./pending.js";
import { isOpen, predictChosen, predictHits, predictRange } from "./predict.js";
import { PickerState } from "./state.js";

/** @typedef {import("./types").Effect} Effect */
/** @typedef {import("./types").Message} Message */
/** @typedef {import("./types").Command} Command */
/** @typedef {import("./types").Outcome} Outcome */

/** A revision that no server reaches: resuming from it returns a snapshot for the same member. */
const beyondAnyRevision = Number.MAX_SAFE_INTEGER;

export const answerMillisecondsMax = 10_000;
export const catchUpMillisecondsMax = 2_000;
const lookAgainMilliseconds = 1_000;

/**
 * The refusal of every change, with the code that the server would send; null if the picker can be changed.
 * @param {PickerState} state
 */
function refusalOf({ self, status }) {
  if (self?.role === "viewer") return { code: "notAllowed", detail: "a viewer cannot make changes" };
  if (status === "open") return null;
  return { code: status === "confirming" ? status : "notOpen", detail: `the picker is ${status}` };
}

export class Conversation {
  /**
   * @param {import("./types").Memory | null} memory of an earlier page
   * @param {(...effects: Effect[]) => void} perform
   */
  constructor(memory, perform) {
    this.state = new PickerState();
    this.pending = new PendingCommands(memory?.pending ?? [], memory?.ref ?? 0);
    this.looking = new Looking();
    /** @type {{member: string, secret: string, epoch: string} | null} */
    this.identity = memory && { member: memory.member, secret: memory.secret, epoch: memory.epoch };
    this.wantsSnapshot = false;
    /** @type {string | null} the last name that the server has accepted from this member */
    this.newName = null;
    this.perform = perform;
  }

  /**
   * @param {{name?: string, locale?: string, timeZone?: string, token?: string}} options
   * @param {boolean} asNew whether to leave out the identity, which stays until a `welcome` replaces it
   * @returns {Message}
   */
  join({ name: firstName, locale, timeZone, token }, asNew = false) {
    this.looking.joined = this.looking.months;
    // Should the server not know the member any more.
    const name = this.newName ?? firstName;
    const revision = this.state.isKnown && !this.wantsSnapshot ? this.state.revision : beyondAnyRevision;
    return {
      type: "join",
      ...(name && { name }), ...(locale && { locale }), ...(timeZone && { timeZone }), ...(token && { token }),
      ...(this.looking.months && { months: this.looking.months }),
      ...(this.identity && !asNew && { resume: { ...this.identity, revision } }),
    };
  }

  /** @param {import("./protocol").WelcomeMessage} message */
  welcome(message) {
    const isSame = this.identity?.member === message.member.id;
    const isOtherHistory = this.identity !== null && this.identity.epoch !== message.epoch;
    this.state.touching.clear();
    this.state.welcome(message);
    this.identity = { member: message.member.id, secret: message.member.secret, epoch: message.epoch };
    this.wantsSnapshot = false;
    this.looking.connected();
    // Another device of the same member may have used the refs of commands that were sent.
    const isUncertain = !isSame || (message.ref ?? 0) > this.pending.greatestSent;
    const lost = this.pending.take((entry) =>
      (isUncertain && entry.sent) || (isOtherHistory && entry.message.at !== undefined));
    for (const entry of lost) {
      this.#settle(entry.ref, { outcome: "lost" });
      this.#notify([{ kind: "lost", command: entry.message, mine: true }]);
    }
    this.pending.startAfter(message.ref ?? 0);
    this.#sendLater(this.pending.entries);
    if (this.pending.entries.length > 0) this.#awaitAnswer();
    const { months, joined } = this.looking;
    if (months && months !== joined) this.perform({ effect: "send", message: { type: "months", ...months } });
    this.save();
  }

  /** @param {import("./protocol").ServerMessage} message @returns {boolean} false if a delta before it is missing */
  take(message) {
    switch (message.type) {
      case "delta": return this.#delta(message);
      case "reply": this.#reply(message); break;
      case "refused": this.#refused(message); break;
      case "snapshot": this.#snapshot(message); break;
      case "months": this.#months(message); break;
      case "rows": this.state.takeRows(message); this.looking.rowsCame(message); break;
      case "presence": this.#notify(this.state.presence(message)); break;
      // Other types are newer than this client, and ignored.
    }
    return true;
  }

  /** @param {Command} command @param {"live" | "later" | "never"} when it can be sent */
  command(command, when) {
    const problem = problemOf(command);
    if (problem !== null) return this.#decline(command, "refused", "badMessage", problem);
    const isChange = queueable.has(command.type) && command.type !== "rename";
    const refusal = when === "later" && isChange ? refusalOf(this.state) : null;
    if (refusal) return this.#decline(command, "refused", refusal.code, refusal.detail);
    const canWait = when === "later" && queueable.has(command.type) && this.pending.entries.length < queuedMax;
    if (when !== "live" && !canWait) {
      return this.#decline(command, "offline", "offline", "there is no connection");
    }
    const isHeld = this.pending.unsent.length > 0;
    const endsRange = command.type === "tap" && this.#showsOpenRange;
    const { entry, replaced } = this.pending.add(command);
    if (this.state.isKnown) this.#noteSeen(entry);
    if (endsRange) entry.endsRange = true;
    if (replaced) this.#settle(replaced.ref, { outcome: "unchanged" });
    if (when === "live" && !isHeld) {
      this.#send(entry);
      // Otherwise the timer runs: it must not begin again with each command.
      if (this.pending.entries.length === 1) this.#awaitAnswer();
    }
    this.save();
  }

  /** Sends the requests and commands again that were refused with `tooMany`, and the commands after them. */
  lookAgain() {
    const { unsent } = this.pending;
    this.#sendLater(unsent);
    if (unsent.length > 0) {
      this.#awaitAnswer();
      this.save();
    }
    this.looking.asked.clear();
    if (this.looking.months) this.perform({ effect: "send", message: { type: "months", ...this.looking.months } });
  }

  /** Settles all pending commands as lost. */
  giveUp() {
    for (const entry of this.pending.entries.splice(0)) this.#settle(entry.ref, { outcome: "lost" });
  }

  save() {
    if (!this.identity) return;
    const { ref, entries } = this.pending;
    this.perform({ effect: "save", memory: { ...this.identity, ref, pending: entries } });
  }

  /**
   * Settles a command that is neither sent nor queued.
   * @param {Command} command @param {"refused" | "offline"} outcome
   * @param {string} code @param {string} detail
   */
  #decline(command, outcome, code, detail) {
    // Not saved: after `stop` another session of the page may be this member.
    const ref = this.pending.ref += 1;
    this.#settle(ref, outcome === "refused" ? { outcome, code, detail } : { outcome });
    this.#notify([{ kind: "refused", code, detail, command, mine: true }]);
  }

  /** @param {import("./protocol").DeltaMessage} message */
  #delta(message) {
    const { state } = this;
    const isNew = message.revision > state.revision;
    if (message.revision > state.revision + 1) return false;
    const mine = message.by !== undefined && message.by === state.self?.id;
    const before = state.range;
    const notices = isNew ? state.delta(message, mine) : [];
    const entry = this.#answered(message.ref, { outcome: "done", revision: message.revision });
    if (entry?.endsRange) this.#noteReplaced(before, notices);
    if (isNew && message.by !== undefined) state.count(message.changes, entry?.message.type);
    this.#caughtUp();
    if (entry) this.save();
    this.#notify(notices);
    return true;
  }

  /** Whether the range that the user sees is open, so that a tap is meant for its last day. */
  get #showsOpenRange() {
    return isOpen(this.state, predictRange(this.state, this.pending.entries, this.#ownId).range);
  }

  get #ownId() { return this.state.self?.id ?? ""; }

  /**
   * Notes the revision, or for a tap the number of taps, that the user sees; unless it is known.
   * @param {import("./types").Pending} entry
   */
  #noteSeen(entry) {
    const { state, pending } = this;
    const before = pending.entries.slice(0, pending.entries.indexOf(entry));
    if (late.has(entry.message.type) && entry.message.at === undefined) {
      entry.message = { ...entry.message, at: state.revision };
      entry.seen = predictChosen(state, before, this.#ownId);
    }
    if (entry.message.type === "tap") entry.hits ??= predictHits(state, before, this.#ownId);
  }

  /**
   * Adds the replaced range to the notice of a tap that was meant for the last day, but came after a tap of another member:
   * after its last day, or after its first day, whose range then ended with the own first tap.
   * @param {import("./types").Range | null} before @param {import("./types").Notice[]} notices
   */
  #noteReplaced(before, notices) {
    if (!before) return;
    for (const notice of notices) {
      if (notice.kind === "range" && isOpen(this.state, notice.range)) notice.finished = before;
    }
  }

  /** @param {import("./protocol").ReplyMessage} message */
  #reply(message) {
    this.#answered(message.ref, { outcome: "done", revision: message.revision });
    this.save();
    // A reply with a later revision means that a snapshot must follow.
    if (message.revision > this.state.revision) {
      this.perform({ effect: "timer", name: "catchUp", milliseconds: catchUpMillisecondsMax });
    }
  }

  /** @param {import("./protocol").RefusedMessage} message */
  #refused(message) {
    const { ref, code, detail, params, revision } = message;
    const isRequest = ref === undefined;
    const isRepeated = code === "tooMany" && (isRequest || this.pending.hold(ref));
    if (isRepeated) this.perform({ effect: "timer", name: "look", milliseconds: lookAgainMilliseconds });
    // Of rows or months, which the user does not know of.
    if (isRequest) return;
    if (isRepeated) this.#awaitNext();
    const entry = isRepeated ? null : this.#answered(ref, { outcome: "refused", code, detail, params, revision });
    this.state.changes(/** @type {any[]} */ (message.changes ?? []), null, true);
    if (code === "nothingToUndo") this.state[entry?.message.type === "redo" ? "redos" : "undos"] = 0;
    this.looking.forgetStaleRows(this.state.columns);
    this.save();
    if (isRepeated) return;
    const { message: command = null, seen } = entry ?? {};
    this.#notify([{ kind: "refused", code, detail, params, command, seen, mine: true }]);
  }

  /** @param {import("./protocol").SnapshotMessage} message */
  #snapshot(message) {
    this.state.snapshot(message);
    this.looking.asked.clear();
    this.#caughtUp();
  }

  /** @param {import("./protocol").MonthsMessage} message */
  #months(message) {
    this.state.takeMonths(message);
    this.state.retainMonths((month) => this.looking.isInView(month));
  }

  #caughtUp() {
    this.perform({ effect: "timer", name: "catchUp", milliseconds: null });
    this.looking.forgetStaleRows(this.state.columns);
  }

  /**
   * Sends commands that were given some time ago, or sent before.
   * @param {import("./types").Pending[]} entries
   */
  #sendLater(entries) {
    for (const entry of entries) {
      // Of a command from before the first welcome, which is then the first that the user sees.
      this.#noteSeen(entry);
      if (entry.hits !== undefined) entry.message = { ...entry.message, hits: entry.hits };
      this.#send(entry);
    }
  }

  /** @param {import("./types").Pending} entry */
  #send(entry) {
    entry.sent = true;
    this.perform({ effect: "send", message: entry.message });
  }

  #awaitAnswer() {
    this.perform({ effect: "timer", name: "answer", milliseconds: answerMillisecondsMax });
  }

  /** @param {number | undefined} ref @param {Outcome} outcome */
  #answered(ref, outcome) {
    const entry = this.pending.answered(ref);
    if (!entry) return null;
    if (entry.message.type === "rename" && outcome.outcome === "done") {
      // The server does not send a member its own new name.
      this.newName = entry.message.name;
      this.state.rename(entry.message.name);
    }
    this.#settle(entry.ref, outcome);
    this.#awaitNext();
    return entry;
  }

  /** There was an answer: the time for the next one begins. */
  #awaitNext() {
    const milliseconds = this.pending.isWaiting ? answerMillisecondsMax : null;
    this.perform({ effect: "timer", name: "answer", milliseconds });
  }

  /** @param {number} ref @param {Outcome} outcome */
  #settle(ref, outcome) {
    this.perform({ effect: "settle", ref, outcome });
  }

  /** @param {import("./types").Notice[]} notices */
  #notify(notices) {
    for (const notice of notices) this.perform({ effect: "emit", name: "notice", detail: notice });
  }
}
