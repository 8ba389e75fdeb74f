// The links of a confirmed session that add its result to a calendar.

import { make, setText } from "../client/parts/dom.js";

/** @typedef {{ics: string, google?: string, outlook?: string}} Links the `links` of a confirmed session */

export class CalendarLinks {
  constructor() {
    this.heading = make("h2", {});
    this.file = make("a", { class: "secondary", download: "event.ics" });
    this.google = make("a", { class: "secondary", target: "_blank", rel: "noopener noreferrer" }, "Google");
    this.outlook = make("a", { class: "secondary", target: "_blank", rel: "noopener noreferrer" }, "Outlook");
    this.element = make("section", { class: "panel calendar-links", hidden: true }, this.heading,
      make("div", { class: "ways" }, this.file, this.google, this.outlook));
  }

  /** @param {import("./words/words.js").DemoWords} words */
  setWords(words) {
    setText(this.heading, words.addToCalendar);
    setText(this.file, words.calendarFile);
  }

  /** @param {Links | undefined} links undefined if the session is not confirmed or has no event */
  show(links) {
    this.element.hidden = !links;
    const all = /** @type {const} */ ([[this.file, links?.ics], [this.google, links?.google], [this.outlook, links?.outlook]]);
    for (const [element, link] of all) {
      element.hidden = !link;
      if (link) element.href = link;
    }
  }
}
