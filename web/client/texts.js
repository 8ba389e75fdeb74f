// The texts of the elements for a page that shows parts of them itself: with `frame="none"` or `actions="none"`.

export { connectionText } from "./parts/banner.js";
export { resultText, statusText, usability } from "./parts/bar.js";
export { loadWords, wordsOf } from "./words/words.js";
