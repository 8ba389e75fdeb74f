// The demo's pickers, and sessions that are created and opened.

import { hashOf, storeTokens } from "./route.js";
import { changeSession, createSession } from "./server.js";
import { read, write } from "./storage.js";

/** @typedef {import("./words/words.js").DemoWords} DemoWords */
/**
 * `blocked`, `taken`: as in the definition, but relative to today. `prices`: the notes of its days.
 * `decide`: that the host has the last word on a confirmation. `find`: that a dialog asks for dates, or dates and hours. `latin`: translations of its Chinese texts.
 * @typedef {{id: keyof DemoWords["pickers"], definitions: any[], blocked?: any[], taken?: any, prices?: import("./prices.js").Price[], decide?: unknown, find?: "dates" | "times", latin?: {[text: string]: string}}} DemoPicker
 */

/** @type {Promise<DemoPicker[]> | undefined} */
let loaded;
/**
 * The demo's pickers, loaded once.
 * @returns {Promise<DemoPicker[]>}
 */
export const demoPickers = () => (loaded ??= fetch("demo/pickers.json").then((response) => response.json()));

/**
 * Creates a session; returns its route. The URL has the editor's token, so that sharing it does not share the ownership.
 * @param {any} definition @param {string} title @param {unknown} [notes] sent with a separate request
 * @param {unknown} [decide] as in the request @param {number} [ttlSeconds] as in the request
 */
export async function createNew(definition, title, notes, decide, ttlSeconds) {
  const { session, tokens } = await createSession(definition, title, decide, ttlSeconds);
  if (tokens) storeTokens(session, tokens);
  markNew(session);
  // A failure is ignored: the picker works without notes.
  if (notes) await changeSession(`v1/sessions/${encodeURIComponent(session)}/notes`, "application/merge-patch+json", notes, tokens?.owner).catch(() => {});
  return hashOf(session, tokens?.editor);
}

/**
 * Creates a session and opens it.
 * @param {Parameters<typeof createNew>} given
 */
export async function openNew(...given) {
  location.hash = await createNew(...given);
}

/** @param {string} session that this tab has just created, so that sharing its link is the next step */
const markNew = (session) => write("sessionStorage", `new ${session}`, "yes");

/** @param {string} session */
export const isNew = (session) => read("sessionStorage", `new ${session}`) === "yes";

/** @param {string} session whose link has been shared */
export const markShared = (session) => write("sessionStorage", `new ${session}`, "");
