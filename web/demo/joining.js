// Joins the session of a link, while the page of its picker is still being loaded.

import { connect } from "../client/pickerd.js";
import { reloadLater } from "./loading.js";
import { areaOf, storedTokens } from "./route.js";
import { read } from "./storage.js";

/** The months of a calendar that `join` asks for, from the current one: those that a phone shows first. */
const monthCount = 2;

/** The maximum of recorded notices, the last ones. */
const noticesMax = 8;

/** @typedef {ReturnType<typeof joinRoute>} Joining */

/** @param {NonNullable<import("./route.js").Route>} route @param {import("./settings.js").Settings} settings */
export function joinRoute({ session, token: given, isGuest }, settings) {
  const owner = isGuest ? undefined : storedTokens(session)?.owner;
  const token = owner ?? given;
  const { typedName, locale } = settings;
  const area = areaOf(isGuest);
  const before = read(area, nameKeyOf(session)) ?? typedName;
  const timeZone = read(area, zoneKeyOf(session)) ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  // As this device writes it: the month of UTC may be another one.
  const months = { from: new Date().toLocaleDateString("sv").slice(0, 7), count: monthCount };
  const path = `v1/sessions/${encodeURIComponent(session)}`;
  const picker = connect(path, {
    name: isGuest ? settings.guestName : settings.name, locale, timeZone, token, months,
    identity: isGuest ? "tab" : "browser", socket: dialed(path),
  });
  void picker.then(loadWhenKnown);
  return { owner, token, before, picker, notices: picker.then(recordNotices) };
}

/**
 * Records the notices that come before the element listens to them: answers to commands of the page before a reload, or to
 * a new name.
 * @param {import("../client/core/session.js").PickerSession} picker
 * @returns {() => void} ends it, and dispatches them again
 */
function recordNotices(picker) {
  /** @type {unknown[]} */
  const notices = [];
  const record = (/** @type {Event} */ event) => {
    notices.push(/** @type {CustomEvent} */ (event).detail);
    if (notices.length > noticesMax) notices.shift();
  };
  picker.addEventListener("notice", record);
  return () => {
    picker.removeEventListener("notice", record);
    for (const detail of notices.splice(0)) picker.dispatchEvent(new CustomEvent("notice", { detail }));
  };
}

/** @param {import("../client/core/session.js").PickerSession} picker whose element is loaded as soon as the kind is known */
function loadWhenKnown(picker) {
  const load = () => {
    if (!picker.state.isKnown) return;
    picker.removeEventListener("change", load);
    void loadElement(picker);
  };
  picker.addEventListener("change", load);
}

/**
 * Loads the element of a picker. The page of the picker includes the calendar.
 * @param {import("../client/core/session.js").PickerSession} picker whose kind is known
 * @returns {Promise<string>} its name; it is not defined if it could not be loaded
 */
export async function loadElement({ state }) {
  if (state.isCalendar) return "pickerd-calendar";
  if (state.availability) {
    await import("./availability.js").catch(reloadLater);
    return "pickerd-availability";
  }
  await import("./wheels.js").catch(reloadLater);
  return "pickerd-wheels";
}

/**
 * The socket that `dial.js` has opened, once.
 * @param {string} path of the session @returns {WebSocket | undefined}
 */
function dialed(path) {
  const page = /** @type {{dialed?: {path: string, socket: WebSocket} | null}} */ (globalThis);
  const { dialed: first } = page;
  page.dialed = null;
  if (first?.path === path) return first.socket;
  first?.socket.close();
  return undefined;
}

/**
 * Where the name is stored that the user had typed when this browser became a member of a session, or changed its name.
 * @param {string} session
 */
export const nameKeyOf = (session) => `name ${session}`;

/**
 * Where the time zone is stored that the user has chosen in a session.
 * @param {string} session
 */
export const zoneKeyOf = (session) => `zone ${session}`;
