// The browser's side of a session: sockets, timers, the clock, and who this browser is.

/** @typedef {import("./types").Memory} Memory */

/**
 * @typedef {object} Environment
 * @property {(url: string, subprotocol: string) => WebSocket} dial
 * @property {() => number} now monotonic, in milliseconds
 * @property {(work: () => void, milliseconds: number) => any} setTimer
 * @property {(timer: any) => void} clearTimer
 * @property {() => boolean} isHidden whether the page is in the background
 * @property {() => Memory | null} load
 * @property {(memory: Memory | null) => void} save
 * @property {() => boolean} [isTaken] whether another page is the stored member now
 * @property {() => void} [take] makes this page that member again
 */

/**
 * @param {import("./identity.js").Identity} identity
 * @param {WebSocket} [first] that was opened before
 * @returns {Environment}
 */
export const browserEnvironment = (identity, first) => ({
  dial: (address, subprotocol) => {
    const socket = first && first.readyState <= 1 ? first : new WebSocket(address, subprotocol);
    first = undefined;
    // Its event is over.
    if (socket.readyState === 1) queueMicrotask(() => socket.onopen?.(/** @type {any} */ (null)));
    return socket;
  },
  now: () => performance.now(),
  setTimer: (work, milliseconds) => setTimeout(work, milliseconds),
  clearTimer: (timer) => clearTimeout(timer),
  isHidden: () => document.visibilityState === "hidden",
  load: () => identity.load(),
  save: (memory) => identity.save(memory),
  isTaken: () => identity.isTaken,
  take: () => identity.take(),
});
