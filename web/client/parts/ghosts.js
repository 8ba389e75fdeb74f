// The touches of other members on an element: a ring in their colors, and their initials.

import { setAttribute } from "./dom.js";
import { initialOf, solidOf } from "./people.js";

/** @typedef {import("../core/types").Member} Member */

const namedMax = 3;

/**
 * Shows the members that touch an element; an empty list removes the mark.
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
