// Painting rectangles of cells: by mouse, by a finger that is held first, so that it can scroll otherwise, and by keys.

/** @typedef {import("./board.js").Place} Place */

/** How long a finger is held until it paints. */
const holdMilliseconds = 350;
/** How far a finger may move meanwhile, in pixels. */
const holdPixels = 10;
/** How near to an edge a pointer scrolls, in pixels. */
const edgePixels = 28;

/**
 * @typedef {object} Painter
 * @property {(event: Event) => boolean} canPaint
 * @property {(from: Place, to: Place) => void} show called while a rectangle is being painted
 * @property {(from: Place, to: Place) => void} paint
 * @property {() => void} cancel
 * @property {(cell: number | null) => void} point at a cell, or at none
 */

export class Painting {
  /** @param {HTMLElement} scroller @param {Painter} painter */
  constructor(scroller, painter) {
    this.scroller = scroller;
    this.painter = painter;
    /** @type {{id: number, from: Place, to: Place, x: number, y: number, isPainting: boolean, timer?: ReturnType<typeof setTimeout>} | null} */
    this.stroke = null;
    /** Whether the next click belongs to what was painted. */
    this.isDone = false;
    const on = (/** @type {string} */ name, /** @type {(event: any) => void} */ work, options = {}) =>
      scroller.addEventListener(name, work, options);
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#move(event));
    on("pointerup", (event) => this.#up(event));
    on("pointercancel", () => this.cancel());
    on("pointerleave", (event) => { if (!this.stroke && event.pointerType !== "touch") painter.point(null); });
    on("click", (event) => this.#click(event));
    // A finger that paints does not scroll.
    on("touchmove", (event) => { if (this.stroke?.isPainting && event.cancelable) event.preventDefault(); }, { passive: false });
    on("contextmenu", (event) => { if (this.stroke) event.preventDefault(); });
  }

  /** Ends a stroke without painting. */
  cancel() {
    if (!this.stroke) return;
    const { isPainting } = this.stroke;
    this.#end();
    if (isPainting) this.painter.cancel();
  }

  /** @param {PointerEvent} event */
  #down(event) {
    this.isDone = false;
    // A second finger scrolls or zooms.
    if (this.stroke) return this.cancel();
    const from = placeOf(event.target);
    if (!from || event.button !== 0 || !this.painter.canPaint(event)) return;
    const isTouch = event.pointerType === "touch";
    this.stroke = { id: event.pointerId, from, to: from, x: event.clientX, y: event.clientY, isPainting: false };
    if (isTouch) this.stroke.timer = setTimeout(() => this.#begin(), holdMilliseconds);
    else this.#begin();
  }

  #begin() {
    const { stroke } = this;
    if (!stroke) return;
    stroke.isPainting = true;
    this.scroller.toggleAttribute("data-painting", true);
    try {
      this.scroller.setPointerCapture(stroke.id);
    } catch {
      // The pointer is gone.
    }
    if (stroke.timer) navigator.vibrate?.(12);
    this.painter.show(stroke.from, stroke.to);
    this.#scroll();
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { stroke } = this;
    if (!stroke) {
      if (event.pointerType !== "touch") this.painter.point(cellOf(event.target));
      return;
    }
    if (event.pointerId !== stroke.id) return;
    if (!stroke.isPainting) {
      if (Math.hypot(event.clientX - stroke.x, event.clientY - stroke.y) > holdPixels) this.#end();
      return;
    }
    stroke.x = event.clientX;
    stroke.y = event.clientY;
    this.#reach();
  }

  /** Extends the rectangle to what is under the pointer. */
  #reach() {
    const { stroke } = this;
    if (!stroke) return;
    const { left, right, top, bottom } = this.scroller.getBoundingClientRect();
    const inside = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) =>
      Math.min(Math.max(value, low + 1), high - 2);
    const root = /** @type {ShadowRoot} */ (this.scroller.getRootNode());
    const under = root.elementsFromPoint(inside(stroke.x, left, right), inside(stroke.y, top, bottom));
    const to = under.map(placeOf).find((place) => place !== null);
    if (!to || (to.x === stroke.to.x && to.y === stroke.to.y)) return;
    stroke.to = to;
    this.painter.show(stroke.from, to);
  }

  /** Scrolls while the pointer is near an edge. */
  #scroll() {
    const { stroke, scroller } = this;
    if (!stroke?.isPainting) return;
    const { left, right, top, bottom } = scroller.getBoundingClientRect();
    const speed = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) =>
      (value < low + edgePixels ? value - low - edgePixels : value > high - edgePixels ? value - high + edgePixels : 0) / 3;
    const hasMoved = Math.hypot(speed(stroke.x, left, right), speed(stroke.y, top, bottom)) > 0;
    if (hasMoved && (stroke.from !== stroke.to)) {
      scroller.scrollBy(speed(stroke.x, left, right), speed(stroke.y, top, bottom));
      this.#reach();
    }
    requestAnimationFrame(() => this.#scroll());
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { stroke } = this;
    if (!stroke || event.pointerId !== stroke.id) return;
    this.#end();
    if (!stroke.isPainting) return;
    this.isDone = true;
    this.painter.paint(stroke.from, stroke.to);
  }

  #end() {
    clearTimeout(this.stroke?.timer);
    this.stroke = null;
    this.scroller.toggleAttribute("data-painting", false);
  }

  /**
   * A tap, or a click of an assistive technology.
   * @param {MouseEvent} event
   */
  #click(event) {
    const place = placeOf(event.target);
    if (this.isDone || !place) return;
    this.painter.point(cellOf(event.target));
    if (this.painter.canPaint(event)) this.painter.paint(place, place);
  }
}

/** @param {EventTarget | null} target @returns {HTMLElement | null} */
const elementOf = (target) => /** @type {Element} */ (target)?.closest?.("[data-x]") ?? null;

/** @param {EventTarget | null} target @returns {Place | null} */
export function placeOf(target) {
  const element = elementOf(target);
  return element && { x: Number(element.dataset.x), y: Number(element.dataset.y) };
}

/** @param {EventTarget | null} target @returns {number | null} */
export function cellOf(target) {
  const cell = elementOf(target)?.dataset.cell;
  return cell === undefined ? null : Number(cell);
}
