// pickerd's browser client: a picker that is shared by all members of a session.
//
//   import { connect } from "/client/pickerd.js";
//   const picker = await connect("/v1/sessions/ID", { name: "Ada", locale: "de" });
//   picker.addEventListener("change", () => console.log(picker.result));
//   await picker.select(1, 4);

import { browserEnvironment, holdMember, recall, setUsed } from "./core/environment.js";
import { PickerSession } from "./core/session.js";

export { PickerSession };

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
 * Joins a session. A tab that joins it again, also after a reload, is the same member while the session exists.
 * @param {string} session see `sessionURL`
 * @param {import("./core/types").Options} [options]
 *   `token`, `getToken`: only for servers that require one; a token is never part of a URL
 * @returns {Promise<PickerSession>} resolves while it is still connecting; see its `connection`
 */
export async function connect(session, options = {}) {
  if (!session) throw new TypeError("session must be a URL, a path or an id");
  const url = sessionURL(session);
  const member = recall(url)?.member;
  const remembers = await holdMember(member);
  const picker = new PickerSession(url, options, browserEnvironment(url, remembers, options.socket));
  follow(picker, remembers ? member : undefined);
  picker.start();
  return picker;
}

/**
 * Holds the member of a session, and reports network and visibility to it, until it is stopped or left.
 * @param {PickerSession} picker @param {string | undefined} held the member that is held already
 */
function follow(picker, held) {
  /** @type {AbortController | null} */
  let reporting = null;
  picker.addEventListener("connection", () => {
    const isOver = picker.connection === "idle" || picker.connection === "left";
    if (isOver) reporting?.abort();
    reporting = isOver ? null : reporting ?? report(picker);
    setUsed(held, !isOver);
    const member = picker.self?.id;
    if (picker.connection !== "live" || !member || member === held) return;
    setUsed(held, false);
    held = member;
    void holdMember(member);
  });
}

/** @param {PickerSession} picker */
function report(picker) {
  const reporting = new AbortController();
  const { signal } = reporting;
  window.addEventListener("online", () => picker.network(true), { signal });
  window.addEventListener("offline", () => picker.network(false), { signal });
  document.addEventListener("visibilitychange", () => {
    const isOpen = picker.connection === "waiting" || picker.connection === "live";
    if (document.visibilityState === "visible" && isOpen) picker.retry();
  }, { signal });
  return reporting;
}
