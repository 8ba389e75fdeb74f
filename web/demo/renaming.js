// A new name in an open picker. A member's name cannot change, so the page joins as a new member with it.

import { make } from "../client/parts/dom.js";

/** @typedef {import("../client/core/session.js").PickerSession} PickerSession */

export class Renaming {
  /**
   * @param {import("./settings.js").Settings} settings
   * @param {boolean} isOpen whether roles depend on who has joined first, and not on tokens
   * @param {() => void} join leaves, and joins with the new name
   */
  constructor(settings, isOpen, join) {
    this.settings = settings;
    this.isOpen = isOpen;
    this.join = join;
    /** @type {string | null} the name of the page's last join */
    this.joinedAs = null;
    this.isWanted = false;
    /** Whether the user accepts that another member becomes the owner. */
    this.isAgreed = false;
    /** The question that is shown; empty if there is none. */
    this.asked = "";
    this.element = make("div", { class: "renaming", role: "status" });
  }

  /** The page joins with the name of the settings. */
  joins() {
    this.joinedAs = this.settings.name;
    this.isWanted = this.isAgreed = false;
  }

  /**
   * The user has typed a name.
   * @param {PickerSession | null} picker
   */
  change(picker) {
    this.isWanted = this.settings.name !== this.joinedAs;
    this.isAgreed = false;
    this.draw(picker);
  }

  /**
   * Joins with the new name once no change is pending, which would be lost with the old member, and asks before another
   * member becomes the owner.
   * @param {PickerSession | null} picker
   */
  draw(picker) {
    const asks = this.isWanted && !this.isAgreed && picker !== null && this.#losesOwnership(picker);
    this.#ask(asks ? this.settings.words.keepsName(picker.self?.name ?? "") : "", picker);
    if (!picker || !this.isWanted || asks) return;
    if (picker.connection !== "live" || picker.pendingCount > 0) return;
    this.isWanted = false;
    this.join();
  }

  /** @param {PickerSession} picker */
  #losesOwnership({ connection, isOwner, state }) {
    const isOver = connection === "away" || connection === "left";
    return this.isOpen && !isOver && isOwner && state.members.size > 1;
  }

  /** @param {string} question @param {PickerSession | null} picker */
  #ask(question, picker) {
    if (this.asked === question) return;
    this.asked = question;
    if (question === "") return this.element.replaceChildren();
    const agree = make("button", { class: "secondary", type: "button", onclick: () => {
      this.isAgreed = true;
      this.draw(picker);
      document.getElementById("name")?.focus();
    } }, this.settings.words.renameAnyway);
    this.element.replaceChildren(make("p", { class: "remark" }, question),
      make("p", { class: "ways" }, agree));
  }
}
