// The texts of the demo page in English.

/** @type {import("./types").DemoWords} */
export const en = {
  untitled: "A shared picker", qrText: "Scan it with a phone to join.",
  qrLocal: (port) => `Only this computer can reach this address. To let phones join, start pickerd with: make run LISTEN=0.0.0.0:${port}`,
  back: "All pickers", settings: "Settings", languageLabel: "Language", theme: "Theme",
  themes: { system: "Same as system", light: "Light", dark: "Dark" },
  name: "Your name", guest: (number) => `Guest ${number}`, skip: "Skip to the picker",
  pickers: {
    date: "A date, today at the latest", slot: "A booking slot", linked: "Linked columns",
    month: "A month grid", range: "A range in two taps", table: "Book a table",
    stay: "A stay with prices", ask: "A booking to confirm", weekend: "Find a weekend",
    hour: "Find an hour", evening: "Six places of an evening",
  },
  columnLabels: { cascade: "Province,City,District", columns: "System,Framework,Database" },
  yours: "Your picker", invited: "You are invited to", invites: (name) => `${name} invites you to`,
  message: (name, title) => `${name} invites you to “${title}”`,
  askName: "Who are you?", nameText: "The others see it. You can change it later.", saveName: "Save",
  decides: {
    you: "You confirm at the end.", owner: (name) => `${name} confirms at the end.`,
    somebody: "The person who invited you confirms at the end.", host: "The host confirms at the end.",
  },
  confirmedBy: (name) => `Confirmed by ${name}.`, cancelledBy: (name) => `Cancelled by ${name}.`, you: "you", done: "Done",
  developers: "For developers", forgetPicker: "Forget this picker on this device",
  nothingHere: "There is no page at this address.", nothingHereText: "The address may be mistyped or incomplete.",
  addToCalendar: "Add to calendar", calendarFile: "Calendar file (.ics)",
  share: "Invite others", shareText: "Everyone who opens this link chooses with you.", copy: "Copy link", copied: "Copied.",
  copyFailed: "The browser blocked copying. Select the link and copy it yourself.",
  roleEditor: "Can edit", roleViewer: "Can view",
  secondWindow: "Open in a second window",
  ended: "This picker has ended.", endedText: "Its owner deleted it, or it expired or reached its maximum size. The link no longer works.",
  newOne: "Open a new one like it", notFound: "There is no picker at this link.", notFoundText: "The link may be incomplete. If it worked before, the picker was deleted or has expired.",
  noAccess: "This link does not give you access.", noAccessText: "Its token is missing or has expired. Ask the sender for a new link and paste it here.",
  pasteLink: "Link", enter: "Enter", notALink: "This is not a link or a token that gives access.",
  elsewhere: "You have this picker open in another window.", elsewhereText: "Each person uses one window at a time. If you continue here, the other window disconnects.", useHere: "Use it here",
  away: "This page does not match the server.", awayText: "Reload the page to get the matching version.", reload: "Reload",
  createFailed: (detail) => `The server did not create the picker: ${detail}`, unreachable: "The server cannot be reached. Check your connection and try again.", retry: "Try again",
};
