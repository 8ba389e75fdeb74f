// The demo's pickers, and sessions that are created and opened.

import { hashOf, storeTokens } from "./route.js";
import { changeSession, createSession } from "./server.js";

/** @typedef {import("./words/words.js").DemoWords} DemoWords */
/**
 * `blocked`, `taken`: as in the definition, but relative to today. `prices`: the notes of its days.
 * `decide`: that the host has the last word on a confirmation. `latin`: translations of its Chinese texts.
 * @typedef {{id: keyof DemoWords["pickers"], definitions: any[], blocked?: any[], taken?: any, prices?: import("./prices.js").Price[], decide?: unknown, latin?: {[text: string]: string}}} DemoPicker
 */

/** @type {Promise<DemoPicker[]> | undefined} */
let loaded;
/**
 * The demo's pickers, loaded once.
 * @returns {Promise<DemoPicker[]>}
 */
export const demoPickers = () => (loaded ??= fetch("demo/pickers.json").then((response) => response.json()));

/**
 * Creates a session and opens it. The URL has the editor's token, so that sharing it does not share the ownership.
 * @param {any} definition @param {string} title @param {unknown} [notes] sent with a separate request
 * @param {unknown} [decide] as in the request
 */
export async function openNew(definition, title, notes, decide) {
  const { session, tokens } = await createSession(definition, title, decide);
  if (tokens) storeTokens(session, tokens);
  // A failure is ignored: the picker works without notes.
  if (notes) await changeSession(`v1/sessions/${encodeURIComponent(session)}/notes`, "application/merge-patch+json", notes, tokens?.owner).catch(() => {});
  location.hash = hashOf(session, tokens?.editor);
}
