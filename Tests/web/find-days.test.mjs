// What the dialog for an availability proposes, and what it does not accept.

import assert from "node:assert/strict";
import { test } from "node:test";
import { problemOf, proposedDates } from "../../web/demo/find-days.js";

/** A Saturday. */
const today = "2026-11-28";
const week = { title: "Planning", today, first: "2026-11-30", last: "2026-12-04" };
const office = { from: 540, until: 1_080, minutes: 60, step: 30, now: 720 };
const times = (given = {}, hours = {}) => problemOf({ ...week, ...given, times: { ...office, ...hours } });
const dates = (given = {}, found = {}) => problemOf({ ...week, ...given, dates: { days: 2, weekends: true, ...found } });

test("a weekend is proposed from the next Saturday, times from tomorrow", () => {
  const firsts = ["2026-11-26", "2026-11-27", "2026-11-28", "2026-11-29"].map((day) => proposedDates("dates", day));
  assert.deepEqual(firsts.map(({ first }) => first), ["2026-11-28", "2026-11-28", "2026-12-05", "2026-12-05"]);
  assert.equal(firsts[0].last, "2027-01-22");
  assert.deepEqual(proposedDates("times", today), { first: "2026-11-29", last: "2026-12-03" });
});

test("what is proposed is accepted", () => {
  for (const [kind, check] of [["dates", dates], ["times", times]]) assert.equal(check(proposedDates(kind, today)), null);
  assert.equal(times(), null);
  assert.equal(times({ first: "", last: "" }), null, "the browser asks for a date");
});

test("a length that does not fit between the hours is named at the length", () => {
  assert.deepEqual(times({}, { until: 600, minutes: 180 }), { field: "minutes", problem: "tooLong" });
  assert.equal(times({}, { until: 720, minutes: 180 }), null);
});

test("hours in the wrong order are named at the later one", () => {
  for (const until of [540, 480]) assert.deepEqual(times({}, { until }), { field: "until", problem: "untilBeforeFrom" });
});

test("weekends are not found in a working week, nor days in a row in too few dates", () => {
  assert.deepEqual(dates(), { field: "last", problem: "noWeekend" });
  assert.deepEqual(dates({ last: "2026-12-05" }), { field: "last", problem: "noWeekend" });
  assert.equal(dates({ last: "2026-12-05" }, { days: 1 }), null);
  assert.equal(dates({ last: "2026-12-06" }), null);
  assert.equal(dates({}, { days: 5, weekends: false }), null);
  assert.deepEqual(dates({}, { days: 6, weekends: false }), { field: "last", problem: "tooFewDays" });
  assert.equal(dates({}, { days: NaN, weekends: false }), null, "the browser asks for a number");
});

test("dates in the past and in the wrong order are named at their field", () => {
  assert.deepEqual(times({ first: "2026-11-27" }), { field: "first", problem: "past" });
  assert.equal(times({ first: today, last: today }), null);
  assert.deepEqual(times({ first: today, last: today }, { now: 1_020 }), { field: "last", problem: "past" });
  assert.deepEqual(times({ last: "2026-11-29" }), { field: "last", problem: "lastBeforeFirst" });
});

test("more dates or cells than the server accepts are named with their maximum", () => {
  assert.equal(dates({ last: "2027-11-30" }), null);
  assert.deepEqual(dates({ last: "2027-12-01" }), { field: "last", problem: "tooManyDays", days: 366 });
  assert.equal(times({ last: "2027-02-20" }, { from: 0, until: 1_440 }), null);
  // When clocks are set back, the server counts an hour more.
  assert.deepEqual(times({ last: "2027-02-21" }, { from: 0, until: 1_440 }), { field: "last", problem: "tooManyDays", days: 83 });
});

test("a title of blanks is none", () => {
  for (const title of ["", "  "]) assert.deepEqual(times({ title }), { field: "name", problem: "noTitle" });
});
