// The texts of the demo page: every language has these.

import type { Patterns } from "../../client/words/types";

type PickerName = "date" | "slot" | "linked" | "month" | "range" | "table" | "stay" | "ask" | "weekend" | "hour" | "evening";

export type DemoWords = {
  untitled: string; qrText: string; qrLocal: (port: string) => string;
  back: string; settings: string; languageLabel: string; theme: string;
  themes: { system: string; light: string; dark: string };
  name: string; guest: (number: number) => string; skip: string;
  /** The titles of the demo's pickers. */
  pickers: { [id in PickerName]: string };
  /** Names of the columns, separated by commas. */
  columnLabels: { cascade: string; columns: string };
  /** Before the title of a picker. */
  yours: string; invited: string; invites: (name: string) => string;
  /** Sent with a link. */
  message: (name: string, title: string) => string;
  askName: string; nameText: string; saveName: string;
  decides: { you: string; owner: (name: string) => string; somebody: string; host: string };
  /** `you` is the name in these of the user. */
  confirmedBy: (name: string) => string; cancelledBy: (name: string) => string; you: string; done: string;
  developers: string; forgetPicker: string;
  nothingHere: string; nothingHereText: string;
  addToCalendar: string; calendarFile: string;
  share: string; shareText: string; copy: string; copied: string; copyFailed: string;
  roleEditor: string; roleViewer: string; secondWindow: string;
  ended: string; endedText: string; newOne: string; notFound: string; notFoundText: string;
  noAccess: string; noAccessText: string; pasteLink: string; enter: string; notALink: string;
  elsewhere: string; elsewhereText: string; useHere: string;
  away: string; awayText: string; reload: string;
  createFailed: (detail: string) => string; unreachable: string; retry: string;
};

/** All patterns of a language but English, which has those of the home page in a file of its own. */
export type PageTable = Patterns<DemoWords & { home: HomeWords }>;

/** The texts of the home page. */
export type HomeWords = {
  headline: string; lead: string; docs: string; free: string;
  /** The two live windows, and the switch of the host. `closed`: that visitors cannot create sessions here. */
  tour: { phone: string; laptop: string; hint: string; sellOut: (day: string) => string; closed: string };
  doors: { [name in "find" | "stay" | "any"]: { title: string; text: string } };
  embed: { title: string; text: string; run: string; runText: string; install: string };
  figures: { tap: string; size: string; kill: string };
  footer: { docs: string; examples: string; packages: string };
  start: string; cards: string; open: string; openLinked: string; openColumns: string;
  texts: { [id in PickerName]: string };
  /** The page that sells places, with one or two windows, and its link. */
  sale: { text: string; you: string; other: string; link: string };
  /** The dialog that creates an availability. */
  find: {
    title: string; first: string; last: string; from: string; until: string; zone: (city: string) => string;
    minutes: string; weekends: string; days: string;
    results: string; everyone: string; counts: string; owner: string;
    create: string; cancel: string;
    /** Why no time can be found in what was filled in. */
    problems: {
      noTitle: string; past: string; lastBeforeFirst: string; tooManyDays: (days: number) => string; untilBeforeFrom: string;
      tooLong: string; noWeekend: string; tooFewDays: string;
    };
  };
  /** The title of a new plan: the question, an example, and the title of one without. */
  what: string; whatExample: string; plan: string;
  recent: string; forget: string;
};

/** The texts of the panels for developers, which are loaded with them. */
export type DeveloperWords = {
  /** The panel that plays the host. */
  host: {
    heading: string; text: string; command: string; copy: string; selected: string;
    days: string; soldOut: string; price: string;
    noteText: string; tone: string; tones: { none: string; low: string; high: string; good: string; bad: string };
    longest: string; daysLabel: string; nightsLabel: string; latest: string; dateLabel: string; set: string;
    take: string; takeTime: (time: string) => string; free: string; freeTime: (time: string) => string;
    lunch: string; closeLunch: (day: string) => string; openLunch: (day: string) => string;
    column: string; rename: string; newName: string; renameButton: string;
    remove: string; removeRow: (text: string) => string; note: string;
    /** The decision on a confirmation. */
    asked: string; grant: string; denied: string; deny: string; reason: string;
    failed: (detail: string) => string;
  };
  definition: string; definitionText: string; checking: string; fine: string; openThis: string; reset: string;
  mistakeAt: (pointer: string, detail: string) => string;
  noJSON: (detail: string) => string;
  line: (line: number) => string;
  messages: string; messagesText: string; pause: string; resume: string; empty: string;
  latency: (milliseconds: number) => string; latencyTitle: string;
  revision: (revision: number) => string;
};
