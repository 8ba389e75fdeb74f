// How the connection to a picker has ended.

/**
 * Whether there was a picker. One that was shown here may have ended while there was no connection.
 * @param {import("../client/core/session.js").PickerSession} picker @param {any} document
 */
export const hasEnded = ({ closeCode, state }, document) =>
  closeCode === 4410 || (closeCode === 4404 && (Boolean(document) || state.isKnown));

/**
 * The connection as the chip shows it, because not every closed connection is that of a picker that has ended.
 * @param {import("../client/core/session.js").PickerSession} picker @param {any} document
 */
export function shownConnection(picker, document) {
  const { connection, closeCode } = picker;
  if (connection !== "away" || hasEnded(picker, document)) return connection;
  return closeCode === 4403 ? "credentials" : "idle";
}
