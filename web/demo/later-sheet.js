// The style sheet of the home page and the panels. A bundled page loads it when they are shown; others have it already.

/** @type {Promise<unknown> | undefined} */
let loading;

/** @returns {Promise<unknown>} resolves when it is there, or cannot be loaded */
export function loadLaterSheet() {
  loading ??= new Promise((resolve) => {
    const href = document.querySelector('meta[name="later-sheet"]')?.getAttribute("content");
    if (!href) return resolve(null);
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
    link.onload = link.onerror = resolve;
    document.head.append(link);
  });
  return loading;
}
