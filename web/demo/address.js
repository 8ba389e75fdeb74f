// The address `s/ID` of a session, which is that of its link, becomes that of the page, `./#/s/ID`, to which the URLs of
// the page are relative. The server names the page in an element.

const root = document.querySelector('meta[name="root"]')?.getAttribute("content");
const session = /\/s\/([^/]*)$/.exec(location.pathname)?.[1];
// A link that is cut before its id leads nowhere, too.
const isNothing = document.querySelector('meta[name="not-found"]') || session === "";
if (root && session && !isNothing) {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  const query = token ? `?token=${encodeURIComponent(token)}` : "";
  history.replaceState(history.state, "", `${root}#/s/${session}${query}`);
}

/** Where the page is, if this is the address of no page. */
export const wayBack = isNothing && root;
