// Notes and definition changes of the host: folding them, and the notice that users read.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Column } from "../../web/client/core/column.js";
import { PickerState } from "../../web/client/core/state.js";
import { sentenceOf } from "../../web/client/parts/sentences.js";
import { whyNot } from "../../web/client/calendar/why.js";
import { loadWords, wordsOf } from "../../web/client/words/words.js";

await Promise.all(["ar", "de", "ja", "zh-Hans"].map(loadWords));

const stay = { kind: "calendar", selection: "range", timeZone: "UTC", locale: "en", blocked: [] };
const picked = { start: "2026-12-20", end: "2026-12-26", hits: 2, by: "m_1" };

function calendar(definition = stay, range = picked) {
  const state = new PickerState();
  state.snapshot({ revision: 1, members: [], now: "2026-11-01T00:00:00Z", snapshot: {
    definition, version: 1, status: "open", result: null,
    calendar: { months: { first: "2026-11", last: "2027-01", count: 3 }, range },
  } });
  return state;
}

function columns(kind, ...lists) {
  const state = new PickerState();
  const rowsOf = (rows) => rows.map((text) => ({ key: text, text }));
  state.snapshot({ revision: 1, members: [], snapshot: {
    definition: { kind }, version: 1, status: "open", result: null,
    columns: lists.map((rows) => ({ generation: 1, count: rows.length, from: 0, rows: rowsOf(rows), row: 0 })),
  } });
  return state;
}

const host = (state, ...changes) => state.delta({ revision: state.revision + 1, changes }, false);
const define = (definition) => ({ change: "definition", version: 2, definition });
const cut = (end, reason, wanted) => ({ change: "range", ...picked, end, cause: "define", reason, wanted });
const gone = (reason) => ({ change: "range", start: null, end: null, hits: 0, cause: "define", reason, wanted: picked.end });
const reload = (column, rows, row) => ({ change: "reload", column, generation: 2, count: rows.length, from: 0, row,
  rows: rows.map((one) => (typeof one === "string" ? { key: one, text: one } : one)) });

/** The notice for a delta in a language. */
function said(state, notices, locale = "en") {
  const picker = { state, locale, self: null };
  return notices.map((notice) => sentenceOf(notice, picker, wordsOf(locale), [])?.text).join("\n");
}

test("a note is shown on its day in every month that has it, until it is removed", () => {
  const state = calendar();
  const cells = ["2026-11-30", "2026-12-01"].map((date) => ({ date, text: date.slice(8) }));
  state.takeMonths({ months: [{ month: "2026-11", cells, bands: [] }, { month: "2026-12", cells, bands: [] }] });
  host(state, { change: "notes", days: { "2026-12-01": { text: "€ 120", tone: "low" }, "2030-01-01": { text: "far" } } });
  for (const month of ["2026-11", "2026-12"]) {
    assert.deepEqual(state.months.get(month).cells[1], { ...cells[1], note: { text: "€ 120", tone: "low" } });
  }
  const before = state.months.get("2026-12");
  host(state, { change: "notes", days: { "2026-12-01": null } });
  assert.deepEqual(state.months.get("2026-12").cells[1], cells[1]);
  assert.ok(before.cells[1].note, "a month that somebody holds does not change under them");
});

test("a note remains on its row when the row is selected, and is removed by key", () => {
  const state = columns("columns", ["a", "b"]);
  host(state, { change: "notes", column: 0, rows: { b: { text: "sold out" }, z: { text: "for later" } } });
  assert.deepEqual(state.columns[0].at(1), { key: "b", text: "b", note: { text: "sold out" } });
  state.delta({ revision: 3, by: "m_2", changes: [{ change: "row", column: 0, row: 1, key: "b", text: "b", cause: "select" }] }, false);
  assert.deepEqual(state.columns[0].selected, { key: "b", text: "b", note: { text: "sold out" } });
  host(state, { change: "notes", column: 0, rows: { b: null } });
  assert.deepEqual(state.columns[0].selected, { key: "b", text: "b" });
  host(state, { change: "notes", column: 7, rows: { b: null } });
});

test("the version is that of the latest definition", () => {
  const state = calendar();
  host(state, define({ ...stay, maxDays: 4 }));
  assert.equal(state.version, 2);
});

test("the notice for a sold-out day has the shortened stay", () => {
  const state = calendar();
  const blocked = [{ from: "2026-12-24" }];
  const notices = host(state, define({ ...stay, blocked }), cut("2026-12-23", "blocked", "2026-12-26"));
  assert.equal(said(state, notices), "Dec 24 sold out: your stay now ends on Dec 23");
  assert.equal(said(state, notices, "de"), "24. Dez. ausgebucht: Ihr Aufenthalt endet jetzt am 23. Dez.");
  assert.equal(said(state, notices, "ja"), "12月24日 は空きがなくなりました。ご滞在は 12月23日 までになりました");
  assert.equal(said(state, notices, "zh-Hans"), "12月24日 已售完：您的住宿现在到 12月23日 为止");
  assert.match(said(state, notices, "ar"), /^نفدت الأماكن: .+؛ تنتهي إقامتك الآن في .+$/);
});

test("every reason of a definition change has a notice in every language", () => {
  const cases = [
    [{ maxDays: 3 }, cut("2026-12-22", "maxDays", "2026-12-26"), "At most 3 days now: your stay now ends on Dec 22"],
    [{ minDays: 9 }, gone("minDays"), "At least 9 days now: your stay is no longer possible and was cleared"],
    [{ min: "2026-12-22" }, { ...cut("2026-12-26", "min", "2026-12-26"), start: "2026-12-22" },
      "The earliest day is now Dec 22, 2026: your stay now begins on Dec 22"],
    [{ max: "2026-12-22" }, cut("2026-12-22", "max", "2026-12-26"), "The latest day is now Dec 22, 2026: your stay now ends on Dec 22"],
    [{ selection: "single" }, gone("selection"), "The choices have changed: your stay is no longer possible and was cleared"],
    [{ blocked: [{ from: "2026-12-20", through: "2026-12-21" }, { from: "2026-12-22" }] }, gone("blocked"),
      "Dec 20 – 22 sold out: your stay is no longer possible and was cleared"],
  ];
  for (const [change, range, sentence] of cases) {
    const state = calendar();
    const notices = host(state, define({ ...stay, ...change }), range);
    assert.equal(said(state, notices), sentence);
    const texts = ["en", "de", "ja", "zh-Hans", "ar"].map((locale) => said(state, notices, locale));
    assert.equal(new Set(texts).size, 5, sentence);
    for (const text of texts) assert.doesNotMatch(text, /undefined|null|NaN/, text);
  }
});

test("the notice for a change that leaves the selection has no consequence", () => {
  const state = calendar();
  const blocked = [{ from: "2026-11-10" }];
  assert.equal(said(state, host(state, define({ ...stay, blocked }))), "Nov 10 sold out");
  assert.equal(said(state, host(state, define(stay))), "Nov 10 available again");
  assert.equal(said(state, host(state, { change: "notes", days: { "2026-12-24": { text: "€ 120" } } })), "Dec 24: € 120");
  assert.equal(said(state, host(state, { change: "notes", days: { "2026-12-24": null } })), "Dec 24: note removed");
  assert.equal(said(state, host(state, { change: "notes", days: { "2026-12-24": null, "2026-12-25": null } })), "2 notes changed");
});

test("the notice lists renamed, removed and added rows", () => {
  const state = columns("columns", ["Linux", "Ubuntu"]);
  const renamed = host(state, define({ kind: "columns", locale: "de" }), reload(0, [{ key: "Linux", text: "Debian" }, "Ubuntu"], 0));
  assert.equal(said(state, renamed), "Linux is now called Debian");
  const removed = host(state, define({ kind: "columns" }), reload(0, ["Ubuntu"], 0),
    { change: "row", column: 0, row: 0, key: "Ubuntu", text: "Ubuntu", cause: "clamp", reason: "gone", wanted: "Linux" });
  assert.equal(said(state, removed), "Debian removed: your choice is now Ubuntu");
  assert.equal(said(state, host(state, define({ kind: "columns" }), reload(0, ["Ubuntu", "Haiku"], 0))), "Haiku added");
});

test("the notice for a booked day has the shortened stay", () => {
  const state = calendar();
  const notices = host(state, define({ ...stay }), cut("2026-12-23", "blocked", "2026-12-26"));
  assert.equal(said(state, notices), "The choices have changed: your stay now ends on Dec 23");
});

test("a day that somebody else has booked has no notice if the stay is the same", () => {
  const state = calendar();
  assert.equal(said(state, host(state, define({ ...stay }))), "");
  assert.equal(said(state, host(state, define({ ...stay, firstWeekday: 2 }))), "The choices have changed");
});

test("the notice for a booked time has the new time", () => {
  const state = columns("slot", ["2026-11-23"], ["10", "11"], ["00", "30"]);
  const notices = host(state, define({ kind: "slot" }), reload(2, ["30"], 0),
    { change: "row", column: 2, row: 0, key: "30", text: "30", cause: "clamp", reason: "gone", wanted: "00" });
  assert.equal(said(state, notices), "The choices have changed: your choice is now 2026-11-23 10:30\u00a0AM");
  const closed = host(state, define({ kind: "slot", dates: { "2026-11-23": [] } }), reload(0, [], null), reload(1, [], null), reload(2, [], null));
  assert.match(said(state, closed), /: nothing is left to choose$/);
});

const day = (date, text) => ({ key: date, text });
const tuesday = day("2026-12-01", "Tue, Dec 1");
const wednesday = day("2026-12-02", "Wed, Dec 2");
const row = (column, row, key, wanted, because) => (
  { change: "row", column, row, key, text: key, cause: "clamp", reason: "gone", wanted, because });
const slots = () => {
  const state = columns("slot", ["2026-12-01"], ["08", "09"], ["00", "30"]);
  host(state, { change: "definition", version: 1, definition: { kind: "slot" } }, reload(0, [tuesday, wednesday], 0));
  return state;
};

test("the notice for a slot that is gone says why, what was selected, and what is now", () => {
  const cases = [
    [[reload(2, ["30"], 0), row(2, 0, "30", "00", "taken")], "8:00\u00a0AM has just been booked: your choice is now Tue, Dec 1 8:30\u00a0AM"],
    [[reload(1, ["09"], 0), row(1, 0, "09", "08", "closed")], "8:00\u00a0AM is outside the opening hours: your choice is now Tue, Dec 1 9:00\u00a0AM"],
    [[reload(0, [wednesday], 0), { ...row(0, 0, "2026-12-02", "2026-12-01", "closed"), text: wednesday.text }],
      "Closed on Tue, Dec 1: your choice is now Wed, Dec 2 8:00\u00a0AM"],
    [[reload(0, [tuesday, wednesday], 1), { ...row(0, 1, "2026-12-02", "2026-12-01", "taken"), text: wednesday.text }],
      "Tue, Dec 1 8:00\u00a0AM has just been booked: your choice is now Wed, Dec 2 8:00\u00a0AM"],
    [[reload(2, ["15", "45"], 0), row(2, 0, "15", "00", "rules")], "8:00\u00a0AM removed: your choice is now Tue, Dec 1 8:15\u00a0AM"],
    [[reload(0, [], null), reload(1, [], null), reload(2, [], null),
      { change: "result", result: null, reason: "gone", because: "taken" }],
    "Tue, Dec 1 8:00\u00a0AM has just been booked: nothing is left to choose"],
  ];
  for (const [changes, sentence] of cases) {
    const state = slots();
    const notices = host(state, define({ kind: "slot", hours: [] }), ...changes);
    assert.equal(said(state, notices), sentence);
    const texts = ["en", "de", "ja", "zh-Hans", "ar"].map((locale) => said(state, notices, locale));
    assert.equal(new Set(texts).size, 5, sentence);
    for (const text of texts) assert.doesNotMatch(text, /undefined|null|NaN|Invalid/, text);
  }
  const state = slots();
  const booked = host(state, define({ kind: "slot" }), reload(2, ["30"], 0), row(2, 0, "30", "00", "taken"));
  assert.equal(said(state, booked, "de"), "08:00 ist eben vergeben worden: Ihre Auswahl ist jetzt Tue, Dec 1 08:30");
  const closed = host(state, define({ kind: "slot" }), reload(0, [wednesday], 0), row(0, 0, "2026-12-02", "2026-12-01", "closed"));
  assert.match(said(state, closed, "de"), /^Am Di., 1. Dez. geschlossen: /);
});

test("a reopen whose definition leaves no slot says why", () => {
  const state = slots();
  const notices = host(state, reload(0, [], null), reload(1, [], null), reload(2, [], null),
    { change: "result", result: null, reason: "gone", because: "closed" });
  assert.equal(said(state, notices), "Closed on Tue, Dec 1: nothing is left to choose");
});

test("a reopen applies a pending definition whose delta has no definition", () => {
  const state = calendar();
  assert.equal(said(state, host(state, cut("2026-12-23", "blocked", "2026-12-26"))), "Your stay now ends on Dec 23");
});

test("changes by ticks and members make no notice of the host", () => {
  const state = calendar();
  const tick = { change: "range", ...picked, start: "2026-12-21", cause: "tick", reason: "elapsed", wanted: "2026-12-26" };
  assert.equal(host(state, tick)[0].kind, "rangeCorrected");
  const tap = { change: "range", ...picked, cause: "tap", reason: "blocked", wanted: "2026-12-28" };
  assert.equal(state.delta({ revision: 3, by: "m_2", changes: [tap] }, false)[0].kind, "rangeCorrected");
});

test("a blocked day has the reason, and a booked one has none", () => {
  const definition = { ...stay, blocked: [{ from: "2026-12-24", through: "2026-12-26" }] };
  const picker = { state: calendar(definition), locale: "en" };
  assert.equal(whyNot("2026-12-25", picker, wordsOf("en")), "Dec 24, 2026 to Dec 26, 2026 is taken");
  assert.equal(whyNot("2026-12-23", picker, wordsOf("en")), "not available");
});

test("a row sent without its note retains the known note, and other rows do not get it", () => {
  const column = new Column({ generation: 1, count: 2, from: 0, row: 0,
    rows: [{ key: "a", text: "A", note: { text: "€ 9" } }, { key: "b", text: "B" }] });
  assert.deepEqual(column.rowWith({ change: "row", row: 0, key: "a", text: "Ä" }), { key: "a", text: "Ä", note: { text: "€ 9" } });
  assert.deepEqual(column.rowWith({ change: "row", row: 0, key: "c", text: "C" }), { key: "c", text: "C" });
});
