// The host's note as it is shown on a day or beside a row. Its tone is a sign and a word as well as a colour.

import { setAttribute, setText } from "./dom.js";

/** @typedef {import("../core/types").Note} Note */

/**
 * @param {HTMLElement} element @param {Note | undefined} note
 */
export function showNote(element, note) {
  element.hidden = !note;
  setText(element, note?.text ?? "");
  setAttribute(element, "data-tone", note?.tone);
}

/**
 * The note for who listens, with its tone.
 * @param {Note | undefined} note @param {import("../words/words.js").Words} words
 */
export const noteText = (note, words) => note && (note.tone ? `${note.text} (${words.tones[note.tone]})` : note.text);
