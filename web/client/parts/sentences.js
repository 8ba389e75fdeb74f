// The sentences for notices, in the language of the page.

import { dateOf, ordinalOf } from "../core/civil.js";
import { isOpen } from "../core/predict.js";
import { isNights, rulesOn } from "../core/stays.js";
import { dateSpan, isolated, joined, shortDate, timeText } from "../words/words.js";
import { columnLabel } from "./column-label.js";
import { hostedOf } from "./hosted.js";
import { begun, hostText, movesSelection, slotText } from "./host-sentences.js";
import { lateText } from "./late-sentences.js";
import { rowText } from "./row-text.js";
import { boundOf } from "./session-dates.js";
import { nearSpan, spanText, withTotal } from "./stay-texts.js";

/** @typedef {import("../core/types").Notice} Notice */
/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../words/words.js").Words} Words */

/**
 * @typedef {object} Sentence
 * @property {string} text a complete sentence; of own changes only what is chosen now
 * @property {string | null} color of the author
 * @property {boolean} mine
 * @property {"decision" | "late" | "correction" | "refusal" | "change" | "move" | "people"} tone
 * @property {boolean} canUndo
 */

/**
 * @param {Notice} notice @param {PickerSession} picker @param {Words} words @param {string[]} labels
 * @param {Pick<typeof import("./stock-sentences.js"), "sentenceOf"> | null} [stock] loaded for sessions that take from an inventory
 * @returns {Sentence | null} null for a notice that needs no sentence
 */
export function sentenceOf(notice, picker, words, labels, stock = null) {
  const taken = stock?.sentenceOf(notice, picker, words);
  if (taken !== undefined) return taken;
  if ("member" in notice) {
    const { kind, member } = notice;
    const role = member.role === "owner" ? words.promoted : words.roleNow[member.role];
    const text = { joined: words.joined, left: words.left, away: words.gone, back: words.back, promoted: role }[kind];
    return { text: words.was(isolated(member.name, picker.locale), text), color: member.color, mine: false, tone: "people", canUndo: false };
  }
  if (notice.kind === "refused" && notice.code === "stale" && notice.command) {
    const { params = {} } = notice;
    return { ...byMe(picker), text: lateText(params, picker, words), tone: "late" };
  }
  if (notice.kind === "refused") {
    return { ...byMe(picker), text: refusalText(notice, picker, words), tone: "refusal" };
  }
  if (notice.kind === "lost") return { ...byMe(picker), text: words.lost, tone: "refusal" };
  if (notice.kind === "hosted") {
    const hosted = hostedOf(notice);
    if (!hosted) return null;
    const tone = movesSelection(hosted) ? "correction" : hosted.differences.length > 0 ? "change" : "move";
    return { text: hostText(hosted, picker, words), color: null, mine: false, tone, canUndo: false };
  }
  const who = notice.host ? words.theHost : notice.mine || notice.by === null ? null : nameOf(notice.by, picker, words);
  const text = doneText(notice, picker, words, labels, who);
  if (text === null) return null;
  if (notice.kind === "status" && notice.by === null && !notice.mine
    && (!notice.host || notice.status === "confirmed" || notice.reason || notice.detail)) {
    // The host has decided, or has not in time: a whole sentence.
    const tone = notice.status === "open" || notice.reason ? "decision" : "move";
    return { text, color: null, mine: false, tone, canUndo: false };
  }
  const isCorrection = notice.kind === "corrected" || notice.kind === "rangeCorrected"
    || (notice.kind === "range" && notice.finished !== undefined);
  return {
    text, color: (!notice.host && picker.state.members.get(notice.by ?? "")?.color) || null, mine: notice.mine,
    tone: isCorrection ? "correction" : "move",
    canUndo: notice.by !== null && notice.kind !== "status" && !("cause" in notice && notice.cause === "undo"),
  };
}

/** @param {PickerSession} picker */
const byMe = (picker) => ({ color: picker.self?.color ?? null, mine: true, canUndo: false });

/**
 * The name of a member in a sentence.
 * @param {string | undefined} id @param {PickerSession} picker @param {Words} words
 */
export function nameOf(id, { state, locale }, words) {
  const member = state.members.get(id ?? "");
  return member ? isolated(member.name, locale) : words.somebody;
}

/**
 * @param {Notice} notice @param {PickerSession} picker @param {Words} words @param {string[]} labels
 * @param {string | null} who its author; null: this member, or nobody
 * @returns {string | null}
 */
function doneText(notice, picker, words, labels, who) {
  switch (notice.kind) {
    case "moved": return movedText(notice, picker, words, labels, who);
    case "corrected": {
      const { columns } = picker.state;
      const wanted = rowText(picker, notice.column, notice.wanted);
      const label = columnLabel(picker, notice.column, words, labels);
      const what = notice.column === 2 && columns[1]?.selected ? timeText(`${columns[1].selected.key}:${notice.wanted?.key}`, picker.locale) : `${label} ${wanted}`;
      const month = rowText(picker, 1, columns[1]?.selected);
      const reason = begun(reasonText(notice.reason, { count: notice.count, month, what }, picker, words));
      const slot = picker.state.definition?.kind === "slot" && notice.by === null ? slotText(picker.state, picker.locale) : "";
      return slot ? words.host.then(reason, words.host.selected(slot)) : reason;
    }
    case "range": {
      if (notice.finished) return replacedText(notice.finished, picker, words);
      return notice.cause === "undo" && notice.range ? done(words.undone, nearSpan(notice.range, picker), who, words) : rangeText(notice.range, picker, words, who);
    }
    case "rangeCorrected": {
      const given = notice.range && nearerEnd(notice.range, notice.wanted);
      if (!notice.wanted || !given || notice.reason === "elapsed") {
        return words.rangeElapsed(notice.range && nearSpan(notice.range, picker));
      }
      const isStart = given === notice.range?.start && notice.wanted < given;
      const day = (/** @type {string} */ date) => nearSpan({ start: date, end: date }, picker);
      const next = day(dateOf(ordinalOf(given) + (isStart ? -1 : 1)));
      const reason = reasonText(notice.reason, { start: notice.range?.start, next }, picker, words);
      const what = (isStart ? words.starts : words.ends)(day(given));
      return words.host.then(who ? words.was(who, what) : begun(what), reason);
    }
    case "status": return statusText(notice, words, who);
    default: return null;
  }
}

/**
 * What somebody has done; of own changes only what is chosen now.
 * @param {(what: string) => string} verb @param {string} what @param {string | null} who @param {Words} words
 */
const done = (verb, what, who, words) => (who ? words.was(who, verb(what)) : what);

/** @param {Extract<Notice, {kind: "status"}>} notice @param {Words} words @param {string | null} who */
function statusText({ status, reason, detail, by }, words, who) {
  // The host may also have cancelled the confirmation, and said why.
  if (reason === "denied" || detail) return words.denied(detail);
  if (reason === "timeout") return words.undecided;
  if (reason) return `${words.cancelledNow} ${reason}`;
  if (by === null && status === "confirmed") return words.granted;
  const { reopened, reopenedNow, confirming, askedNow, confirmed, confirmedNow, cancelled, cancelledNow } = words;
  const [did, now] = {
    open: [reopened, reopenedNow], confirming: [confirming, askedNow], confirmed: [confirmed, confirmedNow], cancelled: [cancelled, cancelledNow],
  }[status];
  return who ? words.was(who, did) : now;
}

/**
 * The end of the range that the requested day was clamped to.
 * @param {{start: string, end: string}} range @param {string | null} wanted
 */
const nearerEnd = (range, wanted) => (wanted !== null && wanted < range.start ? range.start : range.end);

/**
 * @param {Extract<Notice, {kind: "moved"}>} notice @param {PickerSession} picker @param {Words} words @param {string[]} labels
 * @param {string | null} who
 */
function movedText(notice, picker, words, labels, who) {
  // A later column is reset because an earlier one moved, which has its own sentence.
  if (notice.cause === "reset") return null;
  const label = columnLabel(picker, notice.column, words, labels);
  const text = rowText(picker, notice.column, notice.to);
  const what = `${label} ${text}`;
  return who && notice.cause !== "undo" ? words.was(who, words.set(label, text)) : done(words.undone, what, who, words);
}

/** @param {import("../core/types").Range} range that an own tap has replaced @param {PickerSession} picker @param {Words} words */
function replacedText(range, picker, words) {
  const days = dateSpan(range.start, range.end, picker.locale);
  if (range.by !== null && range.by === picker.self?.id) return words.rangeEndedByFirstTap(days);
  return words.rangeReplaced(nameOf(range.by, picker, words), days);
}

/** @param {import("../core/types").Range | null} range @param {PickerSession} picker @param {Words} words @param {string | null} who */
function rangeText(range, picker, words, who) {
  if (!range) return who ? words.was(who, words.cleared) : begun(words.nothing);
  const { state, locale } = picker;
  const span = nearSpan(range, picker);
  if (isOpen(state, range)) {
    const { second } = isNights(state) ? words.stay.hint : words.hint;
    return who ? words.was(who, words.starts(span)) : joined([span, second]);
  }
  const { result, definition } = state;
  const isResult = result?.start === range.start && result?.end === range.end;
  // Others see the days; a screen reader reads how many they are, and what they cost.
  const isShort = who || definition?.selection === "single";
  return done(words.picked, isShort ? span : withTotal(spanText(range, picker, words), isResult ? result : undefined, locale), who, words);
}

/** @param {string} reason @param {{count?: number, start?: string, month?: string, next?: string, what?: string}} facts @param {PickerSession} picker @param {Words} words */
function reasonText(reason, facts, picker, words) {
  const { definition } = picker.state;
  if (reason === "maxNights" && facts.start) return words.stay.tooLong(rulesOn(definition, facts.start).maxNights);
  const { reasons, stay } = words;
  const all = isNights(picker.state) ? { ...reasons, ...stay.reasons } : { ...stay.reasons, ...reasons };
  const text = /** @type {any} */ (all)[reason];
  if (!text) return reason;
  const first = boundOf(picker, "min");
  const last = boundOf(picker, "max");
  return typeof text === "string" ? text : text({
    ...facts, days: picker.state.definition?.maxDays ?? 0, least: picker.state.definition?.minDays ?? 1,
    what: facts.next ?? facts.what,
    first: first && shortDate(first, picker.locale), last: last && shortDate(last, picker.locale),
  });
}

/** @param {Extract<Notice, {kind: "refused"}>} notice @param {PickerSession} picker @param {Words} words */
function refusalText({ code, detail, command, params = {} }, picker, words) {
  const days = picker.state.definition?.minDays;
  if (code === "staleColumn") return words.refusals.noSuchRow;
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
  const own = picker.state.availability ? words.marks.refusals : {};
  return own[code] ?? words.refusals[code] ?? detail;
}
