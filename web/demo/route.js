// The page's address: `#/` is home, `#/s/ID` a picker, `#/s/ID?token=…` one whose server wants a token.

/** @typedef {{session: string, token: string | undefined} | null} Route null: home */

/** @param {string} hash @returns {Route} */
export function routeOf(hash) {
  const match = /^#\/s\/([^/?]+)(?:\?(.*))?$/.exec(hash);
  if (!match) return null;
  return { session: decodeURIComponent(match[1]), token: new URLSearchParams(match[2]).get("token") ?? undefined };
}

/** @param {string} session @param {string} [token] */
export const hashOf = (session, token) =>
  `#/s/${encodeURIComponent(session)}${token ? `?token=${encodeURIComponent(token)}` : ""}`;

/**
 * The whole link.
 * @param {string} session @param {string} [token]
 */
export const linkOf = (session, token) => `${location.origin}${location.pathname}${hashOf(session, token)}`;

/** @typedef {{owner: string, editor: string, viewer: string}} Tokens */

/**
 * The tokens of a session that this tab made; its link carries the editor's, never the owner's.
 * @param {string} session @param {Tokens} tokens
 */
export const keepTokens = (session, tokens) =>
  sessionStorage.setItem(`pickerd tokens ${session}`, JSON.stringify(tokens));

/** @param {string} session @returns {Tokens | null} */
export const keptTokens = (session) => JSON.parse(sessionStorage.getItem(`pickerd tokens ${session}`) ?? "null");
