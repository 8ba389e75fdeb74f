import assert from "node:assert/strict";
import { test } from "node:test";

import { PickerState } from "../../web/client/core/state.js";

/** @param {number} revision of the snapshot */
function joined(revision) {
  const state = new PickerState();
  const snapshot = { definition: { kind: "calendar" }, version: 1, status: "open", result: null, calendar: { months: {}, range: null } };
  state.welcome({ epoch: "e", member: { id: "m" }, locale: "en", revision, snapshot, members: [] });
  return state;
}

const counts = (/** @type {PickerState} */ { undos, redos }) => [undos, redos];
const tap = [{ change: "range", cause: "tap" }];
const undo = [{ change: "range", cause: "undo" }];

test("nothing can be undone in a new session, and something perhaps in another one", () => {
  assert.deepEqual(counts(joined(0)), [0, 0]);
  assert.deepEqual(counts(joined(3)), [Infinity, 0]);
});

test("own undos and redos are counted, and a change leaves nothing to redo", () => {
  const state = joined(0);
  state.count(tap, "tap");
  state.count([{ change: "row", cause: "clamp" }], undefined);
  assert.deepEqual(counts(state), [2, 0]);
  state.count(undo, "undo");
  state.count(undo, "undo");
  assert.deepEqual(counts(state), [0, 2]);
  state.count(undo, "redo");
  assert.deepEqual(counts(state), [1, 1]);
  state.count(tap, "tap");
  assert.deepEqual(counts(state), [2, 0]);
});

test("an undo of another member may be a redo, if there was something to redo", () => {
  const state = joined(0);
  state.count(tap, undefined);
  state.count(undo, undefined);
  assert.deepEqual(counts(state), [0, 1]);
  state.count(undo, undefined);
  assert.deepEqual(counts(state), [Infinity, Infinity]);
});

test("confirmations and ticks change nothing of it", () => {
  const state = joined(0);
  state.count([{ change: "status" }, { change: "range", cause: "tick" }], "confirm");
  state.count([{ change: "range", cause: "define" }], undefined);
  assert.deepEqual(counts(state), [0, 0]);
});
