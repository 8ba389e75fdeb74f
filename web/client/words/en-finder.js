// The texts of the search in a long column in English.

/** @type {import("./types").Patterns<Pick<import("./types").Words, "finder">>} */
export const finder = {
  finder: {
    find: "Find: {label}",
    close: "Close",
    none: "No match",
    type: "Type a part of it.",
    matches: "Matches: {count}",
    more: "The first {count} matches. Type more to see fewer.",
  },
};
