// The motion of a wheel. Positions are rows with fractions, times are milliseconds. No DOM.

/** The time that a wheel coasts at the speed of the lifted finger, similar to native pickers. */
const coastMilliseconds = 325;
/** The fastest and slowest deceleration, as angular frequencies (1/ms). */
const stiffnessMax = 1 / 65;
const stiffnessMin = 1 / 420;
/** The maximum distance, in rows, that a wheel can be pulled past its ends. */
const slackRows = 1.6;
const slackFirmness = 0.55;
/** The period before the finger lifts that determines its speed. */
const sampleMilliseconds = 90;
/** A finger that rests this long before it lifts has no speed. */
const restMilliseconds = 60;

/** @param {number} value @param {number} low @param {number} high */
export const clamped = (value, low, high) => Math.max(low, Math.min(high, value));

/**
 * The displacement of a wheel that is pulled `over` rows past an end.
 * @param {number} over ≥ 0
 */
export const slack = (over) => (1 - 1 / ((over * slackFirmness) / slackRows + 1)) * slackRows;

export class Motion {
  /** @param {number} count rows @param {number} position */
  constructor(count = 0, position = 0) {
    this.count = count;
    /** The current position. */
    this.position = position;
    /** The row on which it will rest. */
    this.target = position;
    /** Rows per millisecond. */
    this.velocity = 0;
    this.isHeld = false;
    this.isMoving = false;
    this.stiffness = stiffnessMax;
    /** @type {{at: number, position: number}[]} */
    this.samples = [];
    this.grabbed = 0;
  }

  get last() { return Math.max(0, this.count - 1); }

  /** The row nearest to the middle. */
  get row() { return clamped(Math.round(this.position), 0, this.last); }

  /**
   * A finger stops the wheel.
   * @param {number} at
   */
  grab(at) {
    this.isHeld = true;
    this.isMoving = false;
    this.velocity = 0;
    this.grabbed = this.position;
    this.samples = [{ at, position: this.position }];
  }

  /**
   * The finger has moved the wheel by `rows` since it grabbed it.
   * @param {number} rows @param {number} at
   */
  drag(rows, at) {
    const wanted = this.grabbed + rows;
    if (wanted < 0) this.position = -slack(-wanted);
    else if (wanted > this.last) this.position = this.last + slack(wanted - this.last);
    else this.position = wanted;
    this.samples.push({ at, position: this.position });
    while (this.samples.length > 2 && at - this.samples[0].at > sampleMilliseconds) this.samples.shift();
  }

  /**
   * The finger lifts: the wheel coasts to a row.
   * @param {number} at `Infinity`: without speed
   */
  release(at) {
    this.isHeld = false;
    this.velocity = this.#speed(at);
    const coasted = this.position + this.velocity * coastMilliseconds;
    this.target = clamped(Math.round(coasted), 0, this.last);
    const distance = this.target - this.position;
    // With velocity ÷ distance as stiffness the motion is a plain exponential without a visible change of speed.
    const natural = distance === 0 ? stiffnessMax : this.velocity / distance;
    this.stiffness = natural > 0 ? clamped(natural, stiffnessMin, stiffnessMax) : stiffnessMax;
    this.isMoving = true;
  }

  /**
   * Moves to a row without a finger.
   * @param {number} row @param {boolean} [animated]
   */
  moveTo(row, animated = true) {
    this.target = clamped(row, 0, this.last);
    this.stiffness = stiffnessMax;
    this.isMoving = this.target !== this.position;
    if (!animated) this.arrive();
  }

  arrive() {
    this.position = this.target;
    this.velocity = 0;
    this.isMoving = false;
  }

  /**
   * Advances the time: a critically damped spring towards the target, solved exactly, so that the motion does not depend
   * on the frame rate.
   * @param {number} milliseconds since the last step
   */
  step(milliseconds) {
    if (!this.isMoving) return;
    const { stiffness } = this;
    const offset = this.position - this.target;
    const slope = this.velocity + stiffness * offset;
    const decay = Math.exp(-stiffness * milliseconds);
    this.position = this.target + (offset + slope * milliseconds) * decay;
    this.velocity = (this.velocity - stiffness * slope * milliseconds) * decay;
    if (Math.abs(this.position - this.target) < 0.004 && Math.abs(this.velocity) < 0.0004) this.arrive();
  }

  /** Whether the wheel is so close to its target that the row can be selected; the rest of the motion is only visual. */
  get isNear() {
    return !this.isHeld && Math.abs(this.position - this.target) < 0.12 && Math.abs(this.velocity) < 0.004;
  }

  /** @param {number} at */
  #speed(at) {
    const first = this.samples[0];
    const last = this.samples.at(-1);
    if (!first || !last || last.at === first.at || at - last.at > restMilliseconds) return 0;
    return (last.position - first.position) / (last.at - first.at);
  }
}
