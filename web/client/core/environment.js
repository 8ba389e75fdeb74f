// The browser's side of a session: sockets, timers, the clock, and the storage of the tab.

/** @typedef {import("./types").Memory} Memory */

/**
 * @typedef {object} Environment
 * @property {(url: string, subprotocol: string) => WebSocket} dial
 * @property {() => number} now monotonic, in milliseconds
 * @property {(work: () => void, milliseconds: number) => any} setTimer
 * @property {(timer: any) => void} clearTimer
 * @property {() => Memory | null} load
 * @property {(memory: Memory | null) => void} save
 */

/**
 * @param {string} url of the session
 * @param {boolean} remembers whether the stored memory of this tab may be used; not in a duplicated tab
 * @returns {Environment}
 */
export function browserEnvironment(url, remembers) {
  const name = memoryName(url);
  return {
    dial: (address, subprotocol) => new WebSocket(address, subprotocol),
    now: () => performance.now(),
    setTimer: (work, milliseconds) => setTimeout(work, milliseconds),
    clearTimer: (timer) => clearTimeout(timer),
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

/**
 * Locks a member for the lifetime of this page. Duplicating a tab copies its memory, but two pages cannot be
 * the same member (4409).
 * @param {string | undefined} member
 * @returns {Promise<boolean>} whether this page may be that member
 */
export async function holdMember(member) {
  if (!member || !navigator.locks) return true;
  return new Promise((resolve) => {
    /** @param {number} attempts left; a page that is being reloaded releases its lock a moment later */
    const attempt = (attempts) => navigator.locks.request(`pickerd ${member}`, { ifAvailable: true }, (lock) => {
      if (!lock && attempts > 0) {
        setTimeout(() => attempt(attempts - 1), 60);
        return undefined;
      }
      resolve(lock !== null);
      return lock ? new Promise(() => {}) : undefined;
    }).catch(() => resolve(true));
    attempt(5);
  });
}
