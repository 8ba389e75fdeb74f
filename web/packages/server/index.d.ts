/** Any JSON value. */
export type JSONValue =
  | null | boolean | number | string | JSONValue[] | { [name: string]: JSONValue | undefined };
export type JSONObject = { [name: string]: JSONValue | undefined };

/** A text, or one by locale: `{ en: "sold out", de: "ausverkauft" }`. */
export type Text = string | { [locale: string]: string };
export type Role = "viewer" | "editor" | "owner";
export type Status = "open" | "confirming" | "confirmed" | "cancelled";

/** The claims of a member token. Times are Unix seconds. */
export interface Claims {
  /** The id of a session, or a list of up to 16. */
  session: string | string[];
  role: Role;
  /** Who the user is at the host, 1 to 128 characters; others see it as `subject`. */
  sub?: string;
  /** Wins over the name that the client sends in `join`. */
  name?: string;
  /** The language of the member, BCP 47; wins over that of `join`. */
  locale?: string;
  /** What other members see, at most 1 KiB of JSON. */
  info?: JSONValue;
  /** For the log and the feed only, at most 4 KiB of JSON. */
  meta?: JSONValue;
  /** Not before. */
  nbf?: number;
  /** When it was issued; default now. */
  iat?: number;
  /** When it expires, at most 24 hours after `iat`; default `iat` + `seconds`. */
  exp?: number;
  /** The server's `--audience`; default `pickerd`. */
  aud?: string;
}

/**
 * A member token (JWT): who may join which session, and what they may do.
 *
 * @param key `pk_ID.SECRET`, as `pickerd key add … --alg HS256` printed it, or a private key (PEM)
 *   of P-256 (ES256) or Ed25519 (EdDSA).
 * @param claims and `seconds`, how long it is valid (1…86,400, default 3,600), and for a private
 *   key `kid`, the id of its public key in the key file.
 * @throws TypeError or RangeError for a claim or a key that pickerd would refuse.
 */
export function signToken(key: string, claims: Claims & { seconds?: number; kid?: string }): string;

/** A request to the webhook that must not be believed: answer 401. */
export class WebhookError extends Error {}

/**
 * The event of a webhook that `pickerd deliver` has posted. It can arrive again: ignore an `id`
 * that you know.
 *
 * @param secrets `whsec_…`, or a list while one is replaced; `whpk_` and the Base64 of the public
 *   key for a secret `whsk_…` of `pickerd deliver`.
 * @param headers the headers of a `fetch` request, or an object with names in lower case, such as
 *   `request.headers` of `node:http`.
 * @param body the body as it was received, not parsed.
 * @param options `toleranceSeconds`: by how much the timestamp may be off, default 300; `now`: Unix
 *   seconds.
 * @throws WebhookError if no signature is right or the timestamp is off.
 * @throws TypeError for a secret of another kind.
 */
export function verifyWebhook(
  secrets: string | string[],
  headers: { get(name: string): string | null } | { [name: string]: string | string[] | undefined },
  body: string | Uint8Array,
  options?: { toleranceSeconds?: number; now?: number },
): Delivered;

/** A refusal, or no answer. */
export class PickerdError extends Error {
  /** The method and the address. */
  request: string;
  /** The HTTP status; 0 without an answer. */
  status: number;
  /**
   * For the program, such as `versionMismatch`; `noAnswer` without an answer that can be read,
   * `badMessage` with the status 0 for an argument that cannot be sent.
   */
  code: string;
  /** One sentence for developers. */
  detail: string;
  /** Of an inventory, those that cannot be had (at most 10): `soldOut`, `held`, `waiting`. */
  keys: string[];
  /** The whole body, with `pointer`, `session`, `stands` where the server sends them. */
  problem: JSONObject;
}

/** What every event of a session says about it. */
export interface EventData {
  session: string;
  epoch: string;
  revision: number;
  status: Status;
  result: any;
  /** The result is null, because the event would be too long. */
  resultOmitted?: true;
  external?: string;
  title?: Text;
  meta?: any;
  op?: string;
  until?: string;
  by?: { member: string; subject?: string };
  [name: string]: any;
}
/** What is taken of an inventory: `units` of each of the `keys`. */
export interface TakenData { keys: string[]; units: number }
/** `op` is the confirmation to decide about; of an inventory, its units are booked already. */
export interface ConfirmingData extends EventData, Partial<TakenData> { op: string }
export interface ConfirmedData extends EventData, Partial<TakenData> {}
/** A hold, or what was waited for: it can be confirmed until `until`. */
export interface HoldData extends EventData, TakenData { until: string }
/** A hold or an offer has ended without a booking, or a place in the waiting list. */
export interface HoldEndedData extends EventData {
  reason: "released" | "expired" | "moved" | "left" | "lost";
}
/** More is taken of `keys` of the shared definition `name` than there is. */
export interface OverData { name: string; keys: string[]; session?: undefined }
/** The confirmation `op` was granted too late; `data` as you gave it. */
export interface LateData extends EventData { op: string; data?: any }
/** After a confirmation that the host has not granted, with `reason`. */
export interface ReopenedData extends EventData {
  reason?: "denied" | "timeout"; detail?: Text; data?: any;
}
/** With the reason that the host has given with its `cancel`. */
export interface CancelledData extends EventData { reason?: Text }
/** Of a session whose log cannot be read, only `session`, `epoch` and `reason` are known. */
export interface EndedData extends EventData { reason: "deleted" | "expired" | "full" }
/** Of a session, or of a shared definition: then it has its `name` instead of a session. */
export type ChangedData = EventData & { name?: undefined; version: number } | SharedChangedData;
export interface SharedChangedData {
  name: string; version: number; session?: undefined; [field: string]: any;
}
export interface RejectedData extends EventData {
  uses: { name: string; version: number }; pointer: string; detail: string;
}
export interface MemberData extends EventData {
  member: { id: string; name: string; role: Role; subject?: string; info?: any; meta?: any };
}

/** The data of the events by their type: see "The events" in the guide. */
export interface EventDataByType {
  "session.created": EventData;
  "session.confirming": ConfirmingData;
  "session.confirmed": ConfirmedData;
  "session.cancelled": CancelledData;
  "session.reopened": ReopenedData;
  "session.ended": EndedData;
  "session.confirming.late": LateData;
  "session.offered": HoldData;
  "session.held": HoldData;
  "session.holdEnded": HoldEndedData;
  "inventory.over": OverData;
  "definition.changed": ChangedData;
  "definition.rejected": RejectedData;
  "result.changed": EventData;
  "member.joined": MemberData;
  "member.left": MemberData;
}
export type EventType = keyof EventDataByType;

/** An event without its place in the feed of this reader; `type` decides on its `data`. */
type Happened<Type extends EventType> = {
  [One in Type]: {
    id: string; position: number; type: One; timestamp: string; data: EventDataByType[One];
  };
}[Type];
/** What happened in a session. */
export type Event<Type extends EventType = EventType> = Happened<Type> & {
  /** `EPOCH:POSITION`: store it in the same transaction as what you do because of the event. */
  cursor: string;
};

/** What `pickerd deliver` posts: an event, or with `--test` one of the type `test`. */
export type Delivered = { watermark: number } & (
  | Happened<EventType>
  | { id: string; position: 0; type: "test"; timestamp: string;
      data: { session?: undefined; [field: string]: undefined } });

/** Events were missed: the cursor is too old, or a backup was restored. Read your sessions. */
export interface Restarted {
  type: "restarted";
  cursor: string;
  data?: undefined;
}

/** What `create` returns. */
export interface Created {
  session: string;
  epoch: string;
  revision: number;
  /** The address of the WebSocket. */
  socket: string;
  /** Only of `createBy`: it was created with another body. */
  differs?: true;
}

/** The body of a new session: the guide lists all fields under "Create a session". */
export interface NewSession {
  definition?: JSONObject;
  /** The name of a shared definition. */
  uses?: string;
  notes?: Notes;
  /** The first value, in the form of the picker's results. */
  result?: JSONObject;
  title?: Text;
  meta?: JSONValue;
  external?: string;
  /** `seconds`: 1…3,600. */
  decide?: { by: "host"; seconds: number };
  reopen?: "owner" | "host";
  cancel?: "owner" | "host";
  oneMember?: boolean;
  /** Seconds after the last change or join, at most a year; default 86,400. */
  ttlSeconds?: number;
  watch?: ("result" | "members" | "definition" | "holds")[];
  [name: string]: any;
}

/** In a patch, fields that it does not have stay, and null removes one. */
export interface Note {
  /** 1 to 24 characters, in at most 8 locales; a new note needs it. */
  text?: Text;
  tone?: "low" | "high" | "good" | "bad" | null;
  /** Of a day: at most 1,000,000,000 with two decimals. */
  amount?: number | null;
}
/** Notes of days, or of rows by column and key. */
export interface Notes {
  days?: { [date: string]: Note | null };
  columns?: { [column: string]: { [key: string]: Note | null } };
}

/** The inventory of a shared definition: see "Hold units, and wait in line" in the guide. */
export interface Inventory {
  /** 0…1,000,000 units of each key that is not in `keys`. */
  capacity: number;
  /** Units of single keys, at most 10,000. */
  keys?: { [key: string]: number };
  /** How many units one session takes of each of its keys, 1…1,000; by default 1. */
  units?: { min?: number; max?: number };
  /** Up to this many free units the members see how many; default 0. */
  few?: number;
  /** How long a hold lasts, 5…86,400; 0: nobody can hold. Default 300. */
  holdSeconds?: number;
  /** How long a hold lasts that is extended; default 6 × `holdSeconds`. */
  maxHoldSeconds?: number;
  /** Units × keys that one holder has at once without having booked them; default no limit. */
  perHolder?: number;
  /** Whether there is a waiting list; default false. */
  waiting?: boolean;
  /** How long an offer lasts, 5…604,800; default 900. */
  offerSeconds?: number;
}
/** The units of one key. */
export interface Count {
  key: string; capacity: number; booked: number; held: number; offered: number; waiting: number;
  free: number;
}
/** With `session` that of a session, otherwise one from elsewhere. */
export interface Booking {
  booking: string; keys: string[]; units: number; over?: true; session?: string;
}

/** A merge patch (an object, in which null removes), or a JSON Patch (a list). */
export type Patch = { [name: string]: any } | { op: string; path: string; [name: string]: any }[];

export interface Session {
  session: string;
  epoch: string;
  revision: number;
  version: number;
  status: Status;
  /** With `definition` and `result`. */
  snapshot: { [name: string]: any };
  members: { [name: string]: any }[];
  /** The id of the confirmation, and when it times out, while the status is `confirming`. */
  op?: string;
  until?: string;
  external?: string;
  meta?: any;
  [name: string]: any;
}

/** A command of the host. */
export interface Command {
  type: "select" | "tap" | "set" | "clear" | "confirm" | "cancel" | "reopen"
    | "units" | "hold" | "release" | "wait";
  /** With `units`: how many of each key. With `wait`: the keys of the value. */
  units?: number;
  keys?: string[];
  /** With `set`: a whole value, in the form of the picker's results. */
  result?: JSONObject;
  /** With `cancel`: why, for the members; at most 200 characters. */
  reason?: Text;
  /** With `tap`: the count of taps that you have seen, 0 without a range. */
  hits?: number;
  /** With the others: the revision that you have seen. */
  at?: number;
  /** With `tap`: a day, or a month with a cell or with a point of its drawing (0…1). */
  date?: string;
  month?: string;
  x?: number;
  y?: number;
  /** With `tap`, of the month; with `confirm`, where the window of an availability begins. */
  cell?: number;
  /** With `select`: the column, and the key of the row. */
  column?: number;
  key?: string;
  /** With `select`: instead of the key, with the `generation` that you have seen. */
  row?: number;
  /** With `select` and a `row`: of the column. With `confirm` and a `cell`: of the cells. */
  generation?: number;
}

/** The answer to a command: done, done already, or refused with `code` and `detail`. */
export interface CommandAnswer {
  type: "delta" | "reply" | "refused";
  revision: number;
  code?: string;
  detail?: string;
  params?: { [name: string]: any };
  changes?: { change: string; [name: string]: any }[];
}

/**
 * pickerd's HTTP API with an API key.
 *
 * A request is repeated after 429, 502, 503, 504 and if there is no answer, with a back-off of up
 * to 1, 2, 4 … 30 seconds and never before `Retry-After`. `command`, and a JSON Patch without
 * `ifMatch`, could be done twice: they are repeated only after 429 and if no connection could be
 * made. Every method rejects with a PickerdError, also for arguments that cannot be sent, at once.
 */
export class Pickerd {
  /**
   * @param url of the listener for backends, `https://pick.example.org` or with a path.
   * @param key `pk_ID.SECRET`; none, or null, for a server with `--auth open`.
   * @param options `timeoutSeconds`: for one attempt, default 10; `retrySeconds`: how long a
   *   request is repeated, default 30.
   * @throws TypeError if `url` is no address of http or https, or `key` is empty or undefined.
   */
  constructor(
    url: string, key?: string | null, options?: { timeoutSeconds?: number; retrySeconds?: number });

  /**
   * Any other request of `/v1/openapi.json`.
   *
   * @param path with its query, percent-encoded where an id needs it.
   * @returns the JSON of the answer; the text of one that is not JSON, such as a calendar event, a
   *   drawing, or the lines of a log; null for an empty one.
   */
  request(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: JSONValue,
    options?: { headers?: { [name: string]: string }; isRepeatable?: boolean },
  ): Promise<any>;

  /**
   * Creates a session.
   *
   * @param options `idempotencyKey`: 1…64 characters; for 24 hours the same key makes the same
   *   session. By default a random one, so that a lost answer makes no second session; give one
   *   that you have stored if your process may end in between.
   * @throws PickerdError `badDefinition` with `problem.pointer`, `keyReused`, or `externalTaken`
   *   with `problem.session`.
   */
  create(body: NewSession, options?: { idempotencyKey?: string }): Promise<Created>;

  /**
   * Creates the session with your own id `external` (1…200 characters), or returns it, with
   * `differs` if it was created with another body.
   */
  createBy(external: string, body: NewSession): Promise<Created>;

  /** @throws PickerdError `noSuchSession`. */
  session(session: string): Promise<Session>;

  /**
   * Ends a session. With `release` its booking is deleted, too; otherwise a confirmed session keeps
   * it.
   *
   * @throws PickerdError `noSuchSession`, also if the answer to the first attempt was lost.
   */
  deleteSession(session: string, options?: { release?: boolean }): Promise<void>;

  /** All sessions in the order of creation; with `include`, each with revision and result. */
  sessions(
    filter?: { status?: Status; external?: string; uses?: string; include?: "result" },
  ): AsyncGenerator<{
    session: string; status: Status; external?: string; revision?: number; result?: any;
    [name: string]: any;
  }, void>;

  /**
   * Changes what can be picked in a session.
   *
   * @param options `ifMatch`: the `version` that you have read.
   * @throws PickerdError `badDefinition` with `problem.pointer`; `patchFailed`; `versionMismatch`,
   *   also if the answer to the first attempt was lost: read again, compare, patch what still
   *   differs.
   */
  patchDefinition(session: string, patch: Patch, options?: { ifMatch?: number }): Promise<any>;

  /** Changes prices and other notes; null removes a note. */
  patchNotes(session: string, patch: Notes): Promise<any>;

  /** A shared definition. @throws PickerdError `noSuchDefinition`. */
  shared(name: string):
    Promise<{ definition: any; notes: Notes; inventory?: Inventory; version: number }>;

  /**
   * Creates or replaces a shared definition. An equal one changes nothing.
   *
   * @returns also `over`: keys of the inventory of which more is taken than there is, at most 100.
   * @throws PickerdError `badDefinition` with `problem.pointer`; `inUse` if sessions keep an
   *   inventory from being added or taken away.
   */
  putShared(name: string, body: { definition: JSONObject; notes?: Notes; inventory?: Inventory }):
    Promise<{ name: string; version: number; over?: string[] }>;

  /**
   * Changes a shared definition, and so all sessions that use it. `patch` is of
   * `{ definition, notes, inventory }`; the rest is as for `patchDefinition` and `putShared`.
   */
  patchShared(name: string, patch: Patch, options?: { ifMatch?: number }):
    Promise<{ name: string; version: number; over?: string[] }>;

  /**
   * What is taken of an inventory, for each key.
   *
   * @param options `keys`: these, at most 366. Without it all that have units of their own, or of
   *   which something is taken or waited for, `from` a key `through` another.
   * @throws PickerdError `noSuchInventory`.
   */
  counts(name: string, options?: { keys?: string[]; from?: string; through?: string }):
    AsyncGenerator<Count, void>;

  /**
   * Books units of an inventory for somebody elsewhere.
   *
   * @param booking your own id, 1…64 characters; the same request again does nothing.
   * @param keys 1…366.
   * @param options `units`: of each key, 1…1,000, by default 1. `over`: past the capacity, holds
   *   and the waiting list.
   * @throws PickerdError `soldOut`, `held` or `waiting`, with `keys`; `keyReused` if the id has
   *   another booking; `full`; `noSuchInventory`.
   */
  book(
    name: string, booking: string, keys: string[], options?: { units?: number; over?: boolean },
  ): Promise<Booking>;

  /** That of a session has the id of the session. @throws PickerdError `noSuchBooking`. */
  booking(name: string, booking: string): Promise<Booking>;

  /** All bookings of an inventory, or those of a key, in the order of their ids. */
  bookings(name: string, options?: { key?: string }): AsyncGenerator<Booking, void>;

  /**
   * Deletes a booking, if there is one; the waiting list gets its units.
   *
   * @throws PickerdError `inUse` for that of a session that has not ended.
   */
  deleteBooking(name: string, booking: string): Promise<void>;

  /**
   * A command of the host, with `hits` or `at`, so that a second one is refused. After a
   * PickerdError `noAnswer` it is not known whether it was done: read the session.
   */
  command(session: string, command: Command): Promise<CommandAnswer>;

  /**
   * Decides on a confirmation. Send the same decision until it is answered.
   *
   * @param options `reason`: for the members, at most 200 characters; `data`: at most 4 KiB of
   *   JSON, the same each time, which comes back in the result.
   * @returns what stands. `granted`: the session was confirmed with this `op`. `denied`: you have
   *   denied it. `late`: it was cancelled, timed out, or pickerd does not have it: undo your
   *   booking. `ended`: the session has ended; its event `session.ended` has its status.
   */
  settle(
    session: string, op: string, granted: boolean, options?: { reason?: Text; data?: JSONValue },
  ): Promise<"granted" | "denied" | "late" | "ended">;

  /**
   * The events of all sessions, in the order of the feed, without an end. While pickerd cannot be
   * reached, it waits, up to 30 seconds between attempts; every other PickerdError is thrown, such
   * as `badToken` and `notAllowed`.
   *
   * @param options `after`: the `cursor` of the last event that you have handled; without one, from
   *   the oldest. `types`: by default all. `waitSeconds`: of a long poll, at most 60, default 25.
   */
  feed<Type extends EventType = EventType>(
    options?: { after?: string; types?: readonly Type[]; waitSeconds?: number },
  ): AsyncGenerator<Event<Type> | Restarted, never>;
  feed(options?: { after?: string; types?: readonly string[]; waitSeconds?: number }):
    AsyncGenerator<Event | Restarted, never>;
}
