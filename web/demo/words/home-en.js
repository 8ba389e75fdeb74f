// The texts of the home page in English.

/** @type {import("./types").HomeWords} */
export const en = {
  headline: "One picker, everyone’s hands on it.",
  lead: "An open-source server for dates, slots and stays that people choose together, live, each on their own device.",
  docs: "Read the docs", free: "Free, Apache 2.0",
  tour: {
    phone: "Ana’s phone", laptop: "Bo’s laptop", hint: "Tap in one, watch the other.", sellOut: (day) => `Sell out ${day}`,
    closed: "This server opens pickers for its own application only.",
  },
  doors: {
    find: { title: "Find a time", text: "Everybody marks when they can. The best times rise to the top." },
    stay: { title: "Book a stay", text: "Arrival, departure, prices, and what is taken already." },
    any: { title: "Any picker", text: "Slots, dates, linked columns: eleven examples, each one link away." },
  },
  embed: {
    title: "Six lines in your page", text: "The rules, the order of changes and the inventory stay on the server. Your page only draws.",
    run: "Run the server", runText: "From the source, on Linux with Swift 6.2: one process, with SQLite or PostgreSQL. The second command creates a picker; the answer has its ID.", install: "As a container or a Debian package",
  },
  figures: { tap: "from a tap to a hundred other members, at the median", size: "for the calendar, compressed", kill: "loses nothing that was acknowledged" },
  footer: { docs: "Docs", examples: "Examples", packages: "Packages" },
  start: "Plan days together", cards: "Eleven pickers, eleven links",
  open: "Open", openLinked: "Open linked columns", openColumns: "Independent columns",
  texts: {
    date: "Year, month, day. Dates after today are not greyed out; they are not in the list.",
    slot: "Day, hour, minute: at least twenty minutes from now, in steps of ten, updated as time passes.",
    linked: "Province, city, district: each column depends on the one before it.",
    month: "A list of months, and one day to choose.",
    range: "First day and last day, across months; two people can tap one each.",
    table: "A table for lunch or dinner: opening hours, a lunch break, times that are taken already.",
    stay: "Arrival and departure, the price of each night, and the total; the host can change prices at any time.",
    ask: "Confirm a time, and the host decides: it grants the booking, denies it with a reason, or lets two minutes pass.",
    weekend: "Everybody marks the days that suit; the best weekend for all is on top, live.",
    hour: "Everybody paints when they can, in their own time zone: Berlin and New York side by side.",
    evening: "Six places on each Friday and Saturday. Hold some, let a hold run out, or wait for one that comes back: the server counts.",
  },
  sale: {
    text: "Each Friday and Saturday has six places. What one person holds, nobody else can take.",
    you: "You", other: "Somebody else", link: "All who open this link take from the same places:",
  },
  find: {
    title: "Title", first: "From", last: "To", from: "Not before", until: "Not after", zone: (city) => `Times in ${city}. Everybody sees them in their own time zone, too.`,
    minutes: "Length", duration: (minutes) => (minutes < 60 ? `${minutes} minutes` : minutes === 60 ? "1 hour" : `${minutes / 60} hours`), weekends: "Only Saturdays and Sundays", days: "Days in a row",
    results: "Who sees the answers", everyone: "Everybody, with names", counts: "Everybody, only numbers", owner: "Only the owner",
    create: "Create the link", cancel: "Cancel",
    problems: {
      noTitle: "Enter a title.", past: "This is already over.", lastBeforeFirst: "Choose a day that is not before the first one.",
      tooManyDays: (days) => `Choose at most ${days} days.`, untilBeforeFrom: "Choose a later time than at “Not before”.",
      tooLong: "There is less time than that between these hours.", noWeekend: "There is no such weekend between these dates.",
      tooFewDays: "There are not that many days between these dates.",
    },
  },
  what: "What is it about?", whatExample: "Weekend at the lake", plan: "Days together",
  recent: "Your recent pickers", forget: "Clear this list",
};
