// pickerd's browser client: a picker that is shared by all members of a session.
//
//   import { connect } from "/client/pickerd.js";
//   const picker = await connect("/v1/sessions/ID", { name: "Ada", locale: "de" });
//   picker.addEventListener("change", () => console.log(picker.result));
//   await picker.select(1, 4);

import { browserEnvironment } from "./core/environment.js";
import { Identity, isUsed } from "./core/identity.js";
import { PickerSession } from "./core/session.js";

export { PickerSession };

/** How long a session waits for another one of the page that is the same member. */
const againMilliseconds = 60;

/**
 * The WebSocket address of a session.
 * @param {string} session its URL (`ws:`, `wss:`, `http:`, `https:`), its path, the link of its page (`…/s/ID`), or its id
 *   alone, at the root of the host
 * @param {string} [base] by default the page's own address
 */
export function sessionURL(session, base = location.href) {
  // A page's own address has its session after the number sign.
  const link = session.replace(/(^|\/)(?:#\/)?s\/([^/?#]+)([?#].*)?$/, "$1v1/sessions/$2");
  const path = /[/:]/.test(link) ? link : `/v1/sessions/${encodeURIComponent(session)}`;
  const url = new URL(path, base);
  url.protocol = url.protocol.replace("http", "ws");
  url.hash = "";
  return url.href;
}

/**
 * Joins a session. A browser that joins it again, also after a reload or in another tab, is the same member while the session
 * exists; one page at a time, the last one.
 * @param {string} session see `sessionURL`
 * @param {import("./core/types").Options} [options]
 *   `token`, `getToken`: only for servers that require one; a token is never part of a URL
 * @returns {Promise<PickerSession>} resolves while it is still connecting; see its `connection`
 */
export async function connect(session, options = {}) {
  if (!session) throw new TypeError("session must be a URL, a path or an id");
  // A page that nobody has opened yet must not replace one that is open.
  if (/** @type {any} */ (document).prerendering) await new Promise((shown) => document.addEventListener("prerenderingchange", shown, { once: true }));
  const url = sessionURL(session);
  // A component that is mounted again stops its former session a moment later.
  if (isUsed(url)) await new Promise((resolve) => setTimeout(resolve, againMilliseconds));
  const identity = new Identity(url, options.identity);
  const picker = new PickerSession(url, options, browserEnvironment(identity, options.socket));
  follow(picker, identity);
  picker.start();
  return picker;
}

/**
 * Reports network, visibility and other pages to a session, until it is stopped or left.
 * @param {PickerSession} picker @param {Identity} identity
 */
function follow(picker, identity) {
  /** @type {AbortController | null} */
  let reporting = null;
  identity.setUsed(true);
  picker.addEventListener("connection", () => {
    const isOver = picker.connection === "idle" || picker.connection === "left";
    if (isOver) reporting?.abort();
    reporting = isOver ? null : reporting ?? report(picker, identity);
    identity.setUsed(!isOver);
  });
}

/** @param {PickerSession} picker @param {Identity} identity */
function report(picker, identity) {
  const reporting = new AbortController();
  const { signal } = reporting;
  /** @param {string} name @param {(event: any) => void} work */
  const on = (name, work) => window.addEventListener(name, work, { signal });
  on("online", () => picker.network(true));
  on("offline", () => picker.network(false));
  // With a connection a page is not in the back/forward cache.
  on("pagehide", () => picker.network(false));
  on("pageshow", ({ persisted }) => { if (persisted) picker.network(true); });
  on("storage", () => { if (identity.isTaken) picker.giveWay(); });
  document.addEventListener("visibilitychange", () => {
    const isOpen = ["waiting", "offline", "live"].includes(picker.connection);
    if (document.visibilityState === "visible" && isOpen) picker.retry();
  }, { signal });
  return reporting;
}
