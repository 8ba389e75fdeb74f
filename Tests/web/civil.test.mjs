import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  bandsOf, dateOf, dateOfExpression, dayCountOf, gridOf, monthIndexOf, monthOf, ordinalOf, weekdayOf,
} from "../../web/client/core/civil.js";

const vectors = JSON.parse(readFileSync(new URL("../golden/calendar.json", import.meta.url), "utf8"));

test("0001-01-01 has ordinal 1 and is a Monday", () => {
  assert.equal(ordinalOf("0001-01-01"), 1);
  assert.equal(weekdayOf(1), 2);
});

test("ordinals of all days from 0001 to 9999 are consecutive", () => {
  let ordinal = 1;
  for (let index = 12; index < 10_000 * 12; index += 1) {
    for (let day = 1; day <= dayCountOf(index); day += 1, ordinal += 1) {
      if (day !== 1 && day !== dayCountOf(index) && day !== 29) continue;
      const date = `${monthOf(index)}-${String(day).padStart(2, "0")}`;
      assert.equal(ordinalOf(date), ordinal);
      assert.equal(dateOf(ordinal), date);
    }
  }
  assert.equal(dateOf(ordinal - 1), "9999-12-31");
});

test("a month converts to its index and back", () => {
  assert.equal(monthOf(monthIndexOf("2016-12")), "2016-12");
  assert.equal(monthOf(monthIndexOf("2016-12") + 1), "2017-01");
});

test("grids and bands match the golden vectors", () => {
  let looked = 0;
  for (const vector of vectors) {
    const { firstWeekday = 1, weeks = "six" } = vector.definition;
    for (const step of vector.steps) {
      const month = step.expect.month;
      if (!month?.cells) continue;
      const grid = gridOf(monthIndexOf(month.month), firstWeekday, weeks);
      assert.equal(dateOf(grid.first), month.firstCell, vector.name);
      assert.equal(grid.weekCount * 7, month.cells, vector.name);
      assert.equal(grid.lead, month.lead, vector.name);
      const { start, end } = step.expect.calendar;
      const bands = bandsOf(monthIndexOf(month.month), start && { start, end }, firstWeekday, weeks);
      const sorted = (band) => JSON.stringify(Object.entries(band).sort());
      assert.deepEqual(bands.map(sorted), month.bands.map(sorted), vector.name);
      looked += 1;
    }
  }
  assert.ok(looked > 10, `${looked} months were looked at`);
});

test("a date expression adds years and months before weeks and days", () => {
  assert.equal(dateOfExpression("2026-11-20", "2018-01-31"), "2026-11-20");
  assert.equal(dateOfExpression("today", "2018-01-31"), "2018-01-31");
  assert.equal(dateOfExpression("today+P1M", "2018-01-31"), "2018-02-28");
  assert.equal(dateOfExpression("today-P18Y", "2018-02-28"), "2000-02-28");
  assert.equal(dateOfExpression("today+P1Y2M3W4D", "2018-01-31"), "2019-04-25");
  assert.equal(dateOfExpression("tomorrow", "2018-01-31"), null);
});
