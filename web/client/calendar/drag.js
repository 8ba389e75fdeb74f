// A range by dragging with a mouse or a pen from its first day to its last one. A finger scrolls.

/** @param {import("./calendar-element.js").CalendarElement} element */
export function listenToDrags(element) {
  const { element: list } = element.list;
  /** @type {string | null} where the button was pressed */
  let from = null;
  let isDragging = false;
  /** @param {Event} event @returns {string | null} */
  const dateAt = (event) => /** @type {Element} */ (event.target).closest?.("[data-date]")?.getAttribute("data-date") ?? null;

  list.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    const { picker } = element;
    const canDrag = event.button === 0 && event.pointerType !== "touch" && picker?.canChange
      && picker.state.definition?.selection !== "single" && !picker.isRangeOpen;
    from = canDrag ? dateAt(event) : null;
    isDragging = false;
  });
  list.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    const date = dateAt(event);
    if (!from || !date || (event.buttons & 1) === 0) return;
    if (isDragging) element.touch({ date });
    if (isDragging || date === from) return;
    isDragging = element.tap(from);
    if (!isDragging) from = null;
  });
  list.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
    const date = dateAt(event);
    // On the day where it began, there is a click.
    if (isDragging && date && date !== from) element.tap(date);
    from = null;
    isDragging = false;
  });
}
