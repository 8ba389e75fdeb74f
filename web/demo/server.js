// The requests of this page. Tokens are sent in `Authorization`, never in a URL. Paths are relative, because a proxy can
// serve the page below a path.

/** The maximum time until the answer to a small request begins; see {@link ask}. */
const answerMillisecondsMax = 15_000;
/** The slowest upload, in bytes per millisecond. */
const uploadRateMin = 10;

/** How many of the last changes are searched for that of the status. */
const changesReadMax = 50;

/** A problem document of the server. */
export class Problem extends Error {
  /** @param {number} status @param {{code?: string, detail?: string, pointer?: string}} body */
  constructor(status, body) {
    super(body.detail ?? body.code ?? `HTTP ${status}`);
    this.status = status;
    this.code = body.code ?? "";
    /** @type {string | undefined} */
    this.pointer = body.pointer;
  }
}

/**
 * @param {string} path
 * @param {{method?: string, type?: string, body?: unknown, token?: string, signal?: AbortSignal, key?: string, isLimited?: boolean}} request
 * `isLimited`: whether it fails if its answer does not begin in time; the caller then asks again
 * @returns {Promise<any>}
 */
export async function ask(path, { method = "GET", type = "application/json", body, token, signal, key, isLimited = false }) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const limit = new AbortController();
  const milliseconds = answerMillisecondsMax + (text?.length ?? 0) / uploadRateMin;
  const timer = isLimited ? setTimeout(() => limit.abort(), milliseconds) : undefined;
  const response = await fetch(path, {
    method, cache: "no-store", signal: signal ?? limit.signal,
    headers: {
      ...(key && { "idempotency-key": key }),
      ...(body !== undefined && { "content-type": type }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(text !== undefined && { body: text }),
  }).finally(() => clearTimeout(timer));
  const answer = response.status === 204 ? {} : await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(response.status, answer);
  return answer;
}

/** @param {string} id @param {string | undefined} token @param {string} locale */
export const readSession = (id, token, locale) =>
  ask(`v1/sessions/${encodeURIComponent(id)}?definition=full&locale=${encodeURIComponent(locale)}`, { token, isLimited: true });

/**
 * The member who has made the last change of the status; null if that was nobody, or is not among the last changes.
 * @param {string} id @param {string | undefined} token @param {number} revision of the session
 * @returns {Promise<string | null>}
 */
export async function readDecider(id, token, revision) {
  const after = Math.max(0, revision - changesReadMax);
  const response = await fetch(`v1/sessions/${encodeURIComponent(id)}/log?after=${after}`, {
    cache: "no-store", ...(token && { headers: { authorization: `Bearer ${token}` } }),
  });
  if (!response.ok) return null;
  const lines = (await response.text()).trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const isOfStatus = (/** @type {any} */ { changes }) => changes?.some((/** @type {any} */ { change }) => change === "status");
  const last = lines.reverse().find(isOfStatus);
  return last?.by ?? null;
}

/** @param {string} id @param {string | undefined} token */
export const readDefinition = (id, token) => ask(`v1/sessions/${encodeURIComponent(id)}/definition`, { token });

/**
 * @param {string} path of the resource @param {string} type @param {unknown} body
 * @param {string | undefined} token the owner's @param {string} [method]
 */
export const changeSession = (path, type, body, token, method = "PATCH") => ask(path, { method, type, body, token });

/** @param {unknown} definition @param {AbortSignal} signal */
export const checkDefinition = (definition, signal) =>
  ask("v1/definitions/check", { method: "POST", body: { definition }, signal });
