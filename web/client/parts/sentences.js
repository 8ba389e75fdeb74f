// The sentences for notices, in the language of the page.

import { ordinalOf } from "../core/civil.js";
import { isOpen } from "../core/predict.js";
import { isNights, rulesOn } from "../core/stays.js";
import { dateSpan, isolated, shortDate } from "../words/words.js";
import { columnLabel } from "./column-label.js";
import { hostedOf } from "./hosted.js";
import { hostText, movesSelection, slotText } from "./host-sentences.js";
import { lateText } from "./late-sentences.js";
import { rowText } from "./row-text.js";
import { boundOf } from "./session-dates.js";
import { spanText, withTotal } from "./stay-texts.js";

/** @typedef {import("../core/types").Notice} Notice */
/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../words/words.js").Words} Words */

/**
 * @typedef {object} Sentence
 * @property {string} text without its author
 * @property {string} who the author; empty if the text is a complete sentence
 * @property {string | null} color of the author
 * @property {boolean} mine
 * @property {"decision" | "late" | "correction" | "refusal" | "change" | "move" | "people"} tone
 * @property {boolean} canUndo
 */

/**
 * @param {Notice} notice @param {PickerSession} picker @param {Words} words @param {string[]} labels
 * @returns {Sentence | null} null for a notice that needs no sentence
 */
export function sentenceOf(notice, picker, words, labels) {
  if ("member" in notice) {
    const { kind, member } = notice;
    const role = member.role === "owner" ? words.promoted : words.roleNow[member.role];
    const text = { joined: words.joined, left: words.left, away: words.gone, back: words.back, promoted: role }[kind];
    return { text, who: isolated(member.name, picker.locale), color: member.color, mine: false, tone: "people", canUndo: false };
  }
  if (notice.kind === "refused" && notice.code === "stale" && notice.command) {
    const { command, params = {}, seen } = notice;
    return { ...byMe(words, picker), text: lateText(command, params, seen, picker, words), tone: "late" };
  }
  if (notice.kind === "refused") {
    return { ...byMe(words, picker), text: refusalText(notice, picker, words), tone: "refusal" };
  }
  if (notice.kind === "lost") return { ...byMe(words, picker), text: words.lost, tone: "refusal" };
  if (notice.kind === "hosted") {
    const hosted = hostedOf(notice);
    if (!hosted) return null;
    const tone = movesSelection(hosted) ? "correction" : hosted.differences.length > 0 ? "change" : "move";
    return { text: hostText(hosted, picker, words), who: "", color: null, mine: false, tone, canUndo: false };
  }
  const text = doneText(notice, picker, words, labels);
  if (text === null) return null;
  if (notice.kind === "status" && notice.by === null && !notice.mine
    && (!notice.host || notice.status === "confirmed" || notice.reason || notice.detail)) {
    // The host has decided, or has not in time: a whole sentence.
    const tone = notice.status === "open" || notice.reason ? "decision" : "move";
    return { text, who: "", color: null, mine: false, tone, canUndo: false };
  }
  const isCorrection = notice.kind === "corrected" || notice.kind === "rangeCorrected"
    || (notice.kind === "range" && notice.finished !== undefined);
  return {
    text, ...(notice.host ? { who: words.theHost, color: null } : author(notice.by, notice.mine, picker, words)), mine: notice.mine,
    tone: isCorrection ? "correction" : "move",
    canUndo: notice.by !== null && notice.kind !== "status" && !("cause" in notice && notice.cause === "undo"),
  };
}

/** @param {Words} words @param {PickerSession} picker */
const byMe = (words, picker) => ({ who: words.you, color: picker.self?.color ?? null, mine: true, canUndo: false });

/** @param {string | null} by @param {boolean} mine @param {PickerSession} picker @param {Words} words */
function author(by, mine, picker, words) {
  if (by === null) return { who: words.time, color: null };
  return { who: mine ? words.you : nameOf(by, picker, words), color: picker.state.members.get(by)?.color ?? null };
}

/**
 * The name of a member in a sentence.
 * @param {string | undefined} id @param {PickerSession} picker @param {Words} words
 */
export function nameOf(id, { state, locale }, words) {
  const member = state.members.get(id ?? "");
  return member ? isolated(member.name, locale) : words.somebody;
}

/** @param {Notice} notice @param {PickerSession} picker @param {Words} words @param {string[]} labels @returns {string | null} */
function doneText(notice, picker, words, labels) {
  switch (notice.kind) {
    case "moved": return movedText(notice, picker, words, labels);
    case "corrected": {
      const reason = reasonText(notice.reason, { count: notice.count }, picker, words);
      const slot = picker.state.definition?.kind === "slot" && notice.by === null ? slotText(picker.state, picker.locale) : "";
      // Not of a wheel, such as "Minute 30 → 00", because the next free time has another hour, too.
      if (slot) return words.host.then(reason, words.host.selected(slot));
      const label = columnLabel(picker, notice.column, words, labels);
      return `${label} ${words.corrected(rowText(picker, notice.column, notice.wanted), rowText(picker, notice.column, notice.to), reason)}`;
    }
    case "range": {
      if (notice.finished) return replacedText(notice.finished, picker, words);
      return notice.cause === "undo" && notice.range ? restoredText(notice.range, picker, words) : rangeText(notice.range, picker, words);
    }
    case "rangeCorrected": {
      const given = notice.range && nearerEnd(notice.range, notice.wanted);
      if (!notice.wanted || !given || notice.reason === "elapsed") {
        return words.rangeElapsed(notice.range && rangeText(notice.range, picker, words));
      }
      const reason = reasonText(notice.reason, { start: notice.range?.start }, picker, words);
      return words.corrected(shortDate(notice.wanted, picker.locale), shortDate(given, picker.locale), reason);
    }
    case "status": return statusText(notice, words);
    default: return null;
  }
}

/** @param {Extract<Notice, {kind: "status"}>} notice @param {Words} words */
function statusText({ status, reason, detail, by }, words) {
  // The host may also have cancelled the confirmation, and said why.
  if (reason === "denied" || detail) return words.denied(detail);
  if (reason === "timeout") return words.undecided;
  if (reason) return `${words.cancelledNow} ${reason}`;
  if (by === null && status === "confirmed") return words.granted;
  return { open: words.reopened, confirming: words.confirming, confirmed: words.confirmed, cancelled: words.cancelled }[status] ?? null;
}

/**
 * The end of the range that the requested day was clamped to.
 * @param {{start: string, end: string}} range @param {string | null} wanted
 */
const nearerEnd = (range, wanted) => (wanted !== null && wanted < range.start ? range.start : range.end);

/** @param {Extract<Notice, {kind: "moved"}>} notice @param {PickerSession} picker @param {Words} words @param {string[]} labels */
function movedText(notice, picker, words, labels) {
  // A later column is reset because an earlier one moved, which has its own sentence.
  if (notice.cause === "reset") return null;
  const label = columnLabel(picker, notice.column, words, labels);
  const text = rowText(picker, notice.column, notice.to);
  return notice.cause === "undo" ? words.undone(label, text) : words.moved(label, text);
}

/** @param {import("../core/types").Range} range that an own tap has replaced @param {PickerSession} picker @param {Words} words */
function replacedText(range, picker, words) {
  const days = dateSpan(range.start, range.end, picker.locale);
  if (range.by !== null && range.by === picker.self?.id) return words.rangeEndedByFirstTap(days);
  return words.rangeReplaced(nameOf(range.by, picker, words), days);
}

/** @param {import("../core/types").Range} range that an undo has restored @param {PickerSession} picker @param {Words} words */
function restoredText({ start, end }, picker, words) {
  const text = start === end ? shortDate(start, picker.locale) : dateSpan(start, end, picker.locale);
  // Without a label: a calendar has none.
  return words.undone("", text).replace(/ {2,}/, " ").trim();
}

/** @param {import("../core/types").Range | null} range @param {PickerSession} picker @param {Words} words */
export function rangeText(range, picker, words) {
  if (!range) return words.rangeCleared;
  const { locale } = picker;
  if (picker.state.definition?.selection === "single") return words.dateChosen(shortDate(range.start, locale));
  if (isNights(picker.state)) {
    if (isOpen(picker.state, range)) return words.stay.opened(shortDate(range.start, locale));
    const { result } = picker.state;
    const isResult = result?.start === range.start && result?.end === range.end;
    return withTotal(spanText(range, picker, words), isResult ? result : undefined, locale);
  }
  if (isOpen(picker.state, range)) return words.rangeOpened(shortDate(range.start, locale));
  const days = ordinalOf(range.end) - ordinalOf(range.start) + 1;
  return words.rangeClosed(shortDate(range.start, locale), shortDate(range.end, locale), days);
}

/** @param {string} reason @param {{count?: number, start?: string}} facts @param {PickerSession} picker @param {Words} words */
function reasonText(reason, facts, picker, words) {
  const { definition } = picker.state;
  if (reason === "maxNights" && facts.start) return words.stay.tooLong(rulesOn(definition, facts.start).maxNights);
  const { reasons, stay } = words;
  const all = isNights(picker.state) ? { ...reasons, ...stay.reasons } : { ...stay.reasons, ...reasons };
  const text = /** @type {any} */ (all)[reason];
  if (!text) return reason;
  const first = boundOf(picker, "min");
  const last = boundOf(picker, "max");
  return text({
    ...facts, days: picker.state.definition?.maxDays ?? 0, least: picker.state.definition?.minDays ?? 1,
    first: first && shortDate(first, picker.locale), last: last && shortDate(last, picker.locale),
  });
}

/** @param {Extract<Notice, {kind: "refused"}>} notice @param {PickerSession} picker @param {Words} words */
function refusalText({ code, detail, command, params = {} }, picker, words) {
  const days = picker.state.definition?.minDays;
  const isStale = command?.type === "select" && picker.state.columns[command.column]?.generation !== command.generation;
  if (code === "noSuchRow" && isStale) return words.refusals.staleColumn;
  // The protocol has one code for both commands.
  if (code === "nothingToUndo" && command?.type === "redo") return words.refusals.nothingToRedo;
  if (code === "notAllowed" && command?.type === "rename") return words.refusals.nameNotAllowed;
  if (code === "notOpen" && picker.state.hostReopens) return words.refusals.finalNotOpen;
  if (code === "minDays" && days) return words.tooShort(days);
  if (code === "maxDays") return reasonText(code, {}, picker, words);
  const { date, minNights, maxNights } = params;
  if (code === "minNights" && minNights) return words.stay.tooShort(minNights);
  if (code === "maxNights" && maxNights) return words.stay.tooLong(maxNights);
  if ((code === "noArrival" || code === "noDeparture") && date) return words.stay[code](shortDate(date, picker.locale));
  // For an unknown code the server's detail is shown.
  return /** @type {any} */ (words.refusals)[code] ?? detail;
}
