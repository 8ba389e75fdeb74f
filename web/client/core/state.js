// The state of the picker: the server's messages applied in order. No I/O, no clock, no predictions.

import { availabilityOf, foldAvailability } from "./availability.js";
import { Column } from "./column.js";
import { isHosts, seen } from "./hosting.js";
import { takeNotes } from "./notes.js";
import { takeMembers, takePresence } from "./presence.js";

/** @typedef {import("./types").Message} Message */
/** @typedef {import("./types").Change} Change */
/** @typedef {import("./types").Notice} Notice */
/** @typedef {import("./types").Member} Member */

/**
 * The range of a message; null if it has none.
 * @param {any} wire @returns {import("./types").Range | null}
 */
const rangeOf = (wire) => {
  if (!wire || wire.start === null || wire.start === undefined) return null;
  const { start, end, hits, by, reach } = wire;
  return { start, end, hits, ...(by && { by }), ...(reach && { reach }) };
};

export class PickerState {
  constructor() {
    /** @type {string | null} */
    this.epoch = null;
    /** The number of the last delta; 0 in a new session. */
    this.revision = 0;
    /** Whether a snapshot was received, so that there is something to show. */
    this.isKnown = false;
    /** @type {import("./types").Definition | null} */
    this.definition = null;
    /** @type {number | null} of the definition */
    this.version = null;
    /** @type {import("./types").Status} */
    this.status = "open";
    /** @type {string | null} while `confirming`: when the session is open again without a decision */
    this.until = null;
    /** Whether only the host may reopen the session. */
    this.hostReopens = false;
    /** Whether only the host may cancel the session while it is open. */
    this.hostCancels = false;
    /** @type {string | null} why the status has changed; of a cancel of the host its text, in this member's language */
    this.reason = null;
    /** @type {import("./types").Result} as the server last sent it */
    this.result = null;
    /** @type {Column[]} empty for a calendar */
    this.columns = [];
    /** @type {{first: string, last: string, count: number} | null} of a calendar */
    this.monthList = null;
    /** @type {import("./types").Range | null} */
    this.range = null;
    /** @type {import("./types").Availability | null} of a session of this kind */
    this.availability = null;
    /** @type {import("./types").Inventory | null} the settings of the inventory that the session takes from */
    this.inventory = null;
    /** @type {number | null} how many units of the inventory the session takes of each of its keys */
    this.units = null;
    /** @type {import("./types").Hold | null} what the session holds, is offered or waits for */
    this.hold = null;
    /** @type {Map<string, import("./types").Month>} months in view, as received */
    this.months = new Map();
    /** @type {Map<string, Member>} all members, including this one */
    this.members = new Map();
    /** @type {Map<string, import("./types").Touch>} touches of others */
    this.touching = new Map();
    /** @type {Member | null} */
    this.self = null;
    /** @type {{[name: string]: number}} */
    this.limits = {};
    /** @type {string | null} the locale of the received texts */
    this.locale = null;
    /** @type {string[] | null} of a calendar: the names of its seven columns */
    this.weekdays = null;
    /** @type {string | null} the last time by the session's clock that was received */
    this.now = null;
    /** @type {string | null} the last date that was marked as today: at midnight only months are sent */
    this.today = null;
    /** How many changes can be undone and redone, as far as it is known; infinite if there may be some. */
    this.undos = 0;
    this.redos = 0;
  }

  get isCalendar() {
    return this.monthList !== null;
  }

  /** Whether the elements can show the picker: not if it is of a kind that is newer than they are. */
  get hasKnownKind() {
    return ["date", "slot", "cascade", "columns", "calendar"].includes(this.definition?.kind ?? "");
  }

  /**
   * Applies a `welcome`.
   * @param {Message} message
   */
  welcome(message) {
    this.epoch = message.epoch;
    const { secret: _, ...self } = message.member;
    this.self = { ...self, online: true };
    this.limits = message.limits ?? {};
    this.locale = message.locale;
    this.now = message.now ?? null;
    if (message.snapshot) {
      this.revision = message.revision;
      this.#takeSnapshot(message.snapshot);
    }
    takeMembers(this, message.members ?? []);
  }

  /**
   * Applies a `snapshot`, which replaces the state.
   * @param {Message} message
   */
  snapshot(message) {
    this.revision = message.revision;
    this.now = message.now ?? this.now;
    // The server dropped pending presence messages; the current touches follow.
    this.touching.clear();
    this.#takeSnapshot(message.snapshot);
    this.status = message.status ?? this.status;
    takeMembers(this, message.members ?? []);
  }

  /**
   * Applies the next delta.
   * @param {import("./protocol").DeltaMessage} message @param {boolean} mine whether a command of this member caused it
   * @returns {Notice[]} the notices to show or announce
   */
  delta(message, mine) {
    this.revision = message.revision;
    this.now = message.at ?? this.now;
    const notices = this.changes(message.changes, message.by ?? null, mine);
    if (message.host) for (const notice of notices) notice.host = true;
    return notices;
  }

  /**
   * Counts the changes that can be undone and redone after a command of a member. Only the author of an undo knows whether it
   * was a redo.
   * @param {Change[]} changes @param {string | undefined} type of an own command
   */
  count(changes, type) {
    const causes = changes.map((change) => ("cause" in change ? change.cause : undefined));
    if (causes.includes("undo") || type === "undo" || type === "redo") {
      const step = type === "redo" ? -1 : 1;
      // That of another member is an undo, if there was nothing to redo.
      const isClear = type || !this.redos;
      this.undos = isClear ? Math.max(0, this.undos - step) : Infinity;
      this.redos = isClear ? Math.max(0, this.redos + step) : Infinity;
    } else if (changes.some(({ change }) => change === "units") || causes.some((cause) => cause && cause !== "tick" && cause !== "define")) {
      this.undos += 1;
      this.redos = 0;
    }
  }

  /** @param {Change[]} changes @param {string | null} by @param {boolean} mine @returns {Notice[]} */
  changes(changes, by, mine) {
    const before = seen(this);
    const notices = this.#fold(changes, by, mine);
    if (!isHosts(changes, by, mine)) return notices;
    return [{ kind: "hosted", by: null, mine: false, before, after: seen(this), changes }, ...notices.filter(({ kind }) => kind === "hold")];
  }

  /** @param {Change[]} changes @param {string | null} by @param {boolean} mine @returns {Notice[]} */
  #fold(changes, by, mine) {
    /** @type {Notice[]} */
    const notices = [];
    for (const change of changes) {
      if (change.change === "reload") this.#reload(change);
      else if (change.change === "row") notices.push(...this.#move(change, by, mine));
      else if (change.change === "months") this.#takeMonthList(change);
      else if (change.change === "range") notices.push(...this.#takeRange(change, by, mine));
      else if (change.change === "bands") this.#takeBands(change);
      else if (change.change === "status") notices.push(...this.#takeStatus(change, by, mine));
      else if (change.change === "definition") this.#takeDefinition(change);
      else if (change.change === "notes") takeNotes(this, change);
      else if (change.change === "result") this.result = change.result ?? null;
      else if (change.change === "inventory") this.inventory = change.inventory;
      else if (change.change === "units") this.units = change.units;
      else if (change.change === "hold") notices.push(this.#takeHold(change, by, mine));
      // Other changes are newer than this client, and ignored.
      else if (this.availability) foldAvailability(this.availability, change);
    }
    return notices;
  }

  /**
   * Applies a `months` message.
   * @param {import("./protocol").MonthsMessage} message
   */
  takeMonths(message) {
    for (const month of message.months) {
      this.months.set(month.month, month);
      this.today = month.cells.find((cell) => cell.today)?.date ?? this.today;
    }
  }

  /**
   * Drops the months out of view, because the server sends no bands for them.
   * @param {(month: string) => boolean} isInView
   */
  retainMonths(isInView) {
    for (const month of this.months.keys()) if (!isInView(month)) this.months.delete(month);
  }

  /**
   * Applies a `rows` message; rows of an older generation are dropped.
   * @param {import("./protocol").RowsMessage} message
   */
  takeRows(message) {
    const column = this.columns[message.column];
    if (column && column.generation === message.generation) column.put(message.from, message.rows);
  }

  /**
   * Changes the name of this member.
   * @param {string} name
   */
  rename(name) {
    if (!this.self) return;
    this.self = { ...this.self, name };
    this.members.set(this.self.id, this.self);
  }

  /** @param {import("./protocol").PresenceMessage} message @returns {Notice[]} */
  presence(message) { return takePresence(this, message); }

  /** @param {import("./types").Snapshot} snapshot */
  #takeSnapshot(snapshot) {
    // The list of changes is not sent.
    this.undos = this.revision && Infinity;
    this.isKnown = true;
    this.definition = snapshot.definition;
    this.version = snapshot.version;
    this.status = snapshot.status;
    this.until = snapshot.until ?? null;
    this.hostReopens = snapshot.reopen === "host";
    this.hostCancels = snapshot.cancel === "host";
    this.reason = snapshot.reason ?? null;
    this.result = snapshot.result ?? null;
    this.columns = (snapshot.columns ?? []).map((column) => new Column(column));
    this.months.clear();
    this.today = null;
    this.monthList = snapshot.calendar?.months ?? null;
    this.weekdays = snapshot.calendar?.weekdays ?? null;
    this.range = rangeOf(snapshot.calendar?.range);
    this.availability = availabilityOf(snapshot.availability);
    this.inventory = snapshot.inventory ?? null;
    this.units = snapshot.units ?? null;
    this.hold = snapshot.hold ?? null;
  }

  /** @param {import("./protocol").Reload} change */
  #reload(change) {
    if (change.removed) {
      // Columns are removed at the end, all those after the given one too.
      this.columns.length = Math.min(this.columns.length, change.column);
      return;
    }
    const before = this.columns[change.column];
    // A changed definition may add a column at the end.
    if (!before && change.column !== this.columns.length) throw new Error(`there is no column ${change.column}`);
    const column = new Column(/** @type {any} */ (change));
    // The selected row is stored until the `row` change that follows.
    column.before = before?.selected ?? before?.before ?? null;
    column.rowsBefore = before?.rows ?? null;
    this.columns[change.column] = column;
  }

  /** @param {import("./protocol").MovedRow} change @param {string | null} by @param {boolean} mine @returns {Notice[]} */
  #move(change, by, mine) {
    const column = this.columns[change.column];
    if (!column) throw new Error(`there is no column ${change.column}`);
    const from = column.before ?? column.selected ?? null;
    const to = column.rowWith(change);
    const wanted = (change.cause === "clamp" && column.rowOfKey(change.wanted)) || from;
    column.before = null;
    column.rowsBefore = null;
    column.row = change.row;
    column.put(change.row, [to]);
    if (change.cause === undefined) return [];
    if (change.cause === "clamp") {
      return [{
        kind: "corrected", column: change.column, wanted, to,
        reason: change.reason ?? "", count: column.count, by, mine,
      }];
    }
    return [{ kind: "moved", column: change.column, cause: change.cause, from, to, by, mine }];
  }

  /** @param {import("./protocol").Months} change */
  #takeMonthList({ first, last, count }) {
    this.monthList = { first, last, count };
    this.retainMonths((month) => month >= first && month <= last);
  }

  /** @param {import("./protocol").MovedRange} change @param {string | null} by @param {boolean} mine @returns {Notice[]} */
  #takeRange(change, by, mine) {
    this.range = rangeOf(change);
    if (change.cause === undefined) return [];
    const { cause, reason, wanted = null } = change;
    if (reason) return [{ kind: "rangeCorrected", range: this.range, wanted, reason, cause, by, mine }];
    return [{ kind: "range", range: this.range, cause, by, mine }];
  }

  /** @param {import("./protocol").Redefinition} change */
  #takeDefinition({ definition, version, weekdays }) {
    this.definition = definition;
    this.version = version;
    this.weekdays = weekdays ?? this.weekdays;
  }

  /** @param {import("./protocol").Bands} change */
  #takeBands(change) {
    const month = this.months.get(change.month);
    if (month) this.months.set(change.month, { ...month, bands: change.bands });
  }

  /** @param {import("./protocol").HoldChange} change @param {string | null} by @param {boolean} mine @returns {Notice} */
  #takeHold({ change: _, reason, ...hold }, by, mine) {
    const before = this.hold;
    this.hold = hold.state === "none" ? null : /** @type {import("./types").Hold} */ (hold);
    return { kind: "hold", hold: this.hold, before, reason, by, mine };
  }

  /** @param {import("./protocol").StatusChange} change @param {string | null} by @param {boolean} mine @returns {Notice[]} */
  #takeStatus(change, by, mine) {
    this.status = change.status;
    this.until = change.until ?? null;
    // Only a confirmation contains the result.
    if (change.result !== undefined) this.result = change.result;
    const { status, reason = null, detail = null } = change;
    this.reason = reason;
    return [{ kind: "status", status, result: this.result, by, mine, reason, detail }];
  }
}
