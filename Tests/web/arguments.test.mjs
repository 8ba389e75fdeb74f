import assert from "node:assert/strict";
import { test } from "node:test";
import { PickerSession } from "../../web/client/core/session.js";

const rows = ["a", "b"].map((key) => ({ key, text: key }));
const member = {
  id: "m_1", secret: "s", name: "Ana", role: "editor", color: "#123456", online: true,
};
const snapshot = {
  definition: { kind: "columns" }, status: "open", result: null,
  columns: [{ generation: 1, count: 2, from: 0, rows, row: 0 }],
};

/** A connected session, the messages it sends, and its notices. */
function live() {
  const sent = [], notices = [];
  let memory = null;
  const socket = { readyState: 1, send: (text) => sent.push(JSON.parse(text)), close: () => {} };
  const picker = new PickerSession("ws://host/", {}, {
    dial: () => socket, now: () => 0, setTimer: () => 0, clearTimer: () => {}, isHidden: () => false,
    load: () => null, save: (saved) => { memory = saved; },
  });
  picker.addEventListener("notice", ({ detail }) => notices.push(detail));
  picker.start();
  socket.onopen();
  socket.onmessage({ data: JSON.stringify({
    type: "welcome", member, epoch: "e", revision: 1, resumed: false, snapshot,
    members: [member], now: "", limits: {},
  }) });
  sent.length = 0;
  return { picker, sent, notices, memory: () => memory };
}

const date = "date must be a valid date like 2026-11-20";
const month = "month must be a month like 2026-11";
const wrongDates = [
  "2026-02-30", "2026-00-10", "2026-11-00", "0000-01-01", "2026-1-1", "2026-11-20\n", "", "junk",
  null, 5,
];
const commands = [
  ...wrongDates.map((wrong) => [(picker) => picker.tap({ date: wrong }), date]),
  [(picker) => picker.tap({}), date],
  [(picker) => picker.tap("2026-11-20"), date],
  [(picker) => picker.tap({ date: null, month: "2026-11", cell: 3 }), date],
  [(picker) => picker.tap({ month: "2026-13", cell: 3 }), month],
  [(picker) => picker.tap({ month: "2026-11", cell: "3" }), "cell must be an integer"],
  [(picker) => picker.tap({ month: "2026-11", x: 0.5 }), "y must be a number"],
  [(picker) => picker.tap({ month: "2026-11", x: NaN, y: 0.5 }), "x must be a number"],
  ...[undefined, null, { date: "2026-02-30" }, { start: "x", end: "2026-11-20" }]
    .map((wrong) => [(picker) => picker.set(wrong), "result must be a result"]),
  [(picker) => picker.select("0", 1), "column must be an integer"],
  [(picker) => picker.select(0, 1.5), "row must be an integer"],
  [(picker) => picker.select(0, 2 ** 53), "row must be an integer"],
  [(picker) => picker.select(0), "row must be an integer"],
  [(picker) => picker.select(0, 1, { generation: "1" }), "generation must be an integer"],
  [(picker) => picker.select(0, 1, { generation: 1, key: 7 }), "key must be a string"],
];

test("a command with an invalid argument is refused without a message", async () => {
  const { picker, sent, notices, memory } = live();
  for (const [act, detail] of commands) {
    const { outcome, code, detail: given } = await act(picker);
    assert.deepEqual([outcome, code, given], ["refused", "badMessage", detail], String(act));
    assert.equal(notices.at(-1).detail, detail);
  }
  assert.deepEqual([sent, picker.pendingCount, memory().pending], [[], 0, []]);
});

test("commands with valid arguments are sent", () => {
  const { picker, sent } = live();
  picker.tap({ date: "2028-02-29" });
  picker.tap({ date: undefined, month: "2026-11", cell: 3 });
  picker.tap({ month: "9999-12", x: 0.5, y: 1 });
  picker.select(0, 1);
  picker.select(0, 1, { generation: 1, key: "b" });
  for (const value of [{ local: "2026-12-03T14:20", minutes: 20 }, { keys: ["a", "b"] }, { start: "2026-11-20", end: "2026-11-22" }]) {
    picker.set(value);
    assert.deepEqual(sent.pop().result, value);
  }
  assert.deepEqual(sent.map(({ type, ref }) => [type, ref]),
    [["tap", 1], ["tap", 2], ["tap", 3], ["select", 4], ["select", 5]]);
});

test("requests and touches with invalid arguments throw a TypeError", () => {
  const { picker, sent } = live();
  for (const act of [
    () => picker.months("2026-13", 3), () => picker.months("2026-11", 1.5),
    () => picker.months("2026-11"),
    () => picker.wantRows("0", 0, 9), () => picker.wantRows(0, 0, NaN),
    () => picker.touch({ date: "junk" }), () => picker.touch({ column: 0 }),
    () => picker.touch({ column: 0, row: "1" }),
  ]) assert.throws(act, TypeError, String(act));
  assert.deepEqual(sent, []);
  picker.months("2026-11", 3);
  picker.wantRows(0, -5, 9);
  picker.touch(null);
  assert.deepEqual(sent.map(({ type }) => type), ["months", "touch"]);
});
