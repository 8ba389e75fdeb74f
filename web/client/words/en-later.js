// The texts in English that the first paint does not need. Those in other languages come with their other texts.

import { en } from "./en.js";

/** @param {number} count @param {string} one @param {string} many */
const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** @type {Pick<import("./types").Words, "reasons" | "host" | "refusals">} */
const later = {
  reasons: {
    monthLength: ({ month, count }) => `${month} has ${counted(count, "day", "days")}`,
    min: ({ first }) => (first ? `the earliest you can pick is ${first}` : "this is the earliest you can pick"),
    max: ({ last }) => (last ? `the latest you can pick is ${last}` : "this is the latest you can pick"),
    noSuchTime: ({ what }) => `${what} is not available`,
    elapsed: () => "it is too late to pick that time",
    maxDays: ({ days }) => `you can pick at most ${counted(days, "day", "days")}`,
    blocked: ({ next }) => `${next} is taken`,
    gone: () => "it is no longer available",
    minDays: ({ least }) => `you must pick at least ${counted(least, "day", "days")}`,
    selection: () => "another kind of choice is needed now",
    soldOut: ({ next, what }) => `${next ?? what} is sold out`, held: ({ next, what }) => `${next ?? what} is held by somebody else`,
  },
  host: {
    daysClosed: (days) => `${days} sold out`, daysOpened: (days) => `${days} available again`,
    booked: (text) => `${text} has just been booked`,
    soldOut: (text) => `${text} has just been taken`, held: (text) => `${text} is held by somebody else now`,
    closed: (text, isDay) => (isDay ? `Closed on ${text}` : `${text} is outside the opening hours`),
    rowRenamed: (from, to) => `${from} is now called ${to}`,
    rowRemoved: (text) => `${text} removed`, rowAdded: (text) => `${text} added`,
    maxDays: (days) => (days === null ? "No maximum length any more" : `At most ${counted(days, "day", "days")} now`),
    minDays: (days) => (days === null ? "No minimum length any more" : `At least ${counted(days, "day", "days")} now`),
    min: (first) => (first ? `The earliest day is now ${first}` : "The earliest day has changed"),
    max: (last) => (last ? `The latest day is now ${last}` : "The latest day has changed"),
    hours: "The opening hours have changed", other: "The choices have changed",
    and: ", ", then: (what, then) => `${what}: ${then}`,
    stayEnds: (date) => `your stay now ends on ${date}`, stayBegins: (date) => `your stay now begins on ${date}`,
    stayGone: "your stay is no longer possible and was cleared", dayGone: "your day is no longer possible and was cleared",
    selected: (text) => `your choice is now ${text}`, nothingLeft: "nothing is left to choose",
    note: (where, text) => `${where}: ${text}`, noteRemoved: (where) => `${where}: note removed`,
    notes: (count) => `${counted(count, "note", "notes")} changed`,
  },
  refusals: {
    noSuchColumn: "That column no longer exists.",
    noSuchRow: "That is no longer there.",
    outsideMonths: "That month is not in this calendar.",
    beforeMin: "That day is too early.", afterMax: "That day is too late.", blocked: "That day is not available.",
    tapClaimed: "Someone else has started. Try again in a few seconds.",
    minDays: "That is too short. Pick a day further away.",
    noArrival: "A stay cannot begin on that day.", noDeparture: "A stay cannot end on that day.",
    maxNights: "That stay is too long.", minNights: "That stay is too short. Pick a day further away.",
    nothingToUndo: "There is nothing to undo.",
    nothingToRedo: "There is nothing to redo.",
    notComplete: "There is nothing to confirm yet.",
    elapsed: "The selection has changed because time has passed. Check it and confirm again.",
    notOpen: "This picker is closed. Its owner can reopen it.",
    finalNotOpen: "This picker is closed. Only the host can reopen it.",
    confirming: "The host decides now. The owner can cancel that.",
    notAllowed: "You are not allowed to do that.",
    nameNotAllowed: "Your name comes with your access to this picker, and cannot be changed here.",
    oldRef: "That came too late. Try again.",
    tooMany: "Too many changes at once. Wait a second.",
    full: "This session or the server is full. Try again later, or start a new session.",
    soldOut: "That is sold out.", held: "Somebody else holds that. It may come back.",
    waiting: "That goes to somebody on the waiting list first.", free: "That is free now: hold or confirm it.",
    tooManyHolds: "You already hold or wait for as much as one person may. Give something back first.",
    holdLimit: "It cannot be held any longer. Confirm it, or give it back.", wrongUnits: "That number is not possible.",
    offline: "You cannot do that while offline.",
  },
};

/** Adds them to the others. */
export function addLaterTexts() {
  for (const name of /** @type {const} */ (["reasons", "host", "refusals"])) Object.assign(en[name], later[name]);
}
