// Pointer input of a wheel: dragging and flinging, a tap on a row, the mouse wheel, and the buttons above and below.

import { wantsLessMotion } from "../parts/dom.js";

/** @typedef {import("./column-view.js").ColumnView} ColumnView */

/** A pointer that moves less than this (px) is a tap. */
const tapSlop = 6;
/** The pixels of fine scrolling (trackpad) per row. */
const finePixels = 36;
/** A scroll event of at least this many pixels is a notch of a mouse wheel. */
const notchPixels = 50;
const repeatDelayMilliseconds = 380;
const repeatMilliseconds = 90;

/** @param {PointerEvent} event @returns {number | null} the row under the pointer */
function rowAt(event) {
  const row = /** @type {Element} */ (event.target).closest?.(".row")?.getAttribute("data-row");
  return row === null || row === undefined ? null : Number(row);
}

/**
 * @param {ColumnView} view
 * @returns {{letGo: () => void}} ends what a finger does, as if the system had taken it over
 */
export function listenToFingers(view) {
  const { wheel } = view;
  /**
   * `target`: where the wheel was turning to when the finger stopped it, null if it stood still.
   * @type {{id: number, y: number, target: number | null, hasDragged: boolean, row: number | null} | null}
   */
  let finger = null;

  wheel.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    if (finger || view.isDisabled || event.button !== 0 || !view.source?.count) return;
    finger = {
      id: event.pointerId, y: event.clientY, target: view.motion.isMoving && view.isHeld ? view.motion.target : null,
      hasDragged: false, row: rowAt(event),
    };
    wheel.setPointerCapture(event.pointerId);
    view.isFelt = event.pointerType === "touch";
    view.hold();
    view.motion.grab(event.timeStamp);
    view.handlers.touch(view.row);
  });

  wheel.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (!finger && event.pointerType === "mouse") view.handlers.hover(rowAt(event));
    if (finger?.id !== event.pointerId) return;
    const moved = finger.y - event.clientY;
    if (!finger.hasDragged && Math.abs(moved) < tapSlop) return;
    if (!finger.hasDragged) {
      // Dragging begins here, so that the wheel does not jump by the slop.
      finger.hasDragged = true;
      finger.y = event.clientY;
      view.hasMoved = true;
    }
    const before = view.row;
    view.motion.drag((finger.y - event.clientY) / view.rowHeight, event.timeStamp);
    if (view.row !== before) view.handlers.touch(view.row);
    view.draw();
  });

  wheel.addEventListener("pointerleave", () => { if (!finger) view.handlers.hover(null); });

  wheel.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
    if (finger?.id !== event.pointerId) return;
    const { hasDragged, target, row } = finger;
    finger = null;
    view.motion.release(event.timeStamp);
    if (!hasDragged && target === null && row !== null) return view.turnTo(row);
    if (target !== null) view.hasMoved = true;
    view.selectAt = performance.now();
    if (wantsLessMotion()) view.motion.arrive();
    view.hold();
  });

  /** The gesture was one of the system, such as the swipe to another app: the wheel goes where it would have gone. */
  const cancel = () => {
    if (!finger) return;
    const { target } = finger;
    finger = null;
    view.motion.release(Infinity);
    if (target !== null) view.motion.moveTo(target);
    view.hasMoved = target !== null;
    view.finish();
  };
  wheel.addEventListener("pointercancel", (/** @type {PointerEvent} */ event) => {
    if (finger?.id === event.pointerId) cancel();
  });

  listenToScrolling(view);
  const buttons = [listenToButton(view, view.upButton, -1), listenToButton(view, view.downButton, 1)];
  return {
    letGo() {
      cancel();
      for (const stop of buttons) stop();
    },
  };
}

/**
 * Scrolling: one row per notch of a mouse wheel, continuous on a trackpad.
 * @param {ColumnView} view
 */
function listenToScrolling(view) {
  let pixels = 0;
  let at = 0;
  view.wheel.addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
    if (event.ctrlKey || view.isDisabled || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
    event.preventDefault();
    if (event.deltaMode !== WheelEvent.DOM_DELTA_PIXEL || Math.abs(event.deltaY) >= notchPixels) {
      pixels = 0;
      return view.turnBy(Math.sign(event.deltaY));
    }
    if (event.timeStamp - at > 250) pixels = 0;
    at = event.timeStamp;
    pixels += event.deltaY;
    const rows = Math.trunc(pixels / finePixels);
    pixels -= rows * finePixels;
    if (rows !== 0) view.turnBy(rows);
  }, { passive: false });
}

/**
 * Turns once per press, and repeatedly while the button is held.
 * @param {ColumnView} view @param {HTMLElement} button @param {number} rows
 * @returns {() => void} ends the repetition
 */
function listenToButton(view, button, rows) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** Whether a click is to turn, by a finger that may also scroll the page: then it does not click. */
  let turnsAtClick = false;
  const stop = () => clearTimeout(timer);
  const turn = () => view.turnLater(() => view.turnBy(rows));
  const again = () => {
    turnsAtClick = false;
    turn();
    timer = setTimeout(again, repeatMilliseconds);
  };
  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    turnsAtClick = event.pointerType === "touch";
    if (!turnsAtClick) turn();
    timer = setTimeout(again, repeatDelayMilliseconds);
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) button.addEventListener(name, stop);
  // A screen reader or a switch clicks without a pointer.
  button.addEventListener("click", (event) => { if (event.detail === 0 || turnsAtClick) turn(); });
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  return stop;
}
