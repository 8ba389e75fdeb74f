import assert from "node:assert/strict";
import { test } from "node:test";
import { find } from "../../web/client/core/find.js";

/** A session that has a connection, and what it has sent. */
function connected() {
  const picker = Object.assign(new EventTarget(), { connection: "live", sent: [], send: (message) => picker.sent.push(message) });
  const receive = (message) => picker.dispatchEvent(Object.assign(new Event("message"), { detail: { direction: "in", message } }));
  const lose = () => {
    picker.connection = "waiting";
    picker.dispatchEvent(new Event("connection"));
  };
  return { picker, receive, lose };
}

const answer = (id, rows = []) => ({ type: "found", id, column: 0, generation: 1, rows, more: false });

test("a search is answered by the message with its id", async () => {
  const { picker, receive } = connected();
  const found = find(picker, 0, "mün", 5);
  const [message] = picker.sent;
  assert.deepEqual({ ...message, id: 0 }, { type: "find", id: 0, column: 0, text: "mün", limit: 5 });
  receive(answer(message.id + 1));
  receive({ type: "presence" });
  receive(null);
  receive(answer(message.id));
  assert.deepEqual(await found, answer(message.id));
});

test("a later search, a refusal and a lost connection end one without rows", async () => {
  const { picker, receive, lose } = connected();
  const first = find(picker, 0, "a");
  const second = find(picker, 9, "b");
  assert.equal(await first, null);
  receive({ type: "refused", id: picker.sent[1].id, code: "noSuchColumn" });
  assert.equal(await second, null);
  const third = find(picker, 0, "c");
  lose();
  assert.equal(await third, null);
  assert.equal(await find(picker, 0, "d"), null);
  assert.equal(picker.sent.length, 3);
});

test("what the server would close the connection for is not sent", () => {
  const { picker } = connected();
  for (const [column, text, limit] of [[0, ""], [0, "é".repeat(65)], [0, "\ud800"], [0, 7], [0.5, "a"], [0, "a", "5"]]) {
    assert.throws(() => find(picker, column, text, limit), TypeError);
  }
  assert.deepEqual(picker.sent, []);
  void find(picker, 0, "🙂".repeat(64));
  assert.equal(picker.sent.length, 1);
});
