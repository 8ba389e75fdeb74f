// The texts of <pickerd-availability> in German.

/** @type {import("./types").MarkWords} */
export const marks = {
  grades: { yes: "Ja", maybe: "Vielleicht", no: "Nein" },
  grade: "Markieren mit",
  guide: {
    mouse: "Ziehen Sie über die Zeiten, zu denen Sie können. Noch einmal ziehen löscht.",
    touch: "Tippen Sie auf eine Zeit, oder halten und ziehen Sie.",
    mouseDates: "Ziehen Sie über die Tage, an denen Sie können. Noch einmal ziehen löscht.",
    touchDates: "Tippen Sie auf einen Tag, oder halten und ziehen Sie.",
  },
  grid: "Verfügbarkeit", zone: "Zeitzone",
  best: "Am besten passt", nothingBest: "Noch passt nichts. Hier erscheinen die besten Termine.",
  hidden: "Nur wer die Umfrage organisiert, sieht die Ergebnisse.", namesHidden: "Die Namen sieht nur, wer die Umfrage organisiert.",
  answered: (count) => (count === 1 ? "1 Person hat geantwortet" : `${count} Personen haben geantwortet`),
  nobody: "Noch niemand hat geantwortet",
  can: "Kann", perhaps: "Vielleicht", cannot: "Kann nicht", unmarked: "Ohne Angabe", unmarkedAsYes: "Ohne Angabe, zählt als Ja",
  of: (count, all) => `${count} von ${all}`,
  counts: (yes, maybe, no) => [
    `${yes} ja`, maybe && `${maybe} vielleicht`, no && `${no} nein`,
  ].filter(Boolean).join(", "),
  mine: (grade) => `Sie: ${grade}`,
  confirmWindow: (text) => `${text} bestätigen`,
  past: "vorbei", again: "noch einmal",
  closes: (time) => `Antworten bis ${time}.`, closed: "Es kann nicht mehr geantwortet werden.",
  painted: (grade, count) => `${grade}: ${count} ${count === 1 ? "Feld" : "Felder"}`,
  erased: (count) => `${count} ${count === 1 ? "Feld" : "Felder"} gelöscht`,
  nowBest: (text, counts) => `Vorn: ${text}, ${counts}`,
  refusals: {
    closed: "Es kann nicht mehr geantwortet werden.", noSuchGrade: "Diese Antwort gibt es nicht mehr.",
    staleCells: "Die Zeiten haben sich inzwischen geändert. Markieren Sie sie noch einmal.",
    noSuchCell: "Diese Zeit gibt es nicht mehr.", past: "Diese Zeit ist vorbei.",
    full: "Mehr Antworten sind nicht möglich.",
    tooManyRuns: "Ihre Antwort hat zu viele einzelne Teile. Füllen Sie einige Lücken.",
  },
};
