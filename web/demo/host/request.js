// The requests of the host, sent by the page or shown as `curl` commands.

/**
 * @typedef {object} HostRequest
 * @property {"definition" | "notes" | "settle"} what
 * @property {string} type of the body
 * @property {unknown} body
 */

/** @param {unknown} body @returns {HostRequest} a merge patch (RFC 7396) of the definition */
export const mergePatch = (body) => ({ what: "definition", type: "application/merge-patch+json", body });

/** @param {unknown[]} body @returns {HostRequest} a JSON Patch (RFC 6902) of the definition */
export const jsonPatch = (body) => ({ what: "definition", type: "application/json-patch+json", body });

/** @param {unknown} body @returns {HostRequest} a merge patch of the notes */
export const notesPatch = (body) => ({ what: "notes", type: "application/merge-patch+json", body });

/** @param {unknown} body @returns {HostRequest} the decision on a confirmation */
export const settlement = (body) => ({ what: "settle", type: "application/json", body });

/** @param {HostRequest} request */
export const methodOf = ({ what }) => (what === "settle" ? "POST" : "PATCH");

/** @param {string} session @param {HostRequest} request */
export const pathOf = (session, { what }) => `v1/sessions/${encodeURIComponent(session)}/${what}`;

/**
 * The request as a command for a shell, in parts; every second part is a secret.
 * @param {string} session @param {HostRequest} request @param {string | undefined} token
 */
export function curlOf(session, request, token) {
  const begin = `curl -sS -X ${methodOf(request)} ${quoted(new URL(pathOf(session, request), location.href).href)} \\\n  -H ${quoted(`Content-Type: ${request.type}`)} \\\n`;
  const end = `  -d ${quoted(JSON.stringify(request.body))}`;
  return token ? [`${begin}  -H 'Authorization: Bearer `, token, `' \\\n${end}`] : [begin + end];
}

/**
 * The text as one quoted word of a POSIX shell.
 * @param {string} text
 */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
