// The routes of the page: `#/` is the home page, `#/examples` the examples, `#/sale/NAME` a sale, `#/s/ID` a picker, `#/s/ID?token=…` a picker
// with a token, `#/s/ID?guest` one in a second window of the same user. Links that are shared are `s/ID` and `s/ID#token=…`,
// see `address.js`, so that they have a preview.

import "./address.js";
import { read, remove, write } from "./storage.js";

/** @typedef {{session: string, token: string | undefined, isGuest: boolean} | null} Route null: the home page, or the examples */

export const examplesHash = "#/examples";

/**
 * The name of the shared definition from which a page sells.
 * @param {string} hash @returns {string | null} null for another page
 */
export const saleOf = (hash) => /^#\/sale\/([\w.-]+)$/.exec(hash)?.[1] ?? null;

/** @param {string} hash @returns {Route} */
export function routeOf(hash) {
  const match = /^#\/s\/([^/?]+)(?:\?(.*))?$/.exec(hash);
  if (!match) return null;
  const query = new URLSearchParams(match[2]);
  return { session: decoded(match[1]), token: query.get("token") ?? undefined, isGuest: query.has("guest") };
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
 * The route of the address. A token in it is stored and removed from the address, so that it is in no history, bookmark or
 * picture of the window.
 * @returns {Route}
 */
export function arrivingRoute() {
  const route = routeOf(location.hash);
  if (!route) return null;
  const { session, token, isGuest } = route;
  if (!token) return { ...route, token: read(areaOf(isGuest), tokenName(session)) ?? undefined };
  write(areaOf(isGuest), tokenName(session), token);
  history.replaceState(history.state, "", hashOf(session, undefined, isGuest));
  return route;
}

/**
 * Where is stored who the user is in a session: in the browser, or for a guest in the tab.
 * @param {boolean} isGuest @returns {"localStorage" | "sessionStorage"}
 */
export const areaOf = (isGuest) => (isGuest ? "sessionStorage" : "localStorage");

/** @param {string} session */
const storedToken = (session) => read("localStorage", tokenName(session)) ?? undefined;

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

/** @param {string} session @param {string} [token] @param {boolean} [isGuest] */
export function hashOf(session, token, isGuest = false) {
  const query = [isGuest && "guest", token && `token=${encodeURIComponent(token)}`].filter(Boolean).join("&");
  return `#/s/${encodeURIComponent(session)}${query && `?${query}`}`;
}

/**
 * The complete link of a session.
 * @param {string} session @param {string} [token]
 */
export const linkOf = (session, token) =>
  `${location.origin}${location.pathname}s/${encodeURIComponent(session)}${token ? `#token=${encodeURIComponent(token)}` : ""}`;

/** @typedef {{owner: string, editor?: string, viewer?: string}} Tokens `editor`, `viewer`: with `--auth token` */

/**
 * Stores the tokens of a session that this browser has created. Its link contains the editor's token, never the owner's.
 * @param {string} session @param {Tokens} tokens
 */
export const storeTokens = (session, tokens) => write("localStorage", `tokens ${session}`, JSON.stringify(tokens));

/**
 * Removes what this browser has stored for a session, except who it is there: that ends when the member leaves.
 * @param {string} session
 */
export function forgetSession(session) {
  for (const name of ["tokens", "token", "name", "zone"]) remove("localStorage", `${name} ${session}`);
}

/**
 * Whether this browser has access to a session that needs a token.
 * @param {string} session
 */
export const hasToken = (session) => Boolean(storedToken(session) ?? storedTokens(session));

/** @param {string} session @returns {Tokens | null} */
export function storedTokens(session) {
  try {
    return JSON.parse(read("localStorage", `tokens ${session}`) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Whether a token names its user, as one of `--auth keys` may: everyone with a link that has it would be this user.
 * @param {string | undefined} token
 */
export function namesUser(token = "") {
  try {
    const claims = JSON.parse(atob(token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/")));
    return "sub" in claims || "name" in claims;
  } catch {
    return false;
  }
}
