// The touches of other members on an element: a ring in their colors, and their initials. Mouse pointers have names.

import { setAttribute } from "./dom.js";
import { initialOf, solidOf } from "./people.js";

/** @typedef {{member: import("../core/types").Member, hover?: true}} Ghost */

const namedMax = 3;

/**
 * Shows the members that touch an element, or if none does, those whose pointer is over it.
 * @param {HTMLElement} element
 * @param {Ghost[]} ghosts
 */
export function showGhosts(element, ghosts) {
  const pressing = ghosts.filter(({ hover }) => !hover);
  const members = (pressing.length > 0 ? pressing : ghosts).map(({ member }) => member);
  setAttribute(element, "data-hover", pressing.length === 0 && members.length > 0);
  if (pressing.length === 0) setAttribute(element, "data-ghost", null);
  setAttribute(element, "data-who", pressing.length === 0 && (members.map(({ name }) => name).join(", ") || null));
  if (members.length === 0) return;
  const colors = members.slice(0, namedMax).map(({ color }) => solidOf(color));
  const more = members.length > namedMax ? [`+${members.length - namedMax}`] : [];
  if (pressing.length > 0) setAttribute(element, "data-ghost", [...members.slice(0, namedMax).map(({ name }) => initialOf(name)), ...more].join(" "));
  const share = 100 / colors.length;
  const stops = colors.map((color, at) => `${color} ${at * share}% ${(at + 1) * share}%`);
  element.style.setProperty("--_ghost", colors[0]);
  element.style.setProperty("--_ghost-second", colors[1] ?? "transparent");
  element.style.setProperty("--_ghost-fill", `linear-gradient(90deg, ${stops.join(", ")})`);
}
