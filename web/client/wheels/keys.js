// Keyboard input of a wheel, as for a listbox: arrows, Page Up/Down by five rows, Home, End, and type-ahead.

import { TypeAhead } from "./type-ahead.js";

const page = 5;

/** @param {import("./column-view.js").ColumnView} view */
export function listenToKeys(view) {
  const typeAhead = new TypeAhead();
  view.wheel.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!press(view, event.key) && !type(view, typeAhead, event)) return;
    event.preventDefault();
  });
  view.wheel.addEventListener("blur", () => view.finish());
}

/** @param {import("./column-view.js").ColumnView} view @param {string} key @returns {boolean} whether the key was handled */
function press(view, key) {
  const isLeftToRight = getComputedStyle(view.element).direction !== "rtl";
  switch (key) {
    case "ArrowUp": view.turnBy(-1); return true;
    case "ArrowDown": view.turnBy(1); return true;
    case "PageUp": view.turnBy(-page); return true;
    case "PageDown": view.turnBy(page); return true;
    case "Home": view.turnTo(0); return true;
    case "End": view.turnTo(view.motion.last); return true;
    case "ArrowLeft": view.handlers.beside(isLeftToRight ? -1 : 1); return true;
    case "ArrowRight": view.handlers.beside(isLeftToRight ? 1 : -1); return true;
    default: return false;
  }
}

/** @param {import("./column-view.js").ColumnView} view @param {TypeAhead} typeAhead @param {KeyboardEvent} event */
function type(view, typeAhead, event) {
  const isCharacter = [...event.key].length === 1 && event.key !== " ";
  if (!isCharacter || !view.source) return false;
  const row = typeAhead.type(event.key, event.timeStamp, view.source.rows, view.row);
  if (row !== null) view.turnTo(row);
  return true;
}
