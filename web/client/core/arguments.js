// Checks of arguments. The server closes the connection after an invalid message, so none is sent.

import { dateOf, ordinalOf } from "./civil.js";

/** @param {unknown} value whether it is `YYYY-MM` */
const isMonth = (value) =>
  typeof value === "string" && /^\d{4}-(0[1-9]|1[0-2])$/.test(value) && value > "0001";

/** @param {unknown} value whether it is `YYYY-MM-DD`, and the month has that day */
const isDate = (value) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && value > "0001" && dateOf(ordinalOf(value)) === value;

/** @param {unknown} value */
const isText = (value) => typeof value === "string";

/** @param {unknown} value without halves of surrogate pairs, which are no Unicode */
const isName = (value) =>
  typeof value === "string" && [...value].length <= 64 && !/^[\s\u0085]*$/u.test(value) && !/\p{Cs}/u.test(value);

/** @param {unknown} runs half-open, ascending */
const areRuns = (runs) => Array.isArray(runs) && runs[0] && !runs[64]
  && runs.every((run, at) => run?.length === 2 && run.every(integer.isValid) && run[0] < run[1] && !(run[0] < runs[at - 1]?.[1]));

/** @param {any} value */
const isResult = (value) => value && [value.date, value.start, value.end].every((one) => one === undefined || isDate(one));

/** What a field must be, in the words of the server. */
const integer = { isValid: Number.isSafeInteger, must: "an integer" };
const number = { isValid: Number.isFinite, must: "a number" };
const month = { isValid: isMonth, must: "a month like 2026-11" };
const date = { isValid: isDate, must: "a valid date like 2026-11-20" };
const text = { isValid: isText, must: "a string" };
const runs = { isValid: areRuns, must: "runs" };
const isTrue = { isValid: (/** @type {unknown} */ value) => value === true, must: "true" };
const result = { isValid: isResult, must: "a result" };
const keys = { isValid: (/** @type {any} */ value) => Array.isArray(value) && value[0] && !value[366] && value.every(isText), must: "keys" };
const name = { isValid: isName, must: "1 to 64 visible characters" };

/**
 * The fields that a message needs; none for the types that have none.
 * @param {import("./types").Message} message
 */
function fieldsOf(message) {
  switch (message.type) {
    case "select": {
      const key = message.key !== undefined && { key: text };
      return { column: integer, row: integer, generation: integer, ...key };
    }
    case "tap":
      if (message.month === undefined || message.date !== undefined) return { date };
      return message.cell === undefined ? { month, x: number, y: number } : { month, cell: integer };
    case "set": return { result };
    case "mark": return { ...(message.grade !== null && { grade: text }), cells: runs };
    case "confirm": return "cell" in message && { cell: integer };
    case "rename": return { name };
    case "units": return { units: integer };
    case "wait": return { keys };
    case "touch": {
      const hover = message.hover !== undefined && { hover: isTrue };
      if (message.date !== undefined) return { date, ...hover };
      return "column" in message || "row" in message || hover ? { column: integer, row: integer, ...hover } : {};
    }
    case "months": return { from: month, count: integer };
    case "rows": return { column: integer, from: integer, through: integer };
    default: return {};
  }
}

/**
 * What is wrong with a message or request of the page; null if nothing is.
 * @param {import("./types").Message} message @returns {string | null}
 */
export function problemOf(message) {
  for (const [name, { isValid, must }] of Object.entries(fieldsOf(message))) {
    if (!isValid(message[name])) return `${name} must be ${must}`;
  }
  return null;
}

/**
 * @param {import("./types").Message} message
 * @throws {TypeError} if it is invalid
 */
export function check(message) {
  const problem = problemOf(message);
  if (problem) throw new TypeError(problem);
}
