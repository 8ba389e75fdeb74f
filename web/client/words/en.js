// The texts of the elements in English. Every language has the same keys; a missing one falls back to English. What the first
// paint does not need is in en-later.js: `reasons`, `host` and `refusals`.

/** @param {number} count @param {string} one @param {string} many */
const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** @type {import("./types").Words} */
export const en = {
  you: "You",
  somebody: "Somebody",
  offlineMember: (name) => `${name} (away)`,

  columns: { year: "Year", month: "Month", date: "Day", day: "Day", hour: "Hour", minute: "Minute" },
  column: (number) => `Column ${number}`,
  level: (number) => `Level ${number}`,
  previous: (label) => `${label}: previous`,
  next: (label) => `${label}: next`,
  empty: "nothing to choose",

  undo: "Undo", redo: "Redo", clear: "Clear", confirm: "Confirm", cancel: "Cancel", reopen: "Reopen",
  retry: "Try again now", useHere: "Use it here",
  today: "Today", previousMonth: "Previous month", nextMonth: "Next month", calendar: "Calendar",

  connection: {
    idle: "Not connected", connecting: "Connecting…", joining: "Joining…", live: "Connected",
    waiting: "Connection lost. Reconnecting…", offline: "You are offline.",
    full: "This session or the server is full, or not available now. Trying again…",
    access: "Waiting for access to this picker…",
    revoked: "The host has withdrawn your access to this picker. Waiting for new access…",
    credentials: "This link does not give you access, or no longer does. Ask for a new one.",
    expired: "Your access has expired. Reload this page, or sign in again.",
    left: "You have left.", ended: "This picker has ended.", elsewhere: "You have this picker open in another window.",
    notAllowed: "You do not have access to this picker.", away: "This page does not match the server. Reload it.",
  },
  slow: "The server has not answered yet.",
  unstored: "Not stored yet",
  queued: (count) => `Offline. ${counted(count, "change waits", "changes wait")}.`,

  reasons: {},
  was: (name, what) => `${name} ${what}`,
  picked: (what) => `picked ${what}`,
  set: (label, text) => `set ${label} to ${text}`,
  undone: (text) => `went back to ${text}`,
  starts: (date) => `starts on ${date}`, ends: (date) => `ends on ${date}`,
  rangeReplaced: (name, range) => `${name} was faster with ${range}. You have started anew.`,
  rangeEndedByFirstTap: (days) => `You have picked ${days}, and started anew.`,
  cleared: "cleared the choice",
  rangeElapsed: (rest) => (rest ? `Past days are gone: now it is ${rest}` : "Past days are gone"),
  hint: { unknown: "This page cannot show this kind of picker.", wheels: "Drag, scroll, type, or use the arrows.", touch: "Swipe, or tap a row.", first: "Pick the first day.", second: "Now pick the last day.", single: "Pick a day." },
  hits: (count) => counted(count, "tap", "taps"),
  days: (count) => counted(count, "day", "days"),

  host: /** @type {any} */ ({}),
  tones: { low: "low", high: "high", good: "good", bad: "bad" },

  confirming: "asked for confirmation", confirmed: "confirmed", cancelled: "cancelled", reopened: "reopened this",
  askedNow: "Asked for confirmation.", confirmedNow: "Confirmed.", cancelledNow: "Cancelled.", reopenedNow: "Open again.",
  confirmingNow: (what, until) => `Asked for ${what}${until && `. Answer by ${until}`}`,
  granted: "The host has confirmed it.",
  denied: (detail) => (detail ? `The host says no: ${detail}` : "The host says no. Pick another."),
  undecided: "The host did not answer in time. You can ask again.",
  viewer: "View only: you cannot make changes.",
  joined: "has joined", left: "has left", gone: "is away", back: "is back", promoted: "is now the owner",
  roleNow: { viewer: "can now only watch", editor: "can now make changes" },
  here: (count) => `${counted(count, "person", "people")} here`,
  lost: "You were away too long to know whether this was done. Please check.",
  action: (name, what) => `${name} ${what}`, use: (what) => `Use ${what} instead`,
  late: (what) => `Meanwhile ${what}.`,
  theHost: "The host", nothing: "nothing chosen",

  refusals: {},
  why: {
    beforeMin: (date) => `the earliest day you can pick is ${date}`,
    afterMax: (date) => `the latest day you can pick is ${date}`,
    weekday: (weekday) => `not available: ${weekday}`,
    blocked: (from, through) => (from === through ? `${from} is taken` : `${from} to ${through} is taken`),
    other: "not available",
  },
  stay: {
    text: (nights, span) => `${counted(nights, "night", "nights")}, ${span}`,
    hint: { first: "Pick the day of arrival.", second: "Now pick the day of departure." },
    cell: { start: "arrival", end: "departure", inside: "in the stay" },
    only: { arrival: "arrival only", departure: "departure only" },
    noArrival: (date) => `no stay can begin on ${date}`, noDeparture: (date) => `no stay can end on ${date}`,
    tooShort: (nights) => `A stay has at least ${counted(nights, "night", "nights")} here. Pick a day further away.`,
    tooLong: (nights) => `a stay has at most ${counted(nights, "night", "nights")} here`,
    reasons: {
      blocked: () => "a night in between is taken", maxNights: () => "a stay cannot be longer",
      minNights: () => "a stay cannot be shorter", noArrival: () => "a stay cannot begin then",
      noDeparture: () => "a stay cannot end then", unit: () => "another kind of choice is needed now",
    },
    most: (nights) => (nights === null ? "No maximum length any more" : `At most ${counted(nights, "night", "nights")} now`),
    least: (nights) => (nights === null ? "No minimum length any more" : `At least ${counted(nights, "night", "nights")} now`),
    total: (price) => `the total is now ${price}`, noTotal: "there is no total now",
  },
  tooShort: (days) => `You must pick at least ${counted(days, "day", "days")}. Pick a day further away.`,
  cell: { start: "first day", end: "last day", inside: "in the range", only: "chosen", today: "today", cheapest: "cheapest in this month" },
  asks: { cancel: ["Cancel for everybody?", "Yes, cancel"], reopen: ["Reopen for everybody?", "Yes, reopen"], no: "No" },
  zone: {
    times: (zone) => `Times are in ${zone}.`, today: (day, zone) => `Today is ${day} in ${zone}.`, there: (day) => `Today there is ${day}.`, yours: (time) => `${time} for you`,
  },
};
