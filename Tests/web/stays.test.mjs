import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { addingDays, dateOfExpression, ordinalOf, weekdayOf } from "../../web/client/core/civil.js";
import { rangeAfterTap, resultOfRange } from "../../web/client/core/predict.js";
import { PickerState } from "../../web/client/core/state.js";
import { hostedOf } from "../../web/client/parts/hosted.js";
import { rulesOn, stayFinder, whyNoStay } from "../../web/client/core/stays.js";

const vectors = JSON.parse(readFileSync(new URL("../golden/nights.json", import.meta.url), "utf8"));

/** The cells that the server sends for a definition, of every month. */
function cellsOf(definition, first, last, today) {
  const low = dateOfExpression(definition.min ?? first, today);
  const high = dateOfExpression(definition.max ?? last, today);
  const [min, max] = [low > first ? low : first, high < last ? high : last];
  const closed = [...(definition.blocked ?? []), ...Object.values(definition.taken ?? {})];
  const isFree = (date) => date >= min && date < max && !closed.some(({ from, through = from, weekdays }) =>
    (weekdays ? weekdays.includes(weekdayOf(ordinalOf(date))) : date >= from && date <= through));
  return (month) => ({
    month, bands: [],
    cells: Array.from({ length: 31 }, (_, day) => {
      const date = `${month}-${String(day + 1).padStart(2, "0")}`;
      const arrival = rulesOn(definition, date).arrival && isFree(date);
      const departure = rulesOn(definition, date).departure && isFree(addingDays(date, -1));
      return {
        date, text: "", ...(!arrival && !departure && { disabled: true }),
        ...(arrival !== departure && { only: arrival ? "arrival" : "departure" }),
      };
    }),
  });
}

function stateOf(definition, calendar, today) {
  const state = new PickerState();
  const { first, last, start, end, hits, reach } = calendar;
  const range = start && { start, end, hits, ...(reach && { reach }) };
  state.snapshot({
    revision: 0, status: "open", members: [],
    snapshot: {
      definition: { firstWeekday: 1, weeks: "six", selection: "range", ...definition }, status: "open", result: null,
      calendar: { months: { first, last, count: 1 }, range },
    },
  });
  state.months.get = cellsOf(definition, `${first}-01`, addingDays(`${last}-01`, 27), today);
  // The last day of the last month.
  for (let day = `${last}-28`; day.startsWith(last); day = addingDays(day, 1)) {
    state.months.get = cellsOf(definition, `${first}-01`, day, today);
  }
  return state;
}

for (const knowsReach of [true, false]) {
  test(`predicted taps match the golden vectors ${knowsReach ? "with" : "without"} the server's reach`, () => {
    let guessed = 0;
    for (const vector of vectors) {
      let definition = vector.definition;
      let before = null;
      for (const { now, do: act, expect } of vector.steps) {
        if (act.define && !expect.error) definition = act.define;
        const date = act.tap?.date;
        if (date && before && definition.unit === "nights" && !["outsideMonths", "beforeMin", "afterMax"].includes(expect.rejected)) {
          const { reach, ...known } = before;
          const state = stateOf(definition, { ...known, ...(knowsReach && reach && { reach }) }, now.slice(0, 10));
          const { start, end, hits } = expect.calendar;
          const wanted = expect.rejected ? null : { start, end, hits, by: "m" };
          const guess = rangeAfterTap(state, state.range, date, "m");
          assert.deepEqual(guess, wanted, `${vector.name}: ${date} ${JSON.stringify(before)}`);
          assert.deepEqual(wanted && resultOfRange(state, guess), wanted && expect.result);
          guessed += 1;
        }
        before = expect.calendar ?? before;
      }
    }
    assert.ok(guessed > 50, String(guessed));
  });
}

test("the reason of a day on which no stay begins or ends is that of the server", () => {
  let known = 0;
  for (const vector of vectors) {
    let definition = vector.definition;
    for (const { now, do: act, expect } of vector.steps) {
      if (act.define && !expect.error) definition = act.define;
      if (!["blocked", "noArrival", "noDeparture"].includes(expect.rejected) || expect.calendar.hits % 2) continue;
      const state = stateOf(definition, expect.calendar, now.slice(0, 10));
      assert.equal(whyNoStay(state, act.tap.date), expect.rejected, `${vector.name}: ${act.tap.date}`);
      known += 1;
    }
  }
  assert.ok(known > 3, String(known));
});

test("a night can be part of a stay if it is free between a day of arrival and one of departure", () => {
  const nights = (definition, first = "2026-08") => {
    const month = { first, last: "2026-09" };
    const state = stateOf({ kind: "calendar", unit: "nights", ...definition }, month, "2026-07-01");
    const read = state.months.get;
    const known = new Map();
    const isListed = (name) => name >= month.first && name <= month.last;
    state.months.get = (name) => known.get(name) ?? known.set(name, isListed(name) ? read(name) : undefined).get(name);
    const dates = Array.from({ length: 31 }, (_, day) => addingDays("2026-08-01", day));
    return dates.filter(stayFinder(state)).map((date) => Number(date.slice(8)));
  };
  const upTo = (first, last) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const weekdays = [1, 2, 3, 4, 5, 6];
  const august = { from: "2026-08-01", through: "2026-08-31" };
  const arrival = [{ ...august, weekdays, arrival: false }];
  const weeks = [{ weekdays, arrival: false, departure: false }];

  assert.deepEqual(nights({}), upTo(1, 31));
  assert.deepEqual(nights({ stays: arrival }), upTo(1, 31), "August 1 is a Saturday");
  assert.deepEqual(nights({ stays: weeks }), upTo(1, 31), "weeks only, the last of which ends in September");
  assert.deepEqual(nights({ stays: arrival, maxNights: 3 }), [1, 2, 3, 8, 9, 10, 15, 16, 17, 22, 23, 24, 29, 30, 31]);
  const taken = { a: { from: "2026-08-11", through: "2026-08-12" } };
  assert.deepEqual(nights({ stays: arrival, taken }), [...upTo(1, 10), ...upTo(15, 31)], "nobody arrives on August 13");
  const week = { a: { from: "2026-08-08", through: "2026-08-14" } };
  assert.deepEqual(nights({ stays: weeks, taken: week }), [...upTo(1, 7), ...upTo(15, 31)]);
  assert.deepEqual(nights({ stays: arrival, min: "2026-08-05" }), upTo(8, 31), "before min nobody arrives");
  assert.deepEqual(nights({ stays: arrival, max: "2026-08-20" }), upTo(1, 19), "max is the last departure");
  assert.deepEqual(nights({ stays: weeks, max: "2026-08-20" }), upTo(1, 14));
  assert.deepEqual(nights({ stays: [{ ...august, arrival: false }] }), [], "no month before August is listed");
});

test("the host's price is a notice, also for a day out of view", () => {
  const state = stateOf({ kind: "calendar", unit: "nights" }, { first: "2026-12", last: "2026-12" }, "2026-11-20");
  state.months = new Map();
  const stay = { start: "2026-12-12", end: "2026-12-15", nights: 3 };
  const total = { amount: 380, currency: "EUR" };
  const first = state.delta({ revision: 1, changes: [{ change: "result", result: { ...stay, total } }] }, false);
  assert.equal(hostedOf(first[0]), null, "nothing was chosen before");
  const dearer = { ...stay, total: { ...total, amount: 420 } };
  const note = { change: "notes", days: { "2026-12-12": { text: "€ 160", amount: 160 } } };
  for (const changes of [[{ change: "result", result: dearer }], [note, { change: "result", result: { ...stay, total } }]]) {
    const [notice] = state.delta({ revision: 2, changes }, false);
    assert.equal(notice.kind, "hosted");
    assert.deepEqual(hostedOf(notice).total.after, changes.at(-1).result);
  }
});
