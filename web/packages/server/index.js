/**
 * The backend kit of pickerd: member tokens, webhooks, and the HTTP API with retries.
 * index.d.ts describes every function, README.md has examples; pickerd.py is the same in Python.
 */

import {
  createHmac, createPrivateKey, createPublicKey, randomUUID, sign, timingSafeEqual, verify,
} from "node:crypto";

/** In the order in which both kits write them, so that they make the same token. */
const CLAIMS = [
  "aud", "session", "role", "sub", "name", "locale", "info", "meta", "nbf", "iat", "exp"];
const ROLES = ["viewer", "editor", "owner"];
/** After these a request is sent again if that is safe. */
const TEMPORARY = [429, 502, 503, 504];
/** Codes of connections that failed before anything was sent. */
const NOT_SENT = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH"];

export class WebhookError extends Error {
  name = "WebhookError";
}

export class PickerdError extends Error {
  name = "PickerdError";

  constructor(request, status, problem) {
    super(`${request}: ${status || "no answer"} ${JSON.stringify(problem)}`);
    const { code = "", detail = "" } = problem;
    Object.assign(this, { request, status, code, detail, problem });
  }
}

// Member tokens

/** The algorithm and the id of a signing key, and the function that signs. */
function signer(key, kid) {
  if (key.startsWith("pk_")) {
    const dot = key.indexOf(".");
    const secret = key.slice(dot + 1);
    const signed = (text) => createHmac("sha256", secret).update(text).digest();
    return { alg: "HS256", kid: kid ?? key.slice(3, dot), signed };
  }
  if (!kid) throw new TypeError("a private key needs kid, the id of its key in the key file");
  const secret = createPrivateKey(key);
  if (secret.asymmetricKeyType === "ed25519")
    return { alg: "EdDSA", kid, signed: (text) => sign(null, Buffer.from(text), secret) };
  if (secret.asymmetricKeyDetails?.namedCurve !== "prime256v1")
    throw new TypeError("a private key must be of P-256 or Ed25519");
  const options = { key: secret, dsaEncoding: "ieee-p1363" };
  return { alg: "ES256", kid, signed: (text) => sign("sha256", Buffer.from(text), options) };
}

function checkClaims(claims) {
  for (const name of Object.keys(claims))
    if (!CLAIMS.includes(name)) throw new TypeError(`${name} is not a claim of a member token`);
  const ids = [claims.session].flat();
  if (ids.length < 1 || ids.length > 16 || !ids.every((id) => id && typeof id === "string"))
    throw new TypeError("session must be the id of a session, or a list of 1 to 16");
  if (!ROLES.includes(claims.role)) throw new TypeError(`role must be one of ${ROLES.join(", ")}`);
  const seconds = claims.exp - claims.iat;
  if (!(seconds >= 1 && seconds <= 86_400))
    throw new RangeError("a token must be valid for 1 to 86,400 seconds");
}

export function signToken(key, { kid, seconds = 3600, ...given }) {
  const iat = given.iat ?? Math.floor(Date.now() / 1000);
  const claims = { aud: "pickerd", iat, exp: iat + seconds, ...given };
  checkClaims(claims);
  const by = signer(key, kid);
  const ordered = Object.fromEntries(CLAIMS.map((name) => [name, claims[name] ?? undefined]));
  const text = [{ alg: by.alg, typ: "JWT", kid: by.kid }, ordered]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const token = `${text}.${by.signed(text).toString("base64url")}`;
  if (token.length > 8192) throw new RangeError("the token is longer than 8 KiB");
  return token;
}

// Webhooks

/** Whether one of the signatures, as [version, bytes], is that of the secret. */
function isSigned(secret, text, signatures) {
  if (secret.startsWith("whpk_")) {
    const x = Buffer.from(secret.slice(5), "base64").toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return signatures.some(([version, one]) => version === "v1a" && verify(null, text, key, one));
  }
  if (!secret.startsWith("whsec_")) throw new TypeError("a secret begins with whsec_ or whpk_");
  const key = Buffer.from(secret.slice(6), "base64");
  const expected = createHmac("sha256", key).update(text).digest();
  return signatures.some(([version, one]) =>
    version === "v1" && one.length === expected.length && timingSafeEqual(one, expected));
}

export function verifyWebhook(secrets, headers, body, { toleranceSeconds = 300, now } = {}) {
  const [id, at, list] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    String((typeof headers.get === "function" ? headers.get(name) : headers[name]) ?? ""));
  const signatures = list.split(" ").map((one) => {
    const [version, value = ""] = one.split(",");
    return [version, Buffer.from(value, "base64")];
  });
  const bytes = Buffer.from(body);
  const text = Buffer.concat([Buffer.from(`${id}.${at}.`), bytes]);
  if (![secrets].flat().some((secret) => isSigned(secret, text, signatures)))
    throw new WebhookError("no signature is right: not from pickerd, or with another secret");
  const age = (now ?? Date.now() / 1000) - Number(at);
  if (!/^\d+$/.test(at) || Math.abs(age) > toleranceSeconds)
    throw new WebhookError(`webhook-timestamp is off by more than ${toleranceSeconds} seconds`);
  return { ...JSON.parse(bytes.toString()), id };
}

// The HTTP API

/** One attempt: the answer if its status is below 400, otherwise a PickerdError. */
async function attempt(url, init, timeoutSeconds) {
  const request = `${init.method} ${url}`;
  let answer, text;
  try {
    const signal = AbortSignal.timeout(1000 * timeoutSeconds);
    answer = await fetch(url, { ...init, redirect: "error", signal });
    text = await answer.text();
  } catch (error) {
    const detail = String(error.cause?.code ?? error.cause?.message ?? error.message);
    throw new PickerdError(request, 0, { code: "noAnswer", detail });
  }
  if (answer.ok) return { headers: answer.headers, text };
  const isProblem = answer.headers.get("Content-Type")?.startsWith("application/problem+json");
  const problem = isProblem ? JSON.parse(text) : { detail: text.slice(0, 500) };
  const error = new PickerdError(request, answer.status, problem);
  error.retryAfter = Number(answer.headers.get("Retry-After")) || 0;
  throw error;
}

/** Whether the request of an error may be sent again. */
function mayRepeat({ status, detail }, isRepeatable) {
  if (isRepeatable) return status === 0 || TEMPORARY.includes(status);
  return status === 429 || (status === 0 && NOT_SENT.includes(detail));
}

export class Pickerd {
  #url;
  #key;
  #timeoutSeconds;
  #retrySeconds;

  constructor(url, key = "", { timeoutSeconds = 10, retrySeconds = 30 } = {}) {
    this.#url = url.replace(/\/+$/, "");
    this.#key = key;
    this.#timeoutSeconds = timeoutSeconds;
    this.#retrySeconds = retrySeconds;
  }

  /** Sends a request until it succeeds, must not be repeated, or the seconds are over. */
  async #send(method, path, { body, headers, isRepeatable = true, waitSeconds = 0,
    retrySeconds = this.#retrySeconds } = {}) {
    const init = { method, headers: { "Content-Type": "application/json", ...headers } };
    if (this.#key) init.headers.Authorization = `Bearer ${this.#key}`;
    if (method !== "GET") init.body = body === undefined ? "" : JSON.stringify(body);
    const end = Date.now() + 1000 * retrySeconds;
    for (let round = 0; ; round += 1) {
      try {
        return await attempt(this.#url + path, init, this.#timeoutSeconds + waitSeconds);
      } catch (error) {
        const wait = Math.random() * Math.min(30, 2 ** round);
        const pause = 1000 * Math.max(wait, error.retryAfter ?? 0);
        if (!mayRepeat(error, isRepeatable) || Date.now() + pause > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  async request(method, path, body, { headers, isRepeatable } = {}) {
    const { text } = await this.#send(method, path, { body, headers, isRepeatable });
    return text ? JSON.parse(text) : null;
  }

  create(body, { idempotencyKey = randomUUID() } = {}) {
    const headers = { "Idempotency-Key": idempotencyKey };
    return this.request("POST", "/v1/sessions", body, { headers });
  }

  createBy(external, body) {
    return this.request("PUT", `/v1/sessions/by/${encodeURIComponent(external)}`, body);
  }

  session(session) {
    return this.request("GET", `/v1/sessions/${session}`);
  }

  async *sessions(filter = {}) {
    let after = "0";
    while (after) {
      const query = new URLSearchParams({ limit: "500", ...filter, after });
      const page = await this.request("GET", `/v1/sessions?${query}`);
      yield* page.sessions;
      after = page.next;
    }
  }

  /** A merge patch has the same effect twice; a JSON Patch may not, unless it has a version. */
  #patch(path, patch, { ifMatch } = {}) {
    const isList = Array.isArray(patch);
    const headers = { "Content-Type": `application/${isList ? "json" : "merge"}-patch+json` };
    if (ifMatch !== undefined) headers["If-Match"] = `"${ifMatch}"`;
    const isRepeatable = !isList || ifMatch !== undefined;
    return this.request("PATCH", path, patch, { headers, isRepeatable });
  }

  patchDefinition(session, patch, options) {
    return this.#patch(`/v1/sessions/${session}/definition`, patch, options);
  }

  patchNotes(session, patch) {
    return this.#patch(`/v1/sessions/${session}/notes`, patch);
  }

  async shared(name) {
    const { headers, text } = await this.#send("GET", `/v1/definitions/${name}`);
    return { ...JSON.parse(text), version: Number(headers.get("ETag").replace(/"/g, "")) };
  }

  putShared(name, body) {
    return this.request("PUT", `/v1/definitions/${name}`, body);
  }

  patchShared(name, patch, options) {
    return this.#patch(`/v1/definitions/${name}`, patch, options);
  }

  command(session, command) {
    const path = `/v1/sessions/${session}/commands`;
    return this.request("POST", path, command, { isRepeatable: false });
  }

  async settle(session, op, granted, { reason, data } = {}) {
    const path = `/v1/sessions/${session}/settle`;
    try {
      await this.request("POST", path, { op, granted, reason, data });
      return granted ? "granted" : "denied";
    } catch (error) {
      const outcomes = { noSuchOp: "late", noSuchSession: "ended",
        tooLate: error.problem?.stands?.granted === true ? "granted" : "late" };
      if (!(error.code in outcomes)) throw error;
      return outcomes[error.code];
    }
  }

  async *feed({ after = "", types = [], waitSeconds = 25 } = {}) {
    let [epoch, position] = after ? after.split(":") : ["", "0"];
    let isRestarted = false;
    for (;;) {
      const seconds = isRestarted ? 0 : waitSeconds;
      const query = new URLSearchParams({ after: position, waitSeconds: `${seconds}` });
      if (epoch) query.set("epoch", epoch);
      if (types.length) query.set("types", types.join(","));
      let answer;
      try {
        const options = { waitSeconds: seconds, retrySeconds: Infinity };
        answer = await this.#send("GET", `/v1/feed?${query}`, options);
      } catch (error) {
        if (error.status !== 410) throw error;
        const { oldest = 1 } = error.problem;
        epoch = error.problem.epoch ?? epoch;
        [position, isRestarted] = [`${oldest - 1}`, true];
        continue;
      }
      epoch = answer.headers.get("Feed-Epoch");
      if (isRestarted) yield { type: "restarted", cursor: `${epoch}:${position}` };
      isRestarted = false;
      for (const line of answer.text.split("\n").filter(Boolean)) {
        const event = JSON.parse(line);
        yield { ...event, cursor: `${epoch}:${event.position}` };
      }
      position = answer.headers.get("Feed-Position");
    }
  }
}
