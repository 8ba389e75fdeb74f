import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { predictRange, predictRows, rangeAfterTap } from "../../web/client/core/predict.js";
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
