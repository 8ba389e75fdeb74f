// The client's state machine: events in, effects out; no socket, timer, storage or clock of its own.

import { answerToClose, pauseMilliseconds, pauseMillisecondsMax } from "./closing.js";
import { Conversation } from "./conversation.js";

/** @typedef {import("./types").Effect} Effect */
/** @typedef {import("./types").Message} Message */

/** How long a `welcome` may take. */
export const joinMillisecondsMax = 12_000;
/** A connection that lived this long starts the back-off anew. */
const steadyMilliseconds = 5_000;

export class PickerMachine {
  /**
   * @param {{name?: string, locale?: string, token?: string, random?: () => number}} options
   * @param {import("./types").Memory | null} memory of an earlier page
   */
  constructor(options, memory = null) {
    this.options = { ...options };
    this.random = options.random ?? Math.random;
    /** @type {Effect[]} */
    this.out = [];
    this.conversation = new Conversation(memory, (...effects) => this.#do(...effects));
    /** @type {import("./types").Connection} */
    this.connection = "idle";
    /** @type {{code: string, detail: string} | null} the server's words before it hung up */
    this.error = null;
    /** @type {number | null} of the last close, while there is no connection */
    this.closeCode = null;
    /** Attempts since the last steady connection. */
    this.attempt = 0;
    /** @type {number | null} when to come back to a server that is going away */
    this.drainMilliseconds = null;
    this.triedIdentity = false;
  }

  get state() { return this.conversation.state; }
  get pending() { return this.conversation.pending; }

  /** Whether a connection is there or under way. */
  get isConnected() {
    return this.connection === "connecting" || this.connection === "joining" || this.connection === "live";
  }

  start() { return this.#effects(() => this.#dial()); }

  /** Stops without leaving: the member stays for the server's 120 s, and memory keeps it. */
  stop() {
    return this.#effects(() => {
      this.#hangUp();
      this.#turn("idle");
    });
  }

  leave() {
    return this.#effects(() => {
      if (this.connection === "live") this.#do({ effect: "send", message: { type: "leave" } });
      this.#hangUp();
      this.conversation.giveUp();
      this.conversation.identity = null;
      this.#do({ effect: "save", memory: null });
      this.#turn("left");
    });
  }

  /** The socket is open: join. */
  opened() {
    return this.#effects(() => {
      this.triedIdentity = this.conversation.identity !== null;
      this.#turn("joining");
      this.#do({ effect: "send", message: this.conversation.join(this.options) },
        { effect: "timer", name: "join", milliseconds: joinMillisecondsMax });
    });
  }

  /** @param {Message} message */
  received(message) {
    return this.#effects(() => {
      if (message.type === "error") this.error = { code: message.code, detail: message.detail };
      else if (message.type === "draining") this.drainMilliseconds = message.reconnectAfterMs ?? null;
      else if (message.type === "welcome" && this.connection === "joining") this.#welcome(message);
      else if (this.connection === "live" && !this.conversation.take(message)) this.#resync();
      this.#do({ effect: "emit", name: "change" });
    });
  }

  /**
   * The socket is gone, and not by us.
   * @param {number} code
   */
  closed(code) {
    return this.#effects(() => {
      this.#forgetTimers();
      this.closeCode = code;
      // A close code can be lost on the way: whoever said that it drains is going away.
      const isDraining = this.drainMilliseconds !== null && code < 4000;
      const answer = isDraining ? "return" : answerToClose(code);
      if (answer === "credentials") this.#askCredentials(code);
      else if (answer === "away") this.#stayAway(code);
      else this.#wait(answer === "return" ? this.drainMilliseconds : null);
    });
  }

  /** @param {string} name of the timer that has fired */
  fired(name) {
    return this.#effects(() => {
      if (name === "redial") this.#dial();
      else if (name === "steady") this.attempt = 0;
      else if (name === "touch") this.#do(...this.conversation.looking.touchLater());
      else if (name === "look") this.conversation.lookAgain();
      else if (name !== "answer" || this.conversation.isWaiting) this.#resync();
    });
  }

  /**
   * The machine's network went away or came back.
   * @param {boolean} isOnline
   */
  network(isOnline) {
    return this.#effects(() => {
      const isWaiting = this.connection === "waiting" || this.connection === "offline";
      if (isOnline && isWaiting) this.#dial();
      else if (!isOnline && (isWaiting || this.isConnected)) {
        this.#hangUp();
        this.#turn("offline");
        // A browser can be wrong about it, so we look now and then.
        this.#do({ effect: "timer", name: "redial", milliseconds: pauseMillisecondsMax });
      }
    });
  }

  /** A person is looking again, or asks for it: no need to wait any longer. */
  retry() {
    return this.#effects(() => {
      if (!this.isConnected) this.#dial();
    });
  }

  /**
   * New credentials after 43xx.
   * @param {string} token
   */
  credentials(token) {
    return this.#effects(() => {
      this.options.token = token;
      this.#dial();
    });
  }

  /**
   * Another language: all texts come anew.
   * @param {string} locale
   */
  relocate(locale) {
    return this.#effects(() => {
      if (this.options.locale === locale) return;
      this.options.locale = locale;
      this.conversation.wantsSnapshot = true;
      if (this.isConnected) this.#redial();
    });
  }

  /**
   * Gives a command; its outcome comes as a `settle` effect.
   * @param {import("./types").Command} command
   */
  command(command) {
    return this.#effects(() => {
      const isOver = this.connection === "away" || this.connection === "left";
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
      const { looking } = this.conversation;
      const messages = looking.wantRows(column, this.state.columns[column], from, through);
      for (const message of messages) this.#do({ effect: "send", message });
    });
  }

  /** @param {{column: number, row: number} | {date: string} | null} touch null: lifted */
  touch(touch) {
    return this.#effects(() => {
      if (this.connection === "live") this.#do(...this.conversation.looking.touch(touch));
    });
  }

  /** @param {() => void} work @returns {Effect[]} what is to be done */
  #effects(work) {
    work();
    return this.out.splice(0);
  }

  /** @param {Effect[]} effects */
  #do(...effects) { this.out.push(...effects); }

  #dial() {
    this.#forgetTimers();
    this.error = null;
    this.closeCode = null;
    this.drainMilliseconds = null;
    this.#turn("connecting");
    this.#do({ effect: "dial" });
  }

  /** @param {Message} message */
  #welcome(message) {
    this.#turn("live");
    this.#do({ effect: "timer", name: "join", milliseconds: null },
      { effect: "timer", name: "steady", milliseconds: steadyMilliseconds });
    this.conversation.welcome(message);
  }

  /** Something is missing: come back from what we have, at once unless that did not help before. */
  #resync() {
    this.#hangUp();
    this.#wait(this.attempt === 0 ? 0 : null);
  }

  #redial() {
    this.#hangUp();
    this.#dial();
  }

  /** @param {number | null} milliseconds null: back off */
  #wait(milliseconds) {
    const pause = milliseconds ?? pauseMilliseconds(this.attempt, this.random);
    this.attempt += 1;
    this.#turn("waiting");
    this.#do({ effect: "timer", name: "redial", milliseconds: pause });
  }

  /** @param {number} code */
  #askCredentials(code) {
    // The server may no longer know the secret rather than the token: try once as somebody new.
    if (code === 4301 && this.triedIdentity) {
      this.conversation.identity = null;
      this.#dial();
    } else {
      this.#turn("credentials");
    }
  }

  /** @param {number} code */
  #stayAway(code) {
    // A session that is no more is not worth remembering; a member that lives elsewhere is.
    if (code === 4404 || code === 4410) {
      this.conversation.identity = null;
      this.#do({ effect: "save", memory: null });
    }
    this.conversation.giveUp();
    this.#turn("away");
  }

  /** @param {import("./types").Connection} connection */
  #turn(connection) {
    if (this.connection === connection) return;
    this.connection = connection;
    this.#do({ effect: "emit", name: "connection" });
  }

  #hangUp() {
    this.#forgetTimers();
    this.#do({ effect: "hangUp" });
  }

  #forgetTimers() {
    for (const name of ["redial", "join", "answer", "catchUp", "steady", "touch", "look"]) {
      this.#do({ effect: "timer", name, milliseconds: null });
    }
  }
}
