// The illustrations: one for each card, and an animated calendar with two users for the top of the page.

const space = "http://www.w3.org/2000/svg";

/**
 * Creates an SVG element: `draw("circle", { cx: 3, class: "soft" })`.
 * @param {string} name @param {{[attribute: string]: string | number}} attributes
 * @param {...(Node | string)} children
 */
function draw(name, attributes, ...children) {
  const element = document.createElementNS(space, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value));
  element.append(...children);
  return element;
}

/** @param {number} width @param {number} height @param {string} name @param {...Node} children */
const drawing = (width, height, name, ...children) =>
  draw("svg", { viewBox: `0 0 ${width} ${height}`, class: `art ${name}`, "aria-hidden": "true" }, ...children);

/** @param {number} x @param {number} y @param {string} content @param {string} look */
const text = (x, y, content, look) => draw("text", { x, y, class: look }, content);

/**
 * A wheel with five rows around its lens.
 * @param {number} middle @param {number} width @param {string[]} rows five of them; "" for none
 */
function wheel(middle, width, rows) {
  const looks = ["far", "near", "picked", "near", "far"];
  const heights = [22, 43, 69, 95, 114];
  return [
    draw("rect", { x: middle - width / 2, y: 50, width, height: 28, rx: 9, class: "accent" }),
    ...rows.map((row, at) => text(middle, heights[at], row, looks[at])),
  ];
}

const date = () => drawing(200, 128, "date",
  ...wheel(42, 56, ["2006", "2007", "2008", "2009", "2010"]),
  ...wheel(104, 44, ["09", "10", "11", "12", ""]),
  ...wheel(160, 44, ["19", "20", "21", "", ""]));

const slot = () => drawing(200, 128, "slot",
  draw("circle", { cx: 46, cy: 64, r: 31, class: "dial" }),
  draw("path", { d: "M46 33A31 31 0 0 1 76.5 58.6L46 64Z", class: "gone" }),
  draw("path", { d: "M46 64V42M46 64L60 72", class: "hand" }),
  draw("circle", { cx: 46, cy: 64, r: 3.2, class: "accent" }),
  ...wheel(113, 42, ["12", "13", "14", "15", "16"]),
  text(138, 69.5, ":", "colon"),
  ...wheel(163, 42, ["", "", "20", "30", "40"]));

/** Three columns of three nodes with a highlighted path. */
function linked() {
  const columns = [36, 100, 164];
  const rows = [28, 64, 100];
  const path = [1, 0, 2];
  const lines = [0, 1].flatMap((column) => rows.map((y, row) => {
    const from = rows[path[column]];
    const x = columns[column] + 17;
    const end = columns[column + 1] - 17;
    const isLit = row === path[column + 1];
    return draw("path", { d: `M${x} ${from}C${x + 15} ${from} ${end - 15} ${y} ${end} ${y}`, class: isLit ? "lit" : "link" });
  }));
  const nodes = columns.flatMap((x, column) => rows.map((y, row) =>
    draw("rect", { x: x - 17, y: y - 11, width: 34, height: 22, rx: 8, class: row === path[column] ? "accent" : "node" })));
  return drawing(200, 128, "linked", ...lines.sort((a) => (a.getAttribute("class") === "lit" ? 1 : -1)), ...nodes);
}

/**
 * Days of a month that begins on a given column.
 * @param {number} left @param {number} top of the first baseline @param {number} step @param {number} down
 * @param {number} lead @param {number} count
 * @param {(day: number) => string} look
 */
function days(left, top, step, down, lead, count, look) {
  return Array.from({ length: count }, (_, at) => {
    const cell = lead + at;
    return text(left + (cell % 7) * step, top + Math.floor(cell / 7) * down, String(at + 1), `day ${look(at + 1)}`);
  });
}

const month = () => drawing(200, 128, "month",
  draw("circle", { cx: 124.4, cy: 64.2, r: 11, class: "accent" }),
  ...days(27.6, 22, 24.2, 23, 2, 30, (day) => (day === 17 ? "on" : "")));

const table = () => drawing(200, 128, "table",
  draw("circle", { cx: 50, cy: 64, r: 27, class: "dial" }), draw("circle", { cx: 50, cy: 64, r: 16, class: "plate" }),
  draw("path", { d: "M14 40v16M10 40v11q0 5 4 5t4-5V40M14 56v32M86 88V40q-7 6-6 27h6", class: "hand" }),
  ...[[119, "12:00", ""], [169, "12:15", "taken"], [119, "12:30", "on"], [169, "13:00", ""]].flatMap(([x, time, look], at) => {
    const y = at < 2 ? 44 : 80;
    return [draw("rect", { x: Number(x) - 21, y: y - 13, width: 42, height: 26, rx: 9, class: look === "on" ? "accent" : "node" }),
      text(Number(x), y + 4, String(time), `time ${look}`)];
  }));

const stay = () => drawing(200, 128, "stay",
  draw("rect", { x: 61, y: 45, width: 102, height: 20, rx: 10, class: "accent" }),
  ...days(22, 23, 26, 36, 0, 21, (day) => (day >= 10 && day <= 13 ? "on" : "")),
  ...Array.from({ length: 21 }, (_, day) => text(22 + (day % 7) * 26, 37 + Math.floor(day / 7) * 36, `€${day % 7 > 4 ? 140 : 95}`, day % 7 > 4 ? "amount high" : "amount")));

/** A booking that waits for a yes or a no. */
const ask = () => drawing(200, 128, "ask",
  draw("rect", { x: 22, y: 28, width: 84, height: 72, rx: 14, class: "node" }),
  draw("rect", { x: 33, y: 40, width: 62, height: 22, rx: 9, class: "accent" }), text(64, 55, "14:30", "time on"),
  ...[48, 64, 80].map((x) => draw("circle", { cx: x, cy: 80, r: 4, class: "gone" })),
  draw("path", { d: "M114 64h22", class: "lit" }),
  draw("circle", { cx: 162, cy: 42, r: 18, class: "dial" }), draw("path", { d: "M154 42l6 6 10-12", class: "hand" }),
  draw("circle", { cx: 162, cy: 88, r: 18, class: "dial" }), draw("path", { d: "M156 82l12 12M168 82l-12 12", class: "hand" }));

/** Weekends of a month, shaded by how many can. */
const weekend = () => drawing(200, 128, "weekend",
  ...[[0, 1], [2, 3], [3, 4], [1, 1]].flatMap((shades, row) => shades.map((shade, column) => draw("rect", {
    x: 139 + column * 26, y: 13 + row * 27, width: 24, height: 22, rx: 7, class: `heat heat-${shade}` }))),
  draw("rect", { x: 138, y: 66, width: 52, height: 24, rx: 8, class: "mine" }),
  ...days(22, 28, 25.8, 27, 0, 28, (day) => (day % 7 > 5 || day % 7 === 0 ? "free" : "outside")));

/** A grid of times in two time zones, shaded by how many can, with one person's time outlined. */
const hour = () => drawing(200, 128, "hour",
  ...["15", "16", "17", "18"].flatMap((time, row) => [
    text(18, 36 + row * 26, `${time}:00`, "scale"), text(52, 36 + row * 26, `${String(Number(time) - 6).padStart(2, "0")}:00`, "scale other")]),
  ...[[0, 1, 0, 2], [1, 3, 1, 2], [2, 4, 3, 1], [1, 2, 3, 0]].flatMap((shades, row) => shades.map((shade, column) => draw("rect", {
    x: 76 + column * 29, y: 20 + row * 26, width: 28, height: 25, class: `heat heat-${shade}` }))),
  draw("rect", { x: 106, y: 47, width: 26, height: 49, rx: 6, class: "mine" }),
  draw("rect", { x: 135, y: 73, width: 26, height: 49, rx: 6, class: "mine dashed" }));

/** @param {number} x @param {number} y @param {string} letter @param {string} who */
const hand = (x, y, letter, who) => draw("g", { class: `person ${who}` },
  draw("circle", { cx: x, cy: y, r: 9.5, class: "face" }), text(x, y + 4, letter, "initial"));

const range = () => drawing(200, 128, "range",
  draw("rect", { x: 88, y: 36.5, width: 102, height: 23, rx: 11.5, class: "accent" }),
  draw("rect", { x: 10, y: 64.5, width: 128, height: 23, rx: 11.5, class: "accent" }),
  ...days(22, 23.5, 26, 28, 0, 28, (day) => (day >= 11 && day <= 19 ? "on" : "")),
  hand(88, 35, "A", "ana"), hand(139, 89, "B", "bo"));

/**
 * The drawing of a card.
 * @param {string} id of the picker @returns {Element}
 */
export const artOf = (id) => (/** @type {{[id: string]: () => Element}} */ ({ date, slot, linked, month, range, table, stay, ask, weekend, hour })[id] ?? month)();

/**
 * Two users choose a range in July 2026: the first day, the last day, and the band that grows between them.
 * @param {string} locale
 */
export function together(locale) {
  const name = (/** @type {number} */ day, /** @type {Intl.DateTimeFormatOptions} */ options) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).format(Date.UTC(2026, 6, day));
  const step = 52;
  const x = (/** @type {number} */ column) => 44 + column * step;
  const y = (/** @type {number} */ row) => 92 + row * 46;
  const band = (/** @type {number} */ row, /** @type {number} */ from, /** @type {number} */ to, /** @type {string} */ name) =>
    draw("rect", { x: x(from) - 19, y: y(row) - 19, width: (to - from) * step + 38, height: 38, rx: 19, class: `accent ${name}` });
  const numbers = Array.from({ length: 35 }, (_, cell) => {
    const day = cell - 1;
    const isOutside = day < 1 || day > 31;
    const column = cell % 7;
    const row = Math.floor(cell / 7);
    const name = day >= 11 && day <= 18 ? ` in in-${day}` : "";
    return text(x(column), y(row) + 6, String(isOutside ? (day < 1 ? day + 30 : day - 31) : day), isOutside ? "day outside" : `day${name}`);
  });
  const lines = Array.from({ length: 7 }, (_, column) =>
    text(x(column), 58, name(6 + column, { weekday: "short" }), "weekday"));
  return drawing(400, 320, "together",
    text(x(0) - 12, 32, name(1, { month: "long", year: "numeric" }), "name"), ...lines,
    draw("circle", { cx: x(5), cy: y(1), r: 19, class: "accent first" }),
    band(1, 5, 6, "grow one"), band(2, 0, 5, "grow two"), ...numbers,
    draw("g", { class: "mover ana" }, draw("circle", { cx: x(5), cy: y(1), r: 22, class: "press" }), pointer(x(5), y(1), "Ana")),
    draw("g", { class: "mover bo" }, draw("circle", { cx: x(5), cy: y(2), r: 22, class: "press" }), pointer(x(5), y(2), "Bo")));
}

/** @param {number} x @param {number} y @param {string} name */
const pointer = (x, y, name) => draw("g", { transform: `translate(${x + 3} ${y + 5})`, class: "pointer" },
  draw("path", { d: "M0 0L5.5 19L9.6 11.2L18 8.4Z", class: "arrow" }),
  draw("rect", { x: 13, y: 15, width: name.length * 9 + 16, height: 22, rx: 11, class: "tag" }),
  text(13 + (name.length * 9 + 16) / 2, 30.5, name, "tag-name"));
