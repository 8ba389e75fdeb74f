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
    /** Whether a request has no answer yet. There is at most one. */
    this.isRequested = false;
    /** Whether the answer is used. The page may have set a newer token since the request. */
    this.isWanted = false;
    /** Whether the current attempt to connect waits for a token. */
    this.blocksDial = false;
    /** Whether the current attempt to connect joins as a new member. */
    this.joinsAsNew = false;
    /** @type {string | undefined} the token that was last sent, in a join or later */
    this.joinedWith = undefined;
    /** @type {number | null} the close code with which the server rejected the last token; null after a welcome */
    this.code = null;
    /** @type {string | null} when the token expires, RFC 3339 */
    this.expires = null;
  }

  /** Whether there is no connection, and the next one needs a token that the page has not provided yet. */
  get isWaiting() {
    const { connection } = this.line;
    return this.#needsToken && (connection === "waiting" || connection === "connecting");
  }

  /**
   * Begins an attempt to connect: at once, or with a token that the page provides.
   * @param {boolean} joinsAsNew whether to join as a new member, although the old one is known
   */
  dial(joinsAsNew = false) {
    this.joinsAsNew = joinsAsNew;
    this.line.dial();
    this.blocksDial = this.#needsToken;
    if (this.blocksDial) this.request();
    else this.line.open();
  }

  /** The timer of the next attempt has fired. */
  redial() {
    // The page cannot get a token without a network.
    if (this.line.connection === "offline" && this.#needsToken) this.line.waitForNetwork();
    else this.dial();
  }

  request() {
    if (!this.options.renewsTokens) return;
    this.isWanted = true;
    if (this.isRequested) return;
    this.isRequested = true;
    this.perform({ effect: "requestToken" });
  }

  /** @param {string} token that the page has set */
  pushed(token) {
    this.options.token = token;
    // A token that is provided later is older.
    this.isWanted = false;
    if (this.line.connection === "live") this.#send(token);
    else if (this.#isBlocked) this.#connect();
    else if (!this.line.isConnected && !this.#isOver) this.dial();
  }

  /** @param {string} token that was requested */
  provided(token) {
    if (!this.#takeAnswer()) return;
    this.options.token = token;
    if (this.line.connection === "live") this.#send(token);
    else if (this.#isBlocked) this.#connect();
  }

  /**
   * @param {boolean} isFinal
   * @returns {number | null} the close code with which the connection ends; null if it does not
   */
  unavailable(isFinal) {
    if (!this.#takeAnswer()) return null;
    if (this.line.connection === "live") {
      if (!isFinal) this.perform({ effect: "timer", name: "renew", milliseconds: retryMilliseconds });
    } else if (this.#isBlocked) {
      this.line.closeCode = this.code;
      if (isFinal) return this.code ?? 4301;
      this.line.wait(null);
    }
    return null;
  }

  /** @param {{expires: string, expiresInSeconds: number} | undefined} lifetime of the token, in the welcome */
  joined(lifetime) {
    const { token } = this.options;
    this.code = null;
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
   * The server has closed the connection with 43xx, or with 4403 after a revocation. A page that provides tokens is
   * asked for another one, at once and then with back-off, as long as it provides them: the server may accept the next
   * one, because it has read a new signing key, or because the token was issued long enough after the revocation.
   * @param {number} code @param {boolean} triedIdentity whether it may have rejected the member's secret instead
   * @returns {boolean} whether to try once more as a new member
   */
  rejected(code, triedIdentity) {
    const { options } = this;
    const isFirst = this.code !== 4301;
    this.code = code;
    const hasNewer = Boolean(options.token) && options.token !== this.joinedWith;
    // A provider is asked first: the token is the more likely reason.
    const mayBeSecret = !hasNewer && !(isFirst && options.renewsTokens);
    if (code === 4301 && triedIdentity && mayBeSecret) return true;
    if (!hasNewer && !options.renewsTokens) {
      this.line.setConnection("credentials");
      return false;
    }
    if (!hasNewer) options.token = undefined;
    this.line.wait(this.line.attempt === 0 ? 0 : null);
    return false;
  }

  /** Whether the page, or another device with the same member, has ended the connection. */
  get #isOver() {
    const { connection, closeCode } = this.line;
    return connection === "idle" || connection === "left" || (connection === "away" && closeCode === 4409);
  }

  get #needsToken() { return Boolean(this.options.renewsTokens) && !this.options.token; }

  /** @returns {boolean} whether the answer to the request is used */
  #takeAnswer() {
    const isUsed = this.isRequested && this.isWanted;
    this.isRequested = false;
    this.isWanted = false;
    return isUsed;
  }

  get #isBlocked() { return this.line.connection === "connecting" && this.blocksDial; }

  #connect() {
    this.blocksDial = false;
    this.perform({ effect: "emit", name: "connection" });
    this.line.open();
  }

  /** @param {string} token */
  #send(token) {
    this.joinedWith = token;
    this.perform({ effect: "send", message: { type: "token", token } });
  }
}
