// The actions of a host, but those on the days of a calendar and on times.

import { boundOf } from "../../client/parts/session-dates.js";
import { columnLabel } from "../../client/parts/column-label.js";
import { wordsOf } from "../../client/words/words.js";
import { h } from "../patch.js";
import { action, labelled, noteFields, sending, typed } from "./action.js";
import { jsonPatch, mergePatch, notesPatch, settlement } from "./request.js";

/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */
/** @typedef {import("./panel.js").HostPanel} HostPanel */
/** @typedef {import("./action.js").ActionView} ActionView */
/** @typedef {import("../../client/core/types").Row} Row */

/** @type {ActionView} the confirmation is granted */
export function grant(host) {
  if (host.op === null) return null;
  const request = settlement({ op: host.op, granted: true });
  return action(host, "host-grant", host.words.host.asked, request, sending(host, request, host.words.host.grant));
}

/** @type {ActionView} the confirmation is denied, with a reason */
export function deny(host) {
  const { words } = host;
  if (host.op === null) return null;
  const { value, field } = typed(host, "reason", "", words.host.soldOut, { type: "text", maxlength: "200", size: "18" });
  const reason = value.trim();
  const request = settlement({ op: host.op, granted: false, ...(reason && { reason }) });
  return action(host, "host-deny", words.host.denied, request, sending(host, request, words.host.deny, labelled(words.host.reason, field)));
}

/** @type {ActionView} who sees the results of an availability */
export function results(host, { state }) {
  const { find, host: texts } = host.words;
  const known = state.definition?.results ?? "everyone";
  const { value, field } = typed(host, "results", known, known, {
    "aria-label": find.results, options: (/** @type {const} */ (["everyone", "counts", "owner"])).map((one) => [one, find[one]]),
  });
  const request = mergePatch({ results: value });
  return action(host, "host-results", find.results, request, sending(host, request, texts.set, field));
}

/** @type {ActionView} the maximum stay of a calendar */
export function longestStay(host, { state: { definition } }) {
  if (definition?.selection === "single") return null;
  const { host: words } = host.words;
  const unit = definition?.unit === "nights" ? "Nights" : "Days";
  const longest = /** @type {number | undefined} */ (definition?.[`max${unit}`]);
  const shortest = Number(definition?.[`min${unit}`] ?? 1);
  const { value, field } = typed(host, "longest", String(longest), String(longest ?? Math.max(shortest, 7)), {
    type: "number", min: "1", max: "3650", step: "1", inputmode: "numeric", required: true,
  });
  const isValid = /^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= 3650;
  const request = isValid ? mergePatch({ [`max${unit}`]: Number(value) }) : null;
  const label = unit === "Nights" ? words.nightsLabel : words.daysLabel;
  return action(host, "host-longest", words.longest, request, sending(host, request, words.set, labelled(label, field)));
}

/** @type {ActionView} the latest date of a date picker */
export function latestDate(host, picker) {
  const { host: words } = host.words;
  const latest = boundOf(picker, "max") ?? "";
  const { value, field } = typed(host, "latest", latest, latest, { type: "date", required: true });
  const request = value ? mergePatch({ max: value }) : null;
  return action(host, "host-latest", words.latest, request, sending(host, request, words.set, labelled(words.dateLabel, field)));
}

/**
 * An action on the selected row of a column that the host chooses.
 * @param {HostPanel} host @param {PickerSession} picker @param {string} name
 * @param {(index: number, row: Row, column: import("../patch.js").View) => import("../patch.js").View} view
 */
function onRow(host, picker, name, view) {
  const { columns } = picker.state;
  const labels = columns.map((_, index) => columnLabel(picker, index, wordsOf(host.locale), host.labels));
  const { value, field } = typed(host, `${name} column`, "", "0", {
    "aria-label": host.words.host.column, options: labels.map((label, index) => [String(index), label]),
  });
  const row = columns[Number(value)]?.selected;
  return row ? view(Number(value), row, labels.length > 1 && field) : null;
}

/**
 * The path of the selected row in the complete definition, and its value; null until the definition is loaded.
 * @param {HostPanel} host @param {PickerSession} picker @param {number} index of the column @param {Row} row
 */
function locate({ given }, { state }, index, row) {
  const rows = state.columns.map((column) => column.row);
  const isTree = state.definition?.kind === "cascade";
  const path = isTree ? `/nodes/${rows.slice(0, index + 1).join("/children/")}` : `/columns/${index}/${rows[index]}`;
  const there = path.slice(1).split("/").reduce((value, name) => value?.[name], given);
  const text = typeof there === "string" ? there : there?.text;
  // A newer definition may not be loaded yet.
  return text === row.text ? { path, there, test: typeof there === "string" ? path : `${path}/text` } : null;
}

/** @type {ActionView} */
export const rename = (host, picker) => onRow(host, picker, "rename", (index, row, column) => {
  const { host: words } = host.words;
  const { value, field } = typed(host, "new name", `${index} ${row.key} ${row.text}`, row.text, {
    type: "text", maxlength: "200", required: true, size: "12",
  });
  const located = locate(host, picker, index, row);
  const text = value.trim();
  const test = located && { op: "test", path: located.test, value: row.text };
  const isNode = "children" in Object(located?.there) || picker.state.definition?.kind === "cascade";
  // With the same key, so that the row stays selected.
  const request = !located || !text ? null : jsonPatch(isNode
    ? [test, { op: "add", path: `${located.path}/key`, value: row.key }, { op: "replace", path: `${located.path}/text`, value: text }]
    : [test, { op: "replace", path: located.path, value: { text, key: row.key } }]);
  return action(host, "host-rename", words.rename, request,
    sending(host, request, words.renameButton, column, labelled(words.newName, field)));
});

/** @type {ActionView} */
export const remove = (host, picker) => onRow(host, picker, "remove", (index, row, column) => {
  const { host: words } = host.words;
  const located = locate(host, picker, index, row);
  const request = located && jsonPatch([{ op: "test", path: located.test, value: row.text }, { op: "remove", path: located.path }]);
  return action(host, "host-remove", words.remove, request, sending(host, request, words.removeRow(row.text), column));
});

/** @type {ActionView} */
export const rowNote = (host, picker) => onRow(host, picker, "note", (index, row, column) => {
  const { host: words } = host.words;
  const { fields, note } = noteFields(host, "row", words.noteText, words.soldOut);
  const request = notesPatch({ columns: { [index]: { [row.key]: note } } });
  return action(host, "host-note", words.note, request, sending(host, request, words.set, column, fields));
});
