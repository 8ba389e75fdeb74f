// The texts of the elements: every language has these.

type Named = (name: string) => string;
type Counted = (count: number) => string;

export type Words = {
  you: string; time: string; somebody: string; offlineMember: Named;
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
  corrected: (wanted: string, given: string, reason: string) => string;
  /**
   * By the protocol's `reason`; `elapsed` is also that of a time that is too soon (`leadMinutes`).
   * `first` and `last`: the bound as a date, if the definition has one.
   */
  reasons: {
    [reason: string]: (facts: {
      count: number; days: number; least: number; first: string | null; last: string | null;
    }) => string;
  };
  did: (name: string, what: string) => string;
  /** A sentence about a member, such as one that has joined. */
  was: (name: string, what: string) => string;
  moved: (label: string, text: string) => string;
  /** After an undo or a redo. */
  undone: (label: string, text: string) => string;
  rangeOpened: (date: string) => string;
  rangeClosed: (start: string, end: string, days: number) => string;
  /** A member had finished `range`; the own tap, meant for its last day, started another one. */
  rangeReplaced: (name: string, range: string) => string;
  /** Of two own taps, the first ended a range that another member had begun, and the second started another one. */
  rangeEndedByFirstTap: (days: string) => string;
  dateChosen: (date: string) => string;
  rangeCleared: string;
  /** `rest`: the range that remains; null if none does. */
  rangeElapsed: (rest: string | null) => string;
  opener: Named;
  /** `unknown`: of a kind that the elements do not know. */
  hint: { unknown: string; wheels: string; touch: string; first: string; second: string; again: string; single: string };
  hits: Counted; days: Counted;
  /** Changes of the host, and their effect on the selection; days and times are texts. */
  host: {
    daysClosed: Named; daysOpened: Named;
    /** A slot that is gone: its time, with its day if that is not the day of the next one; `isDay`: only its day. */
    booked: Named; closed: (text: string, isDay: boolean) => string;
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
  confirming: string; confirmed: string; cancelled: string; reopened: string;
  confirmedNow: string; cancelledNow: string;
  /** While the host decides; `until`: a time of day, empty if unknown. */
  confirmingNow: (until: string) => string;
  /** The host has confirmed, has not (and says why, if `detail` is not null), or has not answered. */
  granted: string; denied: (detail: string | null) => string; undecided: string;
  viewer: string;
  joined: string; left: string; gone: string; back: string; promoted: string;
  /** A member has got another role than owner. */
  roleNow: { viewer: string; editor: string };
  here: Counted;
  lost: string;
  /** The name of the command, beside those of the buttons. */
  tap: string;
  /** A command and what it is meant for, such as "Confirm Dec 5 – 8". */
  action: (name: string, what: string) => string;
  /** A command was not done, because what it was meant for has changed; `who` is null if that is unknown. */
  late: (what: string, who: string | null, now: string) => string;
  /** The authors of changes that no member has made. */
  clockOrHost: string; theHost: string;
  /** There is no choice now. */
  nothing: string;
  /** By the protocol's code, or in more detail: `staleColumn` for `noSuchRow`, `nothingToRedo` for `nothingToUndo`, `nameNotAllowed`. */
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
    opened: (date: string) => string;
    hint: { first: string; second: string };
    cell: { start: string; end: string; inside: string };
    only: { arrival: string; departure: string };
    noArrival: Named; noDeparture: Named;
    tooShort: Counted; tooLong: Counted;
    /** By the protocol's `reason`. */
    reasons: { [reason: string]: (facts: object) => string };
    most: (nights: number | null) => string; least: (nights: number | null) => string;
    total: Named; noTotal: string;
  };
  cell: { start: string; end: string; inside: string; only: string; today: string; cheapest: string };
  /** The question before a picker is cancelled, and its answers. */
  cancelling: { ask: string; yes: string; no: string };
  /** For a user in another time zone; `yours`: the own time of a result. */
  zone: { times: Named; today: (day: string, zone: string) => string; there: Named; yours: Named };
};
