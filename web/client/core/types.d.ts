// The types of the client's state, for editors and for `tsc`. Those of the protocol are made from its document.

import type {
  Band, BestWindow, Cell, Change, ClientMessage, Column, DeltaMessage, Hold, Inventory, Member, Note, Range, Role, Row, ServerMessage, Snapshot as SnapshotOnWire, Status,
  Total,
} from "./protocol";

/** A message as code handles it that does not know its type yet. */
export type Message = { type: string; [field: string]: any };
/** The same of a change. */
export type AnyChange = { change: string; [field: string]: any };
export type { Band, Cell, Change, ClientMessage, Column as ColumnOnWire, Hold, Inventory, Member, Note, Range, Role, Row, ServerMessage, Status, Total };

export type Month = { month: string; title?: string; cells: Cell[]; bands: Band[] };
/** What a finger of another member is on, or with `hover` its mouse pointer over. */
export type Touch = { member: string; column?: number; row?: number; date?: string; hover?: true };
/** What a finger of this member is on, or with `hover` its mouse pointer over. */
export type OwnTouch = ({ column: number; row: number } | { date: string }) & { hover?: true };
export type Result = { [name: string]: unknown } | null;
/** What `set` chooses: of a date or a single day, a slot, a cascade or columns, a range or stay. */
export type Value = { date: string } | { local: string } | { instant: string } | { keys: string[] } | { start: string; end: string };
export type Definition = {
  kind: "date" | "slot" | "cascade" | "columns" | "calendar" | "availability";
  timeZone?: string; locale?: string; min?: string; max?: string;
  firstWeekday?: number; weeks?: "six" | "fit"; selection?: "range" | "single";
  minDays?: number; maxDays?: number; allowBlockedInside?: boolean;
  unit?: "days" | "nights"; minNights?: number; maxNights?: number; currency?: string;
  stays?: {
    from?: string; through?: string; weekdays?: number[];
    minNights?: number; maxNights?: number; arrival?: boolean; departure?: boolean;
  }[];
  blocked?: { weekdays?: number[]; from?: string; through?: string }[];
  stepMinutes?: number; length?: number; unmarked?: "no" | "yes"; maybe?: boolean;
  results?: "everyone" | "counts" | "owner"; closes?: string;
  [option: string]: unknown;
};
export type Snapshot = Omit<SnapshotOnWire, "definition" | "result"> & { definition: Definition; result: Result };
export type Grade = "yes" | "maybe" | "no";
/** The layout of the cells: of times the runs `[first, count, row]` of a day, of dates one cell. */
export type CellDay = { date: string; text: string; cells?: number[][]; day?: string };
export type CellRow = { time: string; text: string; again?: true; gap?: true };
/** `cells`: runs `[first, count, position]` in the grid of the month. */
export type CellMonth = { month: string; title: string; cells: number[][] };
export type Window = BestWindow;
/** Of a session of the kind `availability`. What this member may not see is undefined. */
export type Availability = {
  generation: number; count: number; past: number; closed: boolean; timeZone: string; days: CellDay[];
  /** Of times. */
  rows?: CellRow[];
  /** Of dates. */
  months?: CellMonth[]; weekdays?: string[];
  /** By member; `cells`: the grade of each cell, if it has one. */
  marks: Map<string, { name: string; color: string; cells: (Grade | null | undefined)[] }>;
  respondents?: number;
  /** Of each cell that was ever marked: the numbers of yes, maybe and no. */
  heat?: ([number, number, number] | undefined)[];
  best?: Window[];
};
export type CommandName =
  "select" | "tap" | "set" | "mark" | "clear" | "undo" | "redo" | "confirm" | "cancel" | "reopen" | "rename"
  | "units" | "hold" | "release" | "wait";
export type Command = { type: CommandName; ref?: number; [field: string]: any };

/** What a user sees of a picker; `columns` are those of the lists, with their selected rows. */
export type Seen = {
  definition: Definition | null; range: Range | null; result: Result;
  columns: { column: import("./column.js").Column; selected: Row | null }[];
};

/** A change that is shown or announced to the user; `by` is null if time or the host caused it. */
export type Notice = {
  /** Whether a command of the host caused it. */
  host?: true;
} & (
  | { kind: "moved"; column: number; cause: string; from: Row | null; to: Row; by: string | null; mine: boolean }
  | {
      kind: "corrected"; column: number; wanted: Row | null; to: Row; reason: string; count: number;
      by: string | null; mine: boolean;
    }
  | {
      kind: "range"; range: Range | null; cause: string; by: string | null; mine: boolean;
      /** The range of another member that this tap has replaced, although it was meant for the last day. */
      finished?: Range;
    }
  | {
      kind: "rangeCorrected"; range: Range | null; wanted: string | null; reason: string; cause: string;
      by: string | null; mine: boolean;
    }
  | {
      kind: "hosted"; by: null; mine: false;
      /** What the host has changed, and what was seen before and after that. */
      changes: Change[]; before: Seen; after: Seen;
    }
  | {
      kind: "status"; status: Status; result: Result; by: string | null; mine: boolean;
      /** Why the session is open again after `confirming`: `denied` or `timeout`; or what the host said when it cancelled. */
      reason: string | null;
      /** What the host said to that, in this member's language. */
      detail: string | null;
    }
  | {
      kind: "refused"; code: string; detail: string; command: Command | null; mine: true;
      /** The facts of the code. */
      params?: { [name: string]: any };
      /** What the user saw when the command was given, if it has `at`. */
      seen?: Chosen;
    }
  | {
      kind: "hold"; by: string | null; mine: boolean;
      /** What the session holds, is offered or waits for now, and what before; null: nothing. */
      hold: Hold | null; before: Hold | null;
      /** Why it has ended. */
      reason?: string;
    }
  | { kind: "lost"; command: Command; mine: true }
  /** `promoted`: the member has another role, which may be a lower one. */
  | { kind: "joined" | "left" | "away" | "back" | "promoted"; member: Member; mine: boolean });

/** What the picker shows: `texts` are those of the selected rows. */
export type Chosen = { result: Result; range: Range | null; texts: string[] };

/** The outcome of a command. */
export type Outcome = {
  outcome: "done" | "refused" | "offline" | "lost" | "unchanged";
  revision?: number; code?: string; detail?: string; params?: { [name: string]: any }; milliseconds?: number;
};
export type Connection =
  "idle" | "connecting" | "joining" | "live" | "waiting" | "offline" | "credentials" | "away" | "left";

export type Options = {
  name?: string; locale?: string; token?: string;
  /** IANA name, for the times of an `availability`; default: the one of its definition. */
  timeZone?: string;
  /** The months in view of a calendar, as by `months`, known before the first join: they come with its answer. */
  months?: { from: string; count: number };
  /**
   * Where the member is stored: in the browser (default), so that the user is the same member in each tab, in this tab only,
   * or nowhere.
   */
  identity?: "browser" | "tab" | "none";
  /** A WebSocket to the session with the subprotocol `pickerd.v1` that nothing was sent on: it becomes the first one. */
  socket?: WebSocket;
  /**
   * Gets a token for this user from the page's backend: before the current one expires, after the server has rejected
   * or revoked it, and for the first join if there is no `token`. Null: the user has no access any more. After an
   * exception, or if the server rejects the new token as well, it is called again with back-off.
   */
  getToken?: () => string | null | Promise<string | null>;
};

/** The data that survives a reload of the page. */
export type Memory = {
  member: string; secret: string; epoch: string; ref: number; pending: Pending[];
};
/**
 * A command without an answer; `sent`: it may have reached the server. `ref` names it in `settle`; its message may have a
 * greater one. `endsRange`: a tap while the user saw an open range. `hits`: the taps that the user saw before this one.
 * `seen`: what the user saw when giving a command with `at`.
 */
export type Pending = { ref: number; message: Command; sent: boolean; endsRange?: true; hits?: number; seen?: Chosen };

export type Effect =
  | { effect: "dial" }
  | { effect: "disconnect" }
  | { effect: "requestToken" }
  | { effect: "send"; message: Message }
  | { effect: "timer"; name: string; milliseconds: number | null }
  | { effect: "save"; memory: Memory | null }
  | { effect: "settle"; ref: number; outcome: Outcome }
  | { effect: "emit"; name: string; detail?: unknown };

/** The events of a `PickerSession`. */
export type PickerEventMap = {
  change: CustomEvent<null>;
  connection: CustomEvent<null>;
  notice: CustomEvent<Notice>;
  answered: CustomEvent<Outcome & { milliseconds: number }>;
  message: CustomEvent<{ direction: "in" | "out"; message: Message }>;
};

declare module "./session.js" {
  interface PickerSession {
    addEventListener<Name extends keyof PickerEventMap>(
      type: Name, listener: (this: PickerSession, event: PickerEventMap[Name]) => void,
      options?: boolean | AddEventListenerOptions,
    ): void;
    addEventListener(
      type: string, listener: EventListenerOrEventListenerObject | null,
      options?: boolean | AddEventListenerOptions,
    ): void;
    removeEventListener<Name extends keyof PickerEventMap>(
      type: Name, listener: (this: PickerSession, event: PickerEventMap[Name]) => void,
      options?: boolean | EventListenerOptions,
    ): void;
    removeEventListener(
      type: string, listener: EventListenerOrEventListenerObject | null,
      options?: boolean | EventListenerOptions,
    ): void;
  }
}
