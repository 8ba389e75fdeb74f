// The sentence for a change of the host: "Dec 24 sold out: your stay now ends on Dec 23".

import { later } from "../words/en-later.js";
import { addEnglish, dayOf, daySpan, fullDate, momentIn, shortDate, timeText } from "../words/words.js";
import { boundOf } from "./session-dates.js";
import { totalText } from "./stay-texts.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("./differences.js").Difference} Difference */
/** @typedef {NonNullable<ReturnType<typeof import("./hosted.js").hostedOf>>} Hosted */
/** @typedef {import("../words/words.js").Words} Words */

addEnglish(later);

/** The maximum of differences that a sentence lists. */
const namedMax = 2;

/** @param {Hosted} hosted @param {PickerSession} picker @param {Words} words */
export function hostText(hosted, picker, words) {
  const { host } = words;
  const whats = hosted.lost ? [lostText(hosted.lost, picker, words)] : hosted.differences.map((one) => whatText(one, picker, words));
  if (hosted.notes.length > 0) whats.push(notesText(hosted.notes, picker, words));
  const what = whats.length > namedMax ? host.other : whats.join(host.and);
  const then = thenText(hosted, picker, words);
  return what && then ? host.then(what, then) : what || begun(then);
}

/**
 * A text as the beginning of a sentence.
 * @param {string} text
 */
export const begun = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/**
 * Whether the host's change has moved the selection, or changed its price.
 * @param {Hosted} hosted
 */
export const movesSelection = ({ range, rows, total }) =>
  range !== null || total !== null || rows.some(({ from }) => from !== null);

/**
 * Why the selected slot is gone: "8:00 AM has just been booked", "Closed on Tue, Dec 1".
 * @param {NonNullable<Hosted["lost"]>} lost @param {PickerSession} picker @param {Words} words
 */
function lostText({ because, keys: [day, hour, minute], range }, { state, locale }, { host }) {
  const lost = because === "soldOut" ? host.soldOut : because === "held" ? host.held : null;
  if (lost && range) return lost(range.start === range.end ? dayOf(range.start, locale) : daySpan(range.start, range.end, locale));
  const date = momentIn(Date.parse(day), "UTC", locale, true, false);
  const time = timeText(`${hour}:${minute}`, locale);
  const [days] = state.columns;
  if (because === "closed" && days.rowOf(day) === null) return host.closed({ text: date, isDay: true });
  const text = days.selected?.key === day ? time : `${date} ${time}`;
  if (lost) return lost(text);
  if (because === "taken") return host.booked(text);
  return because === "closed" ? host.closed({ text, isDay: false }) : host.rowRemoved(text);
}

/** @param {Difference} one @param {PickerSession} picker @param {Words} words @returns {string} */
function whatText(one, picker, { host, stay }) {
  const { locale } = picker;
  switch (one.what) {
    case "daysClosed": return host.daysClosed(daysText(one.from, one.through, locale));
    case "daysOpened": return host.daysOpened(daysText(one.from, one.through, locale));
    case "rowRenamed": return host.rowRenamed(one.from, one.to);
    case "rowRemoved": return host.rowRemoved(one.text);
    case "rowAdded": return host.rowAdded(one.text);
    case "maxDays": return host.maxDays(one.days);
    case "minDays": return host.minDays(one.days);
    case "maxNights": return stay.most(one.days);
    case "minNights": return stay.least(one.days);
    case "min": case "max": {
      const bound = boundOf(picker, one.what);
      return host[one.what](bound && shortDate(bound, locale));
    }
    case "hours": return host.hours;
    case "other": return host.other;
  }
}

/** @param {Hosted} hosted @param {PickerSession} picker @param {Words} words */
function thenText({ range, rows, total }, picker, { host, stay }) {
  const { state, locale } = picker;
  if (range) {
    if (!range.after) return range.before.start === range.before.end ? host.dayGone : host.stayGone;
    if (range.after.end !== range.before.end) return host.stayEnds(dayOf(range.after.end, locale));
    return range.after.start === range.before.start ? "" : host.stayBegins(dayOf(range.after.start, locale));
  }
  if (total) return totalText(total.after, locale) ? stay.total(totalText(total.after, locale)) : stay.noTotal;
  if (rows.length === 0) return "";
  if (state.columns.every(({ count }) => count === 0)) return host.nothingLeft;
  const keys = state.columns.map((column) => column.selected?.key ?? "");
  if (state.definition?.kind === "date") return host.selected(fullDate(keys.join("-"), locale));
  if (state.definition?.kind === "slot") return host.selected(slotText(state, locale));
  return host.selected(rows.flatMap(({ to }) => (to ? [to.text] : [])).join(" · "));
}

/**
 * The selected slot.
 * @param {import("../core/state.js").PickerState} state @param {string} locale
 */
export function slotText({ columns }, locale) {
  const [day, hour, minute] = columns.map(({ selected }) => selected);
  return hour && minute ? `${day?.text} ${timeText(`${hour.key}:${minute.key}`, locale)}` : "";
}

/** @param {Hosted["notes"]} notes @param {PickerSession} picker @param {Words} words */
function notesText(notes, picker, { host }) {
  if (notes.length > 1) return host.notes(notes.length);
  const [{ date, text, note }] = notes;
  const where = date ? dayOf(date, picker.locale) : text ?? "";
  return note ? host.note(where, note.text) : host.noteRemoved(where);
}

/** @param {string} from @param {string} through @param {string} locale */
const daysText = (from, through, locale) => (from === through ? dayOf(from, locale) : daySpan(from, through, locale));
