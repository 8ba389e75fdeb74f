// The texts of the home page in German.

/** @type {import("./types").HomeWords} */
export const de = {
  headline: "Ein Picker, und alle wählen mit.",
  lead: "Ein quelloffener Server für Tage, Termine und Aufenthalte, die mehrere gemeinsam auswählen: live, jeder auf dem eigenen Gerät.",
  docs: "Zur Dokumentation", free: "Kostenlos, Apache 2.0",
  tour: {
    phone: "Anas Telefon", laptop: "Bos Laptop", hint: "Hier tippen, dort zusehen.", sellOut: (day) => `${day} ausgebucht`,
    closed: "Dieser Server öffnet Picker nur für seine eigene Anwendung.",
  },
  doors: {
    find: { title: "Einen Termin finden", text: "Alle markieren, wann sie können. Die besten Zeiten stehen oben." },
    stay: { title: "Einen Aufenthalt buchen", text: "Anreise, Abreise, Preise und was schon vergeben ist." },
    any: { title: "Beliebige Picker", text: "Termine, Tage, verknüpfte Spalten: elf Beispiele, jedes nur einen Link entfernt." },
  },
  embed: {
    title: "Sechs Zeilen in Ihrer Seite", text: "Die Regeln, die Reihenfolge der Änderungen und der Bestand bleiben auf dem Server. Ihre Seite zeichnet nur.",
    run: "Den Server starten", runText: "Aus dem Quelltext, unter Linux mit Swift 6.2: ein Prozess, mit SQLite oder PostgreSQL. Der zweite Befehl erstellt einen Picker; in der Antwort steht seine ID.", install: "Als Container oder Debian-Paket",
  },
  figures: { tap: "von der Auswahl bis zu hundert anderen, im Median", size: "für den Kalender, komprimiert", kill: "verliert nichts, was bestätigt war" },
  footer: { docs: "Dokumentation", examples: "Beispiele", packages: "Pakete" },
  start: "Gemeinsam Tage planen", cards: "Elf Picker, elf Links",
  open: "Öffnen", openLinked: "Verknüpfte Spalten öffnen", openColumns: "Unabhängige Spalten",
  texts: {
    date: "Jahr, Monat, Tag. Tage nach heute sind nicht ausgegraut; sie stehen gar nicht in der Liste.",
    slot: "Tag, Stunde, Minute: frühestens in zwanzig Minuten, in Zehnerschritten, immer auf dem aktuellen Stand.",
    linked: "Provinz, Stadt, Bezirk: Jede Spalte hängt von der davor ab.",
    month: "Eine Liste von Monaten, und ein Tag zur Auswahl.",
    range: "Erster und letzter Tag, über Monate hinweg; zwei Personen können je einmal tippen.",
    table: "Ein Tisch am Mittag oder Abend: Öffnungszeiten, Mittagspause und schon vergebene Zeiten.",
    stay: "Anreise und Abreise, der Preis jeder Nacht und die Summe; der Anbieter kann Preise jederzeit ändern.",
    ask: "Bestätigen Sie eine Zeit, und der Anbieter entscheidet: Er sagt zu, lehnt mit einem Grund ab oder lässt zwei Minuten vergehen.",
    weekend: "Alle markieren die Tage, die passen; das beste Wochenende steht oben, live.",
    hour: "Alle markieren, wann sie können, in der eigenen Zeitzone: Berlin und New York nebeneinander.",
    evening: "Sechs Plätze an jedem Freitag und Samstag. Halten Sie welche, lassen Sie die Zeit ablaufen, oder warten Sie, bis einer frei wird: Der Server zählt.",
  },
  sale: {
    text: "Jeder Freitag und Samstag hat sechs Plätze. Was eine Person hält, kann sonst niemand nehmen.",
    you: "Sie", other: "Jemand anderes", link: "Wer diesen Link öffnet, nimmt von denselben Plätzen:",
  },
  find: {
    title: "Titel", first: "Von", last: "Bis", from: "Frühestens", until: "Spätestens", zone: (city) => `Zeiten in ${city}. Alle sehen sie auch in der eigenen Zeitzone.`,
    minutes: "Dauer", duration: (minutes) => (minutes < 60 ? `${minutes} Minuten` : minutes === 60 ? "1 Stunde" : `${String(minutes / 60).replace(".", ",")} Stunden`), weekends: "Nur Samstage und Sonntage", days: "Tage am Stück",
    results: "Wer sieht die Antworten", everyone: "Alle, mit Namen", counts: "Alle, nur Zahlen", owner: "Nur wer organisiert",
    create: "Link erstellen", cancel: "Abbrechen",
    problems: {
      noTitle: "Geben Sie einen Titel ein.", past: "Das ist schon vorbei.", lastBeforeFirst: "Wählen Sie einen Tag, der nicht vor dem ersten liegt.",
      tooManyDays: (days) => `Wählen Sie höchstens ${days} Tage.`, untilBeforeFrom: "Wählen Sie eine spätere Uhrzeit als bei „Frühestens“.",
      tooLong: "So viel Zeit liegt nicht zwischen diesen Uhrzeiten.", noWeekend: "In diesem Zeitraum liegt kein solches Wochenende.",
      tooFewDays: "So viele Tage hat dieser Zeitraum nicht.",
    },
  },
  what: "Worum geht es?", whatExample: "Wochenende am See", plan: "Gemeinsame Tage",
  recent: "Ihre letzten Picker", forget: "Liste leeren",
};
