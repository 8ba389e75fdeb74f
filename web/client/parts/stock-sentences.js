// The sentences for notices of holds, offers and places on the waiting list.

import { addingDays } from "../core/civil.js";
import { isNights } from "../core/stays.js";
import { stock } from "../words/en-stock.js";
import { addEnglish, clockText, dayOf, daySpan, momentIn } from "../words/words.js";
import { nameOf } from "./sentences.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../core/types").Notice} Notice */
/** @typedef {import("../core/types").Result} Result */

addEnglish(stock);

/**
 * The keys of a result in the inventory; of a slot only that of its start.
 * @param {Result} result @param {PickerSession} picker @returns {string[]}
 */
export function keysOf(result, { state }) {
  if (!result) return [];
  if (Array.isArray(result.keys)) return [result.keys.map((key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1")).join("/")];
  if (result.instant) return [String(result.instant)];
  if (result.date) return [String(result.date)];
  const { start, end } = /** @type {{start: string, end: string}} */ (result);
  const days = [];
  for (let day = start; isNights(state) ? day < end : day <= end; day = addingDays(day, 1)) days.push(day);
  return days;
}

/**
 * What keys are, as text: "Dec 24 – 26", "Fri, Dec 4, 8:00 PM", "Hall · Table 2".
 * @param {string[]} keys @param {PickerSession} picker
 */
export function textOf([first, ...others], { state, locale }) {
  const kind = state.definition?.kind;
  if (kind === "calendar") {
    const last = others.at(-1) ?? first;
    const end = isNights(state) && others.length > 0 ? addingDays(last, 1) : last;
    return first === end ? dayOf(first, locale) : daySpan(first, end, locale);
  }
  if (kind === "slot") return momentIn(Date.parse(first), String(state.definition?.timeZone ?? "UTC"), locale, true, true);
  const path = first.split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return path.map((key, index) => state.columns[index]?.rowOfKey(key)?.text ?? key).join(" · ");
}

/**
 * @param {Notice} notice @param {PickerSession} picker @param {import("../words/words.js").Words} words
 * @returns {import("./sentences.js").Sentence | null | undefined} undefined for a notice of something else
 */
export function sentenceOf(notice, picker, words) {
  const { locale } = picker;
  const own = words.stock;
  const by = { color: picker.self?.color ?? null, mine: true, canUndo: false };
  // The hosted notice, or that of the offer, says more.
  if ("cause" in notice && notice.cause === "inventory") return null;
  if (notice.kind === "refused") {
    const { code, command, params = {} } = notice;
    if (code === "wrongUnits") return { ...by, text: own.wrongUnits(params.min, params.max), tone: "refusal" };
    if (code !== "held" || !params.until || command?.type === "tap") return undefined;
    return { ...by, text: own.heldNow({ what: textOf(params.keys, picker), time: clockText(params.until, locale) }), tone: "refusal" };
  }
  if (notice.kind !== "hold") return undefined;
  const { hold, before, reason, mine } = notice;
  const time = clockText(hold?.until ?? null, locale);
  if (hold?.state === "offered") return { ...by, mine: false, color: null, text: own.yourTurn(textOf(hold.keys, picker), time), tone: "correction" };
  if (hold?.state === "waiting") return { ...by, text: `${own.waiting(textOf(hold.keys, picker), hold.place ?? 1)}.`, tone: "move" };
  const who = mine || notice.by === null ? null : nameOf(notice.by, picker, words);
  const color = picker.state.members.get(notice.by ?? "")?.color ?? by.color;
  if (hold) return who ? { ...by, mine: false, color, text: words.was(who, own.holds(time)), tone: "move" } : { ...by, text: own.heldUntil(time), tone: "move" };
  // The status says that it is booked.
  if (!before || reason === "booked") return null;
  if (reason === "released") return { ...by, text: before.state === "waiting" ? own.notInLine : own.givenBack, tone: "move" };
  const offer = before.state === "offered";
  const ended = reason === "expired" ? (offer ? own.offerEnded : own.holdEnded)
    : reason === "left" ? own.nobody : reason === "lost" ? own.lost : own.moved;
  return { ...by, mine: reason === "moved" && mine, text: ended, tone: "correction" };
}
