// The pickers that were opened last in this browser.

import { forgetSession, hasToken } from "./route.js";
import { read, write } from "./storage.js";

const recentMax = 8;

/** @typedef {{session: string, title: string, needsToken: boolean}} Recent */

/** @returns {Recent[]} */
function all() {
  try {
    const stored = JSON.parse(read("localStorage", "recent") ?? "[]");
    return Array.isArray(stored) ? stored.slice(0, recentMax) : [];
  } catch {
    return [];
  }
}

/** @param {Recent[]} recent */
const store = (recent) => write("localStorage", "recent", JSON.stringify(recent.slice(0, recentMax)));

/** Those that can be opened. */
export const recentPickers = () => all().filter(({ session, needsToken }) => !needsToken || hasToken(session));

/** @param {string} session @param {string} title @param {boolean} needsToken */
export const remember = (session, title, needsToken) =>
  store([{ session, title, needsToken }, ...all().filter((one) => one.session !== session)]);

/**
 * Removes a picker, and what gives access to it.
 * @param {string} session
 */
export function forget(session) {
  forgetSession(session);
  store(all().filter((one) => one.session !== session));
}

export const forgetAll = () => { for (const { session } of all()) forget(session); };
