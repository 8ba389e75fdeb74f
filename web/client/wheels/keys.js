// Keyboard input of a wheel, as for a listbox: arrows, Page Up/Down by five rows, Home, End, and type-ahead. When rows
// are missing, what is typed is searched by the server: see finder.js.

import { TypeAhead } from "./type-ahead.js";

const page = 5;

/** @param {import("./column-view.js").ColumnView} view */
export function listenToKeys(view) {
  const typeAhead = new TypeAhead();
  view.wheel.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyped(event.key) && view.lacksRows) {
      event.preventDefault();
      return view.handlers.find(event.key);
    }
    const steps = stepsBeside(view, event.key);
    const turn = steps === 0 ? turnOf(view, typeAhead, event) : () => view.handlers.beside(steps);
    if (!turn) return;
    event.preventDefault();
    if (steps === 0) view.turnLater(turn);
    else turn();
  });
  view.wheel.addEventListener("blur", () => view.finish());
}

/** @param {string} key whether it types a character */
const isTyped = (key) => [...key].length === 1 && key !== " ";

/** @param {import("./column-view.js").ColumnView} view @param {string} key @returns {number} of columns */
function stepsBeside(view, key) {
  const forward = getComputedStyle(view.element).direction === "rtl" ? -1 : 1;
  return key === "ArrowRight" ? forward : key === "ArrowLeft" ? -forward : 0;
}

/**
 * What a key does to the rows; null if it does nothing.
 * @param {import("./column-view.js").ColumnView} view @param {TypeAhead} typeAhead @param {KeyboardEvent} event
 * @returns {(() => void) | null}
 */
function turnOf(view, typeAhead, { key, timeStamp }) {
  switch (key) {
    case "ArrowUp": return () => view.turnBy(-1);
    case "ArrowDown": return () => view.turnBy(1);
    case "PageUp": return () => view.turnBy(-page);
    case "PageDown": return () => view.turnBy(page);
    case "Home": return () => view.turnTo(0);
    case "End": return () => view.turnTo(view.motion.last);
  }
  if (!isTyped(key) || !view.source) return null;
  return () => {
    const row = typeAhead.type(key, timeStamp, view.source?.rows ?? new Map(), view.row);
    if (row !== null) view.turnTo(row);
  };
}
