// The reaction to a close code. It depends on the range of the code only, so that new codes need no new client.

/**
 * - `return`: the server is shutting down: reconnect after `reconnectAfterMs`, and resume
 * - `credentials`: the token is missing, invalid or expired: reconnect with a new one
 * - `away`: do not reconnect
 * - `retry`: reconnect with back-off
 * @typedef {"return" | "credentials" | "away" | "retry"} ClosingAnswer
 */

/**
 * @param {number} code of the close event; a lost network is 1005 or 1006
 * @returns {ClosingAnswer}
 */
export function answerToClose(code) {
  if (code === 1001) return "return";
  if (code === 1002 || code === 1003 || code === 1007 || code === 1009) return "away";
  if (code >= 4300 && code < 4400) return "credentials";
  if (code >= 4400 && code < 4500) return "away";
  return "retry";
}

/** The longest pause between two attempts, in milliseconds. */
export const pauseMillisecondsMax = 30_000;

/**
 * Exponential back-off with full jitter: a random pause of up to 1 s, 2 s, 4 s … 30 s.
 * @param {number} attempt 0 for the first attempt after a loss
 * @param {() => number} random in [0, 1)
 * @returns {number} milliseconds
 */
export function pauseMilliseconds(attempt, random) {
  return Math.round(random() * Math.min(pauseMillisecondsMax, 1000 * 2 ** Math.min(attempt, 16)));
}
