// The texts of the panels for developers in German.

/** @type {import("./types").DeveloperWords} */
export const de = {
  host: {
    heading: "Anbieter", text: "Spielen Sie das Backend des Anbieters: Ändern Sie, was wählbar ist, während andere auswählen. Alle Picker folgen sofort.",
    command: "Befehl für die Shell", copy: "Kopieren", selected: "Markiert: bitte kopieren",
    days: "Klicken Sie die Tage an, die sich ändern", soldOut: "Ausgebucht", price: "Preis",
    noteText: "Hinweis", tone: "Wertung", tones: { none: "Ohne Wertung", low: "Niedrig", high: "Hoch", good: "Gut", bad: "Schlecht" },
    longest: "Höchstdauer", daysLabel: "Tage", nightsLabel: "Nächte", latest: "Spätestes Datum", dateLabel: "Datum", set: "Setzen",
    take: "Jemand anderes bucht die gewählte Zeit", takeTime: (time) => `${time} vergeben`,
    free: "Die letzte Buchung wird storniert", freeTime: (time) => `${time} freigeben`,
    lunch: "Mittagspause", closeLunch: (day) => `Am ${day} von 12 bis 14 Uhr schließen`, openLunch: (day) => `Am ${day} wie üblich öffnen`,
    column: "Spalte", rename: "Gewählte Zeile umbenennen", newName: "Neuer Name", renameButton: "Umbenennen",
    remove: "Gewählte Zeile entfernen", removeRow: (text) => `${text} entfernen`, note: "Hinweis neben der gewählten Zeile",
    asked: "Der Buchung zusagen", grant: "Zusagen", denied: "Mit einem Grund ablehnen", deny: "Ablehnen", reason: "Grund",
    failed: (detail) => `Der Server hat nichts geändert: ${detail}`,
  },
  definition: "Definition", definitionText: "Das JSON dieses Pickers, wie es jetzt gilt. Ändern Sie es und öffnen Sie das Ergebnis als neuen Picker.",
  checking: "Wird geprüft…", fine: "Diese Definition ist gültig.", openThis: "Als neuen Picker öffnen", reset: "Zurücksetzen",
  mistakeAt: (pointer, detail) => `${pointer || "Definition"}: ${detail}`,
  noJSON: (detail) => `Kein gültiges JSON: ${detail}`, line: (line) => `Zeile ${line}`,
  messages: "Nachrichten", messagesText: "Die Nachrichten zwischen diesem Fenster und dem Server, genau wie gesendet.",
  pause: "Anhalten", resume: "Weiter", empty: "Noch nichts.",
  latency: (milliseconds) => `${milliseconds} ms`, latencyTitle: "Zeit von Ihrem letzten Tippen bis zur Antwort des Servers",
  revision: (revision) => `Revision ${revision}`,
};
