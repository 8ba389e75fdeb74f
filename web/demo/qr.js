// A QR code for a link: byte mode, versions 1 to 10, error correction level M (ISO/IEC 18004).

/** For versions 1…10 at level M: error correction bytes per block, then [blocks, data bytes], short blocks first. */
const blockTable = [
  [10, [[1, 16]]], [16, [[1, 28]]], [26, [[1, 44]]], [18, [[2, 32]]], [24, [[2, 43]]],
  [16, [[4, 27]]], [18, [[4, 31]]], [22, [[2, 38], [2, 39]]], [22, [[3, 36], [2, 37]]],
  [26, [[4, 43], [1, 44]]],
];
/** For versions 1…10: the coordinates of the centers of the alignment patterns, in both directions. */
const alignments = [
  [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50],
];
const levelM = 0b00;

/** @typedef {Int8Array[]} Modules rows of a square: 1 dark, 0 light, −1 not set yet */

/**
 * The QR code of a text, without the required quiet zone of four modules.
 * @param {string} text at most 213 bytes of UTF-8
 * @returns {Modules | null} null if the text is too long
 */
export function qrModules(text) {
  const bytes = new TextEncoder().encode(text);
  const version = 1 + blockTable.findIndex((_, index) => bytes.length <= capacity(index + 1));
  if (version === 0) return null;
  const bits = bitsOf(correctedBytes(dataBytes(bytes, version), version));
  let best = null;
  let bestPenalty = Infinity;
  for (let mask = 0; mask < 8; mask += 1) {
    const modules = drawn(version, bits, mask);
    const penalty = penaltyOf(modules);
    if (penalty < bestPenalty) [best, bestPenalty] = [modules, penalty];
  }
  return best;
}

/** @param {number} version */
function dataCount(version) {
  const [, groups] = /** @type {[number, number[][]]} */ (blockTable[version - 1]);
  return groups.reduce((sum, [count, size]) => sum + count * size, 0);
}

/**
 * The number of bits of the length field.
 * @param {number} version
 */
const lengthBits = (version) => (version < 10 ? 8 : 16);
/**
 * The maximum number of text bytes in a version.
 * @param {number} version
 */
const capacity = (version) => dataCount(version) - Math.ceil((4 + lengthBits(version)) / 8);

/**
 * The data bytes: mode, length, text, terminator and padding.
 * @param {Uint8Array} bytes @param {number} version
 */
function dataBytes(bytes, version) {
  /** @type {number[]} */
  const bits = [];
  const put = (/** @type {number} */ value, /** @type {number} */ count) => {
    for (let bit = count - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  put(0b0100, 4);
  put(bytes.length, lengthBits(version));
  bytes.forEach((byte) => put(byte, 8));
  const count = dataCount(version);
  put(0, Math.min(4, count * 8 - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < count * 8; pad ^= 0xec ^ 0x11) put(pad, 8);
  return Uint8Array.from({ length: count }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((value, bit) => value * 2 + bit, 0));
}

/**
 * Data and error correction bytes, interleaved by block.
 * @param {Uint8Array} data @param {number} version
 */
function correctedBytes(data, version) {
  const [correction, groups] = /** @type {[number, number[][]]} */ (blockTable[version - 1]);
  const sizes = groups.flatMap(([count, size]) => Array(count).fill(size));
  const divisor = generator(correction);
  let from = 0;
  const blocks = sizes.map((size) => data.subarray(from, from += size));
  const remainders = blocks.map((block) => remainder(block, divisor));
  const bytes = [];
  for (let at = 0; at < Math.max(...sizes); at += 1) {
    for (const block of blocks) if (at < block.length) bytes.push(block[at]);
  }
  for (let at = 0; at < correction; at += 1) for (const rest of remainders) bytes.push(rest[at]);
  return bytes;
}

/**
 * The product in GF(256) modulo x⁸ + x⁴ + x³ + x² + 1.
 * @param {number} a @param {number} b
 */
function product(a, b) {
  let result = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    result = (result << 1) ^ ((result >> 7) * 0x11d);
    result ^= ((b >> bit) & 1) * a;
  }
  return result;
}

/**
 * The generator polynomial (x − 1)(x − 2)(x − 4)…, without its leading coefficient.
 * @param {number} degree
 */
function generator(degree) {
  const coefficients = new Uint8Array(degree);
  coefficients[degree - 1] = 1;
  let root = 1;
  for (let factor = 0; factor < degree; factor += 1) {
    for (let at = 0; at < degree; at += 1) {
      coefficients[at] = product(coefficients[at], root) ^ (coefficients[at + 1] ?? 0);
    }
    root = product(root, 2);
  }
  return coefficients;
}

/**
 * The Reed–Solomon error correction bytes.
 * @param {Uint8Array} data @param {Uint8Array} divisor
 */
function remainder(data, divisor) {
  const rest = new Uint8Array(divisor.length);
  for (const byte of data) {
    const factor = byte ^ rest[0];
    rest.copyWithin(0, 1);
    rest[rest.length - 1] = 0;
    divisor.forEach((coefficient, at) => { rest[at] ^= product(coefficient, factor); });
  }
  return rest;
}

/** @param {number[]} bytes */
const bitsOf = (bytes) => bytes.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1));

/**
 * @param {number} version @param {number[]} bits @param {number} mask
 * @returns {Modules}
 */
function drawn(version, bits, mask) {
  const size = 17 + 4 * version;
  const modules = Array.from({ length: size }, () => new Int8Array(size).fill(-1));
  drawPatterns(modules, version);
  drawFormat(modules, mask);
  if (version >= 7) drawVersion(modules, version);
  drawBits(modules, bits, mask);
  return modules;
}

/** @param {Modules} modules @param {number} version */
function drawPatterns(modules, version) {
  const size = modules.length;
  for (let at = 0; at < size; at += 1) modules[6][at] = modules[at][6] = (at + 1) % 2;
  for (const [row, column] of [[3, 3], [3, size - 4], [size - 4, 3]]) drawSquares(modules, row, column, 4, [2, 4]);
  const middles = alignments[version - 1];
  const last = middles.length - 1;
  middles.forEach((row, i) => middles.forEach((column, j) => {
    const isFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
    if (!isFinder) drawSquares(modules, row, column, 2, [1]);
  }));
  modules[size - 8][8] = 1;
}

/**
 * Draws concentric squares; those at the `light` distances from the center are light.
 * @param {Modules} modules @param {number} row @param {number} column
 * @param {number} reach @param {number[]} light
 */
function drawSquares(modules, row, column, reach, light) {
  for (let down = -reach; down <= reach; down += 1) {
    for (let right = -reach; right <= reach; right += 1) {
      const distance = Math.max(Math.abs(down), Math.abs(right));
      const line = modules[row + down];
      if (line?.[column + right] !== undefined) line[column + right] = light.includes(distance) ? 0 : 1;
    }
  }
}

/**
 * Appends the remainder of a polynomial division over GF(2) to a value.
 * @param {number} value @param {number} divisor @param {number} degree
 */
function guarded(value, divisor, degree) {
  let rest = value;
  for (let step = 0; step < degree; step += 1) rest = (rest << 1) ^ ((rest >> (degree - 1)) * divisor);
  return (value << degree) | rest;
}

/**
 * Draws both copies of the format information: error correction level and mask.
 * @param {Modules} modules @param {number} mask
 */
function drawFormat(modules, mask) {
  const size = modules.length;
  const format = guarded((levelM << 3) | mask, 0x537, 10) ^ 0x5412;
  for (let at = 0; at < 15; at += 1) {
    const bit = (format >> at) & 1;
    if (at < 8) modules[at < 6 ? at : at + 1][8] = modules[8][size - 1 - at] = bit;
    else {
      modules[8][at === 8 ? 7 : 14 - at] = bit;
      modules[size - 15 + at][8] = bit;
    }
  }
}

/** @param {Modules} modules @param {number} version */
function drawVersion(modules, version) {
  const size = modules.length;
  const bits = guarded(version, 0x1f25, 12);
  for (let at = 0; at < 18; at += 1) {
    const near = Math.floor(at / 3);
    const far = size - 11 + (at % 3);
    modules[near][far] = modules[far][near] = (bits >> at) & 1;
  }
}

/**
 * The masks: whether a module is inverted.
 * @type {((row: number, column: number) => boolean)[]}
 */
const masks = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/**
 * Draws the bits in zigzag order: two columns at a time from the right, alternating upwards and downwards.
 * @param {Modules} modules @param {number[]} bits @param {number} mask
 */
function drawBits(modules, bits, mask) {
  const size = modules.length;
  let next = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const isUp = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const row = isUp ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (modules[row][column] !== -1) continue;
        const bit = bits[next++] ?? 0;
        modules[row][column] = masks[mask](row, column) ? 1 - bit : bit;
      }
    }
  }
}

/**
 * The penalty of a mask; the mask with the smallest one is used.
 * @param {Modules} modules
 */
function penaltyOf(modules) {
  const size = modules.length;
  let penalty = 0;
  let dark = 0;
  for (let line = 0; line < size; line += 1) {
    const row = [...modules[line]].join("");
    const column = modules.map((one) => one[line]).join("");
    for (const text of [row, column]) {
      for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
      for (const finder of ["10111010000", "00001011101"]) {
        for (let at = text.indexOf(finder); at >= 0; at = text.indexOf(finder, at + 1)) penalty += 40;
      }
    }
    for (const bit of modules[line]) dark += bit;
    for (let at = 0; line > 0 && at < size - 1; at += 1) {
      const sum = modules[line][at] + modules[line][at + 1] + modules[line - 1][at] + modules[line - 1][at + 1];
      if (sum % 4 === 0) penalty += 3;
    }
  }
  const off = Math.abs(dark / (size * size) - 0.5) * 20;
  return penalty + Math.floor(off) * 10;
}

/**
 * The modules as an SVG path in units of modules.
 * @param {Modules} modules
 */
export const qrPath = (modules) => modules.flatMap((line, row) =>
  [...line].flatMap((bit, column) => (bit === 1 ? [`M${column} ${row}h1v1h-1z`] : []))).join("");
