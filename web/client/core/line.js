// The line to the server: the state of the connection, and when to dial again after it is lost.

import { pauseMilliseconds } from "./closing.js";

/** @typedef {import("./types").Effect} Effect */

/** A connection that lasts this long resets the back-off. */
const steadyMilliseconds = 5_000;
const timers = ["redial", "join", "answer", "catchUp", "steady", "touch", "look"];

export class Line {
  /** @param {() => number} random @param {(...effects: Effect[]) => void} perform */
  constructor(random, perform) {
    this.random = random;
    this.perform = perform;
    /** @type {import("./types").Connection} */
    this.connection = "idle";
    /** @type {{code: string, detail: string} | null} the server's `error` before it closed */
    this.error = null;
    /** @type {number | null} of the last close, while there is no connection */
    this.closeCode = null;
    /** Attempts since the last steady connection. */
    this.attempt = 0;
    /** @type {number | null} when to reconnect to a server that is going away */
    this.drainMilliseconds = null;
  }

  /** Whether a connection is open or being opened. */
  get isConnected() {
    return this.connection === "connecting" || this.connection === "joining" || this.connection === "live";
  }

  dial() {
    this.forgetTimers();
    this.error = null;
    this.closeCode = null;
    this.drainMilliseconds = null;
    this.turn("connecting");
    this.perform({ effect: "dial" });
  }

  redial() {
    this.hangUp();
    this.dial();
  }

  /** The `welcome` has come. */
  live() {
    this.turn("live");
    this.perform({ effect: "timer", name: "join", milliseconds: null },
      { effect: "timer", name: "steady", milliseconds: steadyMilliseconds });
  }

  hangUp() {
    this.forgetTimers();
    this.perform({ effect: "hangUp" });
  }

  /** A message is missing or unusable: resume, at once unless that did not help before. */
  resync() {
    this.hangUp();
    this.wait(this.attempt === 0 ? 0 : null);
  }

  /** @param {number | null} milliseconds null: back off */
  wait(milliseconds) {
    const pause = milliseconds ?? pauseMilliseconds(this.attempt, this.random);
    this.attempt += 1;
    this.turn("waiting");
    this.perform({ effect: "timer", name: "redial", milliseconds: pause });
  }

  /** @param {import("./types").Connection} connection */
  turn(connection) {
    if (this.connection === connection) return;
    this.connection = connection;
    this.perform({ effect: "emit", name: "connection" });
  }

  forgetTimers() {
    for (const name of timers) this.perform({ effect: "timer", name, milliseconds: null });
  }
}
