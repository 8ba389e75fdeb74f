// What the user sees of marks and counts: with the effect of the own unanswered commands.

/** @typedef {import("../core/types").Grade} Grade */
/** @typedef {import("../core/types").Availability} Availability */
/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {[number, number, number]} Counts the numbers of yes, maybe and no */

/** @type {Grade[]} */
export const grades = ["yes", "maybe", "no"];

/** The maximum of runs in one command. */
const runsMax = 64;

/**
 * The grade of each cell that this member has marked, as it will be.
 * @param {PickerSession} picker @param {Availability} state
 * @returns {(Grade | null | undefined)[]}
 */
export function ownMarks({ self, pending }, { generation, marks }) {
  const cells = [...(marks.get(self?.id ?? "")?.cells ?? [])];
  for (const { message } of pending) {
    if (message.type === "clear") cells.length = 0;
    if (message.type !== "mark" || message.generation !== generation) continue;
    for (const [from, until] of message.cells) for (let cell = from; cell < until; cell += 1) cells[cell] = message.grade;
  }
  return cells;
}

/**
 * The counts of a cell, with the own mark as it will be; null if this member may not see them.
 * @param {Availability} state @param {number} cell
 * @param {Grade | null | undefined} stored the own grade that the counts include @param {Grade | null | undefined} own
 * @returns {Counts | null}
 */
export function countsOf({ heat }, cell, stored, own) {
  if (!heat) return null;
  /** @type {Counts} */
  const counts = [...(heat[cell] ?? [0, 0, 0])];
  if ((stored ?? null) === (own ?? null)) return counts;
  if (stored) counts[grades.indexOf(stored)] -= 1;
  if (own) counts[grades.indexOf(own)] += 1;
  return counts;
}

/**
 * What cells are ordered by, for their colors as for the best windows: how many can or perhaps can, then how many can.
 * @param {Counts} counts @param {number} respondents
 */
export const scoreOf = ([yes, maybe], respondents) => yes + maybe + yes / (respondents + 1);

/**
 * How many members have answered, with this one as it will be.
 * @param {Availability} state @param {(Grade | null | undefined)[]} stored @param {(Grade | null | undefined)[]} own
 */
export function respondentCount({ respondents = 0 }, stored, own) {
  return respondents + Number(own.some(Boolean)) - Number(stored.some(Boolean));
}

/**
 * The runs of cells, in as many commands as they need.
 * @param {Iterable<number>} cells @returns {number[][][]}
 */
export function commandsOf(cells) {
  /** @type {number[][]} */
  const runs = [];
  for (const cell of [...cells].sort((one, other) => one - other)) {
    const last = runs.at(-1);
    if (last && last[1] === cell) last[1] += 1;
    else runs.push([cell, cell + 1]);
  }
  const commands = [];
  for (let at = 0; at < runs.length; at += runsMax) commands.push(runs.slice(at, at + runsMax));
  return commands;
}

/**
 * Who has marked a cell how, and who has answered without marking it; the own mark as it will be.
 * @param {PickerSession} picker @param {Availability} state @param {number} cell @param {(Grade | null | undefined)[]} own
 */
export function peopleAt({ self, state: { members } }, { marks }, cell, own) {
  /** @type {{[grade: string]: {id: string, name: string, color: string}[]}} */
  const people = { yes: [], maybe: [], no: [], unmarked: [] };
  const all = new Map(marks);
  if (self && own.some(Boolean)) all.set(self.id, { name: self.name, color: self.color, cells: own });
  for (const [id, { name, color, cells }] of all) {
    if (id === self?.id ? !own.some(Boolean) : !cells.some(Boolean)) continue;
    const grade = (id === self?.id ? own : cells)[cell];
    people[grade ?? "unmarked"].push({ id, name: members.get(id)?.name ?? name, color });
  }
  return people;
}
