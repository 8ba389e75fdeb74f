import assert from "node:assert/strict";
import { test } from "node:test";
import { PickerState } from "../../web/client/core/state.js";
import { sentenceOf } from "../../web/client/parts/sentences.js";
import { ar } from "../../web/client/words/ar.js";
import { de } from "../../web/client/words/de.js";
import { en } from "../../web/client/words/en.js";
import { ja } from "../../web/client/words/ja.js";
import { zhHans } from "../../web/client/words/zh-Hans.js";

const languages = { ar, de, en, ja, "zh-Hans": zhHans };

function textOf(notice, locale, definition = { kind: "calendar", selection: "range" }) {
  const state = new PickerState();
  state.definition = definition;
  const picker = { state, locale, self: null };
  return sentenceOf({ by: null, mine: false, ...notice }, picker, languages[locale], []).text;
}

const refused = (type) => ({ kind: "refused", code: "nothingToUndo", detail: "", command: { type } });

/** The paths of all texts, such as `refusals.offline`. */
const keysOf = (words, path = "") => Object.entries(words).flatMap(([key, value]) =>
  (typeof value === "object" ? keysOf(value, `${path}${key}.`) : [path + key])).sort();

for (const [locale, words] of Object.entries(languages)) {
  test(`${locale} has all texts`, () => assert.deepEqual(keysOf(words), keysOf(en)));

  test(`a redo that is refused is not an undo in ${locale}`, () => {
    assert.equal(textOf(refused("undo"), locale), words.refusals.nothingToUndo);
    assert.equal(textOf(refused("redo"), locale), words.refusals.nothingToRedo);
    assert.notEqual(words.refusals.nothingToUndo, words.refusals.nothingToRedo);
  });
}

test("a refused redo says so", () => {
  assert.equal(textOf(refused("redo"), "en"), "There is nothing to redo.");
  assert.equal(textOf(refused("undo"), "en"), "There is nothing to undo.");
});
