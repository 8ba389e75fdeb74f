// The sentence for a command that was refused because others have changed what it was meant for, and the label of the
// button that does it anyway.

import { isOpen, predictChosen } from "../core/predict.js";
import { clockText, dayOf, daySpan, shortDate, timeText } from "../words/words.js";
import { nameOf, rangeText } from "./sentences.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../core/types").Chosen} Chosen */
/** @typedef {import("../core/types").Command} Command */
/** @typedef {import("../words/words.js").Words} Words */

/**
 * "Not done: Confirm Dec 5 – 8. Bo has changed this since. Now: Dec 24 – 26"
 * @param {Command} command @param {{revision?: number, by?: string}} params of the refusal
 * @param {Chosen | undefined} seen @param {PickerSession} picker @param {Words} words
 */
export function lateText(command, params, seen, picker, words) {
  const what = actionText(command, seen, picker, words);
  return words.late(what, authorText(params, picker, words), nowText(picker, words));
}

/**
 * What a command would do now: "Confirm Dec 24 – 26".
 * @param {Command} command @param {PickerSession} picker @param {Words} words
 */
export const lateLabel = (command, picker, words) =>
  actionText(command, predictChosen(picker.state, [], ""), picker, words);

/**
 * A refused command as a new one, for what the user sees now.
 * @param {Command} command @returns {Command}
 */
export function anew({ ref, at, hits, ...command }) {
  void [ref, at, hits];
  return command;
}

/** @param {Command} command @param {Chosen | undefined} chosen @param {PickerSession} picker @param {Words} words */
function actionText(command, chosen, picker, words) {
  const { type } = command;
  if (type === "select" || type === "mark" || type === "rename") return "";
  if (type === "undo" || type === "redo") return words[type];
  if (type === "set") return chosenText({ result: command.result, range: null, texts: [] }, picker);
  const what = type === "tap" ? tappedText(command, picker) : chosen ? chosenText(chosen, picker) : "";
  return what ? words.action(words[type], what) : words[type];
}

/** @param {Command} tap @param {PickerSession} picker */
function tappedText({ date, month, cell }, { state, locale }) {
  const day = date ?? state.months.get(month)?.cells[cell]?.date;
  return day ? dayOf(day, locale) : "";
}

/** @param {Chosen} chosen @param {PickerSession} picker */
function chosenText({ result, range, texts }, { state, locale }) {
  if (range) return range.start === range.end ? dayOf(range.start, locale) : daySpan(range.start, range.end, locale);
  if (result?.date) return shortDate(String(result.date), locale);
  if (result?.instant && result.yes !== undefined) return String(result.local).replace("T", " ");
  if (result?.start) return daySpan(String(result.start), String(result.end), locale);
  if (state.definition?.kind === "slot" && result) return `${texts[0]} ${timeText(String(result.local).slice(11), locale)}`;
  return texts.join(" · ");
}

/**
 * Who has made the change; null if the server does not know it, or it was this member itself.
 * @param {{revision?: number, by?: string}} params @param {PickerSession} picker @param {Words} words
 */
function authorText({ revision, by }, picker, words) {
  if (revision === undefined || (by !== undefined && by === picker.self?.id)) return null;
  return by === undefined ? words.clockOrHost : nameOf(by, picker, words);
}

/** @param {PickerSession} picker @param {Words} words */
function nowText(picker, words) {
  const { state, locale } = picker;
  const status = {
    open: "", confirming: `${words.confirmingNow(clockText(state.until, locale))} `,
    confirmed: `${words.confirmedNow} `, cancelled: `${words.cancelledNow} `,
  }[state.status] ?? "";
  const isRangeOpen = isOpen(state, state.range);
  const text = isRangeOpen ? rangeText(state.range, picker, words) : chosenText(predictChosen(state, [], ""), picker);
  return status + (text || words.nothing);
}
