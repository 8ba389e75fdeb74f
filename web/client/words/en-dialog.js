// The texts of the dialog for months and dates in English.

/** @type {import("./types").Patterns<Pick<import("./types").Words, "dialog">>} */
export const dialog = {
  dialog: {
    title: "Month and dates",
    year: "Year",
    month: "Month",
    close: "Close",
    day: "Day",
    first: "First day",
    last: "Last day",
    arrival: "Arrival",
    departure: "Departure",
    pick: "Pick",
    picked: "{name} picked {span}",
    show: "Show",
    from: "from {price}",
  },
};
