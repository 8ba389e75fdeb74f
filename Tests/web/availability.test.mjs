import assert from "node:assert/strict";
import { test } from "node:test";
import { commandsOf, countsOf, ownMarks, peopleAt, respondentCount, scoreOf } from "../../web/client/availability/marks.js";
import { clockOf, instantOf, placeIn } from "../../web/client/availability/zones.js";
import { problemOf } from "../../web/client/core/arguments.js";
import { PickerState } from "../../web/client/core/state.js";

const days = [{ date: "2018-11-26", text: "Mon, Nov 26", cells: [[0, 4, 0]] }];
const rows = ["09:00", "09:30", "10:00", "10:30"].map((time) => ({ time, text: time }));
const wire = {
  generation: 1, count: 4, past: 0, closed: false, timeZone: "Europe/Berlin", days, rows, respondents: 1,
  marks: [{ member: "b", name: "Bo", color: "#123456", runs: [[0, 2, "yes"], [3, 4, "maybe"]] }],
  heat: [[0, 2, 1, 0, 0], [3, 4, 0, 1, 0]], best: [{ cell: 0, text: "Mon, Nov 26, 09:00–09:30", yes: 1, maybe: 0, no: 0 }],
};
const known = (fields) => {
  const state = new PickerState();
  state.snapshot({ revision: 0, members: [], snapshot: {
    definition: { kind: "availability" }, status: "open", result: null, availability: { ...wire, ...fields } } });
  return state;
};
const delta = (state, ...changes) => state.delta({ revision: state.revision + 1, changes }, false);

test("marks and counts are folded by cell", () => {
  const state = known();
  const { availability } = state;
  assert.deepEqual([...availability.marks.get("b").cells], ["yes", "yes", undefined, "maybe"]);
  assert.deepEqual(availability.heat[3], [0, 1, 0]);
  delta(state,
    { change: "past", past: 1 }, { change: "closed", closed: true },
    { change: "marks", member: "b", name: "Bo", color: "#123456", runs: [[1, 3, "no"], [3, 4, null]] },
    { change: "marks", member: "c", name: "Cy", color: "#654321", runs: [[0, 1, "yes"]] },
    { change: "heat", respondents: 2, runs: [[0, 1, 2, 0, 0], [1, 3, 0, 0, 1], [3, 4, 0, 0, 0]] },
    { change: "best", windows: [] }, { change: "result", result: null });
  assert.deepEqual([...availability.marks.get("b").cells], ["yes", "no", "no", null]);
  assert.equal(availability.marks.get("c").name, "Cy");
  assert.deepEqual(availability.heat, [[2, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0]]);
  const { past, closed, respondents, best } = availability;
  assert.deepEqual({ past, closed, respondents, best }, { past: 1, closed: true, respondents: 2, best: [] });
});

test("cells that are numbered anew have the marks that follow", () => {
  const state = known();
  delta(state, { change: "cells", generation: 2, count: 2, past: 0, timeZone: "Europe/Berlin", days: [], rows: rows.slice(2) },
    { change: "marks", member: "b", name: "Bo", color: "#123456", runs: [[1, 2, "maybe"]] },
    { change: "heat", respondents: 1, runs: [[1, 2, 0, 1, 0]] });
  const { generation, count, marks, heat } = state.availability;
  assert.deepEqual([generation, count, marks.get("b").cells[1], marks.get("b").cells[0]], [2, 2, "maybe", undefined]);
  assert.deepEqual(heat[0], undefined);
});

test("what a member may not see stays unknown", () => {
  const state = known({ marks: [], heat: undefined, best: undefined, respondents: undefined });
  delta(state, { change: "cells", generation: 2, count: 0, past: 0, timeZone: "UTC", days: [], rows: [] });
  assert.equal(state.availability.heat, undefined);
  assert.equal(state.availability.best, undefined);
});

test("a mark that the server would not read is not sent", () => {
  const mark = (cells, grade = "yes") => problemOf({ type: "mark", grade, cells, generation: 1 });
  for (const cells of [[[0, 1]], [[0, 2], [2, 5]], [[-1, 4]]]) assert.equal(mark(cells), null, JSON.stringify(cells));
  assert.equal(mark([[0, 1]], null), null);
  const many = Array.from({ length: 65 }, (_, at) => [at * 2, at * 2 + 1]);
  for (const cells of [[], [[0, 0]], [[2, 1]], [[0, 2], [1, 3]], [[0]], [[0, 1, 2]], [["0", 1]], [null], 5, undefined, many]) {
    assert.match(mark(cells), /^cells must be/, JSON.stringify(cells));
  }
  assert.match(mark([[0, 1]], 1), /^grade must be/);
  assert.match(problemOf({ type: "confirm", cell: "1" }), /^cell must be/);
  assert.equal(problemOf({ type: "confirm" }), null);
});

test("own marks are shown as they will be, and counted", () => {
  const state = known();
  const { availability } = state;
  const mark = (grade, generation, ...cells) => ({ message: { type: "mark", grade, cells, generation } });
  const picker = { state, self: { id: "c", name: "Cy", color: "#654321" },
    pending: [mark("yes", 1, [1, 4]), mark("no", 2, [0, 1]), mark(null, 1, [3, 4])] };
  const own = ownMarks(picker, availability);
  assert.deepEqual([...own], [undefined, "yes", "yes", null]);
  assert.deepEqual(countsOf(availability, 1, undefined, "yes"), [2, 0, 0]);
  assert.deepEqual(countsOf(availability, 3, undefined, null), [0, 1, 0]);
  assert.deepEqual(availability.heat[1], [1, 0, 0], "what the server has sent is unchanged");
  assert.equal(respondentCount(availability, [], own), 2);
  const names = (people) => Object.fromEntries(Object.entries(people).map(([grade, all]) => [grade, all.map(({ name }) => name)]));
  assert.deepEqual(names(peopleAt(picker, availability, 1, own)), { yes: ["Bo", "Cy"], maybe: [], no: [], unmarked: [] });
  assert.deepEqual(names(peopleAt(picker, availability, 2, own)), { yes: ["Cy"], maybe: [], no: [], unmarked: ["Bo"] });
  assert.deepEqual([...ownMarks({ ...picker, pending: [...picker.pending, { message: { type: "clear" } }] }, availability)], []);
});

test("cells are sent as runs, at most 64 in a command", () => {
  assert.deepEqual(commandsOf([5, 1, 2, 3]), [[[1, 4], [5, 6]]]);
  const commands = commandsOf(Array.from({ length: 65 }, (_, at) => at * 2));
  assert.deepEqual(commands.map((runs) => runs.length), [64, 1]);
  for (const cells of commands) assert.equal(problemOf({ type: "mark", grade: "yes", cells, generation: 1 }), null);
});

test("local times and instants at changes of the clock", () => {
  const berlin = (date, time) => new Date(instantOf(date, time, "Europe/Berlin")).toISOString();
  assert.equal(berlin("2026-11-23", "09:00"), "2026-11-23T08:00:00.000Z");
  assert.equal(berlin("2026-10-25", "02:30"), "2026-10-25T00:30:00.000Z", "the first of two");
  assert.equal(instantOf("2026-03-29", "02:30", "Europe/Berlin"), Infinity, "skipped");
  const instant = Date.parse("2026-11-23T23:45:00Z");
  assert.deepEqual(placeIn(instant, "Asia/Kathmandu"), { date: "2026-11-24", time: "05:30" });
  assert.equal(placeIn(instant, "America/New_York").time, "18:45");
});

test("times of day have 12 hours in languages that have them", () => {
  assert.deepEqual(["00:00", "09:00", "09:30", "13:00"].map((time) => clockOf(time, "en-US")), ["12\u00a0AM", "9\u00a0AM", "9:30\u00a0AM", "1\u00a0PM"]);
  assert.deepEqual(["00:00", "09:30", "13:00"].map((time) => clockOf(time, "de")), ["00:00", "09:30", "13:00"]);
});

test("cells are ordered by how many can or perhaps can, and then by how many can", () => {
  const cells = /** @type {[number, number, number][]} */ ([[2, 25, 3], [12, 13, 5], [13, 12, 5], [0, 0, 30], [30, 0, 0]]);
  const sorted = [...cells].sort((one, other) => scoreOf(other, 30) - scoreOf(one, 30));
  assert.deepEqual(sorted, [[30, 0, 0], [2, 25, 3], [13, 12, 5], [12, 13, 5], [0, 0, 30]]);
});
