// The times that the host's panel takes: without lunch, and past midnight.

import assert from "node:assert/strict";
import { test } from "node:test";
import { later, windowsOn, withoutLunch } from "../../web/demo/host/times.js";

const hours = [{ weekdays: [6], from: "09:00", until: "13:00" }, { from: "13:00", until: "24:00" }];

test("a booking may end after midnight", () => {
  assert.equal(later("2018-12-31T23:30", 90), "2019-01-01T01:00");
});

test("the windows of a day are those of its weekday, without lunch", () => {
  assert.deepEqual(windowsOn("2018-11-23", { hours }).flatMap(withoutLunch), [
    { from: "09:00", until: "12:00" }, { from: "14:00", until: "24:00" }]);
  assert.equal(windowsOn("2018-11-24", { hours }).length, 1);
  assert.deepEqual(windowsOn("2018-11-24", { dates: { "2018-11-24": [] } }), []);
  assert.deepEqual(withoutLunch({ from: "12:30", until: "13:30" }), []);
});
