// The texts of <pickerd-availability> in English.

/** @param {number} count @param {string} one @param {string} many */
const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** @type {import("./types").MarkWords} */
export const marks = {
  grades: { yes: "Yes", maybe: "Maybe", no: "No" },
  grade: "Paint with",
  guide: {
    mouse: "Drag over the times when you can come. Drag again to erase.",
    touch: "Tap a time, or hold it and drag.",
    mouseDates: "Drag over the days when you can come. Drag again to erase.",
    touchDates: "Tap a day, or hold it and drag.",
  },
  grid: "Availability", zone: "Time zone",
  best: "Best choices", nothingBest: "Nothing suits yet. The best choices appear here.",
  hidden: "Only the owner sees the results.", namesHidden: "Only the owner sees who.",
  answered: (count) => `${counted(count, "person has", "people have")} answered`, nobody: "Nobody has answered yet",
  can: "Can", perhaps: "Maybe", cannot: "Cannot", unmarked: "Not marked", unmarkedAsYes: "Not marked, counts as yes",
  of: (count, all) => `${count} of ${all}`,
  counts: (yes, maybe, no) => [
    `${yes} yes`, maybe && `${maybe} maybe`, no && `${no} no`,
  ].filter(Boolean).join(", "),
  mine: (grade) => `you: ${grade}`,
  confirmWindow: (text) => `Confirm ${text}`,
  past: "past", again: "again",
  closes: (time) => `Answers until ${time}.`, closed: "Answers are closed.",
  painted: (grade, count) => `${grade}: ${counted(count, "cell", "cells")}`,
  erased: (count) => `${counted(count, "cell", "cells")} erased`,
  nowBest: (text, counts) => `Leading: ${text}, ${counts}`,
  refusals: {
    closed: "Answers are closed.", noSuchGrade: "That answer is not available any more.",
    staleCells: "The times have changed meanwhile. Mark them again.", noSuchCell: "That time is no longer there.",
    past: "That time is over.", full: "There are as many answers as possible.",
    tooManyRuns: "Your answer has too many separate parts. Fill some gaps.",
  },
};
