// Who is here: a round picture each, the one who is away paler, and a word when there are too many.

import { make, setAttribute, setText } from "./dom.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */

const shownMax = 6;

/**
 * The first letter that a person would see.
 * @param {string} name
 */
export const initialOf = (name) => [...name.trim()][0]?.toLocaleUpperCase() ?? "?";

/**
 * Black or white, whichever can be read on a colour.
 * @param {string} color `#rrggbb`
 */
export function inkOn(color) {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

export class People {
  constructor() {
    this.list = make("ul", { class: "people", part: "people" });
    this.element = this.list;
    this.shown = "";
  }

  /** @param {PickerSession} picker @param {import("../words/words.js").Words} words */
  draw(picker, words) {
    const { state } = picker;
    const members = [...state.members.values()]
      .sort((a, b) => Number(b.id === state.self?.id) - Number(a.id === state.self?.id) || Number(b.online) - Number(a.online));
    const opener = picker.isRangeOpen ? picker.rangeShown.range?.by : undefined;
    const described = JSON.stringify([members, state.self?.id, [...state.touching.keys()], opener, words.you]);
    if (described === this.shown) return;
    this.shown = described;
    const shown = members.slice(0, shownMax).map((member) => this.#face(member, picker, words, opener));
    const more = members.length - shown.length;
    if (more > 0) shown.push(make("li", { class: "face more" }, `+${more}`));
    this.list.replaceChildren(...shown);
    setAttribute(this.list, "aria-label", words.here(members.length));
  }

  /** @param {import("../core/types").Member} member @param {PickerSession} picker @param {import("../words/words.js").Words} words @param {string | undefined} opener */
  #face(member, picker, words, opener) {
    const isSelf = member.id === picker.self?.id;
    const name = isSelf ? `${member.name} (${words.you})` : member.name;
    const text = member.online ? name : words.offlineMember(name);
    const face = make("li", {
      class: "face", title: text, "data-member": member.id,
      "data-away": !member.online, "data-touching": picker.state.touching.has(member.id),
      "data-opener": member.id === opener, "data-self": isSelf,
    });
    const label = make("span", { class: "unseen" });
    setText(label, text);
    face.append(make("span", { "aria-hidden": "true" }, initialOf(member.name)), label);
    face.style.setProperty("--author", member.color);
    face.style.setProperty("--author-ink", inkOn(member.color));
    return face;
  }
}
