import assert from "node:assert/strict";
import { test } from "node:test";
import { isOutdatedBy, keyOf, placeOf } from "../../web/client/parts/places.js";

const column = (kind, index) => ({ kind, column: index });

test("a correction is outdated by a change of its column or an earlier one", () => {
  const day = column("corrected", 2);
  assert.ok(isOutdatedBy(day, column("moved", 2)));
  assert.ok(isOutdatedBy(day, column("moved", 1)));
  assert.ok(isOutdatedBy(day, column("corrected", 2)));
  assert.ok(!isOutdatedBy(column("corrected", 0), column("moved", 1)));
});

test("a corrected range is outdated by every later range", () => {
  const range = { kind: "rangeCorrected" };
  for (const kind of ["range", "rangeCorrected"]) assert.ok(isOutdatedBy(range, { kind }));
});

test("what the host has moved is outdated by every change of the selection", () => {
  for (const later of [column("moved", 3), { kind: "range" }]) assert.ok(isOutdatedBy({ kind: "hosted" }, later));
});

test("members and refusals outdate no correction", () => {
  const others = [{ kind: "joined", member: { id: "m_1" } }, { kind: "refused" }, { kind: "status" }, { kind: "hosted" }];
  for (const later of others) assert.ok(!isOutdatedBy({ kind: "rangeCorrected" }, later), later.kind);
});

test("a clamp is at the place of the change that follows it", () => {
  assert.equal(placeOf(column("corrected", 2)), placeOf(column("moved", 2)));
  assert.equal(placeOf({ kind: "rangeCorrected" }), placeOf({ kind: "range" }));
  assert.notEqual(placeOf(column("moved", 1)), placeOf(column("moved", 2)));
});

test("a sentence replaces one of the same author at the same place only", () => {
  const key = (notice, text = "") => keyOf(notice, text);
  const ana = { kind: "range", by: "m_1" };
  assert.equal(key(ana, "from Dec 2"), key(ana, "Dec 2 to Dec 9"));
  assert.notEqual(key(ana), key({ ...ana, by: "m_2" }));
  assert.notEqual(key({ ...column("moved", 1), by: "m_1" }), key({ ...column("moved", 2), by: "m_1" }));
  const hosted = { kind: "hosted", by: null };
  assert.notEqual(key(hosted, "Dec 24 sold out"), key(hosted, "Dec 25 sold out"));
  const refused = { kind: "refused" };
  assert.notEqual(key(refused, "That day is too early."), key(refused, "That day is not available."));
});
