import assert from "node:assert/strict";
import { test } from "node:test";
import { PickerState } from "../../web/client/core/state.js";
import { resultText, statusText, usability } from "../../web/client/parts/bar.js";
import { wordsOf } from "../../web/client/words/words.js";

const en = wordsOf("en");

/** An owner's view of a session whose kind and result the elements may not know. */
function pickerOf(kind, result) {
  const state = new PickerState();
  state.definition = { kind, timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
  state.result = result;
  return {
    state, locale: "en", connection: "live", canChange: true, isOwner: true, result,
    chosen: { result, texts: [] }, rangeShown: { range: null },
  };
}

test("a window of times of an unknown kind is shown as day and time", () => {
  const picker = pickerOf("availability", {
    local: "2026-12-07T09:30", instant: "2026-12-07T08:30:00Z", until: "2026-12-07T10:30:00Z", yes: 3,
  });
  assert.match(resultText(picker, en), /December 7, 2026 9:30\u00a0AM$/);
});

test("a window of dates of an unknown kind is shown as a range", () => {
  const window = { start: "2026-12-07", end: "2026-12-09", days: 3 };
  const text = resultText(pickerOf("availability", window), en);
  assert.equal(text, resultText(pickerOf("calendar", window), en));
  assert.match(text, /7/);
});

test("an unknown kind has no buttons for undo and redo, and can be confirmed", () => {
  const shown = (kind) => ["undo", "redo", "clear", "confirm"]
    .filter((command) => usability(command, pickerOf(kind, null)).isShown);
  assert.deepEqual(shown("availability"), ["confirm"]);
  assert.deepEqual(shown("slot"), ["undo", "redo", "confirm"]);
});

test("an owner cannot cancel what only the host cancels, except a confirmation", () => {
  const picker = pickerOf("slot", null);
  const isShown = () => usability("cancel", picker).isShown;
  assert.equal(isShown(), true);
  picker.state.hostCancels = true;
  assert.equal(isShown(), false);
  picker.state.status = "confirming";
  assert.equal(isShown(), true);
});

test("the bar has the reason of the host that has cancelled, until the next status", () => {
  const { state } = pickerOf("columns", null);
  const snapshot = { definition: { kind: "columns" }, status: "cancelled", reason: "Dr. Weber is ill", cancel: "host", result: { keys: ["a"] }, columns: [] };
  state.snapshot({ revision: 4, members: [], snapshot });
  assert.equal(state.hostCancels, true);
  assert.equal(statusText({ state, locale: "en" }, en), "Cancelled. Dr. Weber is ill · ");
  state.delta({ revision: 5, host: true, changes: [{ change: "status", status: "open" }] }, false);
  assert.equal(state.reason, null);
  state.delta({ revision: 6, host: true, changes: [{ change: "status", status: "cancelled", reason: "Closed" }] }, false);
  assert.equal(statusText({ state, locale: "en" }, en), "Cancelled. Closed · ");
  state.result = null;
  assert.equal(statusText({ state, locale: "en" }, en), "Cancelled. Closed");
});

test("an owner cannot reopen what only the host reopens", () => {
  const picker = pickerOf("calendar", null);
  picker.state.status = "confirmed";
  assert.equal(usability("reopen", picker).isShown, true);
  picker.state.hostReopens = true;
  assert.equal(usability("reopen", picker).isShown, false);
});
