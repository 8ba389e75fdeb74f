import assert from "node:assert/strict";
import { test } from "node:test";
import { PickerMachine } from "../../web/client/core/machine.js";
import { renewMilliseconds } from "../../web/client/core/renewal.js";
import { connectionText } from "../../web/client/parts/banner.js";
import { loadWords, wordsOf } from "../../web/client/words/words.js";

const member = { id: "m_1", secret: "s", name: "Ana", role: "editor", color: "#123456", online: true };
const snapshot = { definition: { kind: "columns" }, status: "open", result: null, columns: [] };
const expires = "2026-11-20T12:00:00.000Z";
const welcome = (expiresInSeconds) => ({
  type: "welcome", member, epoch: "e", revision: 5, resumed: false, snapshot, members: [member], now: "", limits: {},
  token: { expires, expiresInSeconds },
});
const sent = (effects) => effects.filter((one) => one.effect === "send").map((one) => one.message);
const named = (effects, name) => effects.filter((one) => one.effect === name);
const timer = (effects, name) => named(effects, "timer").filter((one) => one.name === name).at(-1)?.milliseconds;

/** A machine that renews tokens, connected with one that expires in `seconds`. */
function live(seconds = 3600, options = { token: "first", renewsTokens: true }) {
  const machine = new PickerMachine({ random: () => 0.5, ...options });
  machine.start();
  machine.opened();
  return { machine, effects: machine.received(welcome(seconds)) };
}

test("a token is requested 60 s before it expires, or after half of a shorter time, at the earliest after 5 s", () => {
  const delays = { 3600: 3540, 100: 50, 12: 6, 3: 5, 0: 5 };
  for (const [seconds, delay] of Object.entries(delays)) {
    assert.equal(renewMilliseconds(Number(seconds)), delay * 1000, seconds);
    assert.equal(timer(live(Number(seconds)).effects, "renew"), delay * 1000);
  }
});

test("a provided token is sent, and its answer sets the time of the next request", () => {
  const { machine } = live(120);
  assert.deepEqual(machine.fired("renew"), [{ effect: "requestToken" }]);
  assert.deepEqual(machine.fired("renew"), [], "one request at a time");
  assert.deepEqual(sent(machine.tokenProvided("second")), [{ type: "token", token: "second" }]);
  assert.equal(timer(machine.received({ type: "token", expires, expiresInSeconds: 600 }), "renew"), 540_000);
  assert.equal(machine.renewal.expires, expires);
});

test("a request without an answer is repeated after ten seconds, unless that is final", () => {
  const { machine } = live(120);
  machine.fired("renew");
  assert.equal(timer(machine.tokenUnavailable(false), "renew"), 10_000);
  machine.fired("renew");
  assert.deepEqual(machine.tokenUnavailable(true), []);
  assert.equal(machine.connection, "live");
});

test("after 4302 the client resumes with a new token", () => {
  const { machine } = live();
  assert.equal(timer(machine.closed(4302), "redial"), 0);
  const effects = machine.fired("redial");
  assert.equal(machine.connection, "connecting");
  assert.equal(named(effects, "requestToken").length, 1);
  assert.equal(named(effects, "dial").length, 0);
  assert.equal(named(machine.tokenProvided("second"), "dial").length, 1);
  const [join] = sent(machine.opened());
  assert.equal(join.token, "second");
  assert.deepEqual(join.resume, { member: "m_1", secret: "s", epoch: "e", revision: 5 });
});

/** A machine that joins with the token of the page's provider, which has not answered yet. */
function starting() {
  const machine = new PickerMachine({ renewsTokens: true, random: () => 0.5 });
  return { machine, effects: machine.start() };
}

for (const code of [4301, 4302, 4403]) {
  test(`tokens rejected with ${code} are replaced with back-off until one is accepted`, () => {
    let { machine, effects } = starting();
    const pauses = [];
    for (let number = 0; number < 7; number += 1) {
      assert.equal(named(effects, "requestToken").length, 1);
      assert.equal(machine.renewal.isWaiting, true);
      machine.tokenProvided(`${number}`);
      assert.equal(machine.renewal.isWaiting, false);
      assert.equal(sent(machine.opened())[0].token, `${number}`);
      pauses.push(timer(machine.closed(code), "redial"));
      assert.deepEqual([machine.connection, machine.closeCode], ["waiting", code]);
      assert.equal(machine.renewal.isWaiting, true);
      effects = machine.fired("redial");
    }
    machine.tokenProvided("good");
    machine.opened();
    machine.received(welcome(3600));
    assert.deepEqual(pauses, [0, 1000, 2000, 4000, 8000, 15_000, 15_000]);
    assert.deepEqual([machine.connection, machine.renewal.isWaiting], ["live", false]);
  });

  test(`a provider without a token ends the connection that was closed with ${code}`, () => {
    const { machine } = live();
    machine.command({ type: "clear" });
    machine.closed(code);
    machine.fired("redial");
    machine.tokenUnavailable(false);
    assert.deepEqual([machine.connection, machine.closeCode], ["waiting", code]);
    assert.equal(named(machine.fired("redial"), "requestToken").length, 1);
    const effects = machine.tokenUnavailable(true);
    assert.deepEqual([machine.connection, machine.closeCode], [code === 4403 ? "away" : "credentials", code]);
    assert.equal(timer(effects, "redial"), undefined);
    assert.equal(named(effects, "settle").length, code === 4403 ? 1 : 0, "away is final: no command waits for it");
    assert.equal(named(machine.retry(), "requestToken").length, 1, "the user can try again");
  });
}

test("after a revocation the member resumes with a later token", () => {
  const { machine } = live();
  machine.closed(4403);
  assert.equal(named(machine.fired("redial"), "requestToken").length, 1);
  machine.tokenProvided("second");
  const [join] = sent(machine.opened());
  assert.deepEqual([join.token, join.resume.member], ["second", "m_1"]);
});

test("a guest whose access was revoked reads so in each language until the next welcome", async () => {
  await Promise.all(["ar", "de", "ja", "zh-Hans"].map(loadWords));
  const { machine } = live();
  const text = (locale = "en") => connectionText({
    connection: machine.connection, closeCode: machine.closeCode, self: { role: "editor" },
    isWaitingForToken: machine.renewal.isWaiting, isRevoked: machine.renewal.code === 4403,
  }, wordsOf(locale));
  machine.closed(4301);
  assert.equal(text(), "Waiting for access to this picker…");
  machine.fired("redial");
  machine.tokenProvided("second");
  machine.opened();
  machine.closed(4403);
  for (const state of ["waiting", "connecting"]) {
    assert.equal(machine.connection, state);
    assert.equal(text(), "The host has withdrawn your access to this picker. Waiting for new access…");
    machine.fired("redial");
  }
  for (const locale of ["ar", "de", "ja", "zh-Hans"]) {
    assert.equal(text(locale), wordsOf(locale).connection.revoked);
    assert.notEqual(text(locale), wordsOf("en").connection.revoked);
  }
  machine.tokenProvided("third");
  machine.opened();
  machine.received(welcome(3600));
  assert.equal(text(), null);
});

test("without a provider a revocation is final", () => {
  const { machine } = live(3600, { token: "first" });
  machine.closed(4403);
  assert.equal(machine.connection, "away");
});

test("joining as a new member keeps the identity until a welcome", () => {
  const { machine } = live();
  machine.closed(4301);
  machine.fired("redial");
  for (let round = 0; round < 2; round += 1) {
    machine.tokenProvided("unknown key");
    assert.equal(sent(machine.opened())[0].resume.member, "m_1");
    machine.closed(4301);
    assert.equal(sent(machine.opened())[0].resume, undefined, "the secret may be wrong");
    machine.closed(4301);
    machine.fired("redial");
  }
  machine.tokenProvided("known key");
  assert.equal(sent(machine.opened())[0].resume.member, "m_1");
});

test("a second request waits for the answer to the first", () => {
  const { machine } = starting();
  machine.credentials("mine");
  machine.opened();
  machine.closed(4302);
  assert.equal(named(machine.fired("redial"), "requestToken").length, 0);
  assert.equal(named(machine.tokenProvided("second"), "dial").length, 1);
  assert.equal(sent(machine.opened())[0].token, "second");
});

test("no token is requested while the device is offline", () => {
  const { machine } = live();
  machine.closed(4302);
  machine.network(false);
  const effects = machine.fired("redial");
  assert.equal(named(effects, "requestToken").length, 0);
  assert.equal(timer(effects, "redial"), 30_000);
  assert.deepEqual([machine.connection, machine.renewal.isWaiting], ["offline", false]);
  assert.equal(named(machine.network(true), "requestToken").length, 1);
});

test("a token that arrives while the device is offline is used when the network returns", () => {
  const { machine } = starting();
  machine.network(false);
  assert.equal(named(machine.tokenProvided("first"), "dial").length, 0);
  assert.equal(named(machine.network(true), "dial").length, 1);
});

test("a rejected token keeps the identity until a new token is rejected too", () => {
  const { machine } = live();
  machine.closed(1006);
  machine.fired("redial");
  machine.opened();
  machine.closed(4301);
  machine.fired("redial");
  machine.tokenProvided("second");
  assert.equal(sent(machine.opened())[0].resume.member, "m_1");
  machine.closed(4301);
  const [join] = sent(machine.opened());
  assert.deepEqual([join.resume, join.token], [undefined, "second"]);
});

for (const code of [4302, 4403]) {
  test(`after ${code} the first 4301 keeps the identity, because the page is asked first`, () => {
    const { machine } = live();
    machine.closed(code);
    machine.fired("redial");
    machine.tokenProvided("second");
    machine.opened();
    machine.closed(4301);
    assert.equal(machine.connection, "waiting");
    assert.equal(named(machine.fired("redial"), "requestToken").length, 1);
    machine.tokenProvided("third");
    assert.equal(sent(machine.opened())[0].resume.member, "m_1");
  });
}

test("without a token the first one is requested before the page connects", () => {
  const machine = new PickerMachine({ renewsTokens: true, random: () => 0.5 });
  const effects = machine.start();
  assert.deepEqual([named(effects, "requestToken").length, named(effects, "dial").length], [1, 0]);
  assert.equal(timer(effects, "join"), null, "the page has no time limit");
  assert.equal(timer(machine.tokenUnavailable(false), "redial"), 500);
  machine.fired("redial");
  machine.tokenUnavailable(true);
  assert.equal(machine.connection, "credentials");
});

test("a token that the page sets renews that of the open connection", () => {
  const { machine, effects } = live(120, { token: "first" });
  assert.equal(timer(effects, "renew"), undefined);
  assert.deepEqual(sent(machine.credentials("second")), [{ type: "token", token: "second" }]);
  machine.closed(4302);
  assert.equal(machine.connection, "credentials");
  assert.equal(named(machine.credentials("third"), "dial").length, 1);
});

test("a token that the page sets is newer than the one that was requested before", () => {
  const { machine } = live(120);
  machine.fired("renew");
  assert.deepEqual(sent(machine.credentials("newer")), [{ type: "token", token: "newer" }]);
  assert.deepEqual(machine.tokenProvided("older"), []);
  assert.equal(machine.options.token, "newer");
});

test("a token that the page sets after a refusal connects again", () => {
  const { machine } = live(120, { token: "first" });
  machine.closed(4403);
  assert.equal(machine.connection, "away");
  assert.equal(named(machine.credentials("second"), "dial").length, 1);
});

test("a token that is provided after the page has stopped does not reconnect", () => {
  const { machine } = live(120);
  machine.fired("renew");
  machine.stop();
  assert.deepEqual(machine.tokenProvided("second"), []);
  assert.equal(machine.connection, "idle");
});

test("a token of an attempt that failed for another reason is not the last one", () => {
  const machine = new PickerMachine({ renewsTokens: true, random: () => 0.5 });
  machine.start();
  machine.tokenProvided("a");
  machine.opened();
  machine.closed(1006);
  machine.fired("redial");
  machine.opened();
  machine.closed(4302);
  assert.equal(machine.connection, "waiting");
  assert.equal(named(machine.fired("redial"), "requestToken").length, 1);
});

test("a token that the page sets while another one is being rejected is tried", () => {
  const machine = new PickerMachine({ token: "first", random: () => 0.5 });
  machine.start();
  machine.opened();
  machine.credentials("second");
  machine.closed(4302);
  assert.equal(machine.connection, "waiting");
  machine.fired("redial");
  const [join] = named(machine.opened(), "send").map((one) => one.message);
  assert.equal(join.token, "second");
  machine.closed(4302);
  assert.equal(machine.connection, "credentials");
});

for (const end of ["left", "idle", "4409"]) {
  test(`a token does not reconnect a page that is ${end}`, () => {
    const machine = new PickerMachine({ token: "first" });
    machine.start();
    machine.opened();
    if (end === "left") machine.leave();
    else if (end === "idle") machine.stop();
    else machine.closed(4409);
    assert.equal(named(machine.credentials("second"), "dial").length, 0);
  });
}
