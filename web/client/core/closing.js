// What a close code asks of a client. It acts by the band, so that a new code needs no new client.

/**
 * - `return`: the server is going away, another takes over: reconnect after `reconnectAfterMs`, and resume
 * - `credentials`: a token is missing, wrong or over: come back with a new one
 * - `away`: stay away
 * - `retry`: come back with back-off
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
 * Exponential back-off with full jitter: anything between nothing and 1 s, 2 s, 4 s … 30 s.
 * @param {number} attempt 0 for the first attempt after a loss
 * @param {() => number} random in [0, 1)
 * @returns {number} milliseconds
 */
export function pauseMilliseconds(attempt, random) {
  return Math.round(random() * Math.min(pauseMillisecondsMax, 1000 * 2 ** Math.min(attempt, 16)));
}
