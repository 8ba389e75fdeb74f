// The routes of the page: `#/` is the home page, `#/s/ID` a picker, `#/s/ID?token=…` a picker with a token. Links that
// are shared are `s/ID` and `s/ID#token=…`, see `address.js`, so that they have a preview.

import "./address.js";
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
  if (!route.token) return { ...route, token: storedToken(route.session) };
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
const storedToken = (session) => read("sessionStorage", tokenName(session)) ?? undefined;

/**
 * The route of a text that the user has pasted: a link, or only a token of a session.
 * @param {string} text @param {string} session of a token without a link
 * @returns {{session: string, token: string} | null} null for anything else, and for a link without a known token
 */
export function pastedRoute(text, session) {
  const pasted = text.trim();
  const link = /\/s\/([^/?#]+)(?:#token=(.*))?$/.exec(pasted);
  const start = pasted.indexOf("#/");
  const route = start >= 0 ? routeOf(pasted.slice(start))
    : link ? { session: decoded(link[1]), token: link[2] && decoded(link[2]) } : { session, token: pasted };
  if (!route) return null;
  const token = route.token ?? storedToken(route.session);
  // The characters of a token that `Authorization: Bearer` can have.
  return token && /^[\w.~+/-]+=*$/.test(token) ? { session: route.session, token } : null;
}

/** @param {string} session */
const tokenName = (session) => `token ${session}`;

/** @param {string} session @param {string} [token] */
export const hashOf = (session, token) =>
  `#/s/${encodeURIComponent(session)}${token ? `?token=${encodeURIComponent(token)}` : ""}`;

/**
 * The complete link of a session.
 * @param {string} session @param {string} [token]
 */
export const linkOf = (session, token) =>
  `${location.origin}${location.pathname}s/${encodeURIComponent(session)}${token ? `#token=${encodeURIComponent(token)}` : ""}`;

/** @typedef {{owner: string, editor: string, viewer: string}} Tokens */

/**
 * Stores the tokens of a session that this tab has created. Its link contains the editor's token, never the owner's.
 * @param {string} session @param {Tokens} tokens
 */
export const storeTokens = (session, tokens) =>
  write("sessionStorage", `tokens ${session}`, JSON.stringify(tokens));

/**
 * Whether this tab has access to a session that needs a token.
 * @param {string} session
 */
export const hasToken = (session) => Boolean(storedToken(session) ?? storedTokens(session));

/** @param {string} session @returns {Tokens | null} */
export const storedTokens = (session) => JSON.parse(read("sessionStorage", `tokens ${session}`) ?? "null");
