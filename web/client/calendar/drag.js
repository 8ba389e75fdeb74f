// A range by dragging from its first day to its last one, with a mouse, a pen, or a finger that is held first: otherwise a
// finger scrolls.

/** How long a finger is held until it drags. */
const holdMilliseconds = 350;
/** How far a finger may move meanwhile, in pixels. */
const holdPixels = 10;
/** How near to an edge of the list a finger that drags scrolls it, and how far in a frame, in pixels. */
const edgePixels = 28;
const stepPixels = 8;

/** @param {Element | null | undefined} place @returns {string | null} */
const dateOf = (place) => place?.closest("[data-date]")?.getAttribute("data-date") ?? null;

/** @param {import("./calendar-element.js").CalendarElement} element */
export function listenToDrags(element) {
  const { element: list } = element.list;
  /** @type {{id: number, date: string, x: number, y: number} | null} where the button was pressed, or the finger put down */
  let from = null;
  /** @type {PointerEvent | null} where a finger that drags is now */
  let finger = null;
  let isDragging = false;
  /** Whether the next click belongs to what a finger has dragged. */
  let isDone = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const end = () => {
    clearTimeout(timer);
    from = finger = null;
    isDragging = false;
  };
  const begin = () => {
    isDragging = from !== null && element.tap(from.date);
    if (!isDragging) from = null;
  };
  // What a finger is over is not the target of its events.
  const dateAt = (/** @type {PointerEvent} */ { clientX, clientY }) =>
    dateOf(/** @type {ShadowRoot} */ (list.getRootNode()).elementFromPoint(clientX, clientY));
  /** @param {PointerEvent} event */
  const reach = (event) => {
    const date = dateAt(event);
    if (!date) return;
    element.touch({ date });
    if (event.pointerType === "touch") element.point(date);
  };
  const scroll = () => {
    if (!finger) return;
    const { top, bottom } = list.getBoundingClientRect();
    const { clientY } = finger;
    const step = clientY < top + edgePixels ? -stepPixels : clientY > bottom - edgePixels ? stepPixels : 0;
    if (step !== 0) {
      list.scrollBy(0, step);
      reach(finger);
    }
    requestAnimationFrame(scroll);
  };
  // A finger that drags does not scroll.
  const stay = (/** @type {Event} */ event) => { if (isDragging && event.cancelable) event.preventDefault(); };

  list.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    const { picker } = element;
    const isSecond = from !== null;
    end();
    isDone = false;
    const date = dateOf(/** @type {Element} */ (event.target));
    const canDrag = event.button === 0 && picker?.canChange
      && picker.state.definition?.selection !== "single" && !picker.isRangeOpen;
    if (isSecond || !date || !canDrag) return;
    from = { id: event.pointerId, date, x: event.clientX, y: event.clientY };
    if (event.pointerType !== "touch") return;
    event.target?.addEventListener("touchmove", stay, { passive: false });
    timer = setTimeout(() => {
      begin();
      isDone = isDragging;
      if (!isDragging) return;
      navigator.vibrate?.(12);
      // The month where it began may leave the list meanwhile.
      list.setPointerCapture(event.pointerId);
    }, holdMilliseconds);
  });
  list.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (!from || event.pointerId !== from.id || (event.buttons & 1) === 0) return;
    const isTouch = event.pointerType === "touch";
    const hasMoved = Math.hypot(event.clientX - from.x, event.clientY - from.y) > holdPixels;
    if (isTouch && !isDragging) {
      if (hasMoved) end();
      return;
    }
    if (isTouch && (finger || hasMoved)) {
      if (!finger) requestAnimationFrame(scroll);
      finger = event;
    }
    if (!isDragging && (dateAt(event) ?? from.date) !== from.date) begin();
    if (isDragging) reach(event);
  });
  list.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
    if (event.pointerId !== from?.id) return;
    const date = dateAt(event);
    // On the day where a mouse began, there is a click.
    if (isDragging && date && date !== from.date) element.tap(date);
    if (event.pointerType === "touch") element.point(null);
    end();
  });
  list.addEventListener("pointercancel", end);
  list.addEventListener("click", (event) => {
    if (isDone) event.stopPropagation();
    isDone = false;
  }, true);
  list.addEventListener("touchmove", stay, { passive: false });
  list.addEventListener("contextmenu", (event) => { if (from) event.preventDefault(); });
}
