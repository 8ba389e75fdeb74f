// Finds the value of a JSON Pointer (RFC 6901) in a JSON text, to mark an error.

/** @typedef {{start: number, end: number}} TextRange offsets in UTF-16 code units, end excluded */

/** @param {string} pointer @returns {string[]} */
const stepsOf = (pointer) =>
  pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

/**
 * @param {string} text valid JSON @param {string} pointer "" for the whole document
 * @returns {TextRange} for a missing value: the opening bracket of its parent
 */
export function rangeOf(text, pointer) {
  const scanner = new Scanner(text);
  scanner.space();
  return scanner.find(stepsOf(pointer));
}

class Scanner {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  space() {
    while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
  }

  /**
   * Finds a value; the scanner must be before its ancestor.
   * @param {string[]} steps @returns {TextRange}
   */
  find(steps) {
    const start = this.at;
    const opening = this.text[start];
    if (steps.length === 0 || (opening !== "{" && opening !== "[")) {
      this.skip();
      return { start, end: this.at };
    }
    this.at += 1;
    this.space();
    for (let index = 0; !"]}".includes(this.text[this.at] ?? "]"); index += 1) {
      const name = opening === "{" ? this.name() : String(index);
      if (name === steps[0]) return this.find(steps.slice(1));
      this.skip();
      this.space();
      if (this.text[this.at] === ",") this.at += 1;
      this.space();
    }
    return { start, end: start + 1 };
  }

  /** Reads the name of a member, up to its value. */
  name() {
    const start = this.at;
    this.string();
    const name = JSON.parse(this.text.slice(start, this.at));
    this.space();
    this.at += 1;
    this.space();
    return name;
  }

  string() {
    this.at += 1;
    while (this.at < this.text.length && this.text[this.at] !== "\"") this.at += this.text[this.at] === "\\" ? 2 : 1;
    this.at += 1;
  }

  /** Skips a value. */
  skip() {
    let depth = 0;
    do {
      const character = this.text[this.at];
      if (character === "\"") this.string();
      else if (character === "{" || character === "[") { depth += 1; this.at += 1; }
      else if (character === "}" || character === "]") { depth -= 1; this.at += 1; }
      else if (depth > 0) this.at += 1;
      else while (this.at < this.text.length && !/[\s,\]}]/.test(this.text[this.at])) this.at += 1;
    } while (depth > 0 && this.at < this.text.length);
  }
}

/**
 * The position of a syntax error, if the message of `JSON.parse` contains it.
 * @param {string} text @param {unknown} error @returns {{range: TextRange | null, detail: string}}
 */
export function parseError(text, error) {
  const detail = error instanceof Error ? error.message : String(error);
  const position = /position (\d+)/.exec(detail);
  const line = /line (\d+) column (\d+)/.exec(detail);
  let start = position ? Number(position[1]) : null;
  if (start === null && line) {
    const before = text.split("\n").slice(0, Number(line[1]) - 1).join("\n").length;
    start = before + (Number(line[1]) > 1 ? 1 : 0) + Number(line[2]) - 1;
  }
  if (start === null) return { range: null, detail };
  return { range: { start: Math.min(start, Math.max(0, text.length - 1)), end: Math.min(start + 1, text.length) }, detail };
}
