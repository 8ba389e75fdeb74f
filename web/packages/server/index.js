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
/** The most bytes of JSON, and the most levels of all claims. */
const BYTES_MAX = { info: 1024, meta: 4096 };
const LEVELS_MAX = 128;
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
    const { code = "", detail = "", keys = [] } = problem;
    Object.assign(this, { request, status, code, detail, keys, problem });
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

/** Whether objects and lists have more levels; a text has none. */
const isDeeper = (value, levels) => typeof value === "object" && value !== null
  && (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)));

/** Texts, times and documents, as pickerd reads them. */
function checkValues(claims) {
  const given = Object.fromEntries(Object.entries(claims).filter(([, value]) => value != null));
  for (const name of ["sub", "name", "locale"]) {
    if (typeof (given[name] ?? "") !== "string") throw new TypeError(`${name} must be a string`);
    if (/\p{Surrogate}/u.test(given[name])) throw new RangeError(`${name} is not Unicode`);
  }
  const { length } = [...given.sub ?? "x"];
  if (length < 1 || length > 128) throw new RangeError("sub must have 1 to 128 characters");
  for (const name of ["nbf", "iat", "exp"]) {
    const at = given[name] ?? 0;
    if (typeof at !== "number")
      throw new TypeError(`${name} must be a number of seconds since 1970`);
    if (!(at >= -62_135_596_800 && at < 253_402_300_800))
      throw new RangeError(`${name} must be seconds since 1970, before the year 10000`);
  }
  if (isDeeper(given, LEVELS_MAX))
    throw new RangeError(`the claims have more than ${LEVELS_MAX} levels`);
  for (const [name, most] of Object.entries(BYTES_MAX))
    if (Buffer.byteLength(JSON.stringify(given[name]) ?? "") > most)
      throw new RangeError(`${name} has more than ${most} bytes of JSON`);
}

function checkClaims(claims) {
  for (const name of Object.keys(claims))
    if (!CLAIMS.includes(name)) throw new TypeError(`${name} is not a claim of a member token`);
  const ids = [claims.session].flat();
  if (ids.length < 1 || ids.length > 16 || !ids.every((id) => id && typeof id === "string"))
    throw new TypeError("session must be the id of a session, or a list of 1 to 16");
  if (!ROLES.includes(claims.role)) throw new TypeError(`role must be one of ${ROLES.join(", ")}`);
  const audiences = [claims.aud].flat();
  if (audiences.length < 1 || !audiences.every((one) => typeof one === "string"))
    throw new TypeError("aud must be a string");
  checkValues(claims);
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

const unsendable = (request, { message }) =>
  new PickerdError(request, 0, { code: "badMessage", detail: message });

/** A text as one segment of a path. */
function segment(text) {
  try {
    return encodeURIComponent(text);
  } catch (error) {
    throw unsendable(JSON.stringify(text), error);
  }
}

/** The problem that an answer has, or the beginning of what a proxy says instead. */
function problemOf(headers, text) {
  let problem;
  try {
    const isProblem = headers.get("Content-Type")?.startsWith("application/problem+json");
    if (isProblem) problem = JSON.parse(text);
  } catch {}
  return problem && typeof problem === "object" ? problem : { detail: text.slice(0, 500) };
}

/** The JSON of an answer, or its text if it is of another type; null without one. */
function parsed(request, { headers, text }) {
  const type = (headers.get("Content-Type") ?? "").split(";")[0].trim().toLowerCase();
  if (!text || !(type === "application/json" || type.endsWith("+json"))) return text || null;
  try {
    return JSON.parse(text);
  } catch (error) {
    const detail = `the answer is not JSON: ${error.message}`;
    throw new PickerdError(request, 0, { code: "noAnswer", detail });
  }
}

/** One attempt: the answer if its status is below 400, otherwise a PickerdError. */
async function attempt(url, init, timeoutSeconds) {
  const request = `${init.method} ${url}`;
  let prepared, answer, text;
  try {
    prepared = new Request(url, { ...init, redirect: "error" });
  } catch (error) {
    throw unsendable(request, error);
  }
  try {
    answer = await fetch(prepared, { signal: AbortSignal.timeout(1000 * timeoutSeconds) });
    text = await answer.text();
  } catch (error) {
    const detail = String(error.cause?.code ?? error.cause?.message ?? error.message);
    throw new PickerdError(request, 0, { code: "noAnswer", detail });
  }
  if (answer.ok) return { headers: answer.headers, text };
  const error = new PickerdError(request, answer.status, problemOf(answer.headers, text));
  error.retryAfter = Number(answer.headers.get("Retry-After")) || 0;
  throw error;
}

/** Whether the request of an error may be sent again. */
function mayRepeat({ status, code, detail }, isRepeatable) {
  if (code === "badMessage") return false;
  if (isRepeatable) return status === 0 || TEMPORARY.includes(status);
  return status === 429 || (status === 0 && NOT_SENT.includes(detail));
}

export class Pickerd {
  #url;
  #key;
  #timeoutSeconds;
  #retrySeconds;

  constructor(url, key, { timeoutSeconds = 10, retrySeconds = 30 } = {}) {
    if (typeof url !== "string" || !/^https?:\/\/[^/\s]\S*$/i.test(url))
      throw new TypeError("url must be the address of pickerd, such as https://pick.example.org");
    // An undefined key may be an environment variable that is not set; null is no key.
    if (arguments.length > 1 && key !== null && (typeof key !== "string" || !key))
      throw new TypeError(
        "key must be an API key, pk_ID.SECRET; null for a server with --auth open");
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
    try {
      if (method !== "GET") init.body = body === undefined ? "" : JSON.stringify(body);
    } catch (error) {
      throw unsendable(`${method} ${this.#url}${path}`, error);
    }
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
    const answer = await this.#send(method, path, { body, headers, isRepeatable });
    return parsed(`${method} ${this.#url}${path}`, answer);
  }

  create(body, { idempotencyKey = randomUUID() } = {}) {
    const headers = { "Idempotency-Key": idempotencyKey };
    return this.request("POST", "/v1/sessions", body, { headers });
  }

  async createBy(external, body) {
    return this.request("PUT", `/v1/sessions/by/${segment(external)}`, body);
  }

  async session(session) {
    return this.request("GET", `/v1/sessions/${segment(session)}`);
  }

  async deleteSession(session, { release = false } = {}) {
    const query = release ? "?release=true" : "";
    await this.request("DELETE", `/v1/sessions/${segment(session)}${query}`);
  }

  /** The pages of a list. */
  async *#pages(path, query) {
    let { after } = query;
    do {
      const given = Object.entries({ limit: "500", ...query, after });
      const text = new URLSearchParams(given.filter(([, value]) => value !== undefined));
      const page = await this.request("GET", `${path}?${text}`);
      yield page;
      after = page.next;
    } while (after);
  }

  async *sessions(filter = {}) {
    for await (const page of this.#pages("/v1/sessions", { after: "0", ...filter }))
      yield* page.sessions;
  }

  /** A merge patch has the same effect twice; a JSON Patch may not, unless it has a version. */
  #patch(path, patch, { ifMatch } = {}) {
    const isList = Array.isArray(patch);
    const headers = { "Content-Type": `application/${isList ? "json" : "merge"}-patch+json` };
    if (ifMatch !== undefined) headers["If-Match"] = `"${ifMatch}"`;
    const isRepeatable = !isList || ifMatch !== undefined;
    return this.request("PATCH", path, patch, { headers, isRepeatable });
  }

  async patchDefinition(session, patch, options) {
    return this.#patch(`/v1/sessions/${segment(session)}/definition`, patch, options);
  }

  async patchNotes(session, patch) {
    return this.#patch(`/v1/sessions/${segment(session)}/notes`, patch);
  }

  async shared(name) {
    const path = `/v1/definitions/${segment(name)}`;
    const answer = await this.#send("GET", path);
    // A proxy that compresses the answer makes a weak one of it.
    const version = Number(answer.headers.get("ETag").replace(/^W\/|"/g, ""));
    return { ...parsed(`GET ${this.#url}${path}`, answer), version };
  }

  async putShared(name, body) {
    return this.request("PUT", `/v1/definitions/${segment(name)}`, body);
  }

  async patchShared(name, patch, options) {
    return this.#patch(`/v1/definitions/${segment(name)}`, patch, options);
  }

  async *counts(name, { keys, from, through } = {}) {
    const path = `/v1/definitions/${segment(name)}/inventory`;
    const one = async () => this.request("GET", `${path}?${new URLSearchParams(
      keys.map((key) => ["key", key]))}`);
    const pages = !keys ? this.#pages(path, { from, through }) : keys.length ? [one()] : [];
    for await (const page of pages)
      for (const [key, count] of Object.entries(page.keys)) yield { key, ...count };
  }

  async book(name, booking, keys, { units, over } = {}) {
    const body = { booking, keys, units, over };
    return this.request("POST", `/v1/definitions/${segment(name)}/bookings`, body);
  }

  async booking(name, booking) {
    return this.request("GET", `/v1/definitions/${segment(name)}/bookings/${segment(booking)}`);
  }

  async *bookings(name, { key } = {}) {
    const path = `/v1/definitions/${segment(name)}/bookings`;
    for await (const page of this.#pages(path, { key })) yield* page.bookings;
  }

  async deleteBooking(name, booking) {
    const path = `/v1/definitions/${segment(name)}/bookings/${segment(booking)}`;
    await this.request("DELETE", path);
  }

  async command(session, command) {
    const path = `/v1/sessions/${segment(session)}/commands`;
    return this.request("POST", path, command, { isRepeatable: false });
  }

  async settle(session, op, granted, { reason, data } = {}) {
    const path = `/v1/sessions/${segment(session)}/settle`;
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
    let [epoch, position] = after ? after.split(":") : ["", ""];
    let isRestarted = false;
    for (;;) {
      const seconds = isRestarted ? 0 : waitSeconds;
      const query = new URLSearchParams({ waitSeconds: `${seconds}` });
      if (position) query.set("after", position);
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
