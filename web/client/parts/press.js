// A press that becomes a gesture over days or cells: of a mouse or pen, or of a finger that is held first, because otherwise
// it scrolls. Near an edge of the place it scrolls, too.

/** How long a finger is held until the gesture begins. */
const holdMilliseconds = 350;
/** How far a pointer may move until it has moved, in pixels. */
const holdPixels = 10;
/** How near to an edge a pointer scrolls, in pixels. */
const edgePixels = 28;

/**
 * @typedef {object} Gesture
 * @property {string} selector of what a pointer can be on
 * @property {boolean} beginsAtOnce with a mouse or pen; otherwise when it has reached another element
 * @property {(from: HTMLElement, event: PointerEvent) => boolean} canBegin
 * @property {(from: HTMLElement) => boolean} begin whether there is a gesture now
 * @property {(to: HTMLElement) => void} reach called for each element that the pointer is on
 * @property {(to: HTMLElement | null, isFinger: boolean) => void} end the pointer was lifted
 * @property {() => void} cancel
 */

export class Press {
  /** @param {HTMLElement} place @param {Gesture} gesture */
  constructor(place, gesture) {
    this.place = place;
    this.gesture = gesture;
    /** @type {{id: number, from: HTMLElement, isFinger: boolean, x: number, y: number, hasMoved: boolean, isGesture: boolean, timer?: ReturnType<typeof setTimeout>} | null} */
    this.current = null;
    /** Whether the next click belongs to a gesture. */
    this.isDone = false;
    const on = (/** @type {string} */ name, /** @type {(event: any) => void} */ work, options = {}) =>
      place.addEventListener(name, work, options);
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#move(event));
    on("pointerup", (event) => this.#up(event));
    on("pointercancel", () => this.cancel());
    on("click", (event) => this.#click(event), { capture: true });
    on("touchmove", this.#stay, { passive: false });
    on("contextmenu", (event) => { if (this.current) event.preventDefault(); });
  }

  /** Ends a press without its effect. */
  cancel() {
    const { current } = this;
    this.#forget();
    if (current?.isGesture) this.gesture.cancel();
  }

  #forget() {
    clearTimeout(this.current?.timer);
    this.current = null;
  }

  /** A finger of a gesture does not scroll. */
  #stay = (/** @type {Event} */ event) => { if (this.current?.isGesture && event.cancelable) event.preventDefault(); };

  /** @param {PointerEvent} event */
  #down(event) {
    this.isDone = false;
    // A second finger scrolls or zooms.
    if (this.current) return this.cancel();
    const from = this.#elementOf(event.target);
    if (!from || event.button !== 0 || !this.gesture.canBegin(from, event)) return;
    const isFinger = event.pointerType === "touch";
    this.current = { id: event.pointerId, from, isFinger, x: event.clientX, y: event.clientY, hasMoved: false, isGesture: false };
    if (isFinger) {
      // The element may leave the page meanwhile, and gets the events of its finger.
      from.addEventListener("touchmove", this.#stay, { passive: false });
      this.current.timer = setTimeout(() => this.#begin(), holdMilliseconds);
    } else if (this.gesture.beginsAtOnce) this.#begin();
  }

  #begin() {
    const { current } = this;
    if (!current) return;
    if (!this.gesture.begin(current.from)) return this.#forget();
    current.isGesture = this.isDone = true;
    try {
      this.place.setPointerCapture(current.id);
    } catch {
      // The pointer is gone.
    }
    if (current.isFinger) navigator.vibrate?.(12);
    this.#scroll();
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { current } = this;
    if (!current || event.pointerId !== current.id) return;
    const isFar = Math.hypot(event.clientX - current.x, event.clientY - current.y) > holdPixels;
    if (!current.isGesture && current.isFinger) {
      if (isFar) this.#forget();
      return;
    }
    if (!current.isGesture) {
      const under = event.buttons & 1 ? this.#under(event.clientX, event.clientY) : null;
      if (under && under !== current.from) this.#begin();
      if (!this.current?.isGesture) return;
    }
    current.hasMoved ||= isFar;
    current.x = event.clientX;
    current.y = event.clientY;
    this.#reach();
  }

  #reach() {
    const { current } = this;
    const to = current && this.#under(current.x, current.y);
    if (to) this.gesture.reach(to);
  }

  /** Scrolls while the pointer is near an edge. */
  #scroll() {
    const { current, place } = this;
    if (!current?.isGesture) return;
    if (current.hasMoved) {
      const { left, right, top, bottom } = place.getBoundingClientRect();
      const speed = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) =>
        (value < low + edgePixels ? value - low - edgePixels : value > high - edgePixels ? value - high + edgePixels : 0) / 2;
      const [x, y] = [speed(current.x, left, right), speed(current.y, top, bottom)];
      if (x || y) {
        place.scrollBy(x, y);
        this.#reach();
      }
    }
    requestAnimationFrame(() => this.#scroll());
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { current } = this;
    if (!current || event.pointerId !== current.id) return;
    const to = this.#under(event.clientX, event.clientY);
    this.#forget();
    if (current.isGesture) this.gesture.end(to, current.isFinger);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    if (this.isDone) event.stopPropagation();
    this.isDone = false;
  }

  /**
   * What is at a point, or nearest to it in the place.
   * @param {number} x @param {number} y @returns {HTMLElement | null}
   */
  #under(x, y) {
    const { left, right, top, bottom } = this.place.getBoundingClientRect();
    const inside = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) =>
      Math.min(Math.max(value, low + 1), high - 2);
    const root = /** @type {ShadowRoot} */ (this.place.getRootNode());
    const all = root.elementsFromPoint(inside(x, left, right), inside(y, top, bottom));
    return all.map((one) => this.#elementOf(one)).find((one) => one !== null) ?? null;
  }

  /** @param {EventTarget | null} target @returns {HTMLElement | null} */
  #elementOf(target) { return /** @type {Element} */ (target)?.closest?.(this.gesture.selector) ?? null; }
}
