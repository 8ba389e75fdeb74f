import assert from "node:assert/strict";
import { test } from "node:test";
import { PickerSession } from "../../web/client/core/session.js";

const member = { id: "m_1", secret: "s", name: "Ana", role: "editor", color: "#123456", online: true };
const snapshot = {
  definition: { kind: "columns" }, status: "open", result: null,
  columns: [{ generation: 1, count: 2, from: 0, rows: [{ key: "a", text: "A" }, { key: "b", text: "B" }], row: 0 }],
};
const welcome = {
  type: "welcome", member, epoch: "e", revision: 1, resumed: false, snapshot, members: [member], now: "", limits: {},
};

/** A connected session whose timers fire, and whose server answers, when the test says so. */
function connected() {
  const timers = new Set();
  const sockets = [];
  const picker = new PickerSession("ws://host/v1/sessions/a", {}, {
    dial: () => (sockets.push({ readyState: 1, send() {}, close() {} }), sockets.at(-1)),
    now: () => 0,
    setTimer: (work, milliseconds) => {
      const timer = { work, milliseconds };
      timers.add(timer);
      return timer;
    },
    clearTimer: (timer) => timers.delete(timer), isHidden: () => false, load: () => null, save() {},
  });
  const receive = (message) => sockets.at(-1).onmessage({ data: JSON.stringify(message) });
  const join = () => { sockets.at(-1).onopen(); receive(welcome); };
  picker.start();
  join();
  return {
    picker, receive, join,
    lose: () => sockets.at(-1).onclose({ code: 1006 }),
    /** Lets a time pass: fires the timers that are set for it or for less. */
    wait: (milliseconds) => {
      for (const timer of [...timers]) if (timer.milliseconds <= milliseconds && timers.delete(timer)) timer.work();
    },
  };
}

const answer = (ref) => ({ type: "reply", ref, revision: 1 });

test("a change is not stored once there has been no answer for a second, until there is one", async () => {
  const { picker, receive, wait } = connected();
  picker.select(0, 1);
  assert.equal(picker.isUnstored, false, "answers take a moment");
  const changed = new Promise((resolve) => picker.addEventListener("change", resolve));
  wait(1_000);
  assert.equal(picker.isUnstored, true);
  await changed;
  receive(answer(1));
  assert.equal(picker.isUnstored, false);
  picker.undo();
  assert.equal(picker.isUnstored, false);
});

test("a change that is made without a connection is not stored at once, and until it is answered", () => {
  const { picker, receive, join, lose, wait } = connected();
  lose();
  assert.equal(picker.isUnstored, false, "there is none");
  picker.select(0, 1);
  assert.equal(picker.isUnstored, true);
  wait(1_000);
  join();
  assert.equal(picker.connection, "live");
  assert.equal(picker.isUnstored, true, "it was only sent");
  receive(answer(1));
  assert.equal(picker.isUnstored, false);
});

test("a change without an answer is not stored once the connection is lost", () => {
  const { picker, lose } = connected();
  picker.undo();
  lose();
  assert.equal(picker.isUnstored, true);
});

test("a new name is no change of the selection", () => {
  const { picker, lose } = connected();
  lose();
  picker.rename("Mia");
  assert.equal(picker.isUnstored, false);
});
