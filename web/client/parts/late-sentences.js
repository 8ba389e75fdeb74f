// The sentence for a command that was refused because others have changed what it was meant for, and the label of the
// button that does it anyway.

import { predictChosen } from "../core/predict.js";
import { dayOf, daySpan, shortDate, timeText } from "../words/words.js";
import { withStatus } from "./bar.js";
import { begun } from "./host-sentences.js";
import { nameOf } from "./sentences.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../core/types").Chosen} Chosen */
/** @typedef {import("../core/types").Command} Command */
/** @typedef {import("../words/words.js").Words} Words */

/**
 * What is chosen now, and by whom: "Meanwhile Bo picked Dec 24 – 26."
 * @param {{revision?: number, by?: string}} params of the refusal: who has made the last change; without `by`, the clock or the
 *   host @param {PickerSession} picker @param {Words} words
 */
export function lateText({ revision, by }, picker, words) {
  const { state } = picker;
  const text = chosenText(predictChosen(state, [], ""), picker);
  if (state.status !== "open") return withStatus(text, picker, words);
  const isKnown = revision !== undefined && by !== undefined && by !== picker.self?.id;
  if (!isKnown) return begun(words.host.selected(text || words.nothing));
  return words.late(words.was(nameOf(by, picker, words), text ? words.picked(text) : words.cleared));
}

/**
 * What a command would do now: "Confirm Dec 24 – 26", "Use Dec 12 instead".
 * @param {Command} command @param {PickerSession} picker @param {Words & {hold: string}} words
 */
export function lateLabel(command, picker, words) {
  const { type } = command;
  if (["select", "mark", "rename", "units", "release", "wait"].includes(type)) return "";
  if (type === "undo" || type === "redo") return words[type];
  if (type === "tap") return words.use(tappedText(command, picker));
  if (type === "set") return words.use(chosenText({ result: command.result, range: null, texts: [] }, picker));
  const what = chosenText(predictChosen(picker.state, [], ""), picker);
  const name = words[/** @type {"confirm" | "hold"} */ (type)];
  return what ? words.action(name, what) : name;
}

/**
 * A refused command as a new one, for what the user sees now.
 * @param {Command} command @returns {Command}
 */
export function anew({ ref, at, hits, ...command }) {
  void [ref, at, hits];
  return command;
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
