// A member of a session: performs the effects of the state machine with a socket, timers and storage.

import { check } from "./arguments.js";
import { PickerMachine } from "./machine.js";
import { viewOf } from "./predict.js";

/** @typedef {import("./types").Effect} Effect */
/** @typedef {import("./types").Outcome} Outcome */
/** @typedef {import("./types").Command} Command */

/** The version of the protocol that this client supports. */
const subprotocol = "pickerd.v1";
/** The time without an answer after which {@link PickerSession.isSlow} is set. */
const slowMilliseconds = 3_000;
/** The time without an answer after which {@link PickerSession.isUnstored} is set: longer than most answers take. */
const unstoredMilliseconds = 1_000;

/**
 * A shared picker, as seen by one member.
 *
 * Events: `change` (redraw), `notice` (`detail` is a `Notice` to show or announce),
 * `connection` (see `connection`), `message` (`detail`: `{direction, message}`, for developers),
 * `answered` (`detail`: an `Outcome` with its `milliseconds`).
 */
export class PickerSession extends EventTarget {
  #machine;
  #environment;
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<string, any>} */
  #timers = new Map();
  /** @type {Map<number, {resolve: (outcome: Outcome) => void, at: number}>} */
  #waiting = new Map();
  #hasChanged = false;
  #isUnstored = false;
  /** @type {Effect[]} those not performed yet */
  #effects = [];
  #isPerforming = false;
  /** @type {ReturnType<typeof viewOf> | null} null: the machine has changed since it was made */
  #view = null;

  /**
   * @param {string} url of the session, `ws:` or `wss:`
   * @param {import("./types").Options & {random?: () => number}} options
   * @param {import("./environment.js").Environment} environment
   */
  constructor(url, options, environment) {
    super();
    this.url = url;
    this.#environment = environment;
    const { getToken, socket: _, identity: __, ...rest } = options;
    if (rest.months) check({ type: "months", ...rest.months });
    /** Provides tokens; only in effect if it was set at the construction. */
    this.getToken = getToken ?? null;
    this.#machine = new PickerMachine({ ...rest, renewsTokens: getToken !== undefined }, environment.load());
    /**
     * The milliseconds between the last answered command and its answer; null before the first.
     * @type {number | null}
     */
    this.latencyMilliseconds = null;
    /** Whether the server has not answered a command for 3 s, although there seems to be a connection. */
    this.isSlow = false;
  }

  /** The state as the server last sent it; read-only. */
  get state() { return this.#machine.state; }
  /** @type {import("./types").Connection} */
  get connection() { return this.#machine.connection; }
  /** Whether the next connection waits for a token that `getToken` has not provided yet. */
  get isWaitingForToken() { return this.#machine.renewal.isWaiting; }
  /** Whether the host has revoked the access with which this member joined last, and has not admitted it again. */
  get isRevoked() { return this.#machine.renewal.code === 4403; }
  get locale() { return this.#machine.options.locale ?? "en"; }
  /** The time zone of the times of an `availability`; undefined: the one of its definition. */
  get timeZone() { return this.#machine.options.timeZone; }
  /** The last close code while there is no connection, and in `error` the code and detail of the server's last error. */
  get closeCode() { return this.#machine.closeCode; }
  get error() { return this.#machine.error; }
  /** The own commands without an answer, oldest first; read-only. */
  get pending() { return this.#machine.pending.entries; }
  /** The number of commands without an answer. */
  get pendingCount() { return this.pending.length; }
  /**
   * Whether the picker shows or awaits own changes that the server does not store yet: it has not answered for a second, or
   * there is no connection. Then until all of them are answered.
   */
  get isUnstored() {
    const isPending = this.pending.some(({ message }) => message.type !== "rename");
    return isPending && (this.#isUnstored || this.connection !== "live");
  }
  get self() { return this.state.self; }
  /** What the user sees, including the effect of own unanswered commands; made once per change. */
  get view() { return (this.#view ??= viewOf(this.state, this.pending, this.self?.id ?? "")); }
  /** The selected rows. */
  get rows() { return this.view.rows; }
  /** The range; `isGuess` until the server has confirmed it. */
  get rangeShown() { return this.view.rangeShown; }
  /** The result, the range and the texts of the selected rows. */
  get chosen() { return this.view.chosen; }
  /** Whether the range is open: its second tap is missing. */
  get isRangeOpen() { return this.view.isRangeOpen; }
  get result() { return this.state.result; }
  get canChange() { return this.state.status === "open" && this.self !== null && this.self.role !== "viewer"; }
  /** When the own token expires, RFC 3339; null without one that expires. */
  get tokenExpires() { return this.#machine.renewal.expires; }
  get isOwner() { return this.self?.role === "owner"; }

  start() { this.#perform(this.#machine.start()); }
  /** Disconnects without leaving: a tab that joins again is the same member. */
  stop() { this.#perform(this.#machine.stop()); }
  leave() { this.#perform(this.#machine.leave()); }
  /** Reconnects at once, or checks the connection; also if another page of this browser is this member now. */
  retry() {
    if (this.connection === "away") this.#environment.take?.();
    this.#perform(this.#machine.retry());
  }
  /** Disconnects, because another page of this browser is this member now. */
  giveWay() {
    this.#disconnect();
    this.#perform(this.#machine.closed(4409));
  }
  /** @param {boolean} isOnline */
  network(isOnline) { this.#perform(this.#machine.network(isOnline)); }
  /**
   * Sets a new token: renews that of the open connection, or reconnects with it.
   * @param {string} token
   */
  setToken(token) { this.#perform(this.#machine.credentials(token)); }
  /** @param {string} locale BCP 47 */
  setLocale(locale) { this.#perform(this.#machine.relocate("locale", locale)); }
  /** @param {string} timeZone IANA name, for the times of an `availability` */
  setTimeZone(timeZone) { this.#perform(this.#machine.relocate("timeZone", timeZone)); }

  /**
   * Selects a row. `seen` has the generation and key that the user saw; default: the current ones.
   * @param {number} column @param {number} row @param {{generation: number, key?: string}} [seen]
   */
  select(column, row, seen) {
    const known = this.state.columns[column];
    const generation = seen?.generation ?? known?.generation ?? 0;
    const key = seen?.key ?? known?.at(row)?.key;
    return this.command({ type: "select", column, row, generation, ...(key !== undefined && { key }) });
  }

  /** @param {{date: string} | {month: string, cell: number} | {month: string, x: number, y: number}} target */
  tap(target) { return this.command({ type: "tap", ...target }); }
  /**
   * Chooses a whole value at once: exactly this one, or it is refused.
   * @param {import("./types").Value} result as results have it; other fields are ignored
   */
  set(result) { return this.command({ type: "set", result }); }
  clear() { return this.command({ type: "clear" }); }
  /**
   * Marks cells of an `availability`.
   * @param {import("./types").Grade | null} grade null: removes the marks
   * @param {number[][]} cells 1 to 64 runs `[from, until]`, ascending
   */
  mark(grade, cells) { return this.command({ type: "mark", grade, cells, ...this.#generation }); }
  undo() { return this.command({ type: "undo" }); }
  redo() { return this.command({ type: "redo" }); }
  /** @param {number} [cell] of an `availability`: confirms the window that begins there */
  confirm(cell) { return this.command({ type: "confirm", ...(cell !== undefined && { cell, ...this.#generation }) }); }
  cancel() { return this.command({ type: "cancel" }); }
  reopen() { return this.command({ type: "reopen" }); }
  /** That of the cells that the user sees. */
  get #generation() { return { generation: this.state.availability?.generation ?? 0 }; }
  /**
   * Changes the name of this member, which stays the same member with its role.
   * @param {string} name 1 to 64 characters
   */
  rename(name) { return this.command({ type: "rename", name }); }

  /**
   * Sets the months in view.
   * @param {string} from `YYYY-MM` @param {number} count at most 24
   */
  months(from, count) {
    check({ type: "months", from, count });
    this.#perform(this.#machine.lookAt(from, count));
  }

  /** Whether `months` was called. */
  get hasMonths() { return this.#machine.conversation.looking.months !== null; }
  /**
   * Requests the rows in view that were not received yet.
   * @param {number} column @param {number} from @param {number} through
   */
  wantRows(column, from, through) {
    check({ type: "rows", column, from, through });
    this.#perform(this.#machine.wantRows(column, from, through));
  }

  /**
   * Finds rows of a column by their texts and terms, also those that were not received. Resolves with null if there is no
   * connection or no such column, or a later search comes before the answer.
   * @param {number} column @param {string} text @param {number} [limit]
   */
  async find(column, text, limit) { return (await import("./find.js")).find(this, column, text, limit); }

  /**
   * Shows the user's finger to the others, or with `hover` the mouse pointer; null: lifted, or over nothing.
   * @param {import("./types").OwnTouch | null} touch
   */
  touch(touch) {
    check({ type: "touch", ...touch });
    this.#perform(this.#machine.touch(touch));
  }

  /** @param {Command} command @returns {Promise<Outcome>} never rejects */
  command(command) {
    const ref = this.#machine.nextRef;
    return new Promise((resolve) => {
      this.#waiting.set(ref, { resolve, at: this.#environment.now() });
      this.#perform(this.#machine.command(command));
    });
  }

  /**
   * Performs effects in the order in which the machine has returned them, also if a listener to one of them calls it again.
   * @param {Effect[]} effects
   */
  #perform(effects) {
    this.#view = null;
    this.#effects.push(...effects);
    if (this.#isPerforming) return;
    this.#isPerforming = true;
    try {
      for (let effect = this.#effects.shift(); effect; effect = this.#effects.shift()) this.#performOne(effect);
    } finally {
      this.#isPerforming = false;
    }
    this.#isUnstored = this.isUnstored;
  }

  /** @param {Effect} effect */
  #performOne(effect) {
    switch (effect.effect) {
      case "dial": return this.#dial();
      case "disconnect": return this.#disconnect();
      case "requestToken": return void this.#requestToken();
      case "send": return this.send(effect.message);
      case "timer": return this.#setTimer(effect.name, effect.milliseconds);
      case "save": return this.#environment.save(effect.memory);
      case "settle": return this.#settle(effect.ref, effect.outcome);
      case "emit": return this.#emit(effect.name, effect.detail);
    }
  }

  #dial() {
    this.#disconnect();
    if (this.#environment.isTaken?.()) return this.giveWay();
    const socket = this.#environment.dial(this.url, subprotocol);
    this.#socket = socket;
    const isOurs = () => this.#socket === socket;
    socket.onopen = () => { if (isOurs()) this.#perform(this.#machine.opened()); };
    socket.onmessage = (event) => { if (isOurs()) this.#receive(event.data); };
    socket.onclose = (event) => {
      if (!isOurs()) return;
      this.#socket = null;
      this.#perform(this.#machine.closed(event.code));
    };
  }

  async #requestToken() {
    try {
      const token = (await this.getToken?.()) ?? null;
      this.#perform(token === null ? this.#machine.tokenUnavailable(true) : this.#machine.tokenProvided(token));
    } catch {
      this.#perform(this.#machine.tokenUnavailable(false));
    }
  }

  /** @param {string} text */
  #receive(text) {
    let message = null;
    try {
      message = JSON.parse(text);
      this.#emit("message", { direction: "in", message });
    } catch {
      // The machine reconnects.
    }
    this.#perform(this.#machine.received(message));
  }

  #disconnect() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
  }

  /**
   * Sends a message as it is, if the socket is open: one that is neither a command nor part of the state, such as `find`.
   * @param {import("./types").Message} message
   */
  send(message) {
    if (this.#socket?.readyState !== 1) return;
    this.#emit("message", { direction: "out", message });
    this.#socket.send(JSON.stringify(message));
  }

  /** @param {string} name @param {number | null} milliseconds */
  #setTimer(name, milliseconds) {
    if (name === "answer") this.#noteSlowness(milliseconds !== null);
    this.#startTimer(name, milliseconds, () => {
      // A hidden page checks its connection when it is shown again, and does not wake a phone.
      if (name === "quiet" && this.#environment.isHidden()) return;
      this.#perform(this.#machine.fired(name));
    });
  }

  /** @param {string} name @param {number | null} milliseconds null: none @param {() => void} work */
  #startTimer(name, milliseconds, work) {
    this.#environment.clearTimer(this.#timers.get(name));
    this.#timers.delete(name);
    if (milliseconds === null) return;
    this.#timers.set(name, this.#environment.setTimer(() => {
      this.#timers.delete(name);
      work();
    }, milliseconds));
  }

  /** @param {boolean} isAwaited whether the time for the next answer begins; otherwise none is awaited any more */
  #noteSlowness(isAwaited) {
    this.#startTimer("slow", isAwaited ? slowMilliseconds : null, () => this.#setSlow(true));
    this.#startTimer("unstored", isAwaited ? unstoredMilliseconds : null, () => {
      this.#isUnstored = true;
      this.#emit("change");
    });
    this.#setSlow(false);
  }

  /** @param {boolean} isSlow */
  #setSlow(isSlow) {
    if (this.isSlow === isSlow) return;
    this.isSlow = isSlow;
    this.#emit("connection");
  }

  /** @param {number} ref @param {Outcome} outcome */
  #settle(ref, outcome) {
    const waiting = this.#waiting.get(ref);
    this.#waiting.delete(ref);
    if (!waiting) return;
    const milliseconds = this.#environment.now() - waiting.at;
    const answered = { ...outcome, milliseconds };
    if (outcome.outcome === "done" || outcome.outcome === "refused") this.latencyMilliseconds = milliseconds;
    waiting.resolve(answered);
    this.#emit("answered", answered);
  }

  /**
   * Dispatches an event. Several changes in the same task are combined into one `change`.
   * @param {string} name @param {unknown} [detail]
   */
  #emit(name, detail) {
    if (name !== "change") this.dispatchEvent(new CustomEvent(name, { detail }));
    if (this.#hasChanged || (name !== "change" && name !== "connection")) return;
    this.#hasChanged = true;
    queueMicrotask(() => {
      this.#hasChanged = false;
      this.dispatchEvent(new CustomEvent("change"));
    });
  }
}
