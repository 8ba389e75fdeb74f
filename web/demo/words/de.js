// The texts of the demo page in German.

/** @type {import("./types").DemoWords} */
export const de = {
  untitled: "Ein gemeinsamer Picker", qrText: "Mit dem Handy scannen, um beizutreten.",
  qrLocal: (port) => `Diese Adresse ist nur von diesem Rechner aus erreichbar. Damit Handys beitreten können, starten Sie pickerd mit: make run LISTEN=0.0.0.0:${port}`,
  back: "Alle Picker", settings: "Einstellungen", languageLabel: "Sprache", theme: "Design",
  themes: { system: "Wie das System", light: "Hell", dark: "Dunkel" },
  name: "Ihr Name", guest: (number) => `Gast ${number}`, skip: "Zum Picker springen",
  pickers: {
    date: "Ein Datum, spätestens heute", slot: "Ein Termin", linked: "Verknüpfte Spalten",
    month: "Ein Monatsblatt", range: "Ein Zeitraum durch zweimal Tippen",
    table: "Einen Tisch reservieren", stay: "Ein Aufenthalt mit Preisen",
    ask: "Eine Buchung auf Anfrage", weekend: "Ein Wochenende finden", hour: "Eine Stunde finden", evening: "Sechs Plätze an einem Abend",
  },
  columnLabels: { cascade: "Provinz,Stadt,Bezirk", columns: "System,Framework,Datenbank" },
  yours: "Ihr Picker", invited: "Sie sind eingeladen", invites: (name) => `${name} lädt Sie ein`,
  message: (name, title) => `${name} lädt Sie ein: „${title}“`,
  askName: "Wie heißen Sie?", nameText: "Die anderen sehen ihn. Sie können ihn später ändern.", saveName: "Speichern",
  decides: {
    you: "Sie bestätigen am Ende.", owner: (name) => `${name} bestätigt am Ende.`,
    somebody: "Wer Sie eingeladen hat, bestätigt am Ende.", host: "Der Anbieter bestätigt am Ende.",
  },
  confirmedBy: (name) => `Bestätigt von: ${name}`, cancelledBy: (name) => `Abgesagt von: ${name}`, you: "Ihnen", done: "Fertig",
  developers: "Für Entwickler", forgetPicker: "Diesen Picker auf diesem Gerät vergessen",
  nothingHere: "Unter dieser Adresse gibt es keine Seite.", nothingHereText: "Vielleicht ist die Adresse falsch geschrieben oder unvollständig.",
  addToCalendar: "Zum Kalender hinzufügen", calendarFile: "Kalenderdatei (.ics)",
  share: "Andere einladen", shareText: "Alle, die diesen Link öffnen, wählen mit Ihnen.", copy: "Link kopieren", copied: "Kopiert.",
  copyFailed: "Der Browser hat das Kopieren verhindert. Markieren Sie den Link und kopieren Sie ihn selbst.",
  roleEditor: "Darf bearbeiten", roleViewer: "Darf ansehen",
  secondWindow: "In einem zweiten Fenster öffnen",
  ended: "Dieser Picker wurde beendet.", endedText: "Er wurde gelöscht, ist abgelaufen oder hat seine maximale Größe erreicht. Der Link funktioniert nicht mehr.",
  newOne: "Einen neuen Picker dieser Art öffnen", notFound: "Unter diesem Link gibt es keinen Picker.", notFoundText: "Vielleicht ist der Link unvollständig. Wenn er früher funktioniert hat, wurde der Picker gelöscht oder ist abgelaufen.",
  noAccess: "Dieser Link gewährt keinen Zugriff.", noAccessText: "Das Token fehlt oder ist abgelaufen. Bitten Sie um einen neuen Link und fügen Sie ihn hier ein.",
  pasteLink: "Link", enter: "Beitreten", notALink: "Das ist weder ein Link noch ein Token, mit dem Sie Zugriff haben.",
  elsewhere: "Dieser Picker ist in einem anderen Fenster offen.", elsewhereText: "Jede Person benutzt nur ein Fenster. Wenn Sie hier weitermachen, wird das andere getrennt.", useHere: "Hier verwenden",
  away: "Diese Seite passt nicht zum Server.", awayText: "Laden Sie die Seite neu, um die passende Version zu erhalten.", reload: "Neu laden",
  createFailed: (detail) => `Der Server hat den Picker nicht erstellt: ${detail}`, unreachable: "Der Server ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut.", retry: "Erneut versuchen",
};
