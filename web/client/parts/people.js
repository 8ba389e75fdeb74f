// The list of members: an avatar for each, paler for absent ones, and a count if there are too many.

import { make, setAttribute } from "./dom.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */

const namedMax = 3;

/**
 * The first visible character of a name.
 * @param {string} name
 */
export const initialOf = (name) => [...name.trim()][0]?.toLocaleUpperCase() ?? "?";

/**
 * The relative luminance (WCAG 2), 0…1.
 * @param {string} color `#rrggbb`
 */
function luminanceOf(color) {
  const [red, green, blue] = channelsOf(color)
    .map((value) => value / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {string} color `#rrggbb` */
const channelsOf = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

/**
 * The color, darkened for white text.
 * @param {string} color `#rrggbb`
 */
export function solidOf(color) {
  let solid = color;
  for (let share = 0.95; luminanceOf(solid) > 0.18 && share > 0; share -= 0.05) {
    const darker = channelsOf(color).map((value) => Math.round(value * share).toString(16).padStart(2, "0"));
    solid = `#${darker.join("")}`;
  }
  return solid;
}

export class People {
  /** @param {number} [shownMax] the maximum of faces; the others are counted */
  constructor(shownMax = 6) {
    this.shownMax = shownMax;
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
    const touching = [...state.touching.values()].filter(({ hover }) => !hover).map(({ member }) => member);
    const described = JSON.stringify([members, state.self?.id, touching, opener, words.you]);
    if (described === this.shown) return;
    this.shown = described;
    const shown = members.slice(0, this.shownMax).map((member) => this.#face(member, touching, picker, words, opener));
    const more = members.length - shown.length;
    if (more > 0) shown.push(make("li", { class: "face more" }, make("span", { class: "picture" }, `+${more}`)));
    // Names are visible for a few members only; with more they are in the tooltip and for screen readers.
    setAttribute(this.list, "data-count", members.length);
    setAttribute(this.list, "data-many", members.length > namedMax);
    this.list.replaceChildren(...shown);
    setAttribute(this.list, "aria-label", words.here(members.length));
  }

  /**
   * @param {import("../core/types").Member} member @param {string[]} touching the members that touch something
   * @param {PickerSession} picker @param {import("../words/words.js").Words} words @param {string | undefined} opener
   */
  #face(member, touching, picker, words, opener) {
    const isSelf = member.id === picker.self?.id;
    const name = isSelf ? `${member.name} (${words.you})` : member.name;
    const text = member.online ? name : words.offlineMember(name);
    const face = make("li", {
      class: "face", part: "face", title: text, "data-member": member.id,
      "data-away": !member.online, "data-touching": touching.includes(member.id),
      "data-opener": member.id === opener, "data-self": isSelf,
    }, make("span", { class: "picture", "aria-hidden": "true" }, initialOf(member.name)), make("bdi", { class: "called" }, text));
    face.style.setProperty("--_author", solidOf(member.color));
    return face;
  }
}
