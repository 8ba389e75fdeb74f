// Draws views: what functions of the state return is compared with what was drawn before, and only that is changed.

/**
 * @typedef {{name: string, attributes: {[name: string]: any}, children: View[]}} Description of an element
 * @typedef {Description | Node | string | null | false | undefined | any[]} View a node is shown as it is
 */

/** @type {WeakMap<Node, Description>} what was drawn of an element */
const drawn = new WeakMap();

/**
 * Describes an element. With `key` it is another one than its siblings of that name and class; functions (`onclick`) and `value`,
 * `checked` are properties, all others attributes: `true` is an empty one, `null` and `false` none.
 * @param {string} name @param {{[name: string]: any}} [attributes] @param {...View} children
 * @returns {Description}
 */
export const h = (name, attributes = {}, ...children) => ({ name, attributes, children });

/**
 * Makes the children of an element those of views. What was drawn before at its place, or with the same key, stays, with its
 * focus and what the user has typed.
 * @param {Element} place @param {...View} views
 */
export function patch(place, ...views) {
  let next = place.firstChild;
  for (const view of /** @type {any[]} */ (views.flat(Infinity))) {
    if (view === null || view === undefined || view === false) continue;
    const node = view instanceof Node ? view : typeof view === "string" ? textAt(next, view) : elementAt(next, view);
    if (node === next) next = node.nextSibling;
    else place.insertBefore(node, next);
  }
  while (next) {
    const after = next.nextSibling;
    next.remove();
    next = after;
  }
}

/** @param {any} next @param {string} text */
function textAt(next, text) {
  if (!(next instanceof Text)) return document.createTextNode(text);
  if (next.data !== text) next.data = text;
  return next;
}

/** @param {any} next the first child that may be the element @param {Description} view */
function elementAt(next, view) {
  let found = next;
  while (found && !isSame(drawn.get(found), view)) found = found.nextSibling;
  const space = view.name === "svg" || view.name === "path" ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml";
  const element = found ?? document.createElementNS(space, view.name);
  const before = drawn.get(element)?.attributes ?? {};
  drawn.set(element, view);
  patch(element, ...view.children);
  // The value of a list is one of its children.
  for (const name of new Set([...Object.keys(before), ...Object.keys(view.attributes)])) {
    if (before[name] !== view.attributes[name]) set(element, name, view.attributes[name]);
  }
  return element;
}

/** @param {Description | undefined} one @param {Description} other */
const isSame = (one, { name, attributes }) =>
  one?.name === name && one.attributes.class === attributes.class && one.attributes.key === attributes.key;

/** @param {any} element @param {string} name @param {any} value */
function set(element, name, value) {
  if (name === "key") return;
  if (name.startsWith("on") || name === "value" || name === "checked") element[name] = value ?? null;
  else if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : value);
}
