// What the elements say, in German.

/** @param {number} count @param {string} one @param {string} many */
const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** @type {import("./types").Words} */
export const de = {
  you: "Sie", time: "Die Uhr", somebody: "Jemand",
  offlineMember: (name) => `${name} (abwesend)`,

  columns: { year: "Jahr", month: "Monat", date: "Tag", day: "Tag", hour: "Stunde", minute: "Minute" },
  column: (number) => `Spalte ${number}`,
  level: (number) => `Ebene ${number}`,
  previous: (label) => `${label}: eins nach oben`,
  next: (label) => `${label}: eins nach unten`,
  empty: "hier gibt es nichts zu wählen",
  loading: "Lädt…",

  undo: "Rückgängig", redo: "Wiederholen", clear: "Leeren", confirm: "Bestätigen", cancel: "Abbrechen", reopen: "Wieder öffnen",
  retry: "Jetzt versuchen", useHere: "Hier benutzen",
  today: "Heute", previousMonth: "Voriger Monat", nextMonth: "Nächster Monat", calendar: "Kalender",

  connection: {
    idle: "Nicht verbunden", connecting: "Verbindet…", joining: "Tritt bei…", live: "Verbunden",
    waiting: "Verbindung verloren. Sie wird wiederhergestellt…", offline: "Sie sind offline.",
    credentials: "Dieser Link lässt Sie nicht (mehr) herein. Bitten Sie um einen neuen.",
    left: "Sie sind gegangen.", ended: "Dieser Picker ist beendet.", elsewhere: "Dieser Picker ist in einem anderen Fenster offen.",
    notAllowed: "Sie dürfen hier nicht mitmachen.", away: "Der Server versteht diese Seite nicht. Laden Sie sie neu.",
  },
  queued: (count) => `${counted(count, "Änderung wartet", "Änderungen warten")} auf die Verbindung.`,

  corrected: (wanted, given, reason) => `${wanted} → ${given}: ${reason}`,
  reasons: {
    monthLength: ({ count }) => `dieser Monat hat ${counted(count, "Tag", "Tage")}`,
    min: ({ first }) => (first ? `frühestens geht ${first}` : "früher geht es nicht"),
    max: ({ last }) => (last ? `spätestens geht ${last}` : "später geht es nicht"),
    noSuchTime: () => "diese Uhrzeit gibt es an diesem Tag nicht",
    elapsed: () => "diese Zeit ist vorbei",
    maxDays: ({ days }) => `höchstens ${counted(days, "Tag", "Tage")} sind wählbar`,
    blocked: () => "ein Tag dazwischen ist nicht wählbar",
  },
  did: (name, what) => `${name}: ${what}`,
  moved: (label, text) => `${label} ${text}`,
  undone: (label, text) => `rückgängig, ${label} ${text}`,
  rangeOpened: (date) => `ab ${date}; tippen Sie den letzten Tag an`,
  rangeClosed: (start, end, days) => `${start} bis ${end}, ${counted(days, "Tag", "Tage")}`,
  dateChosen: (date) => date,
  rangeCleared: "geleert",
  rangeElapsed: "vergangene Tage wurden entfernt",
  opener: (name) => `${name} hat diesen Zeitraum begonnen.`,
  hint: { wheels: "Ziehen, scrollen, tippen oder Pfeile benutzen.", first: "Tippen Sie den ersten Tag an.", second: "Nun den letzten Tag.", again: "Für einen neuen Zeitraum auf einen Tag tippen.", single: "Tippen Sie einen Tag an." },
  hits: (count) => `${count} × getippt`,
  days: (count) => counted(count, "Tag", "Tage"),

  confirmed: "bestätigt", cancelled: "abgebrochen", reopened: "wieder offen",
  confirmedNow: "Bestätigt.", cancelledNow: "Abgebrochen.",
  viewer: "Sie schauen zu und können nichts ändern.",
  joined: "ist dabei", left: "ist gegangen", gone: "ist abwesend", back: "ist zurück", promoted: "ist jetzt Eigentümer",
  here: (count) => `${counted(count, "Person", "Personen")} hier`,
  lost: "Ob das ankam, weiß niemand: Sie waren zu lange weg. Sehen Sie nach und tun Sie es nötigenfalls noch einmal.",

  refusals: {
    noSuchColumn: "Diese Spalte gibt es nicht mehr.",
    staleColumn: "Diese Zeile ist weg: Jemand hat inzwischen eine Spalte davor bewegt.",
    noSuchRow: "Diese Zeile gibt es nicht mehr.",
    outsideMonths: "Dieser Monat ist nicht in diesem Kalender.",
    noSuchCell: "Dort ist kein Tag.",
    otherMonth: "Dieser Tag gehört zum Nachbarmonat; tippen Sie ihn dort an.",
    beforeMin: "Dieser Tag ist zu früh.", afterMax: "Dieser Tag ist zu spät.", blocked: "Dieser Tag ist nicht wählbar.",
    tapClaimed: "Jemand anderes hat diesen Zeitraum begonnen. Versuchen Sie es in einigen Sekunden noch einmal.",
    minDays: "Dieser Zeitraum ist zu kurz; tippen Sie einen weiter entfernten Tag an.",
    wrongKind: "So geht das mit diesem Picker nicht.",
    nothingToUndo: "Es gibt nichts rückgängig zu machen.",
    notComplete: "Es ist noch nichts gewählt, das man bestätigen könnte.",
    elapsed: "Die Zeit hat die Wahl verändert. Sehen Sie nach und bestätigen Sie noch einmal.",
    notOpen: "Dieser Picker ist geschlossen. Wer ihn besitzt, kann ihn wieder öffnen.",
    notAllowed: "Das dürfen Sie hier nicht.",
    oldRef: "Das kam zu spät. Bitte noch einmal.",
    unknownType: "Das kann dieser Server nicht.",
    tooMany: "Das war zu viel auf einmal. Warten Sie eine Sekunde.",
    offline: "Das geht offline nicht.",
  },
  why: {
    beforeMin: (date) => `der erste wählbare Tag ist ${date}`,
    afterMax: (date) => `der letzte wählbare Tag ist ${date}`,
    weekday: (weekday) => `${weekday} ist nicht wählbar`,
    blocked: (from, through) => (from === through ? `${from} ist belegt` : `${from} bis ${through} ist belegt`),
    other: "nicht wählbar",
  },
  tooShort: (days) => `Ein Zeitraum hat mindestens ${counted(days, "Tag", "Tage")}; tippen Sie einen weiter entfernten Tag an.`,
  cell: { start: "erster Tag", end: "letzter Tag", inside: "im Zeitraum", only: "gewählt", today: "heute" },
};
