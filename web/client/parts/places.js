// What notices are about, so that a later one can replace an earlier one.

/** @typedef {import("../core/types").Notice} Notice */

/**
 * The part of the picker, or the member, that a notice is about; null if there is none.
 * @param {Notice} notice @returns {string | null}
 */
export function placeOf(notice) {
  if ("member" in notice) return `member ${notice.member.id}`;
  switch (notice.kind) {
    // Of a time, several columns may be corrected because time has passed.
    case "corrected": return notice.by === null && notice.reason === "elapsed" ? "time" : `column ${notice.column}`;
    case "moved": return `column ${notice.column}`;
    case "range": case "rangeCorrected": return "range";
    case "status": return "status";
    case "hosted": return "host";
    default: return null;
  }
}

/**
 * What two sentences have in common if only the later one is reported: the place and the author. Changes of the definition
 * are about many places, and only the same sentence replaces such a one.
 * @param {Notice} notice @param {string} text its sentence
 */
export function keyOf(notice, text) {
  const place = placeOf(notice);
  if (place === null || notice.kind === "hosted") return text;
  return "by" in notice ? `${place} ${notice.by ?? ""}` : place;
}

/**
 * Whether a later change outdates a correction: by the host any, otherwise of the range, or of its column or an earlier
 * one, on which the reason depends ("this month has 28 days").
 * @param {Notice} correction @param {Notice} later
 */
export function isOutdatedBy(correction, later) {
  const moved = columnOf(later);
  if (moved === null) return false;
  return correction.kind === "hosted" || moved <= (columnOf(correction) ?? -1);
}

/**
 * The column in which a notice changes the selection, 0 for a calendar; null if it does not.
 * @param {Notice} notice @returns {number | null}
 */
function columnOf(notice) {
  switch (notice.kind) {
    case "moved": case "corrected": return notice.column;
    case "range": case "rangeCorrected": return 0;
    default: return null;
  }
}
