import assert from "node:assert/strict";
import { test } from "node:test";
import { PickerState } from "../../web/client/core/state.js";
import { anew, lateLabel } from "../../web/client/parts/late-sentences.js";
import { rowText } from "../../web/client/parts/row-text.js";
import { sentenceOf } from "../../web/client/parts/sentences.js";
import { dateSpan, daySpan, isolated, momentIn, shortDate, weekdayName } from "../../web/client/words/dates.js";
import { languages as tags, loadWords, wordsOf } from "../../web/client/words/words.js";

await Promise.all(tags.map(loadWords));
const languages = Object.fromEntries(["en", ...tags].map((tag) => [tag, wordsOf(tag)]));
const { en } = languages;

function textOf(notice, locale, definition = { kind: "calendar", selection: "range" }, self = null, hostReopens = false) {
  const state = new PickerState();
  Object.assign(state, { definition, now: "2026-11-30T12:00:00Z" });
  state.hostReopens = hostReopens;
  const picker = { state, locale, self };
  return sentenceOf({ by: null, mine: false, ...notice }, picker, languages[locale], []).text;
}

const refused = (type) => ({ kind: "refused", code: "nothingToUndo", detail: "", command: { type } });

const removed = (range) => ({ kind: "rangeCorrected", range, wanted: null, reason: "elapsed", cause: "clamp" });

for (const [locale, words] of Object.entries(languages)) {
  test(`a refused name says so in ${locale}`, () => {
    const notice = { kind: "refused", code: "notAllowed", detail: "", command: { type: "rename" } };
    assert.equal(textOf(notice, locale), words.refusals.nameNotAllowed);
  });

  test(`a refusal says that only the host can reopen a picker in ${locale}`, () => {
    const notice = { kind: "refused", code: "notOpen", detail: "", command: { type: "tap" } };
    assert.equal(textOf(notice, locale), words.refusals.notOpen);
    assert.equal(textOf(notice, locale, undefined, null, true), words.refusals.finalNotOpen);
    assert.notEqual(words.refusals.notOpen, words.refusals.finalNotOpen);
  });

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
  assert.equal(text("en"), "Somebody was faster with Dec 2 – 9, 2026. You have started anew.");
  for (const [locale, words] of Object.entries(languages)) assert.ok(text(locale).includes(words.somebody), locale);
});

test("a range that the own first tap has ended has its days in every language", () => {
  const range = { start: "2026-12-05", end: "2026-12-05", hits: 3, by: "m_1" };
  const finished = { start: "2026-12-02", end: "2026-12-09", hits: 2, by: "m_1" };
  const notice = { kind: "range", range, finished, cause: "tap", mine: true };
  const text = (locale) => textOf(notice, locale, undefined, { id: "m_1" });
  assert.equal(text("en"), "You have picked Dec 2 – 9, 2026, and started anew.");
  for (const [locale, words] of Object.entries(languages)) assert.ok(!text(locale).includes(words.somebody), locale);
});

test("an undo that restores a range is not a tap in any language", () => {
  const range = (start, end) => ({ start, end, hits: 1, by: "m_1" });
  const text = (restored, locale) => textOf({ kind: "range", range: restored, cause: "undo", by: "m_2" }, locale);
  assert.equal(text(range("2036-12-20", "2036-12-20"), "en"), "Somebody went back to Dec 20, 2036");
  assert.equal(text(range("2036-12-02", "2036-12-09"), "en"), "Somebody went back to Dec 2 – 9, 2036");
  for (const [locale, words] of Object.entries(languages)) {
    assert.doesNotMatch(text(range("2036-12-20", "2036-12-20"), locale), /^ | {2}| $/, locale);
    assert.equal(text(null, locale), words.was(words.somebody, words.cleared), locale);
  }
});

/** A picker in which `m_2`, Bo, has chosen December 24 to 26. */
function changedByBo(locale, more = {}) {
  const state = new PickerState();
  Object.assign(state, {
    now: "2026-11-30T12:00:00Z", definition: { kind: "calendar", selection: "range" }, monthList: { first: "2026-12", last: "2026-12", count: 1 },
    range: { start: "2026-12-24", end: "2026-12-26", hits: 4, by: "m_2" },
    result: { start: "2026-12-24", end: "2026-12-26", days: 3 },
  }, more);
  state.members.set("m_2", { id: "m_2", name: "Bo" });
  return { state, locale, self: { id: "m_1", color: "#123456" } };
}
const seen = { result: null, range: { start: "2026-12-05", end: "2026-12-08", hits: 2 }, texts: [] };
const late = (type, params = { revision: 9, by: "m_2" }, more = {}) => ({
  kind: "refused", code: "stale", detail: "", mine: true, command: { type, ref: 1, at: 7, ...more }, params,
  ...(type !== "tap" && { seen }),
});
const lateText = (notice, locale = "en", picker = changedByBo(locale)) =>
  sentenceOf(notice, picker, languages[locale], []);

test("a late command says what is chosen now, and by whom", () => {
  const { text, tone } = lateText(late("confirm"));
  assert.deepEqual([text, tone], ["Meanwhile Bo picked Dec 24 – 26.", "late"]);
  assert.equal(lateText(late("tap", undefined, { date: "2026-12-08" })).text, text);
  assert.equal(lateText(late("undo")).text, text);
  assert.equal(lateText(late("clear", { revision: 9 })).text, "Your choice is now Dec 24 – 26");
  assert.equal(lateText(late("clear", {})).text, "Your choice is now Dec 24 – 26");
  assert.equal(lateText(late("clear", { revision: 9, by: "m_7" })).text, "Meanwhile Somebody picked Dec 24 – 26.");
  const own = late("tap", { revision: 9, by: "m_1" }, { date: "2026-12-08" });
  assert.equal(lateText(own).text, "Your choice is now Dec 24 – 26");
});

test("a name is isolated where it or the sentence is written from right to left", () => {
  const called = (name, locale) => {
    const picker = changedByBo(locale);
    picker.state.members.set("m_2", { id: "m_2", name, color: "#123456" });
    const finished = { start: "2026-12-02", end: "2026-12-09", hits: 2, by: "m_2" };
    const say = (notice) => sentenceOf(notice, picker, languages[locale], []);
    return [
      say({ kind: "joined", member: picker.state.members.get("m_2") }).text,
      say({ kind: "range", range: null, by: "m_2", mine: false, cause: "clear" }).text,
      say({ kind: "range", range: null, finished, by: "m_1", mine: true, cause: "tap" }).text,
      say(late("confirm")).text,
    ];
  };
  const arabic = called("ضيف 27", "en");
  assert.deepEqual(arabic.slice(0, 2), ["\u2068ضيف 27\u2069 has joined", "\u2068ضيف 27\u2069 cleared the choice"]);
  assert.ok(arabic[2].startsWith("\u2068ضيف 27\u2069 was faster with Dec 2"));
  assert.ok(arabic[3].startsWith("Meanwhile \u2068ضيف 27\u2069 picked "));
  for (const text of called("Gast 44", "ar")) assert.ok(text.includes("\u2068Gast 44\u2069"), text);
  for (const text of called("Zoë 王 🏖", "de")) assert.doesNotMatch(text, /[\u2068\u2069]/);
  assert.deepEqual([isolated("\u202eanA", "en"), isolated("x\u2069\u202eabc", "ar")], ["anA", "\u2068xabc\u2069"]);
  for (const name of ["עדה", "Ana (ضيف)", "𞤀𞤣"]) assert.equal(isolated(name, "ja"), `\u2068${name}\u2069`);
});

test("what is there now may be nothing, an open range, rows, or a status", () => {
  const now = (more) => lateText(late("confirm"), "en", changedByBo("en", more)).text.replace(/^Meanwhile Bo picked (.*)\.$/, "$1");
  assert.equal(now({ range: null, result: null }), "Meanwhile Bo cleared the choice.");
  const range = { start: "2026-12-24", end: "2026-12-24", hits: 3, by: "m_2" };
  assert.equal(now({ range, result: null }), "Dec 24");
  assert.equal(now({ status: "cancelled" }), "Cancelled. Dec 24 – 26");
  assert.equal(now({ status: "confirming" }), "Asked for Dec 24 – 26");
  const columns = ["Linux", "Vim"].map((text) => ({ row: 0, at: () => ({ text }) }));
  const lists = { definition: { kind: "columns" }, monthList: null, range: null, columns };
  assert.equal(now({ ...lists, result: { keys: [] } }), "Linux · Vim");
  const date = { definition: { kind: "date" }, monthList: null, range: null, columns };
  assert.equal(now({ ...date, result: { date: "2026-12-24" } }), "Dec 24, 2026");
  const slot = { definition: { kind: "slot" }, monthList: null, range: null, columns };
  assert.equal(now({ ...slot, result: { local: "2026-12-24T09:30" } }), "Linux 9:30\u00a0AM");
});

test("the button does it on what is there now", () => {
  const label = (command, locale = "en") => lateLabel(command, changedByBo(locale), languages[locale]);
  assert.equal(label({ type: "confirm" }), "Confirm Dec 24 – 26");
  assert.equal(label({ type: "tap", date: "2026-12-08" }), "Use Dec 8 instead");
  assert.equal(label({ type: "redo" }), "Redo");
  assert.equal(label({ type: "confirm" }, "de"), "Bestätigen: 24.–26. Dez.");
  for (const [locale, words] of Object.entries(languages)) {
    assert.ok(label({ type: "confirm" }, locale).includes(words.confirm), locale);
    assert.ok(lateText(late("confirm"), locale).text.includes("Bo"), locale);
  }
});

test("the button sends the command anew", () => {
  assert.deepEqual(anew({ type: "tap", ref: 3, hits: 1, date: "2026-12-08" }), { type: "tap", date: "2026-12-08" });
  assert.deepEqual(anew({ type: "confirm", ref: 3, at: 7 }), { type: "confirm" });
});

test("a refused redo says so", () => {
  assert.equal(textOf(refused("redo"), "en"), "There is nothing to redo.");
  assert.equal(textOf(refused("undo"), "en"), "There is nothing to undo.");
});

test("the days that remain are not taken for those that were removed", () => {
  const days = removed({ start: "2036-12-01", end: "2036-12-03" });
  const wanted = {
    en: "Past days are gone: now it is Dec 1 – 3, 2036",
    de: "Vergangene Tage sind weg: jetzt ist es 1.–3. Dez. 2036",
    "zh-Hans": "过去的日期已移除，现在是 2036年12月1日 – 12月3日",
    ja: "過ぎた日は外れました。今は 2036年12月1日～12月3日 です",
  };
  for (const [locale, text] of Object.entries(wanted)) assert.equal(textOf(days, locale), text);
  for (const locale of Object.keys(languages)) {
    assert.doesNotMatch(textOf(days, locale), /[()（）]/);
    assert.doesNotMatch(textOf(removed(null), locale), /[()（）;；،，。]/, "nothing remains");
  }
});

test("what is in between and not available is a day of a range and a night of a stay, in every language", () => {
  const range = { start: "2036-12-10", end: "2036-12-12", hits: 2, by: "m_1" };
  const cut = (wanted) => ({ kind: "rangeCorrected", range, wanted, reason: "blocked", cause: "tap" });
  const text = (locale, unit, wanted = "2036-12-15") => textOf(cut(wanted), locale, { kind: "calendar", selection: "range", unit });
  assert.equal(text("en", "days"), "Ends on Dec 12, 2036: Dec 13, 2036 is taken");
  assert.equal(text("en", "days", "2036-12-05"), "Starts on Dec 10, 2036: Dec 9, 2036 is taken");
  assert.equal(text("en", "nights"), "Ends on Dec 12, 2036: a night in between is taken");
  assert.equal(textOf({ ...cut("2036-12-15"), by: "m_2" }, "en"), "Somebody ends on Dec 12, 2036: Dec 13, 2036 is taken");
  for (const [locale, { reasons, stay }] of Object.entries(languages)) {
    assert.ok(text(locale, "days").endsWith(reasons.blocked({ next: shortDate("2036-12-13", locale) })), locale);
    assert.ok(text(locale, "nights").endsWith(stay.reasons.blocked), locale);
  }
});

test("a time that has passed or is too soon has one sentence that is true of both", () => {
  const moved = { kind: "corrected", column: 2, wanted: { text: "00" }, to: { text: "50" }, reason: "elapsed" };
  const wanted = {
    en: "It is too late to pick that time",
    de: "Dieser Zeitpunkt ist nicht mehr wählbar",
    "zh-Hans": "已来不及选择该时间",
    ja: "その時刻はもう選べません",
    ar: "فات أوان اختيار ذلك الوقت",
  };
  for (const [locale, text] of Object.entries(wanted)) assert.equal(textOf(moved, locale, { kind: "slot" }), text);
});

test("others read what somebody does as a sentence, and this member what is chosen", () => {
  const range = { start: "2036-12-24", end: "2036-12-26", hits: 2, by: "m_2" };
  const says = (/** @type {any} */ notice, mine = false) =>
    sentenceOf({ by: "m_2", mine, cause: "tap", ...notice }, changedByBo("en"), en, []).text;
  assert.equal(says({ kind: "range", range }), "Bo picked Dec 24 – 26, 2036");
  assert.equal(says({ kind: "range", range }, true), "Dec 24 – 26, 2036 · 3 days");
  assert.equal(says({ kind: "range", range: { ...range, end: range.start, hits: 1 } }), "Bo starts on Dec 24, 2036");
  assert.equal(says({ kind: "range", range: { ...range, end: range.start, hits: 1 } }, true), "Dec 24, 2036. Now pick the last day.");
  assert.equal(says({ kind: "moved", column: 0, to: { key: "a", text: "Linux" } }), "Bo set Column 1 to Linux");
  assert.equal(says({ kind: "status", status: "confirming" }), "Bo asked for confirmation");
});

test("a month that is too short says so", () => {
  const picker = changedByBo("en", { definition: { kind: "date" } });
  picker.state.columns = [{}, { selected: { key: "02", text: "February" } }];
  const notice = { kind: "corrected", column: 2, wanted: { key: "31", text: "31" }, to: { key: "28", text: "28" }, reason: "monthLength", count: 28, mine: false, by: "m_2" };
  assert.equal(sentenceOf(notice, picker, en, []).text, "February has 28 days");
});

test("a notice of a command or role by the host names the host in every language", () => {
  const state = new PickerState();
  state.snapshot({
    revision: 3, members: [{ id: "m_2", name: "Bo", role: "editor", online: true }],
    snapshot: { definition: { kind: "calendar" }, status: "confirmed", reopen: "host", result: null },
  });
  assert.equal(state.hostReopens, true);
  const by = (type, changes) => state.delta({ type: "delta", revision: 4, host: true, changes, ...type }, false)[0];
  const reopened = by({}, [{ change: "status", status: "open" }]);
  const cleared = by({}, [{ change: "range", start: null, end: null, hits: 0, cause: "clear" }]);
  const [demoted] = state.presence({ changed: [{ id: "m_2", name: "Bo", role: "viewer", online: true }] });
  for (const [locale, words] of Object.entries(languages)) {
    const say = (notice) => sentenceOf(notice, changedByBo(locale), words, []);
    assert.equal(say(reopened).text, words.was(words.theHost, words.reopened), locale);
    assert.equal(say(cleared).text, words.was(words.theHost, words.cleared), locale);
    assert.equal(say(demoted).text, words.was(isolated("Bo", locale), words.roleNow.viewer), locale);
  }
});

test("the host that cancels says why in every language, and the sentence stays", () => {
  for (const [locale, words] of Object.entries(languages)) {
    const say = (change) => {
      const state = new PickerState();
      const [notice] = state.delta({ revision: 1, host: true, changes: [{ change: "status", ...change }] }, false);
      return sentenceOf(notice, { state, locale, self: null }, words, []);
    };
    const cancelled = say({ status: "cancelled", reason: "Dr. Weber is ill" });
    assert.deepEqual([cancelled.text, cancelled.tone], [`${words.cancelledNow} Dr. Weber is ill`, "decision"], locale);
    const taken = say({ status: "open", detail: "Dr. Weber is ill" });
    assert.deepEqual([taken.text, taken.tone], [words.denied("Dr. Weber is ill"), "decision"], locale);
    assert.equal(say({ status: "cancelled" }).text, words.was(words.theHost, words.cancelled), locale);
  }
});

test("after a time-out the host is who did not answer, in every language", () => {
  const names = { en: "host", de: "Anbieter", ja: "ホスト", "zh-Hans": "商家", ar: "المضيف" };
  const timeout = { kind: "status", status: "open", result: null, reason: "timeout", detail: null };
  for (const [locale, name] of Object.entries(names)) assert.ok(textOf(timeout, locale).includes(name), locale);
});

test("the rows of hours have the hours of the language, and other rows their own texts", () => {
  const texts = (/** @type {string} */ locale, /** @type {any} */ row, column = 1) =>
    rowText(/** @type {any} */ ({ locale, state: { definition: { kind: "slot" } } }), column, row);
  const row = { key: "14", text: "14 Uhr" };
  assert.equal(texts("en", row), "2\u00a0PM");
  assert.equal(texts("de", row), "14 Uhr");
  assert.equal(texts("en", row, 2), "14 Uhr");
  assert.equal(texts("en", { key: "", text: "" }), "");
  assert.equal(texts("en", null), "");
});

test("a span of days is written as its days are, in every language", () => {
  const spans = ["en", "de", "ja", "zh-Hans"].map((locale) => [
    dateSpan("2026-12-10", "2026-12-21", locale), dateSpan("2026-12-30", "2027-01-02", locale), daySpan("2026-11-30", "2026-12-03", locale),
  ]);
  assert.deepEqual(spans, [
    ["Dec 10 – 21, 2026", "Dec 30, 2026 – Jan 2, 2027", "Nov 30 – Dec 3"],
    ["10.–21. Dez. 2026", "30. Dez. 2026 – 2. Jan. 2027", "30. Nov. – 3. Dez."],
    ["2026年12月10日～12月21日", "2026年12月30日～2027年1月2日", "11月30日～12月3日"],
    ["2026年12月10日 – 12月21日", "2026年12月30日 – 2027年1月2日", "11月30日 – 12月3日"],
  ]);
});

test("a time with its weekday is written once, with the digits of its clock", () => {
  const at = Date.parse("2026-12-01T08:00Z");
  const text = (locale) => momentIn(at, "UTC", locale, false, true);
  assert.equal(text("de"), "Di., 08:00");
  for (const locale of Object.keys(languages)) {
    const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone: "UTC" }).format(at).replace(/\s/, "\u00a0");
    assert.ok(text(locale).includes(clock), text(locale));
    assert.doesNotMatch(text(locale), /\p{Nd}{3}/u, locale);
  }
});

test("short weekdays in Persian are letters", () => {
  assert.deepEqual([1, 7].map((weekday) => weekdayName(weekday, "fa")), ["ی", "ش"]);
  assert.equal(weekdayName(1, "fa-IR", "long"), "یکشنبه");
});
