// The days that the dialog for an availability proposes, and what it does not accept.

import { dateOf, ordinalOf, weekdayOf } from "../client/core/civil.js";

/** The days that are proposed: a working week of times, eight weekends and the days between them. */
const proposedDays = { times: 5, dates: 56 };
/** The server's maximum of dates, and of cells, which are as long as a step; when clocks are set back, an hour more. */
const datesMax = 366;
const cellsMax = 4_032;
const saturday = 7;

/**
 * The first and the last proposed day: from tomorrow, or from the next Saturday if it is about weekends.
 * @param {"dates" | "times"} kind @param {string} today
 */
export function proposedDates(kind, today) {
  const tomorrow = ordinalOf(today) + 1;
  const first = kind === "times" ? tomorrow : tomorrow + saturday - weekdayOf(tomorrow);
  return { first: dateOf(first), last: dateOf(first + proposedDays[kind] - 1) };
}

/**
 * @typedef {object} Filled what was filled in; the times of the day are in minutes
 * @property {string} title @property {string} today @property {string} first @property {string} last
 * @property {{from: number, until: number, minutes: number, step: number, now: number}} [times]
 * @property {{days: number, weekends: boolean}} [dates]
 * @typedef {keyof import("./words/types").HomeWords["find"]["problems"]} Problem
 */

/**
 * Why no time can be found in what was filled in, as far as it is seen without the rules of the zone.
 * @param {Filled} filled
 * @returns {{field: "name" | "first" | "last" | "until" | "minutes", problem: Problem, days?: number} | null}
 * null if there is no reason, or a date is missing
 */
export function problemOf({ title, today, first, last, times, dates }) {
  if (!title.trim()) return { field: "name", problem: "noTitle" };
  if (!first || !last) return null;
  if (first < today) return { field: "first", problem: "past" };
  if (last < first) return { field: "last", problem: "lastBeforeFirst" };
  const [from, through] = [ordinalOf(first), ordinalOf(last)];
  if (times && times.until <= times.from) return { field: "until", problem: "untilBeforeFrom" };
  const days = times ? Math.min(datesMax, Math.floor((cellsMax * times.step - 60) / (times.until - times.from))) : datesMax;
  if (through - from >= days) return { field: "last", problem: "tooManyDays", days };
  if (times) return timesProblemOf(times, last === today);
  if (dates && longestRun(from, through, dates.weekends) < dates.days) {
    return { field: "last", problem: dates.weekends ? "noWeekend" : "tooFewDays" };
  }
  return null;
}

/**
 * @param {NonNullable<Filled["times"]>} times @param {boolean} isToday whether today is the last day
 * @returns {ReturnType<typeof problemOf>}
 */
function timesProblemOf({ from, until, minutes, now }, isToday) {
  if (until - from < minutes) return { field: "minutes", problem: "tooLong" };
  return isToday && until - minutes <= now ? { field: "last", problem: "past" } : null;
}

/** @param {number} from an ordinal @param {number} through @param {boolean} weekends whether only those count */
function longestRun(from, through, weekends) {
  let [longest, run] = [0, 0];
  for (let day = from; day <= through; day += 1) {
    run = weekends && ![1, saturday].includes(weekdayOf(day)) ? 0 : run + 1;
    longest = Math.max(longest, run);
  }
  return longest;
}
