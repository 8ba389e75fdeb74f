// A range by dragging from its first day to its last one, with a mouse, a pen, or a finger that is held first: otherwise a
// finger scrolls.

/** How long a finger is held until it drags. */
const holdMilliseconds = 350;
/** How far a finger may move meanwhile, in pixels. */
const holdPixels = 10;

/** @param {Element | null | undefined} place @returns {string | null} */
const dateOf = (place) => place?.closest("[data-date]")?.getAttribute("data-date") ?? null;

/** @param {import("./calendar-element.js").CalendarElement} element */
export function listenToDrags(element) {
  const { element: list } = element.list;
  /** @type {{id: number, date: string, x: number, y: number} | null} where the button was pressed, or the finger put down */
  let from = null;
  let isDragging = false;
  /** Whether the next click belongs to what a finger has dragged. */
  let isDone = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const end = () => {
    clearTimeout(timer);
    from = null;
    isDragging = false;
  };
  const begin = () => {
    isDragging = from !== null && element.tap(from.date);
    if (!isDragging) from = null;
  };
  // What a finger is over is not the target of its events.
  const dateAt = (/** @type {PointerEvent} */ { clientX, clientY }) =>
    dateOf(/** @type {ShadowRoot} */ (list.getRootNode()).elementFromPoint(clientX, clientY));

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
    timer = setTimeout(() => {
      begin();
      isDone = isDragging;
      if (isDragging) navigator.vibrate?.(12);
    }, holdMilliseconds);
  });
  list.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (!from || event.pointerId !== from.id || (event.buttons & 1) === 0) return;
    const isTouch = event.pointerType === "touch";
    if (isTouch && !isDragging) {
      if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > holdPixels) end();
      return;
    }
    const date = dateAt(event);
    if (!date) return;
    if (isDragging) {
      element.touch({ date });
      if (isTouch) element.point(date);
    } else if (date !== from.date) {
      begin();
    }
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
  // A finger that drags does not scroll.
  list.addEventListener("touchmove", (event) => { if (isDragging && event.cancelable) event.preventDefault(); }, { passive: false });
  list.addEventListener("contextmenu", (event) => { if (from) event.preventDefault(); });
}
