import assert from "node:assert/strict";
import { test } from "node:test";
import { Announcer } from "../../web/client/parts/announcer.js";

/** An announcer in a document without a browser; `said` has what it announces. */
function listened(context) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const element = () => ({
    text: "", getAttribute: () => null, setAttribute() {}, append(text) { this.text = text; },
    replaceChildren(child) { said.push(child.text); },
  });
  const said = [];
  globalThis.document = { createElement: element };
  return { announcer: new Announcer(), said, wait: (milliseconds) => context.mock.timers.tick(milliseconds) };
}

test("changes of others are announced together, the last change last", (context) => {
  const { announcer, said, wait } = listened(context);
  announcer.announceLater("column 0", "Bo: Year 2008");
  announcer.announceLater("column 1", "Ana: Month March");
  announcer.announceLater("column 0", "Bo: Year 2007");
  wait(2000);
  assert.deepEqual(said, ["Ana: Month March. Bo: Year 2007"]);
});

test("of two changes of the same place only the last is announced", (context) => {
  const { announcer, said, wait } = listened(context);
  announcer.announceLater("column 0", "Ana: Year 2009");
  announcer.announceLater("column 0", "Bo: Year 2007");
  wait(2000);
  assert.deepEqual(said, ["Bo: Year 2007"]);
});

test("nothing that is outdated is announced after an own change", (context) => {
  const { announcer, said, wait } = listened(context);
  announcer.announceLater("range", "Ana: from Dec 2; tap the last day");
  announcer.announceNow("Dec 2 to Dec 9, 8 days", "range");
  wait(4000);
  assert.deepEqual(said, ["Dec 2 to Dec 9, 8 days"]);
});

test("pending texts about other places are announced before an own change", (context) => {
  const { announcer, said, wait } = listened(context);
  announcer.announceLater("range", "Bo: Dec 8 to Dec 9, 2 days");
  announcer.announceLater("member m_3", "Cem has joined");
  announcer.announceNow("confirmed", "status");
  announcer.announceLater("range", "Bo: from Dec 3; tap the last day");
  wait(2000);
  assert.deepEqual(said, [
    "Bo: Dec 8 to Dec 9, 2 days. Cem has joined. confirmed", "Bo: from Dec 3; tap the last day",
  ]);
});

test("a text without a place is announced at once, after the pending ones", (context) => {
  const { announcer, said, wait } = listened(context);
  announcer.announceLater("range", "Ana: cleared");
  announcer.announceNow("Dec 24 is taken");
  wait(2000);
  assert.deepEqual(said, ["Ana: cleared. Dec 24 is taken"]);
});
