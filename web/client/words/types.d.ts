// The texts of the elements: every language has these.

type Named = (name: string) => string;
type Counted = (count: number) => string;

export type Words = {
  you: string; somebody: string; offlineMember: Named;
  columns: { year: string; month: string; date: string; day: string; hour: string; minute: string };
  column: (number: number) => string;
  level: (number: number) => string;
  previous: (label: string) => string;
  next: (label: string) => string;
  empty: string;
  undo: string; redo: string; clear: string; confirm: string; cancel: string; reopen: string;
  retry: string; useHere: string;
  today: string; previousMonth: string; nextMonth: string; calendar: string;
  connection: {
    idle: string; connecting: string; joining: string; live: string; waiting: string; full: string; offline: string;
    /** The page has not got a token that the server accepts yet. */
    access: string;
    /** The same, after the host has revoked the access. */
    revoked: string;
    credentials: string; expired: string; left: string; ended: string; elsewhere: string;
    notAllowed: string; away: string;
  };
  /** There is a connection, but a command has had no answer for some seconds. */
  slow: string;
  /** The server has not stored own changes yet that the picker shows. */
  unstored: string;
  /** Commands that are queued until the connection is back. */
  queued: Counted;
  /**
   * By the protocol's `reason`; `elapsed` is also that of a time that is too soon (`leadMinutes`).
   * `first` and `last`: the bound as a date, if the definition has one; `month`: that of a date; `next`: the day that is taken;
   * `what`: the time that was wanted; `soldOut` and `held` have either of them.
   */
  reasons: {
    [reason: string]: (facts: {
      count: number; days: number; least: number; first: string | null; last: string | null;
      month: string; next?: string; what?: string;
    }) => string;
  };
  /** A sentence about a member: `what` has joined, or one of the following. */
  was: (name: string, what: string) => string;
  picked: Named; set: (label: string, text: string) => string;
  /** After an undo or a redo. */
  undone: Named;
  /** Of a range: its first day, and the one that it was cut to. */
  starts: Named; ends: Named;
  /** A member had finished `range`; the own tap, meant for its last day, started another one. */
  rangeReplaced: (name: string, range: string) => string;
  /** Of two own taps, the first ended a range that another member had begun, and the second started another one. */
  rangeEndedByFirstTap: (days: string) => string;
  cleared: string;
  /** `rest`: the range that remains; null if none does. */
  rangeElapsed: (rest: string | null) => string;
  /** `unknown`: of a kind that the elements do not know. */
  hint: { unknown: string; wheels: string; touch: string; first: string; second: string; single: string };
  hits: Counted; days: Counted;
  /** Changes of the host, and their effect on the selection; days and times are texts. */
  host: {
    daysClosed: Named; daysOpened: Named;
    /** A slot that is gone: its time, with its day if that is not the day of the next one; `isDay`: only its day. */
    booked: Named; soldOut: Named; held: Named; closed: (text: string, isDay: boolean) => string;
    rowRenamed: (from: string, to: string) => string; rowRemoved: Named; rowAdded: Named;
    maxDays: (days: number | null) => string; minDays: (days: number | null) => string;
    min: (first: string | null) => string; max: (last: string | null) => string;
    hours: string; other: string;
    and: string; then: (what: string, then: string) => string;
    stayEnds: Named; stayBegins: Named; stayGone: string; dayGone: string;
    selected: Named; nothingLeft: string;
    note: (where: string, text: string) => string; noteRemoved: Named; notes: Counted;
  };
  /** The names of the tones of notes. */
  tones: { low: string; high: string; good: string; bad: string };
  /** What a member has done. */
  confirming: string; confirmed: string; cancelled: string; reopened: string;
  /** The status. */
  askedNow: string; confirmedNow: string; cancelledNow: string; reopenedNow: string;
  /** While the host decides on `what`; `until`: a time of day, empty if unknown. */
  confirmingNow: (what: string, until: string) => string;
  /** The host has confirmed, has not (and says why, if `detail` is not null), or has not answered. */
  granted: string; denied: (detail: string | null) => string; undecided: string;
  viewer: string;
  joined: string; left: string; gone: string; back: string; promoted: string;
  /** A member has got another role than owner. */
  roleNow: { viewer: string; editor: string };
  here: Counted;
  lost: string;
  /** A command and what it is meant for, such as "Confirm Dec 5 – 8"; for a tap or a whole value `use`. */
  action: (name: string, what: string) => string; use: Named;
  /** A command was not done, because of what has happened meanwhile: `what` is a sentence. */
  late: Named;
  /** The author of changes that no member has made. */
  theHost: string;
  /** There is no choice now. */
  nothing: string;
  /** By the protocol's code, or in more detail: `nothingToRedo` for `nothingToUndo`, `nameNotAllowed`. */
  refusals: { [code: string]: string };
  why: {
    beforeMin: (date: string) => string;
    afterMax: (date: string) => string;
    weekday: (weekday: string) => string;
    blocked: (from: string, through: string) => string;
    other: string;
  };
  tooShort: (days: number) => string;
  /** Of a calendar of nights, and prices. */
  stay: {
    /** "3 nights, Dec 12 – 15" */
    text: (nights: number, span: string) => string;
    hint: { first: string; second: string };
    cell: { start: string; end: string; inside: string };
    only: { arrival: string; departure: string };
    noArrival: Named; noDeparture: Named;
    tooShort: Counted; tooLong: Counted;
    /** By the protocol's `reason`. */
    reasons: { [reason: string]: (facts: any) => string };
    most: (nights: number | null) => string; least: (nights: number | null) => string;
    total: Named; noTotal: string;
  };
  cell: { start: string; end: string; inside: string; only: string; today: string; cheapest: string };
  /** The questions before something is done for everybody, and the answers. */
  asks: { cancel: [ask: string, yes: string]; reopen: [ask: string, yes: string]; no: string };
  /** For a user in another time zone; `yours`: the own time of a result. */
  zone: { times: Named; today: (day: string, zone: string) => string; there: Named; yours: Named };
};
