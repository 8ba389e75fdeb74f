// Names in the sentences of the demo page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ar } from "../../web/demo/words/ar.js";
import { de } from "../../web/demo/words/de.js";
import { en } from "../../web/demo/words/en.js";
import { withNames } from "../../web/demo/words/words.js";

test("a name is isolated in a sentence that has right-to-left characters, and in no other one", () => {
  assert.equal(withNames(en.invites, "Ana"), "Ana invites you to");
  assert.equal(withNames(de.decides.owner, "<b>Ünï</b>"), "<b>Ünï</b> entscheidet: Nur <b>Ünï</b> kann bestätigen.");
  assert.equal(withNames(en.confirmedBy, "李雷"), "Confirmed by 李雷.");
  assert.equal(withNames(en.invites, "ليلى"), "\u2068ليلى\u2069 invites you to");
  assert.equal(withNames(en.invites, "דנה"), "\u2068דנה\u2069 invites you to");
  assert.equal(withNames(ar.confirmedBy, "<b>Ünï</b>"), "أكّده: \u2068<b>Ünï</b>\u2069");
  assert.equal(withNames(ar.message, "Ana", "Trip"), "دعوة من \u2068Ana\u2069 إلى «\u2068Trip\u2069»");
});
