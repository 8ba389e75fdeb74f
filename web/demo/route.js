// The routes of the page: `#/` is the home page, `#/s/ID` a picker, `#/s/ID?token=…` a picker with a token.

import { read, write } from "./storage.js";

/** @typedef {{session: string, token: string | undefined} | null} Route null: the home page */

/** @param {string} hash @returns {Route} */
export function routeOf(hash) {
  const match = /^#\/s\/([^/?]+)(?:\?(.*))?$/.exec(hash);
  if (!match) return null;
  return { session: decoded(match[1]), token: new URLSearchParams(match[2]).get("token") ?? undefined };
}

/**
 * The text itself if it is not a valid encoding: the server then answers that it has no such session.
 * @param {string} text
 */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The route of the address. A token in it is stored in this tab and removed from the address, so that it is in no
 * history, bookmark or picture of the window.
 * @returns {Route}
 */
export function arrivingRoute() {
  const route = routeOf(location.hash);
  if (!route) return null;
  if (!route.token) return { ...route, token: read("sessionStorage", tokenName(route.session)) ?? undefined };
  storeToken(route.session, route.token);
  history.replaceState(history.state, "", hashOf(route.session));
  return route;
}

/**
 * Stores the token with which this tab has joined a session, for reloads.
 * @param {string} session @param {string} token
 */
const storeToken = (session, token) => write("sessionStorage", tokenName(session), token);

/** @param {string} session */
const tokenName = (session) => `token ${session}`;

/** @param {string} session @param {string} [token] */
export const hashOf = (session, token) =>
  `#/s/${encodeURIComponent(session)}${token ? `?token=${encodeURIComponent(token)}` : ""}`;

/**
 * The complete link of a session.
 * @param {string} session @param {string} [token]
 */
export const linkOf = (session, token) => `${location.origin}${location.pathname}${hashOf(session, token)}`;

/** @typedef {{owner: string, editor: string, viewer: string}} Tokens */

/**
 * Stores the tokens of a session that this tab has created. Its link contains the editor's token, never the owner's.
 * @param {string} session @param {Tokens} tokens
 */
export const storeTokens = (session, tokens) =>
  write("sessionStorage", `tokens ${session}`, JSON.stringify(tokens));

/** @param {string} session @returns {Tokens | null} */
export const storedTokens = (session) => JSON.parse(read("sessionStorage", `tokens ${session}`) ?? "null");
