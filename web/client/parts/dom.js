// Functions for the DOM, compatible with a strict Content Security Policy: no inline styles or scripts in markup.

/**
 * Creates an element: `make("button", { class: "step", onclick: … }, "▲")`.
 * @param {string} name
 * @param {{[attribute: string]: any}} [attributes] functions become listeners; `null` and `false` are skipped
 * @param {...(Node | string | null | undefined)} children
 * @returns {any}
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(attribute.slice(2), value);
    else setAttribute(element, attribute, value);
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

/**
 * Sets or removes an attribute; changes the DOM only if the value differs.
 * @param {Element} element @param {string} name @param {any} value
 */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else {
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Defines an element, unless the page has it already, or is rendered on a server.
 * @param {string} name @param {CustomElementConstructor} element
 */
export function define(name, element) {
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element);
}

/**
 * A style sheet whose `rem` is that of the tokens. It is made for the first element, because a server that imports the
 * module has no style sheets.
 * @param {string} css @returns {() => CSSStyleSheet}
 */
export function sheetOf(css) {
  /** @type {CSSStyleSheet | undefined} */
  let sheet;
  return () => {
    if (sheet) return sheet;
    sheet = new CSSStyleSheet();
    // Not in that token itself.
    sheet.replaceSync(css.replace(/(?<!--_rem:\s?max\()(-?[\d.]+)rem\b/g, "calc($1 * var(--_rem))"));
    return sheet;
  };
}

/** @type {{[name: string]: string}} SVG paths in a view box of 24 × 24 */
const paths = {
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "m15 14 5-5-5-5M20 9H10a6 6 0 0 0 0 12h3",
  clear: "M5 5l14 14M19 5 5 19",
  confirm: "m4 12.5 5.5 5.5L20 6.5",
  up: "m5 15 7-7 7 7",
  down: "m5 9 7 7 7-7",
  before: "m15 5-7 7 7 7",
  after: "m9 5 7 7-7 7",
};

/**
 * An icon, hidden from screen readers: its button has the accessible name.
 * @param {string} name
 */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}

export const wantsLessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
