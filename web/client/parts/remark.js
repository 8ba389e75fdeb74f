// The display of the host's note on a day or row. Its tone is shown by a sign and a word, not only by a color.

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
 * The note with its tone, for screen readers.
 * @param {Note | undefined} note @param {import("../words/words.js").Words} words
 */
export const noteText = (note, words) => note && (note.tone ? `${note.text} (${words.tones[note.tone]})` : note.text);
