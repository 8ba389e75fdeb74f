// Civil (proleptic Gregorian) dates, without time zones.
// Dates are `YYYY-MM-DD` and months `YYYY-MM`, as in the protocol. A month's index is year × 12 + month − 1.

/** @param {number} value @param {number} width */
const padded = (value, width) => String(value).padStart(width, "0");

/** The ordinal of 1970-01-01. */
const ordinalOfEpoch = 719_163;
const dayMilliseconds = 86_400_000;

/**
 * The proleptic ordinal of a date; 0001-01-01 is 1.
 * @param {string} date `YYYY-MM-DD`
 */
export const ordinalOf = (date) => Date.parse(date) / dayMilliseconds + ordinalOfEpoch;

/**
 * The date of an ordinal ≥ 1.
 * @param {number} ordinal
 */
export function dateOf(ordinal) {
  // Invalid numbers have no date.
  return (new Date((ordinal - ordinalOfEpoch) * dayMilliseconds).toJSON() ?? "").slice(0, 10);
}

/**
 * 1 = Sunday … 7 = Saturday.
 * @param {number} ordinal
 */
export const weekdayOf = (ordinal) => (ordinal % 7) + 1;

/** @param {string} month `YYYY-MM`, or a date */
export function monthIndexOf(month) {
  const [year, number] = month.split("-").map(Number);
  return year * 12 + number - 1;
}

/** @param {number} index */
export const monthOf = (index) => `${padded(Math.floor(index / 12), 4)}-${padded((index % 12) + 1, 2)}`;

/**
 * The ordinal of a month's 1st.
 * @param {number} index
 */
export const firstOrdinalOf = (index) => ordinalOf(`${monthOf(index)}-01`);

/**
 * The days of a month. After December 9999 there is no month.
 * @param {number} index a month's index
 */
export const dayCountOf = (index) => (index % 12 === 11 ? 31 : firstOrdinalOf(index + 1) - firstOrdinalOf(index));

/**
 * The grid of a month: whole weeks, the first cell on or before the 1st.
 * @param {number} index a month's index
 * @param {number} firstWeekday 1 = Sunday … 7 = Saturday
 * @param {"six" | "fit"} weeks
 * @returns {{first: number, lead: number, dayCount: number, weekCount: number}}
 *   `first`: the ordinal of cell 0; `lead`: cells before the 1st
 */
export function gridOf(index, firstWeekday, weeks) {
  const first = firstOrdinalOf(index);
  const lead = (weekdayOf(first) - firstWeekday + 7) % 7;
  const dayCount = dayCountOf(index);
  const weekCount = weeks === "fit" ? Math.ceil((lead + dayCount) / 7) : 6;
  return { first: first - lead, lead, dayCount, weekCount };
}

/**
 * The bands of a range in one month, one per week; equal to the `bands` that the server sends.
 * @param {number} index a month's index
 * @param {{start: string, end: string} | null} range inclusive
 * @param {number} firstWeekday
 * @param {"six" | "fit"} weeks
 * @returns {import("./types").Band[]}
 */
export function bandsOf(index, range, firstWeekday, weeks) {
  if (!range) return [];
  const grid = gridOf(index, firstWeekday, weeks);
  const firstDay = grid.first + grid.lead;
  const start = ordinalOf(range.start);
  const end = ordinalOf(range.end);
  const low = Math.max(start, firstDay);
  const high = Math.min(end, firstDay + grid.dayCount - 1);
  const bands = [];
  for (let day = low; day <= high;) {
    const cell = day - grid.first;
    const last = Math.min(high, day + 6 - (cell % 7));
    bands.push({
      row: Math.floor(cell / 7), from: cell % 7, to: (last - grid.first) % 7,
      shape: /** @type {"circle" | "pill"} */ (last === day ? "circle" : "pill"),
      head: day === start, tail: last === end,
    });
    day = last + 1;
  }
  return bands;
}

/**
 * A date moved by whole months. A day that the month does not have becomes its last day.
 * @param {string} date @param {number} months
 */
export function addingMonths(date, months) {
  const index = monthIndexOf(date) + months;
  const day = Math.min(Number(date.slice(8)), dayCountOf(index));
  return `${monthOf(index)}-${padded(day, 2)}`;
}

/** @param {string} date @param {number} days */
export const addingDays = (date, days) => dateOf(ordinalOf(date) + days);

/**
 * The date of a date expression of a definition (`2026-11-20`, `today`, `today-P18Y`).
 * @param {string} text
 * @param {string} today
 * @returns {string | null} null for any other text
 */
export function dateOfExpression(text, today) {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const match = /^today(?:([+-])P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?)?$/.exec(text);
  if (!match) return null;
  const sign = match[1] === "-" ? -1 : 1;
  const [years, months, weeks, days] = match.slice(2).map((digits) => Number(digits ?? 0));
  return addingDays(addingMonths(today, sign * (years * 12 + months)), sign * (weeks * 7 + days));
}
