// Finding rows of a column by their texts, also rows that were not received. Loaded with the first search.

/** @typedef {import("./session.js").PickerSession} PickerSession */

let lastId = 0;
/** @type {WeakMap<PickerSession, () => void>} what ends the search that has no answer */
const unanswered = new WeakMap();

/** @param {unknown} text whether it has 1 to 64 characters, and no halves of surrogate pairs */
const isText = (text) => typeof text === "string" && text !== "" && [...text].length <= 64 && !/\p{Cs}/u.test(text);

/**
 * Finds rows of a column by the beginning of their text, of a word in it, or a part of it, without regard to case and accents;
 * also by the terms that the host has given a row. Select one with
 * `picker.select(found.column, row.row, { generation: found.generation, key: row.key })`.
 * @param {PickerSession} picker @param {number} column @param {string} text 1 to 64 characters
 * @param {number} [limit] the maximum of rows, 1 to 100
 * @returns {Promise<import("./protocol").FoundMessage | null>} the best match first; null: there is no connection or no such
 *   column, or a later search came before the answer
 */
export function find(picker, column, text, limit = 20) {
  if (!Number.isSafeInteger(column)) throw new TypeError("column must be an integer");
  if (!isText(text)) throw new TypeError("text must be 1 to 64 characters");
  if (!Number.isSafeInteger(limit)) throw new TypeError("limit must be an integer");
  unanswered.get(picker)?.();
  return new Promise((resolve) => {
    const id = lastId += 1;
    const listening = new AbortController();
    const { signal } = listening;
    /** @param {any} found */
    const end = (found) => {
      listening.abort();
      resolve(found);
    };
    unanswered.set(picker, () => end(null));
    picker.addEventListener("message", (event) => {
      const { direction, message } = /** @type {CustomEvent} */ (event).detail;
      if (direction === "in" && message?.id === id) end(message.type === "found" ? message : null);
    }, { signal });
    picker.addEventListener("connection", () => { if (picker.connection !== "live") end(null); }, { signal });
    if (picker.connection === "live") picker.send({ type: "find", id, column, text, limit });
    else end(null);
  });
}
