// Texts with gaps: the part of ICU's message format that the tables of texts use. `{name}` is a gap; numbers have the digits
// of the locale. `{count, plural, =0 {none} one {# day} other {# days}}` chooses by CLDR's category of a number,
// `{end, select, none {open} other {until {end}}}` by whether there is a value. No character is escaped.

/** @typedef {(pattern: string, values: {[name: string]: unknown}) => string} Writer */

/**
 * A text's parts: what is outside of the outer braces, and, at the odd indices, what is inside.
 * @param {string} text
 */
function partsOf(text) {
  const parts = [""];
  let depth = 0;
  for (const one of text) {
    if ((one === "{" && depth++ === 0) || (one === "}" && --depth === 0)) parts.push("");
    else parts[parts.length - 1] += one;
  }
  return parts;
}

/** @param {string} gap the inside of braces: the name, and what to choose from */
const gapOf = (gap) => /^(\w+)(?:, \w+, (.*))?$/s.exec(gap) ?? ["", gap, ""];

/**
 * The names of a pattern's gaps, in their order.
 * @param {string} pattern @returns {string[]}
 */
export const namesOf = (pattern) => [...new Set(partsOf(pattern).flatMap((part, index) => {
  if (index % 2 === 0) return [];
  const [, name, choices = ""] = gapOf(part);
  return [name, ...partsOf(choices).flatMap((choice, at) => (at % 2 ? namesOf(choice) : []))];
}))];

/**
 * A function that fills the gaps of patterns.
 * @param {string} language whose plurals the patterns have @param {string} locale whose digits are written
 * @returns {Writer}
 */
export function writerOf(language, locale) {
  const rules = new Intl.PluralRules(language);
  const digits = new Intl.NumberFormat(locale, { useGrouping: false });
  /** @type {Writer} */
  const write = (pattern, values) => partsOf(pattern).map((part, index) => {
    if (index % 2 === 0) return part;
    const [, name, choices] = gapOf(part);
    const value = values[name];
    const number = typeof value === "number" ? digits.format(value) : "";
    if (!choices) return number || String(value);
    const parts = partsOf(choices).map((one) => one.trim());
    const keys = typeof value === "number" ? [`=${value}`, rules.select(value), "other"] : [value ? "other" : "none"];
    const chosen = keys.find((key) => parts.includes(key));
    return write(partsOf(choices)[parts.indexOf(chosen ?? "other") + 1].replaceAll("#", number), values);
  }).join("");
  return write;
}
