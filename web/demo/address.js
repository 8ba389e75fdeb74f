// The address `s/ID` of a session, which is that of its link, becomes that of the page, `./#/s/ID`, to which the URLs of
// the page are relative. The server names the page in an element.

const root = document.querySelector('meta[name="root"]')?.getAttribute("content");
const session = /\/s\/([^/]+)$/.exec(location.pathname)?.[1];
if (root && session && !document.querySelector('meta[name="not-found"]')) {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  const query = token ? `?token=${encodeURIComponent(token)}` : "";
  history.replaceState(history.state, "", `${root}#/s/${session}${query}`);
}

/** Where the page is, if this is the address of no page; null otherwise. */
export const wayBack = document.querySelector('meta[name="not-found"]') ? root ?? "./" : null;
