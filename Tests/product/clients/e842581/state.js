// The picker as the server last told it: a fold over its messages. No I/O, no clock, no guesses.

import { Column } from "./column.js";

/** @typedef {import("./types").Message} Message */
/** @typedef {import("./types").Change} Change */
/** @typedef {import("./types").Notice} Notice */
/** @typedef {import("./types").Member} Member */

/**
 * A range as state: null unless there is one.
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
    /** Whether there is anything to show: a snapshot has come. */
    this.isKnown = false;
    /** @type {import("./types").Definition | null} */
    this.definition = null;
    /** @type {import("./types").Status} */
    this.status = "open";
    /** @type {import("./types").Result} the server's last word on it; see `resultOf` for now */
    this.result = null;
    /** @type {Column[]} empty for a calendar */
    this.columns = [];
    /** @type {{first: string, last: string, count: number} | null} of a calendar */
    this.monthList = null;
    /** @type {import("./types").Range | null} */
    this.range = null;
    /** @type {Map<string, import("./types").Month>} months in view, as the server drew them */
    this.months = new Map();
    /** @type {Map<string, Member>} everybody, this member too */
    this.members = new Map();
    /** @type {Map<string, import("./types").Touch>} fingers of others */
    this.touching = new Map();
    /** @type {Member | null} */
    this.self = null;
    /** @type {{[name: string]: number}} */
    this.limits = {};
    /** @type {string | null} the session's time when it last spoke of it */
    this.now = null;
  }

  get isCalendar() {
    return this.monthList !== null;
  }

  /**
   * Whether `revision` is the one that must come next.
   * @param {number} revision
   */
  follows(revision) {
    return revision === this.revision + 1;
  }

  /**
   * Takes a `welcome`.
   * @param {Message} message
   */
  welcome(message) {
    this.epoch = message.epoch;
    const { id, name, role, color } = message.member;
    this.self = { id, name, role, color, online: true };
    this.limits = message.limits ?? {};
    this.now = message.now ?? null;
    if (message.snapshot) {
      this.revision = message.revision;
      this.#takeSnapshot(message.snapshot);
    }
    this.#takeMembers(message.members ?? []);
  }

  /**
   * Takes a `snapshot`: what was known before is forgotten.
   * @param {Message} message
   */
  snapshot(message) {
    this.revision = message.revision;
    this.now = message.now ?? this.now;
    this.#takeSnapshot(message.snapshot);
    this.status = message.status ?? this.status;
    this.#takeMembers(message.members ?? []);
  }

  /**
   * Takes a delta that follows, or the changes of a refusal.
   * @param {Message} message @param {boolean} mine whether this member's command did it
   * @returns {Notice[]} what people should hear of
   */
  delta(message, mine) {
    this.revision = message.revision;
    this.now = message.at ?? this.now;
    return this.changes(message.changes, message.by ?? null, mine);
  }

  /** @param {Change[]} changes @param {string | null} by @param {boolean} mine @returns {Notice[]} */
  changes(changes, by, mine) {
    /** @type {Notice[]} */
    const notices = [];
    for (const change of changes) {
      if (change.change === "reload") this.#reload(change);
      else if (change.change === "row") notices.push(...this.#move(change, by, mine));
      else if (change.change === "months") this.#takeMonthList(change);
      else if (change.change === "range") notices.push(...this.#takeRange(change, by, mine));
      else if (change.change === "bands") this.#takeBands(change);
      else if (change.change === "status") notices.push(...this.#takeStatus(change, by, mine));
      // Anything else is newer than this client: not ours to judge.
    }
    return notices;
  }

  /**
   * Takes a `months` answer.
   * @param {Message} message
   */
  takeMonths(message) {
    for (const month of message.months) this.months.set(month.month, month);
  }

  /**
   * Forgets months that nobody looks at any more: their bands are not told any longer.
   * @param {(month: string) => boolean} isInView
   */
  keepMonths(isInView) {
    for (const month of this.months.keys()) if (!isInView(month)) this.months.delete(month);
  }

  /**
   * Takes a `rows` answer; rows of an older generation are not ours.
   * @param {Message} message
   */
  takeRows(message) {
    const column = this.columns[message.column];
    if (column && column.generation === message.generation) column.put(message.from, message.rows);
  }

  /** @param {Message} message @returns {Notice[]} */
  presence(message) {
    /** @type {Notice[]} */
    const notices = [];
    for (const member of message.joined ?? []) {
      if (!this.members.has(member.id)) notices.push({ kind: "joined", member, mine: false });
      this.members.set(member.id, member);
    }
    for (const member of message.changed ?? []) {
      const before = this.members.get(member.id);
      if (before?.online && !member.online) notices.push({ kind: "away", member, mine: false });
      if (before && !before.online && member.online) notices.push({ kind: "back", member, mine: false });
      if (before && before.role !== member.role) notices.push({ kind: "promoted", member, mine: false });
      this.members.set(member.id, member);
      if (!member.online) this.touching.delete(member.id);
      if (member.id === this.self?.id) this.self = member;
    }
    for (const id of message.left ?? []) {
      const member = this.members.get(id);
      if (member) notices.push({ kind: "left", member, mine: false });
      this.members.delete(id);
      this.touching.delete(id);
      if (member?.role === "owner") this.#inheritOwnership(message);
    }
    for (const touch of message.touching ?? []) {
      if (touch.column === undefined && touch.date === undefined) this.touching.delete(touch.member);
      else this.touching.set(touch.member, touch);
    }
    return notices;
  }

  /**
   * A member hears nothing of itself. When the owner has left and nobody else became it, this member did.
   * @param {Message} message
   */
  #inheritOwnership(message) {
    if (!this.self || this.self.role !== "editor") return;
    const others = [...this.members.values(), ...(message.changed ?? [])];
    if (others.some((member) => member.role === "owner" && member.id !== this.self?.id)) return;
    this.self = { ...this.self, role: "owner" };
    this.members.set(this.self.id, this.self);
  }

  /** @param {import("./types").Snapshot} snapshot */
  #takeSnapshot(snapshot) {
    this.isKnown = true;
    this.definition = snapshot.definition;
    this.status = snapshot.status;
    this.result = snapshot.result ?? null;
    this.columns = (snapshot.columns ?? []).map((column) => new Column(column));
    this.months.clear();
    this.monthList = snapshot.calendar?.months ?? null;
    this.range = rangeOf(snapshot.calendar?.range);
  }

  /** @param {Member[]} members */
  #takeMembers(members) {
    if (members.length === 0) return;
    this.members = new Map(members.map((member) => [member.id, member]));
    for (const id of this.touching.keys()) if (!this.members.has(id)) this.touching.delete(id);
    const self = this.self && this.members.get(this.self.id);
    if (self) this.self = self;
  }

  /** @param {Change} change */
  #reload(change) {
    const before = this.columns[change.column];
    const column = new Column(/** @type {any} */ (change));
    // The row that was selected is remembered until the move that follows says what became of it.
    column.before = before?.selected ?? before?.before ?? null;
    column.rowsBefore = before?.rows ?? null;
    this.columns[change.column] = column;
  }

  /** @param {Change} change @param {string | null} by @param {boolean} mine @returns {Notice[]} */
  #move(change, by, mine) {
    const column = this.columns[change.column];
    if (!column) return [];
    const from = column.before ?? column.selected ?? null;
    const to = { key: change.key, text: change.text };
    const wanted = column.rowOfKey(change.wanted) ?? from;
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

  /** @param {Change} change */
  #takeMonthList({ first, last, count }) {
    this.monthList = { first, last, count };
    this.keepMonths((month) => month >= first && month <= last);
  }

  /** @param {Change} change @param {string | null} by @param {boolean} mine @returns {Notice[]} */
  #takeRange(change, by, mine) {
    this.range = rangeOf(change);
    if (change.cause === undefined) return [];
    const { cause, reason, wanted = null } = change;
    if (reason) return [{ kind: "rangeCorrected", range: this.range, wanted, reason, cause, by, mine }];
    return [{ kind: "range", range: this.range, cause, by, mine }];
  }

  /** @param {Change} change */
  #takeBands(change) {
    const month = this.months.get(change.month);
    if (month) this.months.set(change.month, { ...month, bands: change.bands });
  }

  /** @param {Change} change @param {string | null} by @param {boolean} mine @returns {Notice[]} */
  #takeStatus(change, by, mine) {
    this.status = change.status;
    this.result = change.result ?? null;
    return [{ kind: "status", status: change.status, result: this.result, by, mine }];
  }
}
