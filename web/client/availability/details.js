// Who can come at a cell, who perhaps, and who cannot; without a cell, who has answered.

import { make, setAttribute, setText } from "../parts/dom.js";
import { initialOf, solidOf } from "../parts/people.js";

/** @typedef {{id: string, name: string, color: string}} Person */

/** The maximum of names of all that have answered, and of those in a group, that are shown unfolded. */
const answeredMax = 6;
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
    /** Whether the names of all that have answered are unfolded. */
    this.isOpen = false;
  }

  /**
   * @param {{
   *   title: string, counts: import("./marks.js").Counts | null, respondents: number, people: {[grade: string]: Person[]} | null,
   *   remark: string, confirm: string | null, canConfirm: boolean, unmarkedAsYes: boolean
   * }} facts `people`: null if this member may not see who has marked what
   * @param {import("../words/words.js").Words} words @param {string | undefined} self the own member
   */
  draw(facts, words, self) {
    const shown = JSON.stringify([facts, self, words.you]);
    if (this.shown === shown) return;
    this.shown = shown;
    const { title, counts, respondents, people, remark, confirm, canConfirm } = facts;
    // Many names are below their number.
    const isFolded = (people?.answered?.length ?? 0) > answeredMax;
    setText(this.title, isFolded ? "" : title);
    setText(this.share, counts && respondents > 0 ? words.marks.of(counts[0] + counts[1], respondents) : "");
    setText(this.remark, remark);
    this.remark.hidden = remark === "";
    this.confirmButton.hidden = confirm === null;
    setText(this.confirmButton, confirm ?? "");
    setAttribute(this.confirmButton, "aria-disabled", canConfirm ? null : "true");
    this.groups.replaceChildren(...(people ? this.#named(people, facts, words, self) : counts ? this.#counted(counts, words) : []));
  }

  /**
   * @param {{[grade: string]: Person[]}} people @param {{unmarkedAsYes: boolean, title: string}} facts
   * @param {import("../words/words.js").Words} words @param {string | undefined} self
   */
  #named(people, facts, words, self) {
    const labels = { yes: words.marks.can, maybe: words.marks.perhaps, no: words.marks.cannot, unmarked: facts.unmarkedAsYes ? words.marks.unmarkedAsYes : words.marks.unmarked, answered: "" };
    return Object.entries(labels).filter(([grade]) => people[grade]?.length).map(([grade, label]) => {
      const all = people[grade];
      const names = all.map(({ id, name, color }) => {
        const picture = make("span", { class: "dot", "aria-hidden": "true" }, initialOf(name));
        picture.style.setProperty("--_author", solidOf(color));
        return make("li", { class: "who" }, picture, make("bdi", {}, id === self ? words.you : name));
      });
      const list = make("ul", { class: "whos", "aria-label": label || null }, ...names.slice(0, namesMax));
      const rest = names.length > namesMax && make("ul", { class: "whos" }, ...names.slice(namesMax));
      const more = rest ? make("details", {}, make("summary", {}, `+${names.length - namesMax}`), rest) : null;
      if (grade === "answered" && all.length > answeredMax) {
        list.append(...(rest ? rest.childNodes : []));
        return make("details", { class: "group", open: this.isOpen, ontoggle: (/** @type {any} */ { target }) => { this.isOpen = target.open; } },
          make("summary", {}, facts.title), list);
      }
      return make("div", { class: "group", "data-grade": grade },
        label ? make("strong", { class: "group-name" }, `${label} `, make("span", {}, String(all.length))) : null, list, more);
    });
  }

  /** @param {import("./marks.js").Counts} counts @param {import("../words/words.js").Words} words */
  #counted(counts, { marks }) {
    return [marks.can, marks.perhaps, marks.cannot].flatMap((label, at) => (counts[at] === 0 ? [] : [
      make("div", { class: "group", "data-grade": ["yes", "maybe", "no"][at] },
        make("strong", { class: "group-name" }, `${label} `, make("span", {}, String(counts[at])))),
    ]));
  }
}
