// The requests of this page. Tokens are sent in `Authorization`, never in a URL.

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
 * @param {{method?: string, type?: string, body?: unknown, token?: string, signal?: AbortSignal}} request
 * @returns {Promise<any>}
 */
async function ask(path, { method = "GET", type = "application/json", body, token, signal }) {
  const response = await fetch(path, {
    method, signal, cache: "no-store",
    headers: {
      ...(body !== undefined && { "content-type": type }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = response.status === 204 ? {} : await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(response.status, answer);
  return answer;
}

/** @param {unknown} definition @param {string} title @param {unknown} [decide] */
export const createSession = (definition, title, decide) =>
  ask("/v1/sessions", { method: "POST", body: { definition, title, ...(decide !== undefined && { decide }) } });

/** @param {string} id @param {string | undefined} token @param {string} locale */
export const readSession = (id, token, locale) =>
  ask(`/v1/sessions/${encodeURIComponent(id)}?definition=full&locale=${encodeURIComponent(locale)}`, { token });

/** @param {string} id @param {string | undefined} token */
export const readDefinition = (id, token) => ask(`/v1/sessions/${encodeURIComponent(id)}/definition`, { token });

/**
 * @param {string} path of the resource @param {string} type @param {unknown} body
 * @param {string | undefined} token the owner's @param {string} [method]
 */
export const changeSession = (path, type, body, token, method = "PATCH") => ask(path, { method, type, body, token });

/** @param {unknown} definition @param {AbortSignal} signal */
export const checkDefinition = (definition, signal) =>
  ask("/v1/definitions/check", { method: "POST", body: { definition }, signal });
