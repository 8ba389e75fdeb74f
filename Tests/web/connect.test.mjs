import assert from "node:assert/strict";
import { test } from "node:test";

/** A storage, and the events of window and document, of a page. */
const stored = new Map();
globalThis.sessionStorage = {
  getItem: (name) => stored.get(name) ?? null,
  setItem: (name, value) => stored.set(name, value),
  removeItem: (name) => stored.delete(name),
};
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

test("a session that is connected again after stop is the same member, also without locks", async () => {
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
  assert.equal(stored.has(`pickerd ${picker.url}`), false);
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
