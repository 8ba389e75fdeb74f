// The texts of the elements: every language has these. Those with gaps are functions of what fills them.

type Named = (name: string) => string;
type Counted = (count: number) => string;

/** The patterns of texts (see patterns.js): the same without functions. */
export type Patterns<Texts> = {
  [Name in keyof Texts]: Texts[Name] extends string | ((...values: any[]) => string) ? string : Patterns<Texts[Name]>;
};
type Part<Table> = { [Name in keyof Table]?: Table[Name] extends string ? string : Part<Table[Name]> };

/** All patterns of a language. */
export type Table = Patterns<Words>;
/** Some of them. */
export type PartialTable = Part<Table>;

export type Words = FirstWords & LaterWords & MarkWords & DialogWords & StockWords & FinderWords;

/** What the first paint needs. */
export type FirstWords = {
  you: string; offlineMember: Named;
  columns: { year: string; month: string; date: string; day: string; hour: string; minute: string };
  column: (number: number) => string;
  level: (number: number) => string;
  previous: (label: string) => string;
  next: (label: string) => string;
  empty: string;
  undo: string; redo: string; clear: string; confirm: string; cancel: string; reopen: string;
  today: string; previousMonth: string; nextMonth: string; calendar: string;
  /** The server has not stored own changes yet that the picker shows. */
  unstored: string;
  /** A sentence about a member: `what` has joined, or one of the following. */
  was: (name: string, what: string) => string;
  /** Of a range: its first day. */
  starts: Named;
  /** `unknown`: of a kind that the elements do not know. */
  hint: { unknown: string; wheels: string; touch: string; first: string; second: string; single: string };
  hits: Counted; days: Counted;
  /** The names of the tones of notes. */
  tones: { low: string; high: string; good: string; bad: string };
  /** The status. */
  confirmedNow: string; cancelledNow: string;
  /** While the host decides on `what`; `until`: a time of day, empty if unknown. */
  confirmingNow: (facts: { what: string; until: string }) => string;
  /** The host has confirmed. */
  granted: string;
  here: Counted;
  /** There is no choice now. */
  nothing: string;
  why: {
    beforeMin: (date: string) => string;
    afterMax: (date: string) => string;
    weekday: (weekday: string) => string;
    /** `through`: null for one day. */
    blocked: (from: string, through: string | null) => string;
    other: string;
  };
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
    reasons: { [reason: string]: string };
    most: (nights: number | null) => string; least: (nights: number | null) => string;
    total: Named; noTotal: string;
  };
  cell: { start: string; end: string; inside: string; only: string; today: string; cheapest: string };
  /** The questions before something is done for everybody, and the answers. */
  asks: { cancel: { ask: string; yes: string }; reopen: { ask: string; yes: string }; no: string };
  /** For a user in another time zone; `yours`: the own time of a result. */
  zone: { times: Named; today: (day: string, zone: string) => string; there: Named; yours: Named };
};

/** What happens, and what is wrong with the connection. */
export type LaterWords = {
  somebody: string; retry: string; useHere: string;
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
  /** Commands that are queued until the connection is back. */
  queued: Counted;
  picked: Named; set: (label: string, text: string) => string;
  /** After an undo or a redo. */
  undone: Named;
  /** Of a range: the day that it was cut to. */
  ends: Named;
  /** A member had finished `range`; the own tap, meant for its last day, started another one. */
  rangeReplaced: (name: string, range: string) => string;
  /** Of two own taps, the first ended a range that another member had begun, and the second started another one. */
  rangeEndedByFirstTap: (days: string) => string;
  cleared: string;
  /** `rest`: the range that remains; null if none does. */
  rangeElapsed: (rest: string | null) => string;
  /** What a member has done. */
  confirming: string; confirmed: string; cancelled: string; reopened: string;
  /** The status. */
  askedNow: string; reopenedNow: string;
  /** The host has not confirmed (and says why, if `detail` is not null), or has not answered. */
  denied: (detail: string | null) => string; undecided: string;
  viewer: string;
  joined: string; left: string; gone: string; back: string; promoted: string;
  /** A member has got another role than owner. */
  roleNow: { viewer: string; editor: string };
  lost: string;
  /** A command and what it is meant for, such as "Confirm Dec 5 – 8"; for a tap or a whole value `use`. */
  action: (name: string, what: string) => string; use: Named;
  /** A command was not done, because of what has happened meanwhile: `what` is a sentence. */
  late: Named;
  /** The author of changes that no member has made. */
  theHost: string;
  tooShort: (days: number) => string;
  /**
   * By the protocol's `reason`; `elapsed` is also that of a time that is too soon (`leadMinutes`).
   * `first` and `last`: the bound as a date, if the definition has one; `month`: that of a date; `next`: the day that is taken;
   * `what`: that day, or the time that was wanted.
   */
  reasons: {
    [reason: string]: string | ((facts: {
      count?: number; days: number; least: number; first: string | null; last: string | null;
      month?: string; next?: string; what?: string;
    }) => string);
  };
  /** Changes of the host, and their effect on the selection; days and times are texts. */
  host: {
    daysClosed: Named; daysOpened: Named;
    /** A slot that is gone: its time, with its day if that is not the day of the next one; `isDay`: only its day. */
    booked: Named; soldOut: Named; held: Named; closed: (facts: { text: string; isDay: boolean }) => string;
    rowRenamed: (from: string, to: string) => string; rowRemoved: Named; rowAdded: Named;
    maxDays: (days: number | null) => string; minDays: (days: number | null) => string;
    min: (first: string | null) => string; max: (last: string | null) => string;
    hours: string; other: string;
    and: string; then: (what: string, then: string) => string;
    stayEnds: Named; stayBegins: Named; stayGone: string; dayGone: string;
    selected: Named; nothingLeft: string;
    note: (where: string, text: string) => string; noteRemoved: Named; notes: Counted;
  };
  /** By the protocol's code, or in more detail: `nothingToRedo` for `nothingToUndo`, `nameNotAllowed`. */
  refusals: { [code: string]: string };
};

/** The texts of <pickerd-availability>. */
export type MarkWords = {
  marks: {
    grades: { yes: string; maybe: string; no: string };
    /** The name of the group of buttons that choose a grade. */
    grade: string;
    /** What to do; `dates`: of whole days. */
    guide: { mouse: string; touch: string; mouseDates: string; touchDates: string };
    grid: string; zone: string;
    best: string; nothingBest: string;
    /** To members who may not see the results, or not who has marked what. */
    hidden: string; namesHidden: string;
    /** How many have answered. */
    answered: Counted; nobody: string;
    can: string; perhaps: string; cannot: string; unmarked: string; unmarkedAsYes: string;
    of: (count: number, all: number) => string;
    counts: (yes: number, maybe: number, no: number) => string;
    /** "You: yes" */
    mine: Named;
    confirmWindow: Named;
    past: string; again: string;
    closes: Named; closed: string;
    /** What was painted, for screen readers. */
    painted: (grade: string, count: number) => string; erased: Counted;
    /** The best window is another one now. */
    nowBest: (text: string, counts: string) => string;
    refusals: { [code: string]: string };
  };
};

/** The texts of the dialog for months and dates. */
export type DialogWords = {
  dialog: {
    title: string; year: string; month: string; close: string;
    day: string; first: string; last: string; arrival: string; departure: string;
    /** The button for typed dates. */
    pick: string;
    picked: (name: string, span: string) => string; show: string;
    /** The lowest price of a month. */
    from: Named;
  };
};

/** The texts of what takes from an inventory. */
export type StockWords = {
  stock: {
    /** The name of the group of controls. */
    label: string;
    /** How many units are left. */
    left: Counted;
    /** Below a day, or beside a row. */
    held: string; soldOut: string;
    /** Of a day that is held: it may come back at `time`, empty if unknown. */
    back: (time: string) => string;
    /** The label of their number. */
    units: string; fewer: string; more: string;
    hold: string; extend: string; release: string; join: string; leave: string;
    /** Before the time that is left. */
    heldFor: string; offered: Named;
    waiting: (what: string, place: number) => string;
    /** What the user wants is sold out, or held by somebody else; `time`: as for `back`. */
    goneNow: Named; heldNow: (facts: { what: string; time: string }) => string;
    /** Announced; and what another member does. */
    heldUntil: Named; holds: Named;
    yourTurn: (what: string, time: string) => string;
    /** `notInLine`: the place on the waiting list was given up. */
    givenBack: string; notInLine: string;
    /** Announced two minutes and half a minute before. */
    holdEnds: { two: string; half: string }; offerEnds: { two: string; half: string };
    holdEnded: string; offerEnded: string; moved: string; nobody: string; lost: string;
    wrongUnits: (min: number, max: number) => string;
  };
};

/** The texts of the search in a long column. */
export type FinderWords = {
  finder: {
    find: Named; close: string; none: string;
    /** The hint before something is typed. */
    type: string;
    /** `more`: there are more than these. */
    matches: Counted; more: Counted;
  };
};
