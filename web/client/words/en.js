// The texts of the elements in English. Every language has the same keys; a missing one falls back to English.

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
  previous: (label) => `${label}: previous`,
  next: (label) => `${label}: next`,
  empty: "nothing to choose",
  loading: "Loading…",

  undo: "Undo", redo: "Redo", clear: "Clear", confirm: "Confirm", cancel: "Cancel", reopen: "Reopen",
  retry: "Try again now", useHere: "Use it here",
  today: "Today", previousMonth: "Previous month", nextMonth: "Next month", calendar: "Calendar",

  connection: {
    idle: "Not connected", connecting: "Connecting…", joining: "Joining…", live: "Connected",
    waiting: "Connection lost. Reconnecting…", offline: "You are offline.",
    credentials: "This link does not give you access, or no longer does. Ask for a new one.",
    left: "You have left.", ended: "This picker has ended.", elsewhere: "You have this picker open in another window.",
    notAllowed: "You are not allowed to join here.", away: "This page does not match the server. Reload it.",
  },
  queued: (count) => `${counted(count, "change", "changes")} will be sent when you are connected again.`,

  corrected: (wanted, given, reason) => `${wanted} → ${given}: ${reason}`,
  reasons: {
    monthLength: ({ count }) => `this month has ${counted(count, "day", "days")}`,
    min: ({ first }) => (first ? `the earliest you can pick is ${first}` : "this is the earliest you can pick"),
    max: ({ last }) => (last ? `the latest you can pick is ${last}` : "this is the latest you can pick"),
    noSuchTime: () => "that time is not available on this day",
    elapsed: () => "that time has passed",
    maxDays: ({ days }) => `you can pick at most ${counted(days, "day", "days")}`,
    blocked: () => "a day in between is not available",
  },
  did: (name, what) => `${name}: ${what}`,
  moved: (label, text) => `${label} ${text}`,
  undone: (label, text) => `undone: ${label} ${text}`,
  rangeOpened: (date) => `from ${date}; tap the last day`,
  rangeClosed: (start, end, days) => `${start} to ${end}, ${counted(days, "day", "days")}`,
  dateChosen: (date) => date,
  rangeCleared: "cleared",
  rangeElapsed: "past days were removed",
  opener: (name) => `${name} started this range.`,
  hint: { wheels: "Drag, scroll, type, or use the arrows.", first: "Tap the first day.", second: "Now tap the last day.", again: "Tap a day to start again.", single: "Tap a day." },
  hits: (count) => counted(count, "tap", "taps"),
  days: (count) => counted(count, "day", "days"),

  confirmed: "confirmed", cancelled: "cancelled", reopened: "open again",
  confirmedNow: "Confirmed.", cancelledNow: "Cancelled.",
  viewer: "View only: you cannot make changes.",
  joined: "has joined", left: "has left", gone: "is away", back: "is back", promoted: "is now the owner",
  here: (count) => `${counted(count, "person", "people")} here`,
  lost: "You were away too long to tell whether this was done. Check, and repeat it if necessary.",

  refusals: {
    noSuchColumn: "That column no longer exists.",
    staleColumn: "That row is gone: someone has changed an earlier column.",
    noSuchRow: "That row is no longer there.",
    outsideMonths: "That month is not in this calendar.",
    noSuchCell: "There is no day there.",
    otherMonth: "That day belongs to the neighbouring month; tap it there.",
    beforeMin: "That day is too early.", afterMax: "That day is too late.", blocked: "That day is not available.",
    tapClaimed: "Someone else has started this range and may finish it first. Try again in a few seconds.",
    minDays: "That range is too short; tap a day further away.",
    wrongKind: "This kind of picker does not support that.",
    nothingToUndo: "There is nothing to undo.",
    notComplete: "There is nothing to confirm yet.",
    elapsed: "The selection has changed because time has passed. Check it and confirm again.",
    notOpen: "This picker is closed. Its owner can reopen it.",
    notAllowed: "You are not allowed to do that.",
    oldRef: "That arrived too late. Please try again.",
    unknownType: "This server does not support that.",
    tooMany: "Too many changes at once. Wait a second.",
    offline: "You cannot do that while offline.",
  },
  why: {
    beforeMin: (date) => `the earliest day you can pick is ${date}`,
    afterMax: (date) => `the latest day you can pick is ${date}`,
    weekday: (weekday) => `not available: ${weekday}`,
    blocked: (from, through) => (from === through ? `${from} is taken` : `${from} to ${through} is taken`),
    other: "not available",
  },
  tooShort: (days) => `A range has at least ${counted(days, "day", "days")}; tap a day further away.`,
  cell: { start: "first day", end: "last day", inside: "in the range", only: "chosen", today: "today" },
};
