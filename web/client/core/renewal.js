// The renewal of a member token: requested from the page before it expires, or after the server has rejected it.

/** @typedef {import("./types").Effect} Effect */

/** Tokens are requested this long before they expire, or after half of a shorter time. */
const leadSeconds = 60;
/** The minimum time between two requests. The server closes the connection 25 s after the token has expired. */
const pauseSecondsMin = 5;
/** The delay after a request without an answer. */
const retryMilliseconds = 10_000;

/**
 * The delay before the next token is requested.
 * @param {number} seconds until the current one expires
 */
export function renewMilliseconds(seconds) {
  return Math.max(pauseSecondsMin, seconds - Math.min(leadSeconds, seconds / 2)) * 1000;
}

export class Renewal {
  /**
   * @param {{token?: string, renewsTokens?: boolean}} options of the machine; `token` is the current one
   * @param {import("./line.js").Line} line
   * @param {(...effects: Effect[]) => void} perform
   */
  constructor(options, line, perform) {
    this.options = options;
    this.line = line;
    this.perform = perform;
    /** Whether a request has no answer yet. */
    this.isRequested = false;
    /** Whether the next attempt to connect waits for a token. */
    this.blocksDial = false;
    /** Whether the token was provided for the current attempt, so that another request cannot help if it is rejected. */
    this.isFresh = false;
    /** @type {string | undefined} the token that was last sent, in a join or later */
    this.joinedWith = undefined;
    /** @type {number | null} the close code with which the server rejected the last token */
    this.code = null;
    /** @type {string | null} when the token expires, RFC 3339 */
    this.expires = null;
  }

  /**
   * Begins an attempt to connect: at once, or with a token that the page provides.
   * @param {boolean} isAgain with the token of the attempt before, as a new member
   */
  dial(isAgain = false) {
    if (!isAgain) this.isFresh = false;
    this.line.dial();
    this.blocksDial = Boolean(this.options.renewsTokens) && !this.options.token;
    if (this.blocksDial) this.request();
    else this.line.open();
  }

  request() {
    if (!this.options.renewsTokens || this.isRequested) return;
    this.isRequested = true;
    this.perform({ effect: "requestToken" });
  }

  /** @param {string} token that the page has set */
  pushed(token) {
    this.options.token = token;
    // A token that is provided later is older.
    this.isRequested = false;
    if (this.line.connection === "live") this.#send(token);
    else if (this.#isBlocked) this.#connect();
    else if (!this.line.isConnected && !this.#isOver) this.dial();
  }

  /** @param {string} token that was requested */
  provided(token) {
    if (!this.isRequested) return;
    this.isRequested = false;
    this.options.token = token;
    if (this.line.connection === "live") this.#send(token);
    else if (this.#isBlocked) {
      this.isFresh = true;
      this.#connect();
    }
  }

  /** @param {boolean} isFinal */
  unavailable(isFinal) {
    if (!this.isRequested) return;
    this.isRequested = false;
    if (this.line.connection === "live") {
      if (!isFinal) this.perform({ effect: "timer", name: "renew", milliseconds: retryMilliseconds });
    } else if (this.#isBlocked) {
      this.line.closeCode = this.code;
      if (isFinal) this.line.setConnection("credentials");
      else this.line.wait(null);
    }
  }

  /** @param {{expires: string, expiresInSeconds: number} | undefined} lifetime of the token, in the welcome */
  joined(lifetime) {
    const { token } = this.options;
    this.isFresh = false;
    this.expires = null;
    if (token && token !== this.joinedWith) this.#send(token);
    if (lifetime) this.note(lifetime);
  }

  /** @param {{expires: string, expiresInSeconds?: number}} lifetime of the current token */
  note({ expires, expiresInSeconds }) {
    this.expires = expires;
    if (!this.options.renewsTokens || expiresInSeconds === undefined) return;
    this.perform({ effect: "timer", name: "renew", milliseconds: renewMilliseconds(expiresInSeconds) });
  }

  /**
   * The server has closed the connection with 43xx.
   * @param {number} code @param {boolean} triedIdentity whether it may have rejected the member's secret instead
   * @returns {boolean} whether to try once more as a new member
   */
  rejected(code, triedIdentity) {
    this.code = code;
    // The page has set another token since.
    if (this.options.token && this.options.token !== this.joinedWith) {
      this.line.wait(this.line.attempt === 0 ? 0 : null);
      return false;
    }
    if (this.options.renewsTokens && !this.isFresh) {
      this.options.token = undefined;
      this.line.wait(this.line.attempt === 0 ? 0 : null);
      return false;
    }
    if (code === 4301 && triedIdentity) return true;
    if (this.options.renewsTokens) this.options.token = undefined;
    this.isFresh = false;
    this.line.setConnection("credentials");
    return false;
  }

  /** Whether the page, or another device with the same member, has ended the connection. */
  get #isOver() {
    const { connection, closeCode } = this.line;
    return connection === "idle" || connection === "left" || (connection === "away" && closeCode === 4409);
  }

  get #isBlocked() { return this.line.connection === "connecting" && this.blocksDial; }

  #connect() {
    this.blocksDial = false;
    this.line.open();
  }

  /** @param {string} token */
  #send(token) {
    this.joinedWith = token;
    this.perform({ effect: "send", message: { type: "token", token } });
  }
}
