import assert from "node:assert/strict";
import { test } from "node:test";
import { PickerState } from "../../web/client/core/state.js";
import { sentenceOf } from "../../web/client/parts/sentences.js";
import { ar } from "../../web/client/words/ar.js";
import { de } from "../../web/client/words/de.js";
import { en } from "../../web/client/words/en.js";
import { ja } from "../../web/client/words/ja.js";
import { zhHans } from "../../web/client/words/zh-Hans.js";

const languages = { ar, de, en, ja, "zh-Hans": zhHans };

function textOf(notice, locale, definition = { kind: "calendar", selection: "range" }, self = null) {
  const state = new PickerState();
  state.definition = definition;
  const picker = { state, locale, self };
  return sentenceOf({ by: null, mine: false, ...notice }, picker, languages[locale], []).text;
}

const refused = (type) => ({ kind: "refused", code: "nothingToUndo", detail: "", command: { type } });

const removed = (range) => ({ kind: "rangeCorrected", range, wanted: null, reason: "elapsed", cause: "clamp" });

/** The paths of all texts, such as `refusals.offline`. */
const keysOf = (words, path = "") => Object.entries(words).flatMap(([key, value]) =>
  (typeof value === "object" ? keysOf(value, `${path}${key}.`) : [path + key])).sort();

for (const [locale, words] of Object.entries(languages)) {
  test(`${locale} has all texts`, () => assert.deepEqual(keysOf(words), keysOf(en)));

  test(`a redo that is refused is not an undo in ${locale}`, () => {
    assert.equal(textOf(refused("undo"), locale), words.refusals.nothingToUndo);
    assert.equal(textOf(refused("redo"), locale), words.refusals.nothingToRedo);
    assert.notEqual(words.refusals.nothingToUndo, words.refusals.nothingToRedo);
  });
}

test("a range that an own tap has replaced has its member and days in every language", () => {
  const range = { start: "2026-12-05", end: "2026-12-05", hits: 3, by: "m_1" };
  const finished = { start: "2026-12-02", end: "2026-12-09", hits: 2, by: "m_2" };
  const text = (locale) => textOf({ kind: "range", range, finished, cause: "tap", mine: true }, locale);
  assert.equal(text("en"), "Somebody had already finished Dec 2 – 9, 2026; your tap started a new range");
  for (const [locale, words] of Object.entries(languages)) assert.ok(text(locale).includes(words.somebody), locale);
});

test("a range that the own first tap has ended has its days in every language", () => {
  const range = { start: "2026-12-05", end: "2026-12-05", hits: 3, by: "m_1" };
  const finished = { start: "2026-12-02", end: "2026-12-09", hits: 2, by: "m_1" };
  const notice = { kind: "range", range, finished, cause: "tap", mine: true };
  const text = (locale) => textOf(notice, locale, undefined, { id: "m_1" });
  assert.equal(text("en"), "your first tap ended Dec 2 – 9, 2026, and the next one started a new range");
  for (const [locale, words] of Object.entries(languages)) assert.ok(!text(locale).includes(words.somebody), locale);
});

test("an undo that restores a range is not a tap in any language", () => {
  const range = (start, end) => ({ start, end, hits: 1, by: "m_1" });
  const text = (restored, locale) => textOf({ kind: "range", range: restored, cause: "undo" }, locale);
  assert.equal(text(range("2026-12-20", "2026-12-20"), "en"), "back to Dec 20, 2026");
  assert.equal(text(range("2026-12-02", "2026-12-09"), "en"), "back to Dec 2 – 9, 2026");
  for (const locale of Object.keys(languages)) {
    assert.doesNotMatch(text(range("2026-12-20", "2026-12-20"), locale), /^ | {2}| $/, locale);
    assert.equal(text(null, locale), languages[locale].rangeCleared, locale);
  }
});

test("a refused redo says so", () => {
  assert.equal(textOf(refused("redo"), "en"), "There is nothing to redo.");
  assert.equal(textOf(refused("undo"), "en"), "There is nothing to undo.");
});

test("the days that remain are not taken for those that were removed", () => {
  const days = removed({ start: "2026-12-01", end: "2026-12-03" });
  const wanted = {
    en: "past days were removed; now Dec 1, 2026 to Dec 3, 2026, 3 days",
    de: "vergangene Tage wurden entfernt; jetzt 1. Dez. 2026 bis 3. Dez. 2026, 3 Tage",
    "zh-Hans": "已移除过去的日期，当前选择：2026年12月1日 至 2026年12月3日，共 3 天",
    ja: "過ぎた日付は選択から外れました。現在の選択：2026年12月1日 から 2026年12月3日、3 日間",
  };
  for (const [locale, text] of Object.entries(wanted)) assert.equal(textOf(days, locale), text);
  for (const locale of Object.keys(languages)) {
    assert.doesNotMatch(textOf(days, locale), /[()（）]/);
    assert.doesNotMatch(textOf(removed(null), locale), /[()（）;；،，。]/, "nothing remains");
  }
});

test("a time that has passed or is too soon has one sentence that is true of both", () => {
  const moved = { kind: "corrected", column: 2, wanted: { text: "00" }, to: { text: "50" }, reason: "elapsed" };
  const wanted = {
    en: "Minute 00 → 50: it is too late to pick that time",
    de: "Minute 00 → 50: dieser Zeitpunkt ist nicht mehr wählbar",
    "zh-Hans": "分 00 → 50：已来不及选择该时间",
    ja: "分 00 → 50：その時刻はもう選べません",
    ar: "الدقيقة 00 ← 50: فات أوان اختيار ذلك الوقت",
  };
  for (const [locale, text] of Object.entries(wanted)) assert.equal(textOf(moved, locale, { kind: "slot" }), text);
});
