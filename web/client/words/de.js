// The texts of the elements in German.

/** @param {number} count @param {string} one @param {string} many */
const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** @type {import("./types").Words} */
export const de = {
  you: "Sie", time: "Die Uhr", somebody: "Jemand",
  offlineMember: (name) => `${name} (abwesend)`,

  columns: { year: "Jahr", month: "Monat", date: "Tag", day: "Tag", hour: "Stunde", minute: "Minute" },
  column: (number) => `Spalte ${number}`,
  level: (number) => `Ebene ${number}`,
  previous: (label) => `${label}: vorheriger Wert`,
  next: (label) => `${label}: nächster Wert`,
  empty: "nichts auszuwählen",
  loading: "Lädt…",

  undo: "Rückgängig", redo: "Wiederholen", clear: "Löschen", confirm: "Bestätigen", cancel: "Abbrechen", reopen: "Wieder öffnen",
  retry: "Jetzt erneut versuchen", useHere: "Hier verwenden",
  today: "Heute", previousMonth: "Voriger Monat", nextMonth: "Nächster Monat", calendar: "Kalender",

  connection: {
    idle: "Nicht verbunden", connecting: "Verbindung wird hergestellt…", joining: "Beitritt läuft…", live: "Verbunden",
    waiting: "Verbindung verloren. Sie wird wiederhergestellt…", offline: "Sie sind offline.",
    credentials: "Dieser Link gewährt keinen Zugriff (mehr). Bitten Sie um einen neuen.",
    left: "Sie haben den Picker verlassen.", ended: "Dieser Picker wurde beendet.", elsewhere: "Dieser Picker ist in einem anderen Fenster offen.",
    notAllowed: "Sie dürfen hier nicht teilnehmen.", away: "Diese Seite passt nicht zum Server. Laden Sie sie neu.",
  },
  queued: (count) => `${counted(count, "Änderung wird", "Änderungen werden")} gesendet, sobald die Verbindung wieder steht.`,

  corrected: (wanted, given, reason) => `${wanted} → ${given}: ${reason}`,
  reasons: {
    monthLength: ({ count }) => `dieser Monat hat ${counted(count, "Tag", "Tage")}`,
    min: ({ first }) => (first ? `frühestens wählbar ist ${first}` : "früher ist nichts wählbar"),
    max: ({ last }) => (last ? `spätestens wählbar ist ${last}` : "später ist nichts wählbar"),
    noSuchTime: () => "diese Uhrzeit ist an diesem Tag nicht verfügbar",
    elapsed: () => "dieser Zeitpunkt ist vorbei",
    maxDays: ({ days }) => (days === 1 ? "höchstens 1 Tag ist wählbar" : `höchstens ${days} Tage sind wählbar`),
    blocked: () => "ein Tag dazwischen ist nicht verfügbar",
  },
  did: (name, what) => `${name}: ${what}`,
  moved: (label, text) => `${label} ${text}`,
  undone: (label, text) => `rückgängig gemacht: ${label} ${text}`,
  rangeOpened: (date) => `ab ${date}; tippen Sie den letzten Tag an`,
  rangeClosed: (start, end, days) => `${start} bis ${end}, ${counted(days, "Tag", "Tage")}`,
  dateChosen: (date) => date,
  rangeCleared: "Auswahl gelöscht",
  rangeElapsed: "vergangene Tage wurden entfernt",
  opener: (name) => `${name} hat diesen Zeitraum begonnen.`,
  hint: { wheels: "Ziehen, scrollen, tippen oder Pfeile benutzen.", first: "Tippen Sie den ersten Tag an.", second: "Tippen Sie nun den letzten Tag an.", again: "Tippen Sie einen Tag an, um neu zu beginnen.", single: "Tippen Sie einen Tag an." },
  hits: (count) => `${count}-mal angetippt`,
  days: (count) => counted(count, "Tag", "Tage"),

  confirmed: "bestätigt", cancelled: "abgebrochen", reopened: "wieder offen",
  confirmedNow: "Bestätigt.", cancelledNow: "Abgebrochen.",
  viewer: "Nur Ansicht: Sie können nichts ändern.",
  joined: "ist beigetreten", left: "hat den Picker verlassen", gone: "ist abwesend", back: "ist zurück", promoted: "hat jetzt die Eigentümerrechte",
  here: (count) => `${counted(count, "Person", "Personen")} anwesend`,
  lost: "Sie waren zu lange getrennt: Es ist unklar, ob diese Änderung ankam. Prüfen Sie es und wiederholen Sie sie bei Bedarf.",

  refusals: {
    noSuchColumn: "Diese Spalte gibt es nicht mehr.",
    staleColumn: "Diese Zeile gibt es nicht mehr: Jemand hat inzwischen eine frühere Spalte geändert.",
    noSuchRow: "Diese Zeile gibt es nicht mehr.",
    outsideMonths: "Dieser Monat ist nicht in diesem Kalender.",
    noSuchCell: "An dieser Stelle ist kein Tag.",
    otherMonth: "Dieser Tag gehört zum Nachbarmonat; tippen Sie ihn dort an.",
    beforeMin: "Dieser Tag ist zu früh.", afterMax: "Dieser Tag ist zu spät.", blocked: "Dieser Tag ist nicht verfügbar.",
    tapClaimed: "Jemand anderes hat diesen Zeitraum begonnen. Versuchen Sie es in einigen Sekunden noch einmal.",
    minDays: "Dieser Zeitraum ist zu kurz; tippen Sie einen weiter entfernten Tag an.",
    wrongKind: "Dieser Picker unterstützt das nicht.",
    nothingToUndo: "Es gibt nichts, was rückgängig gemacht werden kann.",
    notComplete: "Es gibt noch nichts zu bestätigen.",
    elapsed: "Weil Zeit vergangen ist, hat sich die Auswahl geändert. Prüfen Sie sie und bestätigen Sie erneut.",
    notOpen: "Dieser Picker ist geschlossen. Wer ihn besitzt, kann ihn wieder öffnen.",
    notAllowed: "Dazu sind Sie nicht berechtigt.",
    oldRef: "Das kam zu spät an. Bitte versuchen Sie es noch einmal.",
    unknownType: "Dieser Server unterstützt das nicht.",
    tooMany: "Zu viele Änderungen auf einmal. Warten Sie eine Sekunde.",
    full: "Diese Sitzung ist voll. Beginnen Sie eine neue.",
    offline: "Das ist offline nicht möglich.",
  },
  why: {
    beforeMin: (date) => `der erste wählbare Tag ist ${date}`,
    afterMax: (date) => `der letzte wählbare Tag ist ${date}`,
    weekday: (weekday) => `nicht verfügbar: ${weekday}`,
    blocked: (from, through) => (from === through ? `${from} ist belegt` : `${from} bis ${through} ist belegt`),
    other: "nicht verfügbar",
  },
  tooShort: (days) => `Ein Zeitraum hat mindestens ${counted(days, "Tag", "Tage")}; tippen Sie einen weiter entfernten Tag an.`,
  cell: { start: "erster Tag", end: "letzter Tag", inside: "im Zeitraum", only: "gewählt", today: "heute" },
};
