// What notices are about, so that a later one can replace an earlier one.

/** @typedef {import("../core/types").Notice} Notice */

/**
 * The part of the picker, or the member, that a notice is about; null if there is none.
 * @param {Notice} notice @returns {string | null}
 */
export function placeOf(notice) {
  if ("member" in notice) return `member ${notice.member.id}`;
  switch (notice.kind) {
    case "moved": case "corrected": return `column ${notice.column}`;
    case "range": case "rangeCorrected": return "range";
    case "status": return "status";
    case "hosted": return "host";
    default: return null;
  }
}
