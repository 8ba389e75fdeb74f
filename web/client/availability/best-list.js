// The best windows as buttons that show their cells.

import { make, setAttribute, setText } from "../parts/dom.js";

/** @typedef {import("../core/types").Window} Window */

export class BestList {
  /** @param {(cell: number) => void} show @param {(cell: number | null) => void} point */
  constructor(show, point) {
    this.show = show;
    this.point = point;
    this.title = make("h2", { class: "best-title" });
    this.remark = make("p", { class: "best-remark" });
    this.list = make("ol", { class: "windows", part: "windows" });
    this.element = make("section", { class: "best", part: "best" }, this.title, this.list, this.remark);
    this.shown = "";
  }

  /**
   * @param {Window[] | undefined} best undefined if this member may not see it
   * @param {number} respondents @param {import("../words/words.js").Words} words
   */
  draw(best, respondents, words) {
    const { marks } = words;
    setText(this.title, marks.best);
    const remark = best ? best.length === 0 ? marks.nothingBest : "" : marks.hidden;
    setText(this.remark, remark);
    this.remark.hidden = remark === "";
    const shown = JSON.stringify([best, respondents, marks.best]);
    if (this.shown === shown) return;
    this.shown = shown;
    const focused = [...this.list.children].findIndex((item) => item.matches(":focus-within"));
    this.list.replaceChildren(...(best ?? []).map((window) => this.#item(window, respondents, words)));
    if (focused >= 0) (this.list.children[Math.min(focused, this.list.children.length - 1)]?.firstElementChild ?? this.title).focus?.();
  }

  /** @param {Window} window @param {number} respondents @param {import("../words/words.js").Words} words */
  #item({ cell, text, yes, maybe, no }, respondents, { marks }) {
    const bar = make("span", { class: "share", "aria-hidden": "true" }, make("span", { class: "share-yes" }), make("span", { class: "share-maybe" }));
    const all = Math.max(1, respondents, yes + maybe + no);
    bar.style.setProperty("--_yes", String(yes / all));
    bar.style.setProperty("--_maybe", String(maybe / all));
    const button = make("button", {
      class: "window", part: "window", type: "button", "data-window": cell,
      onclick: () => this.show(cell), onpointerenter: () => this.point(cell), onpointerleave: () => this.point(null),
      onfocus: () => this.point(cell), onblur: () => this.point(null),
    }, make("span", { class: "window-text" }, text), make("span", { class: "window-counts" }, marks.counts(yes, maybe, no)), bar);
    setAttribute(button, "data-full", yes >= respondents && respondents > 0);
    return make("li", {}, button);
  }
}
