// The state of the connection, and the time of the next attempt after it is lost.

import { pauseMilliseconds, pauseMillisecondsMax } from "./closing.js";

/** @typedef {import("./types").Effect} Effect */

/** The maximum time until the socket is open, and then until `welcome` is received. */
export const joinMillisecondsMax = 12_000;
/** A connection that lasts this long resets the back-off. */
const steadyMilliseconds = 5_000;
/** After this time without a message a request checks the connection: a page does not see the server's pings. */
const quietMilliseconds = 15_000;
/** The maximum time until a message is received after such a request. */
const probeMilliseconds = 4_500;
const timers = ["redial", "join", "answer", "catchUp", "steady", "touch", "look", "renew", "quiet", "probe"];

export class Line {
  /** @param {() => number} random @param {(...effects: Effect[]) => void} perform */
  constructor(random, perform) {
    this.random = random;
    this.perform = perform;
    /** @type {import("./types").Connection} */
    this.connection = "idle";
    /** @type {{code: string, detail: string} | null} the `error` message before the close */
    this.error = null;
    /** @type {number | null} of the last close, while there is no connection */
    this.closeCode = null;
    /** Attempts since the last steady connection. */
    this.attempt = 0;
    /** @type {number | null} the reconnect delay from a server that is shutting down */
    this.drainMilliseconds = null;
    /** Whether the connection is being checked. */
    this.isProbed = false;
  }

  /** Whether a connection is open or being opened. */
  get isConnected() {
    return ["connecting", "joining", "live"].includes(this.connection);
  }

  /** Begins an attempt to connect. The caller opens the socket, or requests a token first. */
  dial() {
    this.forgetTimers();
    this.error = null;
    this.closeCode = null;
    this.drainMilliseconds = null;
    this.setConnection("connecting");
  }

  /** Opens the socket. */
  open() {
    this.perform({ effect: "dial" }, { effect: "timer", name: "join", milliseconds: joinMillisecondsMax });
  }

  /** The `welcome` was received. */
  live() {
    this.setConnection("live");
    this.perform({ effect: "timer", name: "join", milliseconds: null },
      { effect: "timer", name: "steady", milliseconds: steadyMilliseconds });
  }

  /** A message was received: the connection works. */
  received() {
    this.isProbed = false;
    this.perform({ effect: "timer", name: "probe", milliseconds: null },
      { effect: "timer", name: "quiet", milliseconds: quietMilliseconds });
  }

  /** Checks the connection, unless it is being checked. The server answers that there are no such rows. */
  probe() {
    if (this.isProbed) return;
    this.isProbed = true;
    this.perform({ effect: "send", message: { type: "rows", column: 0, from: 0, count: 0 } },
      { effect: "timer", name: "probe", milliseconds: probeMilliseconds });
  }

  disconnect() {
    this.forgetTimers();
    this.perform({ effect: "disconnect" });
  }

  /** A message is missing or invalid: reconnects and resumes, at once the first time, then with back-off. */
  resync() {
    this.disconnect();
    this.wait(this.attempt === 0 ? 0 : null);
  }

  /** @param {number | null} milliseconds null: with back-off */
  wait(milliseconds) {
    const pause = milliseconds ?? pauseMilliseconds(this.attempt, this.random);
    this.attempt += 1;
    this.setConnection("waiting");
    this.perform({ effect: "timer", name: "redial", milliseconds: pause });
  }

  /** The browser can be wrong about the network, so the client still tries from time to time. */
  waitForNetwork() {
    this.perform({ effect: "timer", name: "redial", milliseconds: pauseMillisecondsMax });
  }

  /** @param {import("./types").Connection} connection */
  setConnection(connection) {
    if (this.connection === connection) return;
    this.connection = connection;
    this.perform({ effect: "emit", name: "connection" });
  }

  forgetTimers() {
    for (const name of timers) this.perform({ effect: "timer", name, milliseconds: null });
  }
}
