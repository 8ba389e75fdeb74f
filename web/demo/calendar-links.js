// The links of a confirmed session that add its result to a calendar.

import { make, setText } from "../client/parts/dom.js";

/** @typedef {{ics: string, google?: string, outlook?: string}} Links the `links` of a confirmed session */

export class CalendarLinks {
  /** @param {string | undefined} token sent by a fetch, because a link cannot send it */
  constructor(token) {
    this.token = token;
    this.heading = make("h2", {});
    this.file = make("a", { class: "secondary", download: "event.ics", onclick: (/** @type {Event} */ event) => this.#download(event) });
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

  /** @param {Event} event */
  async #download(event) {
    if (!this.token) return;
    event.preventDefault();
    const answer = await fetch(this.file.href, { headers: { authorization: `Bearer ${this.token}` } });
    if (!answer.ok) return;
    const address = URL.createObjectURL(await answer.blob());
    make("a", { href: address, download: "event.ics" }).click();
    URL.revokeObjectURL(address);
  }
}
