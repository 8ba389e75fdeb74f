import assert from "node:assert/strict";
import { test } from "node:test";

/** A storage; its names are properties, as a browser's are. */
class Storage {
  getItem(name) { return this[name] ?? null; }
  setItem(name, value) { this[name] = value; }
  removeItem(name) { delete this[name]; }
}
globalThis.localStorage = new Storage();
globalThis.sessionStorage = new Storage();
globalThis.location = { href: "http://host/" };
globalThis.navigator = {};
globalThis.window = new EventTarget();
globalThis.document = Object.assign(new EventTarget(), { visibilityState: "visible" });
const sockets = [];
globalThis.WebSocket = class {
  constructor() { this.readyState = 0; this.sent = []; sockets.push(this); }
  send(text) { this.sent.push(JSON.parse(text)); }
  close() { this.readyState = 3; }
};
const { setTimeout } = globalThis;
globalThis.setTimeout = (work, milliseconds) => {
  const timer = setTimeout(work, milliseconds);
  // A session that a failed test leaves connected does not retain the process.
  return milliseconds > 1000 ? timer.unref() : timer;
};
const { connect, sessionURL } = await import("../../web/client/pickerd.js");

let count = 0;
/** The last socket opens, and gets a welcome as the member that it resumes, or as a new one. */
function welcome() {
  const socket = sockets.at(-1);
  socket.readyState = 1;
  socket.onopen();
  const id = socket.sent[0].resume?.member ?? `m_${count += 1}`;
  const member = { id, secret: "s", name: "Ana", role: "editor", color: "#123456", online: true };
  const snapshot = { definition: { kind: "columns" }, status: "open", result: null, columns: [] };
  socket.onmessage({ data: JSON.stringify({
    type: "welcome", member, epoch: "e", revision: 1, resumed: false, snapshot, members: [member], now: "", limits: {},
  }) });
  return id;
}

/** The page is closed, and its tab: another page of this browser runs the rest of the test. */
function anotherTab() {
  globalThis.sessionStorage = new Storage();
  globalThis[Symbol.for("pickerd")].used.clear();
}

test("a session that is connected again after stop is the same member", async () => {
  const first = await connect("a");
  const member = welcome();
  first.stop();
  const second = await connect("a");
  assert.equal(welcome(), member);

  const third = await connect("a");
  assert.notEqual(welcome(), member, "while it is used, another session is another member");
  second.leave();
  third.stop();
});

test("commands of a listener are sent after those that were queued before", async () => {
  const picker = await connect("c");
  picker.tap({ date: "2026-11-20" });
  picker.addEventListener("connection", () => { if (picker.connection === "live") picker.clear(); });
  welcome();
  const commands = sockets.at(-1).sent.slice(1);
  assert.deepEqual(commands.map(({ type, ref }) => [type, ref]), [["tap", 1], ["clear", 2]]);
  picker.leave();
});

test("a session that is left when it is connected is not stored", async () => {
  const picker = await connect("d");
  picker.addEventListener("connection", () => { if (picker.connection === "live") picker.leave(); });
  welcome();
  assert.equal(sockets.at(-1).sent.at(-1).type, "leave");
  assert.equal(localStorage.getItem(`pickerd ${picker.url}`), null);
  assert.equal(sessionStorage.getItem(`pickerd ${picker.url} pending`), null);
});

test("a stopped session does not react to the network, a retried one does", async () => {
  const picker = await connect("b");
  welcome();
  picker.stop();
  window.dispatchEvent(new Event("offline"));
  assert.equal(picker.connection, "idle");

  picker.retry();
  welcome();
  document.dispatchEvent(new Event("visibilitychange"));
  assert.deepEqual(sockets.at(-1).sent.at(-1), { type: "rows", column: 0, from: 0, count: 0 });
  window.dispatchEvent(new Event("offline"));
  assert.equal(picker.connection, "offline");
  const other = await connect("b");
  assert.notEqual(welcome(), picker.self.id);
  picker.stop();
  other.stop();
});

test("a browser is the same member in a new tab, which knows nothing of the commands of the first one", async () => {
  const first = await connect("e");
  const member = welcome();
  first.tap({ date: "2026-11-20" });
  anotherTab();

  const second = await connect("e");
  assert.equal(welcome(), member);
  assert.deepEqual(sockets.at(-1).sent.filter(({ type }) => type === "tap"), []);
  assert.equal(second.pendingCount, 0);
  second.leave();
  first.stop();
});

test("the page that was opened last is the member, until the user goes on in another one", async () => {
  const first = await connect("f");
  const member = welcome();
  const of = sockets.at(-1);
  anotherTab();
  const second = await connect("f");
  const connections = sockets.length;

  window.dispatchEvent(new Event("storage"));
  assert.deepEqual([first.connection, first.closeCode, of.readyState], ["away", 4409, 3]);
  assert.equal(welcome(), member);
  assert.equal(second.connection, "live");
  first.network(true);
  assert.equal(sockets.length, connections, "it does not come back by itself");

  first.retry();
  window.dispatchEvent(new Event("storage"));
  assert.equal(welcome(), member);
  assert.deepEqual([first.connection, second.connection], ["live", "away"]);
  first.leave();
  second.stop();
});

test("a page that has missed that another one is the member does not connect", async () => {
  const first = await connect("g");
  welcome();
  first.network(false);
  anotherTab();
  const second = await connect("g");
  welcome();
  const connections = sockets.length;

  first.network(true);
  assert.deepEqual([first.connection, first.closeCode], ["away", 4409]);
  assert.equal(sockets.length, connections);
  second.leave();
  first.stop();
});

test("a member of a tab, or of no storage, is not the member of the browser", async () => {
  const first = await connect("h");
  const member = welcome();
  anotherTab();
  const guest = await connect("h", { identity: "tab" });
  const other = welcome();
  assert.notEqual(other, member);
  guest.stop();
  const again = await connect("h", { identity: "tab" });
  assert.equal(welcome(), other);
  again.stop();
  const none = await connect("h", { identity: "none" });
  assert.ok(![member, other].includes(welcome()));
  none.stop();
  anotherTab();
  const last = await connect("h");
  assert.equal(welcome(), member);
  window.dispatchEvent(new Event("storage"));
  assert.equal(first.connection, "away");
  for (const one of [first, last]) one.stop();
});

test("of too many members the oldest are forgotten", async () => {
  for (let at = 0; at < 120; at += 1) localStorage.setItem(`pickerd ws://old/${at}`, JSON.stringify({ member: "m", at }));
  const picker = await connect("i");
  welcome();
  const names = Object.keys(localStorage).filter((name) => name.startsWith("pickerd ws"));
  assert.equal(names.length, 100);
  assert.ok(names.includes(`pickerd ${picker.url}`) && names.includes("pickerd ws://old/119"));
  assert.ok(!names.includes("pickerd ws://old/0"));
  picker.leave();
});

test("a page has no connection while it is in the back/forward cache", async () => {
  const picker = await connect("j");
  welcome();
  const socket = sockets.at(-1);
  picker.tap({ date: "2026-11-20" });
  window.dispatchEvent(new Event("pagehide"));
  assert.equal(socket.readyState, 3);
  window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  welcome();
  assert.equal(sockets.at(-1).sent.at(-1).type, "tap", "what had no answer is sent again");
  picker.leave();
});

test("a page that is shown again does not wait for the network", async () => {
  const picker = await connect("k");
  welcome();
  window.dispatchEvent(new Event("offline"));
  const connections = sockets.length;
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(sockets.length, connections + 1);
  picker.leave();
});

test("the link of a session's page is an address of the session", () => {
  assert.equal(sessionURL("https://host/s/a%20b#token=t"), "wss://host/v1/sessions/a%20b");
  assert.equal(sessionURL("http://host/below/s/ID"), "ws://host/below/v1/sessions/ID");
  assert.equal(sessionURL("/s/ID"), "ws://host/v1/sessions/ID");
  assert.equal(sessionURL("https://host/#/s/ID?token=t"), "wss://host/v1/sessions/ID");
  assert.equal(sessionURL("http://host/below/#/s/a%20b"), "ws://host/below/v1/sessions/a%20b");
  for (const url of ["ws://host/s/v1/sessions/ID", "wss://host/v1/sessions/s"]) assert.equal(sessionURL(url), url);
  assert.equal(sessionURL("s"), "ws://host/v1/sessions/s");
});

test("without a session nothing is connected", async () => {
  const { length } = sockets;
  for (const session of ["", undefined, null]) {
    await assert.rejects(connect(session), { name: "TypeError", message: "session must be a URL, a path or an id" });
  }
  assert.equal(sockets.length, length);
});
