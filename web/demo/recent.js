// The pickers that were opened last in this browser.

import { hasToken } from "./route.js";
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

/** Those that can be opened: a token of a link lasts as long as its tab. */
export const recentPickers = () => all().filter(({ session, needsToken }) => !needsToken || hasToken(session));

/** @param {string} session @param {string} title @param {boolean} needsToken */
export const remember = (session, title, needsToken) =>
  store([{ session, title, needsToken }, ...all().filter((one) => one.session !== session)]);

/** @param {string} session */
export const forget = (session) => store(all().filter((one) => one.session !== session));

export const forgetAll = () => store([]);
