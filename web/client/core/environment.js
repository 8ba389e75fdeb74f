// The browser's side of a session: sockets, timers, the clock, and the storage of the tab.

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
 */

/**
 * @param {string} url of the session
 * @param {boolean} remembers whether the stored memory of this tab may be used; not in a duplicated tab
 * @param {WebSocket} [first] that was opened before
 * @returns {Environment}
 */
export function browserEnvironment(url, remembers, first) {
  const name = memoryName(url);
  return {
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
    load: () => (remembers ? recall(url) : null),
    save: (memory) => {
      try {
        if (memory) sessionStorage.setItem(name, JSON.stringify(memory));
        else sessionStorage.removeItem(name);
      } catch {
        // Storage may be full or forbidden. Then a reloaded page joins as a new member.
      }
    },
  };
}

/** @param {string} url */
const memoryName = (url) => `pickerd ${url}`;

/**
 * The memory of a session that is stored in this tab.
 * @param {string} url @returns {Memory | null}
 */
export function recall(url) {
  try {
    const memory = JSON.parse(sessionStorage.getItem(memoryName(url)) ?? "null");
    return typeof memory?.member === "string" && Array.isArray(memory.pending) ? memory : null;
  } catch {
    return null;
  }
}

/** @type {Map<string, boolean>} the members that this page has locked, and whether a session uses them */
const members = new Map();
const attemptsMax = 6;
const retryMilliseconds = 60;

/**
 * Locks a member for the lifetime of this page, and marks it as used. Duplicating a tab copies its memory, but two
 * pages, or two sessions of a page, cannot be the same member (4409).
 * @param {string | undefined} member
 * @returns {Promise<boolean>} whether the caller may be that member
 */
export async function holdMember(member) {
  if (!member) return true;
  for (let attempt = 1; !(await tryHold(member)); attempt += 1) {
    if (attempt === attemptsMax) return false;
    // A page that is being reloaded releases its lock a moment later.
    await new Promise((resolve) => setTimeout(resolve, retryMilliseconds));
  }
  return true;
}

/**
 * Marks a member of this page as used or unused. The lock of an unused one stays, so that only this page may be it again.
 * @param {string | undefined} member @param {boolean} isUsed
 */
export function setUsed(member, isUsed) {
  if (member && members.has(member)) members.set(member, isUsed);
}

/** @param {string} member */
async function tryHold(member) {
  const isUsed = members.get(member);
  if (isUsed) return false;
  members.set(member, true);
  const isLocked = isUsed === false || await lock(member);
  if (!isLocked) members.delete(member);
  return isLocked;
}

/** @param {string} member @returns {Promise<boolean>} true without a secure context, which has no locks */
async function lock(member) {
  if (!navigator.locks) return true;
  return new Promise((resolve) => {
    navigator.locks.request(`pickerd ${member}`, { ifAvailable: true }, (granted) => {
      resolve(granted !== null);
      return granted ? new Promise(() => {}) : undefined;
    }).catch(() => resolve(true));
  });
}
