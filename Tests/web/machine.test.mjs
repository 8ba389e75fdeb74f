import assert from "node:assert/strict";
import { test } from "node:test";
import { answerToClose, pauseMilliseconds } from "../../web/client/core/closing.js";
import { PickerMachine } from "../../web/client/core/machine.js";

const rows = ["a", "b", "c"].map((key) => ({ key, text: key.toUpperCase() }));
const snapshot = {
  definition: { kind: "columns" }, status: "open", result: null,
  columns: [{ generation: 1, count: 3, from: 0, rows, row: 0 }],
};
const member = { id: "m_1", secret: "s", name: "Ana", role: "editor", color: "#123456", online: true };
const welcome = { type: "welcome", member, epoch: "e", revision: 5, resumed: false, snapshot, members: [member], now: "", limits: {} };
const select = (row) => ({ type: "select", column: 0, row, generation: 1, key: rows[row].key });
const delta = (revision, row, more = {}) => ({
  type: "delta", revision, at: "", ...more,
  changes: [{ change: "row", column: 0, row, key: rows[row].key, text: rows[row].text, cause: "select" }],
});
const sent = (effects) => effects.filter((one) => one.effect === "send").map((one) => one.message);
const named = (effects, name) => effects.filter((one) => one.effect === name);
const timer = (effects, name) => named(effects, "timer").filter((one) => one.name === name).at(-1)?.milliseconds;

function live(options = {}, memory = null) {
  const machine = new PickerMachine({ name: "Ana", random: () => 0.5, ...options }, memory);
  machine.start();
  machine.opened();
  machine.received(welcome);
  return machine;
}

test("the first message is a join, without resume for a new member", () => {
  const machine = new PickerMachine({ name: "Ana", locale: "de", token: "t" });
  assert.deepEqual(named(machine.start(), "dial").length, 1);
  assert.deepEqual(sent(machine.opened()), [{ type: "join", name: "Ana", locale: "de", token: "t" }]);
});

test("a socket that does not open within 12 s is given up", () => {
  const machine = new PickerMachine({ random: () => 0.5 });
  assert.equal(timer(machine.start(), "join"), 12_000);
  const effects = machine.fired("join");
  assert.deepEqual([named(effects, "disconnect").length, timer(effects, "redial")], [1, 0]);
  assert.equal(timer(machine.fired("redial"), "join"), 12_000);
  assert.equal(timer(machine.fired("join"), "redial"), 1000);
});

test("a lost connection is resumed from the last revision, with the months in view", () => {
  const machine = live();
  machine.lookAt("2026-10", 3);
  machine.received(delta(6, 1));
  machine.closed(1006);
  machine.fired("redial");
  const [join] = sent(machine.opened());
  assert.deepEqual(join.resume, { member: "m_1", secret: "s", epoch: "e", revision: 6 });
  assert.deepEqual(join.months, { from: "2026-10", count: 3 });
});

test("a reloaded page requests a snapshot as the same member", () => {
  const first = live();
  const memory = named(first.command(select(1)), "save").at(-1).memory;
  const second = new PickerMachine({}, memory);
  second.start();
  const [join] = sent(second.opened());
  assert.deepEqual(join.resume, { member: "m_1", secret: "s", epoch: "e", revision: Number.MAX_SAFE_INTEGER });
});

test("refs grow across connections and reloads", () => {
  const first = live();
  assert.equal(sent(first.command(select(1)))[0].ref, 1);
  const memory = named(first.command(select(2)), "save").at(-1).memory;
  const second = live({}, JSON.parse(JSON.stringify(memory)));
  assert.equal(sent(second.command(select(1)))[0].ref, 3);
});

test("an unanswered command is repeated once with the same ref", () => {
  const machine = live();
  machine.command(select(1));
  machine.closed(1006);
  machine.fired("redial");
  machine.opened();
  const again = sent(machine.received({ ...welcome, resumed: true, snapshot: undefined }));
  assert.deepEqual(again, [{ ...select(1), ref: 1 }]);
  const answer = machine.received({ type: "reply", ref: 1, revision: 5 });
  assert.deepEqual(named(answer, "settle"), [{ effect: "settle", ref: 1, outcome: { outcome: "done", revision: 5 } }]);
  assert.deepEqual(named(machine.received({ type: "reply", ref: 1, revision: 5 }), "settle"), []);
});

test("commands sent by a forgotten member are lost and not repeated", () => {
  const machine = live();
  machine.command(select(1));
  machine.closed(1006);
  machine.command(select(2));
  machine.fired("redial");
  machine.opened();
  const effects = machine.received({ ...welcome, member: { ...member, id: "m_2" } });
  assert.deepEqual(named(effects, "settle"), [{ effect: "settle", ref: 1, outcome: { outcome: "lost" } }]);
  assert.deepEqual(sent(effects).map((message) => message.ref), [2]);
});

test("a gap is not folded but resumed with a new connection", () => {
  const machine = live();
  const effects = machine.received(delta(7, 1));
  assert.equal(machine.state.revision, 5);
  assert.equal(named(effects, "disconnect").length, 1);
  assert.equal(timer(effects, "redial"), 0);
});

test("a duplicate delta is ignored", () => {
  const machine = live();
  machine.received(delta(6, 1));
  machine.received(delta(6, 2));
  assert.equal(machine.state.columns[0].row, 1);
});

test("a repeated gap reconnects with back-off", () => {
  const machine = live();
  machine.received(delta(7, 1));
  machine.fired("redial");
  machine.opened();
  machine.received({ ...welcome, resumed: true, snapshot: undefined });
  assert.equal(timer(machine.received(delta(7, 1)), "redial"), 1000);
});

test("a reply ahead of the state waits for its snapshot, then reconnects", () => {
  const machine = live();
  assert.equal(timer(machine.received({ type: "reply", ref: 1, revision: 9 }), "catchUp"), 2000);
  assert.equal(timer(machine.received({ type: "snapshot", revision: 9, status: "open", snapshot, members: [member] }), "catchUp"), null);
  machine.received({ type: "reply", ref: 1, revision: 11 });
  assert.equal(named(machine.fired("catchUp"), "disconnect").length, 1);
});

test("a refusal corrects the selected row", () => {
  const machine = live();
  machine.command(select(1));
  const refused = machine.received({
    type: "refused", ref: 1, code: "noSuchRow", detail: "…", revision: 5,
    changes: [{ change: "row", column: 0, row: 2, key: "c", text: "C" }],
  });
  assert.equal(machine.state.columns[0].row, 2);
  assert.equal(named(refused, "settle")[0].outcome.outcome, "refused");
  assert.deepEqual(machine.pending.entries, []);
});

const tooMany = (ref) => ({ type: "refused", ref, code: "tooMany", detail: "…", revision: 5, changes: [] });

test("commands refused with tooMany, and those after them, are sent again with new refs", () => {
  const machine = live();
  machine.command({ type: "tap", date: "2026-11-20" });
  machine.command(select(1));
  const refused = machine.received(tooMany(1));
  assert.deepEqual([named(refused, "settle").length, timer(refused, "look"), timer(refused, "answer")], [0, 1000, 10_000]);
  assert.equal(named(refused, "emit").filter(({ name }) => name === "notice").length, 0);
  machine.received(delta(6, 1, { by: "m_1", ref: 2 }));
  assert.deepEqual(sent(machine.command({ type: "confirm" })), [], "after the tap");
  const again = machine.fired("look");
  assert.deepEqual(sent(again), [
    { type: "tap", date: "2026-11-20", hits: 0, ref: 3 }, { type: "confirm", at: 6, ref: 4 }]);
  assert.equal(timer(again, "answer"), 10_000);
  assert.deepEqual(named(machine.received({ type: "reply", ref: 3, revision: 6 }), "settle").map(({ ref }) => ref), [1]);
});

test("a command refused with tooMany is sent after those that followed it, also with another connection", () => {
  const machine = live();
  machine.command({ type: "clear" });
  machine.command(select(1));
  machine.command({ type: "undo" });
  machine.received(tooMany(1));
  machine.closed(1006);
  machine.fired("redial");
  machine.opened();
  const again = machine.received({ ...welcome, ref: 2, resumed: true, snapshot: undefined });
  assert.deepEqual(sent(again).map(({ type, ref }) => [type, ref]), [["select", 2], ["undo", 3], ["clear", 4]]);
});

test("a refusal with tooMany is final for an undo, and for a select that another one follows", () => {
  const machine = live();
  machine.command({ type: "undo" });
  machine.command(select(1));
  machine.command(select(2));
  for (const ref of [1, 2]) {
    assert.equal(named(machine.received(tooMany(ref)), "settle")[0].outcome.outcome, "refused");
  }
  machine.received(tooMany(3));
  assert.deepEqual(named(machine.command(select(0)), "settle"), [{ effect: "settle", ref: 3, outcome: { outcome: "unchanged" } }]);
  assert.deepEqual(sent(machine.fired("look")).map(({ row }) => row), [0]);
});

test("offline only selects, taps and clears are queued, and one select per column", () => {
  const machine = live();
  machine.network(false);
  machine.command(select(1));
  const second = machine.command(select(2));
  assert.deepEqual(named(second, "settle")[0], { effect: "settle", ref: 1, outcome: { outcome: "unchanged" } });
  const undo = machine.command({ type: "undo" });
  assert.deepEqual(named(undo, "settle")[0].outcome, { outcome: "offline" });
  assert.equal(named(undo, "emit").find((one) => one.name === "notice").detail.code, "offline");
  assert.equal(named(machine.network(true), "dial").length, 1);
  machine.opened();
  const effects = machine.received({ ...welcome, resumed: true, snapshot: undefined });
  assert.deepEqual(sent(effects), [{ ...select(2), ref: 2 }]);
});

test("a command after stop is settled, and does not overwrite the memory of the session that is the member now", () => {
  const machine = live();
  machine.stop();
  const effects = machine.command(select(1));
  assert.deepEqual(named(effects, "settle"), [{ effect: "settle", ref: 1, outcome: { outcome: "offline" } }]);
  assert.equal(named(effects, "save").length, 0);
  assert.deepEqual(machine.pending.entries, []);
});

test("stop settles the commands without an answer as lost, and keeps them for the next page of the member", () => {
  const machine = live();
  assert.deepEqual(named(machine.command(select(1)), "save").at(-1).memory.pending.map(({ ref }) => ref), [1]);
  const effects = machine.stop();
  assert.deepEqual(named(effects, "settle"), [{ effect: "settle", ref: 1, outcome: { outcome: "lost" } }]);
  assert.deepEqual(named(effects, "save"), []);
});

test("the range of a close code determines the reaction", () => {
  const bands = { 1001: "return", 1002: "away", 1009: "away", 4301: "credentials", 4399: "credentials",
    4400: "away", 4410: "away", 4499: "away", 4500: "retry", 4599: "retry", 1006: "retry", 1000: "retry" };
  for (const [code, answer] of Object.entries(bands)) assert.equal(answerToClose(Number(code)), answer, code);
});

test("the back-off doubles from 1 s to 30 s, with full jitter", () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 60].map((attempt) => pauseMilliseconds(attempt, () => 1));
  assert.deepEqual(longest, [1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
  assert.equal(pauseMilliseconds(5, () => 0), 0);
});

test("the client reconnects to a draining server when the server said, whatever code of the network", () => {
  for (const code of [1001, 1006]) {
    const machine = live();
    machine.received({ type: "draining", reconnectAfterMs: 1500 });
    assert.equal(timer(machine.closed(code), "redial"), 1500);
  }
  const ended = live();
  ended.received({ type: "draining", reconnectAfterMs: 1500 });
  ended.closed(4404);
  assert.equal(ended.connection, "away", "the session has ended on the draining server");
});

test("an ended session is forgotten without reconnecting", () => {
  const machine = live();
  machine.command(select(1));
  machine.received({ type: "error", code: "gone", detail: "it has ended" });
  const effects = machine.closed(4410);
  assert.equal(machine.connection, "away");
  assert.deepEqual(named(effects, "save").at(-1).memory, null);
  assert.equal(named(effects, "settle")[0].outcome.outcome, "lost");
  assert.equal(timer(effects, "redial"), null);
});

test("commands that are lost when the server closes for good are not sent after a reload", () => {
  for (const code of [1009, 4400, 4403]) {
    const machine = live();
    machine.command(select(1));
    const effects = machine.closed(code);
    assert.equal(named(effects, "settle")[0].outcome.outcome, "lost");
    const { memory } = named(effects, "save").at(-1);
    const reloaded = new PickerMachine({}, memory);
    reloaded.start();
    assert.equal(sent(reloaded.opened())[0].resume.member, "m_1");
    assert.deepEqual(sent(reloaded.received({ ...welcome, ref: 1 })), []);
    assert.equal(sent(reloaded.command(select(2)))[0].ref, 2);
  }
});

test("a session whose member has connected again does not overwrite the memory of the newer one", () => {
  const machine = live();
  machine.command(select(1));
  const effects = machine.closed(4409);
  assert.equal(named(effects, "settle")[0].outcome.outcome, "lost");
  assert.deepEqual(named(effects, "save"), []);
});

test("after a wrong secret the client joins once as a new member, then asks for credentials", () => {
  const machine = live();
  machine.closed(1006);
  machine.fired("redial");
  machine.opened();
  assert.equal(named(machine.closed(4301), "dial").length, 1);
  assert.equal(sent(machine.opened())[0].resume, undefined);
  machine.closed(4301);
  assert.equal(machine.connection, "credentials");
  assert.equal(named(machine.credentials("new"), "dial").length, 1);
  assert.equal(sent(machine.opened())[0].token, "new");
});

test("a missing answer reconnects after 10 s", () => {
  const machine = live();
  assert.equal(timer(machine.command(select(1)), "answer"), 10_000);
  assert.equal(named(machine.fired("answer"), "disconnect").length, 1);
});

test("after 15 s without a message a request checks the connection, which is given up before 20 s", () => {
  const machine = live();
  assert.equal(timer(machine.received(delta(6, 1)), "quiet"), 15_000);
  const effects = machine.fired("quiet");
  assert.deepEqual(sent(effects), [{ type: "rows", column: 0, from: 0, count: 0 }]);
  assert.equal(timer(effects, "probe"), 4_500);
  const answer = machine.received({ type: "rows", column: 0, generation: 1, from: 0, rows: [] });
  assert.deepEqual([timer(answer, "probe"), timer(answer, "quiet")], [null, 15_000]);
  assert.equal(machine.state.columns[0].at(0).key, "a");

  machine.fired("quiet");
  assert.equal(timer(machine.fired("probe"), "redial"), 0);
});

test("a connected client checks its connection once when the network returns or the page is visible", () => {
  const machine = live();
  assert.equal(sent(machine.network(true)).length, 1);
  assert.equal(sent(machine.retry()).length, 0);
  machine.received({ type: "presence" });
  assert.equal(sent(machine.retry()).length, 1);
});

test("a calendar, which has no rows, has the refusal as the answer", () => {
  const machine = live();
  machine.fired("quiet");
  const answer = machine.received({ type: "refused", code: "wrongKind", detail: "…", revision: 5 });
  assert.equal(timer(answer, "probe"), null);
  assert.equal(named(answer, "emit").filter(({ name }) => name === "notice").length, 0);
});

test("rows are requested once, in windows of 200", () => {
  const machine = live();
  machine.received({ type: "snapshot", revision: 5, status: "open", members: [member], snapshot: { ...snapshot,
    columns: [{ generation: 1, count: 10_000, from: 0, rows, row: 0 }] } });
  assert.deepEqual(sent(machine.wantRows(0, 395, 405)), [
    { type: "rows", column: 0, from: 200, count: 200 }, { type: "rows", column: 0, from: 400, count: 200 }]);
  assert.deepEqual(sent(machine.wantRows(0, 395, 405)), []);
  assert.deepEqual(sent(machine.wantRows(0, 9990, 10_005)), [{ type: "rows", column: 0, from: 9800, count: 200 }]);
  machine.received({ type: "rows", column: 0, generation: 1, from: 400, rows });
  assert.equal(machine.state.columns[0].at(401).key, "b");
  machine.received({ type: "rows", column: 0, generation: 9, from: 500, rows });
  assert.equal(machine.state.columns[0].at(500), undefined);
});

test("rows and months whose request was refused with tooMany are requested again", () => {
  const machine = live();
  machine.received({ type: "snapshot", revision: 5, status: "open", members: [member], snapshot: { ...snapshot,
    columns: [{ generation: 1, count: 10_000, from: 0, rows, row: 0 }] } });
  const request = sent(machine.wantRows(0, 9990, 9999));
  assert.deepEqual(request, [{ type: "rows", column: 0, from: 9800, count: 200 }]);
  assert.equal(timer(machine.received({ type: "refused", code: "tooMany", detail: "…", revision: 5 }), "look"), 1000);
  machine.fired("look");
  assert.deepEqual(sent(machine.wantRows(0, 9990, 9999)), request);
});

test("months beyond the new bounds are dropped, also those in view", () => {
  const machine = live();
  machine.lookAt("2026-10", 3);
  const months = ["2026-10", "2026-11", "2026-12"].map((month) => ({ month, cells: [], bands: [] }));
  machine.received({ type: "months", revision: 5, months });
  machine.received({
    type: "delta", revision: 6, at: "", changes: [{ change: "months", first: "2026-11", last: "2026-11", count: 1 }] });
  assert.deepEqual([...machine.state.months.keys()], ["2026-11"]);
});

test("a member that has left has no finger", () => {
  const machine = live();
  const bo = { ...member, id: "m_2", name: "Bo" };
  machine.received({ type: "presence", joined: [bo], touching: [{ member: "m_2", column: 0, row: 1 }] });
  assert.equal(machine.state.touching.size, 1);
  machine.received({ type: "presence", left: ["m_2"] });
  assert.equal(machine.state.touching.size, 0);
});

test("at most ten touches a second are sent, always including the last", () => {
  const machine = live();
  assert.deepEqual(sent(machine.touch({ column: 0, row: 1 })), [{ type: "touch", column: 0, row: 1 }]);
  assert.deepEqual(sent(machine.touch({ column: 0, row: 2 })), []);
  assert.deepEqual(sent(machine.touch(null)), []);
  assert.deepEqual(sent(machine.fired("touch")), [{ type: "touch" }]);
  assert.deepEqual(sent(machine.fired("touch")), []);
});

test("a mouse pointer that is over a day is sent as such, at most ten times a second", () => {
  const machine = live();
  const over = (row) => ({ column: 0, row, hover: true });
  assert.deepEqual(sent(machine.touch(over(1))), [{ type: "touch", ...over(1) }]);
  assert.deepEqual(sent(machine.touch(over(2))), []);
  machine.touch(over(3));
  assert.deepEqual(sent(machine.fired("touch")), [{ type: "touch", ...over(3) }]);
});

test("a pointer of another member differs from its finger", () => {
  const machine = live();
  const bo = { ...member, id: "m_2", name: "Bo" };
  machine.received({ type: "presence", joined: [bo], touching: [{ member: "m_2", column: 0, row: 1, hover: true }] });
  assert.equal(machine.state.touching.get("m_2").hover, true);
  machine.received({ type: "presence", touching: [{ member: "m_2", column: 0, row: 1 }] });
  assert.equal(machine.state.touching.get("m_2").hover, undefined);
});

test("a new locale requests a snapshot as the same member", () => {
  const machine = live({ locale: "en" });
  assert.equal(named(machine.relocate("locale", "ar"), "dial").length, 1);
  const [join] = sent(machine.opened());
  assert.equal(join.locale, "ar");
  assert.equal(join.resume.member, "m_1");
  assert.equal(join.resume.revision, Number.MAX_SAFE_INTEGER);
});

test("after an invalid change the client requests a snapshot as the same member", () => {
  const machine = live();
  const gone = machine.received({ ...delta(6, 1), changes: [{ change: "row", column: 7, row: 0, key: "a", text: "A" }] });
  assert.equal(named(gone, "disconnect").length, 1);
  assert.equal(timer(gone, "redial"), 0, "the first time immediately");

  machine.fired("redial");
  const [join] = sent(machine.opened());
  assert.deepEqual(join.resume, { member: "m_1", secret: "s", epoch: "e", revision: Number.MAX_SAFE_INTEGER });
  machine.received({ ...welcome, revision: 6 });
  assert.equal(machine.connection, "live");
  assert.equal(machine.state.revision, 6);
});

test("malformed JSON and missing fields reconnect", () => {
  for (const message of [null, { type: "delta", revision: 6 }]) {
    const machine = live();
    assert.equal(named(machine.received(message), "disconnect").length, 1);
    assert.equal(machine.connection, "waiting");
  }
});

test("unknown messages and changes are ignored", () => {
  const machine = live();
  const effects = machine.received({ type: "weather", sun: true });
  machine.received({ ...delta(6, 1), changes: [{ change: "weather" }, ...delta(6, 1).changes] });
  assert.equal(named(effects, "disconnect").length, 0);
  assert.equal(machine.state.columns[0].row, 1);
});

test("refs continue after the ref in the welcome", () => {
  const machine = live({}, { member: "m_1", secret: "s", epoch: "e", revision: 5, ref: 0, pending: [] });
  machine.received({ type: "nothing" });
  assert.equal(machine.nextRef, 1);
  machine.closed(1006);
  machine.fired("redial");
  machine.opened();
  machine.received({ ...welcome, ref: 77, locale: "de" });
  assert.equal(sent(machine.command(select(1)))[0].ref, 78);
  assert.equal(machine.state.locale, "de");
});

test("the result is taken from the server", () => {
  const machine = new PickerMachine({ random: () => 0.5 });
  machine.start();
  machine.opened();
  machine.received({ ...welcome, locale: "en", snapshot: { ...snapshot, result: { keys: ["a"] } } });
  assert.deepEqual(machine.state.result, { keys: ["a"] });
  const changes = [...delta(6, 1).changes, { change: "result", result: { keys: ["b"], more: 1 } }];
  machine.received({ ...delta(6, 1), changes });
  assert.deepEqual(machine.state.result, { keys: ["b"], more: 1 });
});

test("a member's new role is applied and emitted as its own notice", () => {
  const machine = live();
  const effects = machine.received({ type: "presence", changed: [{ ...member, role: "owner" }] });
  assert.equal(machine.state.self.role, "owner");
  assert.deepEqual(named(effects, "emit").find((one) => one.name === "notice").detail.mine, true);
});

test("months that come into view during the join are requested after the welcome", () => {
  const machine = new PickerMachine({ random: () => 0.5 });
  machine.start();
  machine.lookAt("2026-10", 1);
  machine.opened();
  machine.lookAt("2026-12", 1);
  assert.deepEqual(sent(machine.received(welcome)), [{ type: "months", from: "2026-12", count: 1 }]);
});

test("a snapshot clears the touches", () => {
  const machine = live();
  const bo = { ...member, id: "m_2", name: "Bo" };
  machine.received({ type: "presence", joined: [bo], touching: [{ member: "m_2", column: 0, row: 1 }] });
  machine.received({ type: "snapshot", revision: 6, status: "open", snapshot, members: [member, bo], now: "" });
  assert.equal(machine.state.touching.size, 0);
});

test("a changed definition can append and remove columns", () => {
  const machine = live();
  const reload = { change: "reload", column: 1, generation: 1, count: 1, from: 0, rows: [{ key: "z", text: "Z" }], row: 0 };
  machine.received({ type: "delta", revision: 6, at: "", changes: [reload] });
  assert.equal(machine.state.columns.length, 2);
  machine.received({ type: "delta", revision: 7, at: "", changes: [{ ...reload, column: 2 }] });
  assert.equal(machine.state.columns.length, 3);
  const gone = { ...reload, generation: 2, count: 0, rows: [], row: null, removed: true };
  machine.received({ type: "delta", revision: 8, at: "", changes: [gone, { ...gone, column: 2 }] });
  assert.equal(machine.state.columns.length, 1);
});

test("a queued command gets a new ref if another device of its member has used that one", () => {
  const machine = new PickerMachine({});
  machine.start();
  machine.command(select(1));
  machine.opened();
  const effects = machine.received({ ...welcome, ref: 12 });
  assert.deepEqual(sent(effects).map((one) => one.ref), [13]);
  assert.equal(named(effects, "settle").length, 0);

  const [settled] = named(machine.received(delta(6, 1, { by: "m_1", ref: 13 })), "settle");
  assert.deepEqual([settled.ref, settled.outcome.outcome], [1, "done"]);
  assert.equal(sent(machine.command(select(2)))[0].ref, 14);
});

test("a sent command is uncertain if another device of its member has used later refs", () => {
  const machine = live();
  machine.command(select(1));
  machine.closed(1006);
  machine.fired("redial");
  machine.opened();
  const effects = machine.received({ ...welcome, ref: 2 });
  assert.deepEqual(named(effects, "settle").map((one) => [one.ref, one.outcome.outcome]), [[1, "lost"]]);
  assert.equal(sent(effects).length, 0);
});

test("refs that another device has used are not those of commands that were never sent", () => {
  const machine = live();
  machine.command(select(1));
  machine.closed(1006);
  machine.command({ ...select(1), column: 1 });
  machine.fired("redial");
  machine.opened();
  const effects = machine.received({ ...welcome, ref: 2 });
  assert.deepEqual(named(effects, "settle").map((one) => [one.ref, one.outcome.outcome]), [[1, "lost"]]);
  assert.deepEqual(sent(effects).map((one) => [one.column, one.ref]), [[1, 3]]);
});

test("the time for an answer does not begin again with each command", () => {
  const machine = live();
  assert.equal(timer(machine.command(select(1)), "answer"), 10_000);
  assert.equal(timer(machine.command(select(2)), "answer"), undefined);
});

for (const [what, change, code] of [
  ["a confirmed picker", { snapshot: { ...snapshot, status: "confirmed" } }, "notOpen"],
  ["a picker that is being confirmed", { snapshot: { ...snapshot, status: "confirming" } }, "confirming"],
  ["a viewer", { member: { ...member, role: "viewer" }, members: [{ ...member, role: "viewer" }] }, "notAllowed"],
]) {
  test(`a select of ${what} is not queued without a connection`, () => {
    const machine = new PickerMachine({ name: "Ana", random: () => 0.5 });
    machine.start();
    machine.opened();
    machine.received({ ...welcome, ...change });
    machine.closed(1006);
    const [settled] = named(machine.command(select(1)), "settle");
    assert.deepEqual([settled.outcome.outcome, settled.outcome.code], ["refused", code]);
    assert.deepEqual(machine.pending.entries, []);
  });
}

const day = (number) => `2026-12-${String(number).padStart(2, "0")}`;

/** A live member of a calendar, in which `m_2` has tapped the 2nd. */
function ranging(definition = {}) {
  const calendar = {
    definition: { kind: "calendar", selection: "range", ...definition }, status: "open", result: null,
    calendar: {
      months: { first: "2026-12", last: "2026-12", count: 1 },
      range: { start: day(2), end: day(2), hits: 1, by: "m_2", reach: { from: day(1), through: day(31) } },
    },
  };
  const machine = new PickerMachine({ name: "Ana", random: () => 0.5 });
  machine.start();
  machine.opened();
  machine.received({ ...welcome, snapshot: calendar });
  const cells = Array.from({ length: 31 }, (_, index) => ({ date: day(index + 1), text: "" }));
  machine.lookAt("2026-12", 1);
  machine.received({ type: "months", months: [{ month: "2026-12", cells, bands: [] }] });
  return machine;
}

const tapped = (revision, start, end, hits, more) => ({
  type: "delta", revision, at: "", ...more,
  changes: [{ change: "range", start: day(start), end: day(end), hits, by: more.by, cause: "tap" }],
});
const noticed = (effects) => named(effects, "emit").filter(({ name }) => name === "notice").map(({ detail }) => detail);

test("a tap for the last day that comes after that of another member says what it has replaced", () => {
  const machine = ranging();
  machine.command({ type: "tap", date: day(5) });
  machine.received(tapped(6, 2, 9, 2, { by: "m_2" }));
  const [notice] = noticed(machine.received(tapped(7, 5, 5, 3, { by: "m_1", ref: 1 })));
  assert.deepEqual(notice.finished, { start: day(2), end: day(9), hits: 2, by: "m_2" });
});

const rename = { type: "rename", name: "Mia" };

test("a member has its new name when the server answers, with the same id and role", () => {
  const machine = live();
  assert.deepEqual(sent(machine.command(rename)), [{ ...rename, ref: 1 }]);
  assert.equal(machine.state.self.name, "Ana");
  const answer = machine.received({ type: "reply", ref: 1, revision: 5 });
  assert.equal(named(answer, "settle")[0].outcome.outcome, "done");
  assert.deepEqual(machine.state.self, { ...member, name: "Mia" });
  assert.equal(machine.state.members.get("m_1"), machine.state.self);
});

test("a member whose name its token has keeps it", () => {
  const machine = live();
  machine.command(rename);
  const [notice] = noticed(machine.received({ type: "refused", ref: 1, code: "notAllowed", detail: "…", revision: 5, changes: [] }));
  assert.deepEqual([notice.code, notice.command.type, machine.state.self.name], ["notAllowed", "rename", "Ana"]);
});

test("a new name is sent once there is a connection, the last one, in every status and by viewers", () => {
  const machine = new PickerMachine({ name: "Ana", random: () => 0.5 });
  machine.start();
  machine.opened();
  const viewer = { ...member, role: "viewer" };
  machine.received({ ...welcome, snapshot: { ...snapshot, status: "confirmed" }, member: viewer, members: [viewer] });
  machine.closed(1006);
  machine.command({ ...rename, name: "Max" });
  const second = machine.command(rename);
  assert.deepEqual(named(second, "settle"), [{ effect: "settle", ref: 1, outcome: { outcome: "unchanged" } }]);
  machine.fired("redial");
  machine.opened();
  assert.deepEqual(sent(machine.received({ ...welcome, resumed: true, snapshot: undefined })), [{ ...rename, ref: 2 }]);
});

/** The name with which a client joins after a loss. */
function nameOfJoin(machine) {
  machine.closed(1006);
  machine.fired("redial");
  return sent(machine.opened())[0].name;
}

test("the next member has the new name once the server has accepted it", () => {
  const machine = live();
  machine.command(rename);
  assert.equal(nameOfJoin(machine), "Ana", "it is unknown whether the server has accepted it");
  assert.deepEqual(sent(machine.received({ ...welcome, resumed: true, snapshot: undefined })), [{ ...rename, ref: 1 }]);
  machine.received({ type: "reply", ref: 1, revision: 5 });
  assert.equal(nameOfJoin(machine), "Mia");
});

test("the next member has the former name if the new one was refused", () => {
  const machine = live();
  machine.command(rename);
  machine.received({ type: "refused", ref: 1, code: "notAllowed", detail: "…", revision: 5, changes: [] });
  assert.equal(nameOfJoin(machine), "Ana");
});

test("a name that is empty, blank, no Unicode or longer than 64 characters is not sent", () => {
  for (const name of ["", "  ", "\u0085", "\ud800", "x".repeat(65), 7]) {
    const machine = live();
    const effects = machine.command({ ...rename, name });
    assert.deepEqual(sent(effects), []);
    assert.equal(named(effects, "settle")[0].outcome.code, "badMessage");
    machine.closed(1006);
    machine.fired("redial");
    assert.equal(sent(machine.opened())[0].name, "Ana");
  }
  assert.equal(sent(live().command({ ...rename, name: "😀".repeat(64) })).length, 1);
});

/** Connects again after a loss, as the same member unless `more` says something else. */
function returned(machine, more = {}) {
  machine.closed(1006);
  machine.fired("redial");
  machine.opened();
  return machine.received({ ...welcome, resumed: true, snapshot: undefined, ...more });
}

test("late commands always have the revision that the user saw, also when they are sent again", () => {
  for (const type of ["clear", "undo", "redo", "confirm", "cancel", "reopen"]) {
    const machine = live();
    machine.received(delta(6, 1));
    const commanded = machine.command({ type });
    assert.deepEqual(sent(commanded), [{ type, at: 6, ref: 1 }]);
    const { memory } = named(commanded, "save").at(-1);
    assert.deepEqual(named(machine.received(delta(7, 2)), "save"), [], "what others do changes no memory");
    assert.deepEqual(sent(returned(machine)), [{ type, at: 6, ref: 1 }]);

    const reloaded = new PickerMachine({}, JSON.parse(JSON.stringify(memory)));
    reloaded.start();
    reloaded.opened();
    assert.deepEqual(sent(reloaded.received({ ...welcome, revision: 7 })), [{ type, at: 6, ref: 1 }], type);
  }
});

test("other commands have no revision", () => {
  for (const command of [select(1), { type: "tap", date: day(5) }]) {
    assert.equal(sent(live().command(command))[0].at, undefined);
  }
});

test("a clear and taps before the first welcome have the revision and taps of that welcome", () => {
  const machine = new PickerMachine({});
  machine.start();
  machine.command({ type: "clear" });
  machine.command({ type: "tap", date: day(5) });
  machine.command({ type: "tap", date: day(8) });
  machine.opened();
  const wanted = [{ type: "clear", at: 5, ref: 1 },
    { type: "tap", date: day(5), hits: 0, ref: 2 }, { type: "tap", date: day(8), hits: 1, ref: 3 }];
  assert.deepEqual(sent(machine.received(welcome)), wanted);
  machine.received(delta(6, 1));
  assert.deepEqual(sent(returned(machine)), wanted);
});

test("a tap has hits when it is sent again, and none on a connection that seems to work", () => {
  const machine = ranging();
  assert.deepEqual(sent(machine.command({ type: "tap", date: day(5) })), [{ type: "tap", date: day(5), ref: 1 }]);
  machine.command({ type: "tap", date: day(8) });
  const memory = JSON.stringify(named(machine.command({ type: "clear" }), "save").at(-1).memory);
  machine.command({ type: "tap", month: "2026-12", cell: 12 });
  machine.command({ type: "tap", date: day(9) });
  machine.received(tapped(6, 20, 20, 7, { by: "m_2" }));
  assert.deepEqual(sent(returned(machine)).map(({ hits }) => hits), [1, 2, undefined, 0, 1]);

  const reloaded = new PickerMachine({}, JSON.parse(memory));
  reloaded.start();
  reloaded.opened();
  assert.deepEqual(sent(reloaded.received(welcome)).map(({ hits }) => hits), [1, 2, undefined]);
});

test("a tap without a connection has the hits that the user saw", () => {
  const machine = ranging();
  machine.closed(1006);
  machine.command({ type: "tap", date: day(5) });
  machine.command({ type: "tap", date: day(8) });
  machine.fired("redial");
  machine.opened();
  assert.deepEqual(sent(machine.received({ ...welcome, resumed: true, snapshot: undefined })), [
    { type: "tap", date: day(5), hits: 1, ref: 1 }, { type: "tap", date: day(8), hits: 2, ref: 2 }]);
});

test("a tap that the server will refuse is no hit", () => {
  const machine = ranging({ minDays: 4 });
  machine.closed(1006);
  machine.command({ type: "tap", date: day(3) });
  machine.command({ type: "tap", date: day(8) });
  machine.fired("redial");
  machine.opened();
  const again = sent(machine.received({ ...welcome, resumed: true, snapshot: undefined }));
  assert.deepEqual(again.map(({ hits }) => hits), [1, 1]);
});

test("late commands are not sent again under another epoch: whether they were done is unknown", () => {
  const machine = ranging();
  machine.command({ type: "tap", date: day(5) });
  machine.command({ type: "confirm" });
  machine.closed(1006);
  machine.command({ type: "clear" });
  machine.fired("redial");
  machine.opened();
  const effects = machine.received({ ...welcome, epoch: "e2" });
  assert.deepEqual(sent(effects).map(({ type, ref }) => [type, ref]), [["tap", 1]]);
  assert.deepEqual(named(effects, "settle").map(({ ref, outcome }) => [ref, outcome.outcome]), [[2, "lost"], [3, "lost"]]);
  assert.deepEqual(noticed(effects).map(({ kind, command }) => [kind, command.type]), [["lost", "confirm"], ["lost", "clear"]]);
  assert.deepEqual(named(effects, "save").at(-1).memory.pending.map(({ ref }) => ref), [1]);
});

test("a late command that is refused says what the user saw, and who has changed it", () => {
  const machine = ranging();
  machine.received({ ...tapped(6, 2, 5, 2, { by: "m_1" }), changes: [
    ...tapped(6, 2, 5, 2, { by: "m_1" }).changes, { change: "result", result: { start: day(2), end: day(5) } }] });
  machine.command({ type: "confirm" });
  returned(machine);
  machine.received(tapped(7, 24, 24, 3, { by: "m_2" }));
  const params = { revision: 7, by: "m_2" };
  const effects = machine.received({ type: "refused", ref: 1, code: "stale", detail: "…", params, revision: 7, changes: [] });
  const [notice] = noticed(effects);
  assert.deepEqual([notice.code, notice.params, notice.command.type], ["stale", params, "confirm"]);
  const { range, ...seen } = notice.seen;
  assert.deepEqual(seen, { result: { start: day(2), end: day(5) }, texts: [] });
  assert.deepEqual([range.start, range.end], [day(2), day(5)]);
  assert.deepEqual(named(effects, "settle")[0].outcome.params, params);
});

test("what the user saw includes the own unanswered taps, and survives a reload", () => {
  const machine = ranging();
  machine.command({ type: "tap", date: day(8) });
  const { memory } = named(machine.command({ type: "clear" }), "save").at(-1);
  const { seen } = JSON.parse(JSON.stringify(memory)).pending[1];
  assert.deepEqual(seen.result, { start: day(2), end: day(8), days: 7 });
});

test("two taps of which the first ended the range of another member say so", () => {
  const machine = ranging();
  machine.received(tapped(6, 2, 9, 2, { by: "m_2" }));
  machine.command({ type: "tap", date: day(12) });
  machine.command({ type: "tap", date: day(15) });
  machine.received(tapped(7, 20, 20, 3, { by: "m_2" }));
  machine.received(tapped(8, 12, 20, 4, { by: "m_1", ref: 1 }));
  const [notice] = noticed(machine.received(tapped(9, 15, 15, 5, { by: "m_1", ref: 2 })));
  assert.deepEqual(notice.finished, { start: day(12), end: day(20), hits: 4, by: "m_1" });
});

test("a tap that the user has made to start a range replaces nothing unseen", () => {
  const machine = ranging();
  machine.received(tapped(6, 2, 9, 2, { by: "m_2" }));
  machine.command({ type: "tap", date: day(5) });
  const [notice] = noticed(machine.received(tapped(7, 5, 5, 3, { by: "m_1", ref: 1 })));
  assert.deepEqual([notice.kind, notice.finished], ["range", undefined]);
});

test("a tap for the last day that ends the range replaces nothing", () => {
  const machine = ranging();
  machine.command({ type: "tap", date: day(5) });
  const [notice] = noticed(machine.received(tapped(6, 2, 5, 2, { by: "m_1", ref: 1 })));
  assert.deepEqual([notice.kind, notice.finished], ["range", undefined]);
});
