// Elements of the same session in a page share one connection, so that the page is one member.

import { page } from "../core/identity.js";
import { connect, sessionURL } from "../pickerd.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */

/** @type {{shared: Map<string, {picker: Promise<PickerSession>, users: number}>}} */
const { shared } = page;

/** @param {string} session @param {{name?: string, locale?: string, token?: string, timeZone?: string}} options */
export function acquire(session, options) {
  const url = sessionURL(session);
  let entry = shared.get(url);
  if (!entry) {
    entry = { picker: connect(session, options), users: 0 };
    shared.set(url, entry);
    entry.picker.catch(() => shared.delete(url));
  }
  entry.users += 1;
  return entry.picker;
}

/**
 * Disconnects when the last element is gone. With a delay, because an element that is moved in the page is removed and
 * added again.
 * @param {string} session
 */
export function release(session) {
  const url = sessionURL(session);
  const entry = shared.get(url);
  if (!entry) return;
  entry.users -= 1;
  setTimeout(async () => {
    if (entry.users > 0 || shared.get(url) !== entry) return;
    shared.delete(url);
    (await entry.picker).stop();
  });
}
