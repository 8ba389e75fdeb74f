// The state of an `availability`: marks and counts by cell, as the server has sent them.

/** @typedef {import("./types").Availability} Availability */

/**
 * Sets the cells of runs.
 * @param {any[]} cells @param {any[][]} runs `[from, until, …value]`
 */
function put(cells, runs) {
  for (const [from, until, ...value] of runs) {
    for (let cell = from; cell < until; cell++) cells[cell] = value.length > 1 ? value : value[0];
  }
  return cells;
}

/** @param {Availability} state @param {any} marks of a member */
const take = ({ marks }, { member, runs, ...who }) =>
  marks.set(member, { ...who, cells: put(marks.get(member)?.cells ?? [], runs) });

/**
 * @param {any} wire of a snapshot, if it is one of this kind
 * @returns {Availability | null}
 */
export function availabilityOf(wire) {
  const state = wire && { ...wire, marks: new Map(), heat: wire.heat && put([], wire.heat) };
  for (const one of wire?.marks ?? []) take(state, one);
  return state ?? null;
}

/** @param {Availability} state @param {import("./types").AnyChange} change */
export function foldAvailability(state, { change, ...fields }) {
  if (change === "marks") take(state, fields);
  else if (change === "heat") state.respondents = (put(/** @type {any[]} */ (state.heat), fields.runs), fields.respondents);
  else if (change === "best") state.best = fields.windows;
  // `past`, `closed`, or `cells`, which all marks and counts follow.
  else Object.assign(state, fields, change === "cells" && { marks: new Map(), heat: state.heat && [] });
}
