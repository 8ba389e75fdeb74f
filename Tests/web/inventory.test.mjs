// What a session takes from an inventory: folding it, the sentences for it, and the commands.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PickerMachine } from "../../web/client/core/machine.js";
import { PickerSession } from "../../web/client/core/session.js";
import { PickerState } from "../../web/client/core/state.js";
import { usability } from "../../web/client/parts/bar.js";
import { lateLabel } from "../../web/client/parts/late-sentences.js";
import { sentenceOf } from "../../web/client/parts/sentences.js";
import * as stock from "../../web/client/parts/stock-sentences.js";
import { languages, loadWords, wordsOf } from "../../web/client/words/words.js";

const locales = ["en", ...languages];
await Promise.all(locales.map(loadWords));

const settings = { units: { min: 1, max: 4 }, few: 3, holdSeconds: 120, waiting: true, offerSeconds: 900 };
const held = { state: "held", keys: ["2026-12-24"], units: 2, until: "2026-12-01T12:02:00.000Z" };
const codes = ["waiting", "soldOut", "held", "tooManyHolds", "holdLimit", "free", "wrongUnits"];

/** A state of a calendar, or with `columns` of wheels. */
function joined(definition = { kind: "calendar", selection: "single" }, more = {}) {
  const state = new PickerState();
  const { columns, ...rest } = more;
  state.snapshot({ revision: 1, members: [], now: "2026-12-01T12:00:00Z", snapshot: {
    definition, version: 1, status: "open", result: { date: "2026-12-24" }, inventory: settings, units: 1,
    ...(columns ? { columns } : { calendar: { months: { first: "2026-12", last: "2027-01", count: 2 }, range: { start: "2026-12-24", end: "2026-12-24", hits: 1 } } }),
    ...rest,
  } });
  return state;
}

const delta = (state, changes, more = {}, mine = false) => state.delta({ revision: state.revision + 1, at: "2026-12-01T12:00:10Z", changes, ...more }, mine);
const pickerOf = (state, locale = "en") => ({ state, locale, self: { id: "m_1", color: "#123456" }, result: state.result });
const textOf = (notice, state, locale = "en") => sentenceOf(notice, pickerOf(state, locale), wordsOf(locale), [], stock)?.text;

test("a snapshot has the settings, the units and the hold; one without them has none", () => {
  const state = joined(undefined, { units: 2, hold: held });
  assert.deepEqual([state.inventory, state.units, state.hold], [settings, 2, held]);
  state.snapshot({ revision: 2, members: [], snapshot: { definition: { kind: "date" }, version: 1, status: "open", columns: [] } });
  assert.deepEqual([state.inventory, state.units, state.hold], [null, null, null]);
});

test("changes replace the settings, the units and the hold, and a hold is a notice", () => {
  const state = joined();
  delta(state, [{ change: "inventory", inventory: { ...settings, few: 0 } }, { change: "units", units: 3 }]);
  assert.deepEqual([state.inventory.few, state.units], [0, 3]);
  const [began] = delta(state, [{ change: "hold", ...held }], { by: "m_1" }, true);
  assert.deepEqual(began, { kind: "hold", hold: held, before: null, reason: undefined, by: "m_1", mine: true });
  const [ended] = delta(state, [{ change: "hold", state: "none", reason: "expired" }]);
  assert.deepEqual([ended.hold, ended.before, ended.reason, state.hold], [null, held, "expired", null]);
  delta(state, [{ change: "inventory", inventory: null }]);
  assert.equal(state.inventory, null);
});

test("units that are changed can be undone", () => {
  const state = joined();
  state.undos = 0;
  state.count([{ change: "units", units: 2 }], "units");
  assert.deepEqual([state.undos, state.redos], [1, 0]);
  state.count([{ change: "units", units: 1 }], "undo");
  assert.deepEqual([state.undos, state.redos], [0, 1]);
});

test("a row with a level keeps it when it is selected", () => {
  const rows = [{ key: "a", text: "A" }, { key: "b", text: "B", level: "few", left: 2 }];
  const state = joined({ kind: "cascade" }, { columns: [{ generation: 1, count: 2, from: 0, rows, row: 0 }] });
  delta(state, [{ change: "row", column: 0, row: 1, key: "b", text: "B", cause: "select" }], { by: "m_2" });
  assert.deepEqual(state.columns[0].selected, rows[1]);
  delta(state, [{ change: "row", column: 0, row: 1, key: "c", text: "C", cause: "select" }], { by: "m_2" });
  assert.deepEqual(state.columns[0].selected, { key: "c", text: "C" });
});

test("levels come with months and rows, also of a column with its old generation", () => {
  const rows = [{ key: "a", text: "A", level: "few", left: 2 }, { key: "b", text: "B" }];
  const state = joined({ kind: "cascade" }, { columns: [{ generation: 1, count: 2, from: 0, rows, row: 0 }] });
  assert.deepEqual(state.columns[0].selected, rows[0]);
  delta(state, [{ change: "reload", column: 0, generation: 1, count: 2, from: 0, row: 0, rows: [{ key: "a", text: "A", level: "held" }, rows[1]] }]);
  assert.deepEqual([state.columns[0].selected.level, state.columns[0].row, state.columns[0].generation], ["held", 0, 1]);
  const [notice] = delta(state, [{ change: "row", column: 0, row: 1, key: "b", text: "B", cause: "select" }], { by: "m_2" });
  assert.equal(notice.from.key, "a");
});

test("a value that others took is one sentence in every language", () => {
  for (const locale of locales) {
    const state = joined();
    const change = { change: "range", start: null, end: null, hits: 0, cause: "inventory", reason: "held", wanted: "2026-12-24" };
    const notices = delta(state, [change, { change: "result", result: null }]);
    assert.equal(notices.length, 1, locale);
    const { host } = wordsOf(locale);
    assert.equal(textOf(notices[0], state, locale), host.then(host.held(stock.textOf(["2026-12-24"], pickerOf(state, locale))), host.dayGone));
  }
  assert.equal(wordsOf("en").host.soldOut("Dec 24"), "Dec 24 has just been taken");
});

test("an offer is one sentence, although it changes the value, too", () => {
  const state = joined();
  const offered = { ...held, state: "offered", units: 1 };
  const notices = delta(state, [
    { change: "range", start: "2026-12-25", end: "2026-12-25", hits: 1, cause: "inventory", reason: "offered" },
    { change: "hold", ...offered, keys: ["2026-12-25"] }, { change: "result", result: { date: "2026-12-25" } },
  ]);
  const texts = notices.map((notice) => textOf(notice, state)).filter(Boolean);
  assert.equal(texts.length, 1);
  assert.match(texts[0], /^It is your turn: Dec 25 is yours if you confirm by /);
});

test("the end of a hold says why, and a booking nothing more than the status", () => {
  const said = (reason, before = held, mine = false) => textOf({ kind: "hold", hold: null, before, reason, by: null, mine }, joined());
  assert.equal(said("expired"), "Your hold has ended. Your choice stays, but others can take it now.");
  assert.equal(said("expired", { ...held, state: "offered" }), "The offer has ended. It goes to the next on the waiting list.");
  assert.equal(said("moved", held, true), "The choice has changed: nothing is held any more.");
  assert.equal(said("released", held, true), "Given back.");
  assert.equal(said("released", { ...held, state: "waiting" }, true), "You have left the waiting list.");
  assert.equal(said("left"), "Nobody was here: nothing is held any more.");
  assert.equal(said("lost"), "The offer is gone: it is no longer possible.");
  assert.equal(said("booked"), undefined);
});

test("every refusal of an inventory has a sentence of its own in every language", () => {
  for (const locale of locales) {
    const texts = codes.map((code) => textOf({
      kind: "refused", code, detail: "of the server", command: { type: "hold" }, mine: true,
      params: { keys: ["2026-12-24"], until: "2026-12-01T10:20:00Z", min: 1, max: 4 },
    }, joined(), locale));
    assert.equal(new Set(texts).size, codes.length, locale);
    for (const text of texts) assert.ok(text && text !== "of the server" && !text.includes("undefined"), `${locale}: ${text}`);
  }
});

test("a range that ends before a day that others took says so in every language", () => {
  for (const locale of locales) {
    for (const reason of ["soldOut", "held"]) {
      const state = joined({ kind: "calendar", selection: "range" });
      const [notice] = delta(state, [{ change: "range", start: "2026-12-20", end: "2026-12-23", hits: 2, cause: "clamp", reason, wanted: "2026-12-27" }], { by: "m_1" }, true);
      const day = stock.textOf(["2026-12-24"], pickerOf(state, locale));
      assert.ok(textOf(notice, state, locale).includes(wordsOf(locale).reasons[reason]({ what: day })), `${locale} ${textOf(notice, state, locale)}`);
    }
  }
});

test("the keys of a value are those of its days, nights, start or path", () => {
  const keysOf = (result, definition) => stock.keysOf(result, pickerOf(joined(definition)));
  assert.deepEqual(keysOf({ date: "2026-12-24" }), ["2026-12-24"]);
  assert.deepEqual(keysOf({ start: "2026-12-30", end: "2027-01-01", days: 3 }), ["2026-12-30", "2026-12-31", "2027-01-01"]);
  assert.deepEqual(keysOf({ start: "2026-12-30", end: "2027-01-01", nights: 2 }, { kind: "calendar", unit: "nights" }), ["2026-12-30", "2026-12-31"]);
  assert.deepEqual(keysOf({ local: "2026-12-01T14:00", instant: "2026-12-01T14:00:00Z" }, { kind: "slot" }), ["2026-12-01T14:00:00Z"]);
  assert.deepEqual(keysOf({ keys: ["hall", "a/b~c"] }, { kind: "cascade" }), ["hall/a~1b~0c"]);
  assert.deepEqual(keysOf(null), []);
});

test("nights are named with the day of departure", () => {
  const nights = pickerOf(joined({ kind: "calendar", unit: "nights" }));
  assert.equal(stock.textOf(["2026-12-24", "2026-12-25"], nights), "Dec 24 – 26");
  assert.equal(stock.textOf(["2026-12-24"], nights), "Dec 24");
  assert.equal(stock.textOf(["2026-12-24", "2026-12-25"], pickerOf(joined())), "Dec 24 – 25");
});

test("what cannot be had now cannot be confirmed", () => {
  const picker = { connection: "live", isOwner: true, canChange: true, state: { status: "open", hasKnownKind: true, undos: 0, redos: 0 } };
  const isUsable = (result) => usability("confirm", { ...picker, result }).isUsable;
  assert.deepEqual([isUsable({ keys: ["a"] }), isUsable({ keys: ["a"], open: false }), isUsable(null)], [true, false, false]);
});

const member = { id: "m_1", secret: "s", name: "Ana", role: "owner", color: "#123456", online: true };
const welcome = {
  type: "welcome", member, epoch: "e", revision: 5, resumed: false, members: [member], now: "2026-12-01T12:00:00Z", limits: {},
  snapshot: { definition: { kind: "columns" }, version: 1, status: "open", result: null, columns: [], inventory: settings, units: 1 },
};

test("a hold has the revision that the user saw, and invalid arguments are not sent", () => {
  const machine = new PickerMachine({ random: () => 0.5 });
  machine.start();
  machine.opened();
  machine.received(welcome);
  const sent = (command) => machine.command(command).filter(({ effect }) => effect === "send").map(({ message }) => message);
  assert.deepEqual(sent({ type: "hold" }), [{ type: "hold", ref: 1, at: 5 }]);
  assert.deepEqual(sent({ type: "units", units: 3 }), [{ type: "units", units: 3, ref: 2 }]);
  assert.deepEqual(sent({ type: "release" }), [{ type: "release", ref: 3 }]);
  assert.deepEqual(sent({ type: "wait", keys: ["a"] }), [{ type: "wait", keys: ["a"], ref: 4 }]);
  for (const wrong of [{ type: "units", units: 1.5 }, { type: "units" }, { type: "wait" }, { type: "wait", keys: [] }, { type: "wait", keys: [1] },
    { type: "wait", keys: Array(367).fill("a") }]) assert.deepEqual(sent(wrong), [], JSON.stringify(wrong));
});

test("without a connection nothing is held, taken or waited for later", () => {
  const machine = new PickerMachine({ random: () => 0.5 });
  machine.start();
  machine.opened();
  machine.received(welcome);
  machine.closed(1006);
  for (const command of [{ type: "hold" }, { type: "release" }, { type: "units", units: 2 }, { type: "wait", keys: ["a"] }]) {
    const settled = machine.command(command).find(({ effect }) => effect === "settle");
    assert.deepEqual(settled.outcome, { outcome: "offline" }, command.type);
  }
});

test("a stale hold can be made again for what is there now", () => {
  const state = joined();
  assert.equal(lateLabel({ type: "hold" }, pickerOf(state), { ...wordsOf("en"), hold: "Hold" }), "Hold Dec 24");
});

test("the session has methods for it, and the time by the clock of the server", () => {
  let now = 1_000;
  const sent = [];
  const socket = { readyState: 1, send: (text) => sent.push(JSON.parse(text)), close() {} };
  const picker = new PickerSession("ws://host/v1/sessions/a", {}, {
    dial: () => socket, now: () => now, setTimer() {}, clearTimer() {}, isHidden: () => false, load: () => null, save() {},
  });
  picker.start();
  socket.onopen();
  socket.onmessage({ data: JSON.stringify(welcome) });
  now += 2_500;
  assert.equal(picker.now, Date.parse("2026-12-01T12:00:02.5Z"));
  socket.onmessage({ data: JSON.stringify({ type: "delta", revision: 6, at: "2026-12-01T13:00:00Z", changes: [] }) });
  assert.equal(picker.now, Date.parse("2026-12-01T13:00:00Z"));
  void picker.units(2);
  void picker.hold();
  void picker.release();
  void picker.wait(["a"]);
  assert.deepEqual(sent.slice(1).map(({ type, units, keys }) => units ?? keys ?? type), [2, "hold", "release", ["a"]]);
});
