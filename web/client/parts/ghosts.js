// Other people's fingers, where they rest: a ring in their colour, and their first letters.

import { setAttribute } from "./dom.js";
import { initialOf, solidOf } from "./people.js";

/** @typedef {import("../core/types").Member} Member */

const namedMax = 3;

/**
 * Shows who touches an element; nobody takes it away.
 * @param {HTMLElement} element
 * @param {Member[]} members
 */
export function showGhosts(element, members) {
  if (members.length === 0) return setAttribute(element, "data-ghost", null);
  const colors = members.slice(0, namedMax).map(({ color }) => solidOf(color));
  const more = members.length > namedMax ? [`+${members.length - namedMax}`] : [];
  setAttribute(element, "data-ghost", [...members.slice(0, namedMax).map(({ name }) => initialOf(name)), ...more].join(" "));
  const share = 100 / colors.length;
  const stops = colors.map((color, at) => `${color} ${at * share}% ${(at + 1) * share}%`);
  element.style.setProperty("--ghost", colors[0]);
  element.style.setProperty("--ghost-second", colors[1] ?? "transparent");
  element.style.setProperty("--ghost-fill", `linear-gradient(90deg, ${stops.join(", ")})`);
}
