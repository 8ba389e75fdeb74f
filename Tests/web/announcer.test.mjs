import assert from "node:assert/strict";
import { test } from "node:test";
import { Announcer } from "../../web/client/parts/announcer.js";

/** An announcer in a document without a browser; `said` has what it announces, `region` what its live region contains. */
function listened(context) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const [said, region] = [[], []];
  const element = () => ({
    text: "", getAttribute: () => null, setAttribute() {},
    append(child) {
      if (typeof child === "string") this.text = child;
      else said.push(child.text), region.push(child.text);
    },
    remove() { region.splice(region.indexOf(this.text), 1); },
  });
  globalThis.document = { createElement: element };
  return { announcer: new Announcer(), said, region, wait: (milliseconds) => context.mock.timers.tick(milliseconds) };
}

test("a text does not replace one that was announced in the same frame", (context) => {
  const { announcer, said, region, wait } = listened(context);
  announcer.announceNow("February has 28 days");
  announcer.announceNow("The host says no: sold out");
  assert.deepEqual(region, said);
  assert.equal(region.length, 2);
  wait(2000);
  announcer.announceNow("cleared");
  assert.deepEqual(region, ["cleared"]);
});

test("of changes of many members the last eight are announced", (context) => {
  const { announcer, said, wait } = listened(context);
  for (let index = 1; index <= 20; index += 1) announcer.announceLater(`member ${index}`, String(index));
  wait(2000);
  assert.deepEqual(said, ["13. 14. 15. 16. 17. 18. 19. 20"]);
});

test("an own change outdates the pending ones of all members at its place, and only there", (context) => {
  const { announcer, said } = listened(context);
  announcer.announceLater("column 1 m_2", "Bo: Month March");
  announcer.announceLater("column 1 m_3", "Cem: Month May");
  announcer.announceLater("column 10 m_3", "Cem: Level 11 a");
  announcer.announceNow("Month 6", "column 1");
  assert.deepEqual(said, ["Cem: Level 11 a. Month 6"]);
});

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
  announcer.announceLater("range", "Ana starts on Dec 2");
  announcer.announceNow("Dec 2 to Dec 9, 8 days", "range");
  wait(4000);
  assert.deepEqual(said, ["Dec 2 to Dec 9, 8 days"]);
});

test("pending texts about other places are announced before an own change", (context) => {
  const { announcer, said, wait } = listened(context);
  announcer.announceLater("range", "Bo picked Dec 8 – 9");
  announcer.announceLater("member m_3", "Cem has joined");
  announcer.announceNow("confirmed", "status");
  announcer.announceLater("range", "Bo starts on Dec 3");
  wait(2000);
  assert.deepEqual(said, [
    "Bo picked Dec 8 – 9. Cem has joined. confirmed", "Bo starts on Dec 3",
  ]);
});

test("a text without a place is announced at once, after the pending ones", (context) => {
  const { announcer, said, wait } = listened(context);
  announcer.announceLater("range", "Ana: cleared");
  announcer.announceNow("Dec 24 is taken");
  wait(2000);
  assert.deepEqual(said, ["Ana: cleared. Dec 24 is taken"]);
});
