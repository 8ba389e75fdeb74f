import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { predictChosen, predictHits, predictRange, predictRows, rangeAfterTap } from "../../web/client/core/predict.js";
import { PickerState } from "../../web/client/core/state.js";

const vectors = JSON.parse(readFileSync(new URL("../golden/calendar.json", import.meta.url), "utf8"));

/** A calendar with all months loaded and no disabled days. */
function calendar(definition, range = null) {
  const state = new PickerState();
  state.snapshot({
    revision: 0, status: "open", members: [],
    snapshot: {
      definition: { firstWeekday: 1, weeks: "six", selection: "range", ...definition }, status: "open", result: null,
      calendar: { months: { first: "2010-01", last: "2020-12", count: 132 }, range },
    },
  });
  const get = state.months.get.bind(state.months);
  state.months.get = (month) => get(month) ?? {
    month, bands: [],
    cells: Array.from({ length: 31 }, (_, day) => ({ date: `${month}-${String(day + 1).padStart(2, "0")}`, text: "" })),
  };
  return state;
}

test("predicted taps match the golden vectors without disabled days", () => {
  let guessed = 0;
  for (const vector of vectors) {
    const { blocked, min, max } = vector.definition;
    if (blocked || min || max) continue;
    let before = null;
    for (const { do: act, expect } of vector.steps) {
      const { start, end, hits } = expect.calendar ?? {};
      const after = start ? { start, end, hits } : null;
      if (act.tap?.date && !expect.rejected) {
        const guess = rangeAfterTap(calendar(vector.definition), before, act.tap.date, "m");
        assert.deepEqual(guess, { ...after, by: "m" }, vector.name);
        guessed += 1;
      }
      if (expect.calendar) before = after;
    }
  }
  assert.ok(guessed > 0);
});

test("a predicted second tap is clamped to the reach", () => {
  const range = { start: "2016-08-10", end: "2016-08-10", hits: 1, reach: { from: "2016-08-06", through: "2016-08-14" } };
  const state = calendar({ maxDays: 5 }, range);
  const far = predictRange(state, [{ ref: 1, sent: true, message: { type: "tap", date: "2016-08-20" } }], "m");
  assert.deepEqual(far, { range: { start: "2016-08-10", end: "2016-08-14", hits: 2, by: "m" }, isGuess: true });
});

test("a second tap is predicted without the reach, as long as the first one has no answer", () => {
  const taps = (...days) => days.map((day, index) => ({ ref: index, sent: false, message: { type: "tap", date: `2016-08-${day}` } }));
  const after = (definition, disabled, ...days) => {
    const state = calendar(definition);
    const months = state.months.get("2016-08");
    for (const cell of months.cells) if (disabled.includes(cell.date)) cell.disabled = true;
    state.months.set("2016-08", months);
    const { start, end, hits } = predictRange(state, taps(...days), "m").range;
    return [start.slice(8), end.slice(8), hits];
  };
  assert.deepEqual(after({ maxDays: 5 }, [], 10, 12), ["10", "12", 2]);
  assert.deepEqual(after({ maxDays: 5 }, [], 10, 20), ["10", "14", 2]);
  assert.deepEqual(after({ maxDays: 5 }, [], 20, 10), ["16", "20", 2]);
  assert.deepEqual(after({}, ["2016-08-14"], 10, 20), ["10", "13", 2]);
  assert.deepEqual(after({}, ["2016-08-14"], 20, 10), ["15", "20", 2]);
  assert.deepEqual(after({ allowBlockedInside: true }, ["2016-08-14"], 10, 20), ["10", "20", 2]);
  assert.deepEqual(after({ maxDays: 3 }, ["2016-08-14"], 13, 12), ["12", "13", 2]);
  assert.deepEqual(after({ maxDays: 5 }, [], 10, 20, 25), ["25", "25", 3]);
});

test("a value that is set is shown at once, and a tap after it starts a new range", () => {
  const state = calendar({});
  const set = (result) => ({ message: { type: "set", result } });
  assert.deepEqual(predictRange(state, [set({ start: "2016-08-05", end: "2016-08-09", days: 5 })], "m_1"), {
    range: { start: "2016-08-05", end: "2016-08-09", hits: 2, by: "m_1" }, isGuess: true });
  assert.equal(predictRange(state, [set({ date: "2016-08-05" })], "m_1").range.hits, 1);
  const tap = { message: { type: "tap", date: "2016-08-11" } };
  assert.equal(predictHits(state, [tap, set({ start: "2016-08-05", end: "2016-08-09" }), tap], "m_1"), 3);
});

test("a range below minDays is not predicted", () => {
  const state = calendar({ minDays: 3 }, { start: "2016-08-10", end: "2016-08-10", hits: 1 });
  assert.equal(rangeAfterTap(state, state.range, "2016-08-11", "m"), null);
});

test("a pending select is shown by row, or by key after a reload of its column", () => {
  const state = new PickerState();
  const rows = ["a", "b", "c"].map((key) => ({ key, text: key }));
  state.snapshot({
    revision: 0, status: "open", members: [],
    snapshot: { definition: { kind: "columns" }, status: "open", result: null, columns: [{ generation: 2, count: 3, from: 0, rows, row: 0 }] },
  });
  const select = (message) => predictRows(state, [{ ref: 1, sent: true, message: { type: "select", column: 0, ...message } }]);
  assert.deepEqual(select({ row: 2, generation: 2 }), [2]);
  assert.deepEqual(select({ row: 2, generation: 1, key: "b" }), [1]);
  assert.deepEqual(select({ row: 2, generation: 1, key: "z" }), [0]);
  assert.deepEqual(select({ row: 2, generation: 1 }), [0]);
});

/** The chosen rows of wheels with `columns` of keys, the first of each selected, after selects of `[column, row]`. */
function chosen(kind, columns, selects, { status = "open", result = "former", rows = columns.map(() => 0) } = {}) {
  const state = new PickerState();
  const wheels = columns.map((keys, column) => ({
    generation: 1, count: keys.length, from: 0, rows: keys.map((key) => ({ key, text: `<${key}>` })), row: rows[column],
  }));
  state.snapshot({
    revision: 0, status, members: [], snapshot: { definition: { kind }, status, result, columns: wheels },
  });
  const pending = selects.map(([column, row], index) => (
    { ref: index, sent: true, message: { type: "select", column, row, generation: 1, key: columns[column][row] } }));
  const { result: after, texts } = predictChosen(state, pending, "m");
  return [after, texts.join(" ")];
}

test("the chosen rows of independent columns are those that the member has selected", () => {
  const lists = [["a", "b"], ["c", "d"]];
  assert.deepEqual(chosen("columns", lists, []), ["former", "<a> <c>"]);
  assert.deepEqual(chosen("columns", lists, [[0, 1]]), [{ keys: ["b", "c"] }, "<b> <c>"]);
  assert.deepEqual(chosen("columns", lists, [[0, 1], [0, 0]]), ["former", "<a> <c>"]);
  assert.deepEqual(chosen("columns", lists, [[0, 1]], { status: "confirmed" }), ["former", "<a> <c>"]);
});

test("a chosen row is unknown while an earlier column of a tree has moved", () => {
  const tree = [["a", "b"], ["c", "d"], ["e", "f"]];
  assert.deepEqual(chosen("cascade", tree, [[0, 1]]), [null, "<b> …"]);
  assert.deepEqual(chosen("cascade", tree, [[0, 0]]), ["former", "<a> <c> <e>"], "it has not moved");
  assert.deepEqual(chosen("cascade", tree, [[0, 1], [0, 0]]), [null, "<a> …"], "the others need not be as before");
  assert.deepEqual(chosen("cascade", tree, [[0, 1], [1, 1]]), [null, "<b> <d> …"]);
  assert.deepEqual(chosen("cascade", tree, [[0, 1], [2, 0]]), [null, "<b> … <e>"]);
  assert.deepEqual(chosen("cascade", tree, [[2, 1]]), [{ keys: ["a", "c", "f"] }, "<a> <c> <f>"]);
});

test("a chosen slot is known as far as its day, hour and minute are", () => {
  const slot = [["2018-11-23", "2018-11-24"], ["10", "11"], ["00", "30"]];
  assert.deepEqual(chosen("slot", slot, [[0, 1]]), [null, "<2018-11-24> …"]);
  assert.deepEqual(chosen("slot", slot, [[1, 1]]), [null, "<2018-11-23> <11> …"]);
  assert.deepEqual(chosen("slot", slot, [[1, 1], [2, 1]])[0], { local: "2018-11-23T11:30" });
});

test("a chosen date is unknown if its month has no such day", () => {
  const date = [["2019", "2020"], ["01", "02"], ["29", "31"]];
  assert.deepEqual(chosen("date", date, [[0, 1]])[0], { date: "2020-01-29" });
  assert.deepEqual(chosen("date", date, [[0, 1], [1, 1]])[0], { date: "2020-02-29" });
  assert.deepEqual(chosen("date", date, [[1, 1]]), [null, "<2019> <02> …"]);
});

test("a chosen row that was not received is unknown", () => {
  const state = new PickerState();
  const column = { generation: 1, count: 9_000, from: 0, rows: [{ key: "a", text: "a" }], row: 0 };
  state.snapshot({
    revision: 0, status: "open", members: [],
    snapshot: { definition: { kind: "columns" }, status: "open", result: { keys: ["a"] }, columns: [column] },
  });
  const message = { type: "select", column: 0, row: 7_000, generation: 1 };
  assert.deepEqual(predictChosen(state, [{ ref: 1, sent: true, message }], "m"), { result: null, range: null, texts: ["…"] });
});
