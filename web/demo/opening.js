// Sessions that are created and opened.

import { markNew } from "./pickers.js";
import { hashOf, storeTokens } from "./route.js";
import { ask, changeSession, Problem } from "./server.js";

/**
 * Creates a session, and opens it. Its link has the editor's token, so that sharing it does not share the ownership.
 * @param {any} definition @param {string} title @param {unknown} [notes] sent with a separate request
 * @param {unknown} [decide] as in the request @param {number} [ttlSeconds] as in the request
 */
export async function openNew(definition, title, notes, decide, ttlSeconds) {
  const { session, ownerToken, tokens = ownerToken && { owner: ownerToken } } = await createSession(definition, title, decide, ttlSeconds);
  if (tokens) storeTokens(session, tokens);
  markNew(session);
  // A failure is ignored: the picker works without notes.
  if (notes) await changeSession(`v1/sessions/${encodeURIComponent(session)}/notes`, "application/merge-patch+json", notes, tokens?.owner).catch(() => {});
  location.hash = hashOf(session, tokens?.editor);
}

/**
 * Creates a session. If the answer is lost, asks again with the same key, so that there is one session.
 * @param {unknown} definition @param {string} title @param {unknown} [decide]
 * @param {number} [ttlSeconds] how long it lasts after its last change or join
 */
export async function createSession(definition, title, decide, ttlSeconds) {
  const body = { definition, title, ttlSeconds, ...(decide !== undefined && { decide }) };
  try {
    return await createOnce({ ...body, ownership: "creator" });
  } catch (problem) {
    // With `--auth token` the owner's token says who owns the session.
    if (!(problem instanceof Problem) || problem.pointer !== "/ownership") throw problem;
    return createOnce(body);
  }
}

/** @param {unknown} body */
async function createOnce(body) {
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const request = () => ask("v1/sessions", { method: "POST", body, key, isLimited: true });
  try {
    return await request();
  } catch (problem) {
    if (problem instanceof Problem) throw problem;
    return request();
  }
}
