// Sessions that are created and opened.

import { markNew } from "./pickers.js";
import { hashOf, storeTokens } from "./route.js";
import { ask, Problem } from "./server.js";

/** @typedef {{notes?: unknown, decide?: unknown, ttlSeconds?: number, result?: unknown, uses?: string}} Further fields of the request */

/**
 * Creates a session, and opens it. Its link has the editor's token, so that sharing it does not share the ownership.
 * @param {any} definition @param {string} title @param {Further} [further]
 */
export async function openNew(definition, title, further) {
  const { session, ownerToken, tokens = ownerToken && { owner: ownerToken } } = await createSession(definition, title, further);
  if (tokens) storeTokens(session, tokens);
  markNew(session);
  location.hash = hashOf(session, tokens?.editor);
}

/**
 * Creates a session. If the answer is lost, asks again with the same key, so that there is one session.
 * @param {unknown} definition @param {string} title @param {Further} [further]
 */
export async function createSession(definition, title, further) {
  const body = { definition, title, ...further };
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
