// The texts of the panels for developers in English.

/** @type {import("./types").DeveloperWords} */
export const en = {
  host: {
    heading: "Host", text: "Play the host's backend: change what can be picked while people are picking. Everybody's picker follows at once.",
    command: "Command for a shell", copy: "Copy", selected: "Selected: copy it",
    days: "Click the days to change", soldOut: "Sold out", price: "Price",
    noteText: "Note", tone: "Tone", tones: { none: "No tone", low: "Low", high: "High", good: "Good", bad: "Bad" },
    longest: "Maximum stay", daysLabel: "Days", nightsLabel: "Nights", latest: "Latest date", dateLabel: "Date", set: "Set",
    take: "Somebody else books the selected time", takeTime: (time) => `Take ${time}`,
    free: "The last booking is cancelled", freeTime: (time) => `Free ${time}`,
    lunch: "Closed for lunch", closeLunch: (day) => `Close on ${day} from 12 to 2 pm`, openLunch: (day) => `Open on ${day} as usual`,
    column: "Column", rename: "Rename the selected row", newName: "New name", renameButton: "Rename",
    remove: "Remove the selected row", removeRow: (text) => `Remove ${text}`, note: "Note beside the selected row",
    asked: "Grant the booking", grant: "Grant", denied: "Deny it with a reason", deny: "Deny", reason: "Reason",
    failed: (detail) => `The server has not changed it: ${detail}`,
  },
  definition: "Definition", definitionText: "The JSON of this picker as it is now. Edit it and open the result as a new picker.",
  checking: "Checking…", fine: "This definition is valid.", openThis: "Open as new picker", reset: "Reset",
  mistakeAt: (pointer, detail) => `${pointer || "definition"}: ${detail}`,
  noJSON: (detail) => `Not valid JSON: ${detail}`, line: (line) => `line ${line}`,
  messages: "Messages", messagesText: "The messages between this window and the server, exactly as sent.",
  pause: "Pause", resume: "Resume", empty: "Nothing yet.",
  latency: (milliseconds) => `${milliseconds} ms`, latencyTitle: "From your last tap to the server's answer",
  revision: (revision) => `Revision ${revision}`,
};
