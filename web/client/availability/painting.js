// Painting rectangles of cells, by pointer.

import { Press } from "../parts/press.js";
import { cellOf } from "./board.js";

/** @typedef {import("./board.js").Place} Place */

/**
 * @typedef {object} Painter
 * @property {() => boolean} canPaint
 * @property {(from: Place, to: Place) => void} show called while a rectangle is being painted
 * @property {(from: Place, to: Place) => void} paint
 * @property {() => void} cancel
 * @property {(cell: number | null) => void} point at a cell, or at none
 */

/** @param {HTMLElement} scroller @param {Painter} painter @returns {Press} */
export function paintingOf(scroller, painter) {
  /** @type {Place} */
  let from;
  /** @type {Place} */
  let to;
  const isOver = () => scroller.toggleAttribute("data-painting", false);
  const press = new Press(scroller, {
    selector: "[data-x]",
    beginsAtOnce: true,
    canBegin: () => painter.canPaint(),
    begin: (element) => {
      from = to = placeOf(element);
      scroller.toggleAttribute("data-painting", true);
      painter.show(from, to);
      return true;
    },
    reach: (element) => {
      const next = placeOf(element);
      if (next.x === to.x && next.y === to.y) return;
      to = next;
      painter.show(from, to);
    },
    end: () => {
      isOver();
      painter.paint(from, to);
    },
    cancel: () => {
      isOver();
      painter.cancel();
    },
  });
  scroller.addEventListener("pointermove", ({ pointerType, target }) => {
    if (!press.current && pointerType !== "touch") painter.point(cellOf(target));
  });
  scroller.addEventListener("pointerleave", ({ pointerType }) => {
    if (!press.current && pointerType !== "touch") painter.point(null);
  });
  return press;
}

/** @param {HTMLElement} element @returns {Place} */
const placeOf = ({ dataset }) => ({ x: Number(dataset.x), y: Number(dataset.y) });
