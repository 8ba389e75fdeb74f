// Above a picker: who invites to it, its title, who decides, and the question for the user's name.

import { make, setAttribute, setText } from "../client/parts/dom.js";
import { isolated } from "../client/words/dates.js";

/** @typedef {import("../client/core/session.js").PickerSession} PickerSession */

export class Greeting {
  /**
   * @param {import("./settings.js").Settings} settings
   * @param {boolean} hasToken whose name may be that of the user, and whose owner has invited the others
   */
  constructor(settings, hasToken) {
    this.settings = settings;
    this.hasToken = hasToken;
    this.from = make("p", { class: "from" });
    this.title = make("h1", { class: "picker-title" });
    this.who = make("p", { class: "who" });
    this.element = make("hgroup", { class: "greeting" }, this.from, this.title, this.who);
    this.label = make("label", { for: "own-name" });
    this.field = make("input", {
      type: "text", id: "own-name", maxlength: "64", autocomplete: "nickname", spellcheck: "false", required: true,
      "aria-describedby": "own-name-text",
    });
    this.text = make("p", { class: "remark", id: "own-name-text" });
    this.save = make("button", { class: "primary" });
    this.form = make("form", { class: "panel own-name", onsubmit: (/** @type {Event} */ event) => this.#submit(event) },
      this.label, make("div", { class: "ways" }, this.field, this.save), this.text);
    this.form.hidden = hasToken || settings.typedName !== "";
  }

  translate() {
    const { words } = this.settings;
    setText(this.label, words.askName);
    setText(this.text, words.nameText);
    setText(this.save, words.saveName);
    setAttribute(this.field, "placeholder", words.guest(this.settings.guest));
  }

  /**
   * @param {PickerSession} picker
   * @param {boolean | null} isHosts whether the host decides on a confirmation; null: not known yet
   * @param {string | null} decidedBy the member who has confirmed or cancelled, if that is known
   */
  draw(picker, isHosts, decidedBy) {
    const { words, typedName, name, locale } = this.settings;
    const { self, state } = picker;
    // Where the access has a name, it is not asked for.
    this.form.hidden = typedName !== "" || (this.form.hidden && self?.name !== name);
    if (!self) return;
    const owner = [...state.members.values()].find(({ role, id }) => role === "owner" && id !== self.id);
    // Without tokens, the owner may be a guest who has followed one that left.
    const isInviter = owner && this.hasToken;
    setText(this.from, self.role === "owner" ? words.yours : isInviter ? words.invites(isolated(owner.name, locale)) : words.invited);
    setText(this.who, this.#decision(picker, isHosts, decidedBy, owner));
  }

  /**
   * @param {PickerSession} picker @param {boolean | null} isHosts @param {string | null} decidedBy
   * @param {import("../client/core/types").Member | undefined} owner another member
   */
  #decision({ self, state }, isHosts, decidedBy, owner) {
    const { locale, words: { decides, confirmedBy, cancelledBy, you } } = this.settings;
    if (state.status === "confirmed" || state.status === "cancelled") {
      const name = state.members.get(decidedBy ?? "")?.name;
      const sentence = state.status === "confirmed" ? confirmedBy : cancelledBy;
      return decidedBy === self?.id ? sentence(you) : name ? sentence(isolated(name, locale)) : "";
    }
    if (isHosts === null) return "";
    if (isHosts) return decides.host;
    if (self?.role === "owner") return decides.you;
    return owner ? decides.owner(isolated(owner.name, locale)) : decides.somebody;
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    const name = this.field.value = this.field.value.trim();
    // Blanks are no name: the browser asks for one, as for an empty field.
    if (!this.field.reportValidity()) return;
    this.settings.setName(name);
    document.getElementById("main")?.focus({ preventScroll: true });
  }
}
