// The state machine of the client: events in, effects out. It has no socket, timer, storage or clock.

import { answerToClose } from "./closing.js";
import { Conversation } from "./conversation.js";
import { joinMillisecondsMax, Line } from "./line.js";
import { Renewal } from "./renewal.js";

/** @typedef {import("./types").Effect} Effect */
/** @typedef {import("./types").Message} Message */

export class PickerMachine {
  /**
   * @param {{name?: string, locale?: string, timeZone?: string, token?: string, months?: {from: string, count: number}, renewsTokens?: boolean, random?: () => number}} options
   *   `renewsTokens`: whether the effect `requestToken` is answered, by `tokenProvided` or `tokenUnavailable`
   * @param {import("./types").Memory | null} memory of an earlier page
   */
  constructor(options, memory = null) {
    this.options = { ...options };
    /** @type {Effect[]} */
    this.out = [];
    this.conversation = new Conversation(memory, (...effects) => this.#do(...effects));
    if (options.months) this.conversation.looking.lookAt(options.months.from, options.months.count, 24);
    this.line = new Line(options.random ?? Math.random, (...effects) => this.#do(...effects));
    this.renewal = new Renewal(this.options, this.line, (...effects) => this.#do(...effects));
    this.triedIdentity = false;
  }

  get state() { return this.conversation.state; }
  get pending() { return this.conversation.pending; }
  get connection() { return this.line.connection; }
  get error() { return this.line.error; }
  get closeCode() { return this.line.closeCode; }

  start() { return this.#effects(() => this.renewal.dial()); }

  /** Disconnects without leaving: the member stays in the session for 120 s, and its memory stays stored. */
  stop() {
    return this.#effects(() => {
      this.line.disconnect();
      // They stay stored, for the next page that is this member.
      this.conversation.giveUp();
      this.line.setConnection("idle");
    });
  }

  leave() {
    return this.#effects(() => {
      if (this.connection === "live") this.#do({ effect: "send", message: { type: "leave" } });
      this.line.disconnect();
      this.conversation.giveUp();
      this.conversation.identity = null;
      this.#do({ effect: "save", memory: null });
      this.line.setConnection("left");
    });
  }

  /** The socket is open: sends `join`. */
  opened() {
    return this.#effects(() => {
      const { joinsAsNew } = this.renewal;
      this.triedIdentity = this.conversation.identity !== null && !joinsAsNew;
      this.renewal.joinedWith = this.options.token;
      this.line.setConnection("joining");
      this.#do({ effect: "send", message: this.conversation.join(this.options, joinsAsNew) },
        { effect: "timer", name: "join", milliseconds: joinMillisecondsMax });
    });
  }

  /** @param {any} message a `Message`, unless it is invalid; null: no JSON */
  received(message) {
    return this.#effects(() => {
      if (!["joining", "live"].includes(this.connection)) return;
      try {
        this.#take(message);
      } catch {
        // It may be a delta that was applied partly: only the identity is still valid, so a snapshot is requested.
        this.conversation.wantsSnapshot = true;
        this.line.resync();
      }
      if (this.connection === "live") this.line.received();
      this.#do({ effect: "emit", name: "change" });
    });
  }

  /** @param {import("./types").ServerMessage} message */
  #take(message) {
    if (message.type === "error") {
      this.line.error = { code: message.code, detail: message.detail };
    } else if (message.type === "draining") {
      this.line.drainMilliseconds = message.reconnectAfterMs ?? null;
    } else if (message.type === "welcome" && this.connection === "joining") {
      this.line.live();
      this.renewal.joined(message.token);
      this.conversation.welcome(message);
    } else if (message.type === "token" && this.connection === "live") {
      this.renewal.note(/** @type {any} */ (message));
    } else if (this.connection === "live" && !this.conversation.take(message)) this.line.resync();
  }

  /**
   * The socket was closed by the server or the network.
   * @param {number} code
   */
  closed(code) {
    return this.#effects(() => {
      this.line.forgetTimers();
      this.line.closeCode = code;
      // The close code can be lost: a server that has sent `draining` is shutting down.
      const isDraining = this.line.drainMilliseconds !== null && code < 4000;
      const answer = isDraining ? "return" : answerToClose(code);
      // After a revocation the host may admit the user again, with a later token.
      const isRevoked = code === 4403 && this.options.renewsTokens;
      if (answer === "credentials" || isRevoked) this.#rejected(code);
      else if (answer === "away") this.#stayAway(code);
      else this.line.wait(answer === "return" ? this.line.drainMilliseconds : null);
    });
  }

  /** @param {string} name of the timer that has fired */
  fired(name) {
    return this.#effects(() => {
      if (name === "redial") this.renewal.redial();
      else if (name === "renew") this.renewal.request();
      else if (name === "steady") this.line.attempt = 0;
      else if (name === "touch") this.#do(...this.conversation.looking.touchLater());
      else if (name === "look") this.conversation.lookAgain();
      else if (name === "quiet") this.#probe();
      else if (name !== "answer" || this.pending.isWaiting) this.line.resync();
    });
  }

  /**
   * The network of the device was lost or has returned.
   * @param {boolean} isOnline
   */
  network(isOnline) {
    return this.#effects(() => {
      const isWaiting = this.connection === "waiting" || this.connection === "offline";
      if (isOnline && isWaiting) this.renewal.dial();
      else if (isOnline) this.#probe();
      else if (isWaiting || this.line.isConnected) {
        this.line.disconnect();
        this.line.setConnection("offline");
        this.line.waitForNetwork();
      }
    });
  }

  /** Reconnects at once, or checks the connection, because the user looks at the page again or asks for it. */
  retry() {
    return this.#effects(() => {
      if (!this.line.isConnected) this.renewal.dial();
      else this.#probe();
    });
  }

  /**
   * Sets a new token: renews that of the open connection, or reconnects with it.
   * @param {string} token
   */
  credentials(token) { return this.#effects(() => this.renewal.pushed(token)); }

  /**
   * The answer to the effect `requestToken`.
   * @param {string} token
   */
  tokenProvided(token) { return this.#effects(() => this.renewal.provided(token)); }

  /**
   * There is no answer to the effect `requestToken`.
   * @param {boolean} isFinal because the user has no access any more; otherwise it is requested again
   */
  tokenUnavailable(isFinal) {
    return this.#effects(() => {
      const code = this.renewal.unavailable(isFinal);
      if (code === 4403) this.#stayAway(code);
      else if (code !== null) this.line.setConnection("credentials");
    });
  }

  /**
   * Changes the language or the time zone: all texts are requested again.
   * @param {"locale" | "timeZone"} name @param {string} value
   */
  relocate(name, value) {
    return this.#effects(() => {
      if (this.options[name] === value) return;
      this.options[name] = value;
      this.conversation.wantsSnapshot = true;
      if (!this.line.isConnected) return;
      this.line.disconnect();
      this.renewal.dial();
    });
  }

  /**
   * Sends or queues a command. Its outcome follows as a `settle` effect.
   * @param {import("./types").Command} command
   */
  command(command) {
    return this.#effects(() => {
      const isOver = ["idle", "away", "left"].includes(this.connection);
      this.conversation.command(command, this.connection === "live" ? "live" : isOver ? "never" : "later");
      this.#do({ effect: "emit", name: "change" });
    });
  }

  /** The ref that the next command will get. */
  get nextRef() { return this.pending.ref + 1; }

  /** @param {string} from @param {number} count */
  lookAt(from, count) {
    return this.#effects(() => {
      const message = this.conversation.looking.lookAt(from, count, this.state.limits.months ?? 24);
      if (message && this.connection === "live") this.#do({ effect: "send", message });
    });
  }

  /** @param {number} column @param {number} from @param {number} through */
  wantRows(column, from, through) {
    return this.#effects(() => {
      if (this.connection !== "live" || !this.state.columns[column]) return;
      this.#do(...this.conversation.looking.wantRows(column, this.state.columns[column], from, through));
    });
  }

  /** @param {import("./types").OwnTouch | null} touch null: lifted */
  touch(touch) {
    return this.#effects(() => {
      if (this.connection === "live") this.#do(...this.conversation.looking.touch(touch));
    });
  }

  /** @param {() => void} work @returns {Effect[]} the effects to be performed, in order */
  #effects(work) {
    work();
    return this.out.splice(0);
  }

  /** @param {Effect[]} effects */
  #do(...effects) { this.out.push(...effects); }

  #probe() {
    if (this.connection === "live") this.line.probe();
  }

  /** @param {number} code */
  #rejected(code) {
    if (this.renewal.rejected(code, this.triedIdentity)) this.renewal.dial(true);
  }

  /** @param {number} code */
  #stayAway(code) {
    // The memory of a session that has ended is deleted; that of a member connected elsewhere stays.
    if (code === 4404 || code === 4410) {
      this.conversation.identity = null;
      this.#do({ effect: "save", memory: null });
    }
    this.conversation.giveUp();
    // A reloaded page must not send them again. After 4409 the memory is that of the newer connection.
    if (code !== 4409) this.conversation.save();
    this.line.setConnection("away");
  }
}
