// What the elements say, in English. Every language has the same names; a missing one is said in English.

/** @param {number} count @param {string} one @param {string} many */
const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** @type {import("./types").Words} */
export const en = {
  you: "You",
  time: "The clock",
  somebody: "Somebody",
  offlineMember: (name) => `${name} (away)`,

  columns: { year: "Year", month: "Month", date: "Day", day: "Day", hour: "Hour", minute: "Minute" },
  column: (number) => `Column ${number}`,
  level: (number) => `Level ${number}`,
  previous: (label) => `${label}: one up`,
  next: (label) => `${label}: one down`,
  empty: "nothing to choose here",
  loading: "Loading…",

  undo: "Undo", redo: "Redo", clear: "Clear", confirm: "Confirm", cancel: "Cancel", reopen: "Reopen",
  retry: "Try again now", useHere: "Use it here",
  today: "Today", previousMonth: "Previous month", nextMonth: "Next month", calendar: "Calendar",

  connection: {
    idle: "Not connected", connecting: "Connecting…", joining: "Joining…", live: "Connected",
    waiting: "Connection lost. Coming back…", offline: "You are offline.",
    credentials: "This link does not let you in (any more). Ask for a new one.",
    left: "You have left.", ended: "This picker has ended.", elsewhere: "You have this picker open in another window.",
    notAllowed: "You are not allowed to join here.", away: "The server does not understand this page. Reload it.",
  },
  queued: (count) => `${counted(count, "change waits", "changes wait")} for the connection.`,

  corrected: (wanted, given, reason) => `${wanted} → ${given}: ${reason}`,
  reasons: {
    monthLength: ({ count }) => `this month has ${counted(count, "day", "days")}`,
    min: ({ first }) => (first ? `the first that can be picked is ${first}` : "nothing before it can be picked"),
    max: ({ last }) => (last ? `the last that can be picked is ${last}` : "nothing after it can be picked"),
    noSuchTime: () => "that time does not exist on this day",
    elapsed: () => "that time has passed",
    maxDays: ({ days }) => `at most ${counted(days, "day", "days")} can be picked`,
    blocked: () => "a day in between cannot be picked",
  },
  did: (name, what) => `${name}: ${what}`,
  moved: (label, text) => `${label} ${text}`,
  undone: (label, text) => `undone, ${label} ${text}`,
  rangeOpened: (date) => `from ${date}; tap its last day`,
  rangeClosed: (start, end, days) => `${start} to ${end}, ${counted(days, "day", "days")}`,
  dateChosen: (date) => date,
  rangeCleared: "cleared",
  rangeElapsed: "days that have passed were taken away",
  opener: (name) => `${name} began this range.`,
  hint: { wheels: "Drag, scroll, type, or use the arrows.", first: "Tap the first day.", second: "Now tap the last day.", again: "Tap a day to begin again.", single: "Tap a day." },
  hits: (count) => counted(count, "tap", "taps"),
  days: (count) => counted(count, "day", "days"),

  confirmed: "confirmed", cancelled: "cancelled", reopened: "open again",
  confirmedNow: "Confirmed.", cancelledNow: "Cancelled.",
  viewer: "You are looking on; you cannot change anything.",
  joined: "has joined", left: "has left", gone: "is away", back: "is back", promoted: "is the owner now",
  here: (count) => `${counted(count, "person", "people")} here`,
  lost: "Whether this was done, nobody can say: you were away for too long. Look, and do it again if need be.",

  refusals: {
    noSuchColumn: "There is no such column any more.",
    staleColumn: "That row is gone: somebody moved an earlier column meanwhile.",
    noSuchRow: "That row is not there any more.",
    outsideMonths: "That month is not in this calendar.",
    noSuchCell: "There is no day at that place.",
    otherMonth: "That day belongs to the month beside it; tap it there.",
    beforeMin: "That day is too early.", afterMax: "That day is too late.", blocked: "That day cannot be picked.",
    tapClaimed: "Somebody else has begun this range and may end it first. Try again in a few seconds.",
    minDays: "That is too short a range; tap a day further away.",
    wrongKind: "This picker does not work like that.",
    nothingToUndo: "There is nothing to undo.",
    notComplete: "Nothing is chosen yet that could be confirmed.",
    elapsed: "Time has changed the choice. Look at it, and confirm again.",
    notOpen: "This picker is closed. Its owner can reopen it.",
    notAllowed: "You may not do that here.",
    oldRef: "That came too late. Please do it again.",
    unknownType: "This server does not know how to do that.",
    tooMany: "That was too much at once. Wait a second.",
    offline: "That cannot be done while offline.",
  },
  why: {
    beforeMin: (date) => `the first day that can be picked is ${date}`,
    afterMax: (date) => `the last day that can be picked is ${date}`,
    weekday: (weekday) => `${weekday} cannot be picked`,
    blocked: (from, through) => (from === through ? `${from} is taken` : `${from} to ${through} is taken`),
    other: "cannot be picked",
  },
  tooShort: (days) => `A range has at least ${counted(days, "day", "days")}; tap a day further away.`,
  cell: { start: "first day", end: "last day", inside: "in the range", only: "chosen", today: "today" },
};
