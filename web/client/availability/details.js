// Who can come at a cell, who perhaps, and who cannot; without a cell, who has answered.

import { make, setAttribute, setText } from "../parts/dom.js";
import { initialOf, solidOf } from "../parts/people.js";
import { levelOf } from "./board.js";

/** @typedef {{id: string, name: string, color: string}} Person */

/** The maximum of names in a group. */
const namesMax = 24;

export class Details {
  /** @param {() => void} confirm confirms the window that begins at the cell */
  constructor(confirm) {
    this.title = make("strong", { class: "details-title" });
    this.share = make("span", { class: "details-share" });
    this.groups = make("div", { class: "groups", id: "who" });
    this.remark = make("p", { class: "details-remark" });
    this.confirmButton = make("button", { class: "confirm-here", part: "button confirm", type: "button", hidden: true, onclick: confirm });
    this.element = make("section", { class: "details", part: "details" },
      make("div", { class: "details-head" }, this.title, this.share), this.groups, this.remark, this.confirmButton);
    this.shown = "";
  }

  /**
   * @param {{
   *   title: string, counts: import("./marks.js").Counts | null, respondents: number, people: {[grade: string]: Person[]} | null,
   *   remark: string, confirm: string | null, canConfirm: boolean, unmarkedAsYes: boolean
   * }} facts `people`: null if this member may not see who has marked what
   * @param {import("./words/types").AvailabilityWords} words @param {string | undefined} self the own member
   */
  draw(facts, words, self) {
    const shown = JSON.stringify([facts, self, words.you]);
    if (this.shown === shown) return;
    this.shown = shown;
    const { title, counts, respondents, people, remark, confirm, canConfirm } = facts;
    setText(this.title, title);
    setText(this.share, counts && respondents > 0 ? words.marks.of(counts[0] + counts[1], respondents) : "");
    setAttribute(this.share, "data-level", counts && respondents > 0 ? levelOf(counts, respondents) : null);
    setText(this.remark, remark);
    this.remark.hidden = remark === "";
    this.confirmButton.hidden = confirm === null;
    setText(this.confirmButton, confirm ?? "");
    setAttribute(this.confirmButton, "aria-disabled", canConfirm ? null : "true");
    this.groups.replaceChildren(...(people ? this.#named(people, facts, words, self) : counts ? this.#counted(counts, words) : []));
  }

  /**
   * @param {{[grade: string]: Person[]}} people @param {{unmarkedAsYes: boolean}} facts
   * @param {import("./words/types").AvailabilityWords} words @param {string | undefined} self
   */
  #named(people, facts, words, self) {
    const labels = { yes: words.marks.can, maybe: words.marks.perhaps, no: words.marks.cannot, unmarked: facts.unmarkedAsYes ? words.marks.unmarkedAsYes : words.marks.unmarked, answered: "" };
    return Object.entries(labels).filter(([grade]) => people[grade]?.length).map(([grade, label]) => {
      const all = people[grade];
      const names = all.slice(0, namesMax).map(({ id, name, color }) => {
        const picture = make("span", { class: "dot", "aria-hidden": "true" }, initialOf(name));
        picture.style.setProperty("--author", solidOf(color));
        return make("li", { class: "who" }, picture, make("bdi", {}, id === self ? words.you : name));
      });
      if (all.length > namesMax) names.push(make("li", { class: "who" }, `+${all.length - namesMax}`));
      return make("div", { class: "group", "data-grade": grade },
        label ? make("strong", { class: "group-name" }, `${label} `, make("span", {}, String(all.length))) : null,
        make("ul", { class: "whos", "aria-label": label || null }, ...names));
    });
  }

  /** @param {import("./marks.js").Counts} counts @param {import("./words/types").AvailabilityWords} words */
  #counted(counts, { marks }) {
    return [marks.can, marks.perhaps, marks.cannot].flatMap((label, at) => (counts[at] === 0 ? [] : [
      make("div", { class: "group", "data-grade": ["yes", "maybe", "no"][at] },
        make("strong", { class: "group-name" }, `${label} `, make("span", {}, String(counts[at])))),
    ]));
  }
}
