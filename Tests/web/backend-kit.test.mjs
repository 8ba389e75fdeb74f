import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import {
  Pickerd, PickerdError, signToken, verifyWebhook, WebhookError,
} from "../../web/packages/server/index.js";

const vectors = (name) =>
  JSON.parse(readFileSync(new URL(`../golden/backend-kit/${name}.json`, import.meta.url), "utf8"));
const tokens = vectors("tokens");

/** A server that answers with `answers` in order, each [status, body, headers] or null for none. */
async function scripted(t, ...answers) {
  const requests = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      requests.push({ method: request.method, url: request.url, headers: request.headers, body });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (!answer) return request.socket.destroy();
      const [status, json, headers = {}] = answer;
      const type = status < 400 ? "application/json" : "application/problem+json";
      response.writeHead(status, { "Content-Type": type, ...headers });
      response.end(typeof json === "string" ? json : JSON.stringify(json));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => (server.closeAllConnections?.(), server.close()));
  return { requests, url: `http://127.0.0.1:${server.address().port}` };
}

for (const { algorithm, kid, key, publicKey, claims, token } of tokens)
  test(`a token with ${algorithm} for ${claims.role} is that of the vector`, () => {
    const made = signToken(key, { kid, ...claims });
    const [text, wanted] = [made, token].map((one) => one.slice(0, one.lastIndexOf(".")));
    assert.equal(text, wanted);
    if (algorithm !== "ES256") return assert.equal(made, token);
    for (const one of [made, token]) {
      const signature = Buffer.from(one.slice(text.length + 1), "base64url");
      const options = { key: createPublicKey(publicKey), dsaEncoding: "ieee-p1363" };
      assert.ok(verify("sha256", Buffer.from(text), options, signature));
    }
  });

test("what pickerd would refuse is not signed", () => {
  const { key } = tokens[0];
  const good = { session: "a", role: "owner" };
  for (const [claims, message] of [
    [{ role: "owner" }, /session/], [{ ...good, rights: 1 }, /rights/],
    [{ ...good, seconds: 86_401 }, /86,400/], [{ ...good, name: "x".repeat(9000) }, /8 KiB/]])
    assert.throws(() => signToken(key, claims), message);
  assert.throws(() => signToken(tokens[2].key, good), /kid/);
});

for (const { case: name, claims, isValid, reason } of vectors("claims"))
  test(`a token with ${name} is ${isValid ? "signed" : "refused"}`, () => {
    const make = () => signToken(tokens[0].key, { session: "a", role: "owner", ...claims });
    if (isValid) return assert.ok(make());
    assert.throws(make, (error) => (error instanceof TypeError || error instanceof RangeError)
      && error.message.includes(reason));
  });

for (const one of vectors("webhooks"))
  test(`a webhook is ${one.isValid ? "accepted" : "refused"}: ${one.case}`, () => {
    const headers = { "webhook-id": one.id, "webhook-timestamp": one.timestamp,
      "webhook-signature": one.signature };
    const check = (given) => verifyWebhook(one.secrets, given, one.body, { now: one.now });
    if (!one.isValid) return assert.throws(() => check(headers), WebhookError);
    assert.deepEqual(check(headers), { ...JSON.parse(one.body), id: one.id });
    // Headers of fetch have bytes only.
    assert.equal(check(new Headers(headers)).id, one.id);
  });

test("a creation without an answer is sent again with its Idempotency-Key", async (t) => {
  const { requests, url } = await scripted(
    t, null, [503, { code: "unavailable" }], [201, { session: "a" }]);
  const made = await new Pickerd(url, "pk_a.b").create({ definition: { kind: "date" } });
  assert.deepEqual(made, { session: "a" });
  const keys = requests.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 3);
  assert.ok(keys[0] && keys.every((key) => key === keys[0]));
  assert.equal(requests[2].headers.authorization, "Bearer pk_a.b");
});

test("a command and a JSON Patch without a version are not sent twice", async (t) => {
  const { requests, url } = await scripted(t, null);
  const pickerd = new Pickerd(`${url}/pick/`, "pk_a.b");
  const is = (error) => error instanceof PickerdError && error.code === "noAnswer";
  await assert.rejects(pickerd.command("a", { type: "clear", at: 1 }), is);
  await assert.rejects(pickerd.patchDefinition("a", [{ op: "remove", path: "/taken/1" }]), is);
  assert.deepEqual(requests.map(({ url: path }) => path),
    ["/pick/v1/sessions/a/commands", "/pick/v1/sessions/a/definition"]);
});

test("a command that was not done is sent again after Retry-After", async (t) => {
  const { requests, url } = await scripted(
    t, [429, { code: "tooMany" }, { "Retry-After": "1" }], [200, { type: "reply" }]);
  const began = Date.now();
  assert.deepEqual(await new Pickerd(url).command("a", { type: "clear" }), { type: "reply" });
  assert.equal(requests.length, 2);
  assert.ok(Date.now() - began >= 990);
});

test("a request is not repeated for longer than retrySeconds", async (t) => {
  const { requests, url } = await scripted(t, [503, { code: "full" }, { "Retry-After": "60" }]);
  await assert.rejects(new Pickerd(url).session("a"), (error) => error.status === 503
    && error.code === "full" && error.message.startsWith(`GET ${url}/v1/sessions/a: 503`));
  assert.equal(requests.length, 1);
});

test("refusals are final and have their problem", async (t) => {
  const { requests, url } = await scripted(
    t, [412, { code: "versionMismatch" }], [409, { code: "externalTaken", session: "b" }],
    [502, "<h1>Bad Gateway</h1>", { "Content-Type": "text/html" }], [200, { changes: [] }]);
  const pickerd = new Pickerd(url);
  await assert.rejects(pickerd.patchShared("room", { definition: {} }, { ifMatch: 7 }),
    { status: 412, code: "versionMismatch" });
  assert.equal(requests[0].headers["if-match"], '"7"');
  assert.equal(requests[0].headers["content-type"], "application/merge-patch+json");
  await assert.rejects(pickerd.create({ external: "x" }), (error) => error.problem.session === "b");
  assert.deepEqual(await pickerd.patchNotes("a", { days: {} }), { changes: [] });
});

const unread = vectors("answers");

test("an answer that is not JSON is its text, and an id is one segment of the path", async (t) => {
  const { requests, url } = await scripted(
    t, ...unread.map(({ type, text }) => [200, text, { "Content-Type": type }]), [200, {}]);
  const pickerd = new Pickerd(url, "pk_a.b", { retrySeconds: 0 });
  for (const { type, text, value, code } of unread) {
    const asked = pickerd.request("GET", "/v1/x y?ä=%20");
    if (code) await assert.rejects(asked, (error) => error instanceof PickerdError && error.code === code);
    else assert.deepEqual(await asked, value ?? text, type);
  }
  assert.equal(requests[0].url, "/v1/x%20y?%C3%A4=%20");

  requests.length = 0;
  await pickerd.session("a b/ä?");
  await pickerd.patchNotes("a#", { days: {} });
  await pickerd.putShared("ä", { definition: {} });
  assert.deepEqual(requests.map((one) => one.url), [
    "/v1/sessions/a%20b%2F%C3%A4%3F", "/v1/sessions/a%23/notes", "/v1/definitions/%C3%A4"]);
});

test("what cannot be sent is refused at once with a PickerdError", async (t) => {
  const { requests, url } = await scripted(t, [200, {}]);
  const pickerd = new Pickerd(url);
  const isUnsendable = (error) => error instanceof PickerdError && error.code === "badMessage";
  for (const act of [
    () => pickerd.session("\ud800"), () => pickerd.createBy("\ud800", {}),
    () => pickerd.create({}, { idempotencyKey: "a\nb" }), () => pickerd.create({}, { idempotencyKey: "李" }),
    () => pickerd.create({ meta: 1n })])
    await assert.rejects(act(), isUnsendable);
  assert.equal(requests.length, 0);
});

test("an address or a key that is missing is refused at once", () => {
  for (const url of [undefined, null, "", "nowhere", "pick.example.org", "https://", "ws://pick"])
    assert.throws(() => new Pickerd(url, "pk_a.b"), {
      name: "TypeError",
      message: "url must be the address of pickerd, such as https://pick.example.org",
    });
  for (const key of [undefined, "", 7])
    assert.throws(() => new Pickerd("https://pick.example.org", key), {
      name: "TypeError", message: /^key must be an API key/,
    });
  for (const rest of [["pk_a.b"], [], [null, { retrySeconds: 1 }]])
    assert.ok(new Pickerd("http://127.0.0.1:7681/pick/", ...rest));
});

test("a shared definition has its version behind a proxy that compresses", async (t) => {
  const { url } = await scripted(t, [200, { definition: {}, notes: {} }, { ETag: 'W/"7"' }]);
  assert.equal((await new Pickerd(url).shared("a")).version, 7);
});

test("what stands after a settle is one word", async (t) => {
  const stands = (granted) => [409, { code: "tooLate", stands: { granted } }];
  const { url } = await scripted(
    t, [200, {}], [200, {}], stands(true), stands(false), [409, { code: "tooLate" }],
    [404, { code: "noSuchOp" }], [404, { code: "noSuchSession" }], [403, { code: "notAllowed" }]);
  const pickerd = new Pickerd(url);
  const outcomes = [await pickerd.settle("a", "cf", false, { reason: "sold out" })];
  while (outcomes.length < 7) outcomes.push(await pickerd.settle("a", "cf", true));
  assert.deepEqual(outcomes, ["denied", "granted", "granted", "late", "late", "late", "ended"]);
  await assert.rejects(pickerd.settle("a", "cf", true), { code: "notAllowed" });
});

test("all pages of the list are read", async (t) => {
  const { requests, url } = await scripted(
    t, [200, { sessions: [{ session: "a" }], next: "7" }], [200, { sessions: [{ session: "b" }] }]);
  const found = [];
  for await (const { session } of new Pickerd(url).sessions({ status: "open" })) found.push(session);
  assert.deepEqual(found, ["a", "b"]);
  assert.deepEqual(requests.map((one) => new URLSearchParams(one.url.split("?")[1]).get("after")),
    ["0", "7"]);
});

const query = (url) => {
  const [path, text] = url.split("?");
  return [path, [...new URLSearchParams(text)].map((pair) => pair.join("=")).sort()];
};

for (const vector of vectors("inventory"))
  test(`a call of the inventory sends and returns what the vector says: ${vector.case}`, async (t) => {
    const { requests, url } = await scripted(t, ...vector.answers);
    const result = async () => {
      const found = new Pickerd(url)[vector.call](...vector.arguments, vector.options);
      if (!found[Symbol.asyncIterator]) return await found ?? null;
      const all = [];
      for await (const one of found) all.push(one);
      return all;
    };
    if (vector.error) {
      const { name, status, code, keys } = await result().then(assert.fail, (error) => error);
      assert.deepEqual([name, { status, code, keys }], ["PickerdError", vector.error]);
    } else assert.deepEqual(await result(), vector.result);
    assert.deepEqual(
      requests.map(({ method, url: path, body }) => [method, query(path), body ? JSON.parse(body) : null]),
      vector.requests.map(([method, path, body]) => [method, query(path), body]));
  });

test("the feed goes on after its cursor, over lost answers, and says what was restarted", async (t) => {
  const event = (position) => `${JSON.stringify({ position, type: "session.ended", data: { t: "\u2028" } })}\n`;
  const page = (epoch, position, text) => [200, text, { "Feed-Epoch": epoch, "Feed-Position": position }];
  const { requests, url } = await scripted(
    t, page("e", 5, event(4) + event(5)), null, page("e", 9, ""),
    [410, { code: "gone", epoch: "f", oldest: 2, newest: 3 }],
    page("f", 2, event(2)), page("f", 3, event(3)), [401, { code: "badToken" }]);
  const seen = [];
  const reading = (async () => {
    for await (const { type, cursor } of new Pickerd(url).feed({ after: "e:3", types: ["session.ended"] }))
      seen.push([type, cursor]);
  })();
  await assert.rejects(reading, { code: "badToken" });
  assert.deepEqual(seen, [
    ["session.ended", "e:4"], ["session.ended", "e:5"], ["restarted", "f:1"],
    ["session.ended", "f:2"], ["session.ended", "f:3"]]);
  const asked = requests.map((one) => {
    const query = new URLSearchParams(one.url.split("?")[1]);
    return `${query.get("epoch")}:${query.get("after")} ${query.get("waitSeconds")}`;
  });
  assert.deepEqual(asked, ["e:3 25", "e:5 25", "e:5 25", "e:9 25", "f:1 0", "f:2 25", "f:3 25"]);
});
