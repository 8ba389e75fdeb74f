// Loads the page again after a file of it could not be loaded. Imports nothing, so that it is there in that case.

const pauseMilliseconds = 3_000;
const answerMillisecondsMax = 10_000;
let isWaiting = false;

/** Reloads the page as soon as the server can be reached. A reload without the server would replace it by an error. */
export function reloadLater() {
  if (isWaiting) return;
  isWaiting = true;
  setTimeout(reload, pauseMilliseconds);
}

async function reload() {
  const limit = new AbortController();
  setTimeout(() => limit.abort(), answerMillisecondsMax);
  try {
    await fetch("./", { method: "HEAD", cache: "no-store", signal: limit.signal });
  } catch {
    setTimeout(reload, pauseMilliseconds);
    return;
  }
  location.reload();
}

// A module whose imports fail has such an event, too. It does not bubble.
addEventListener("error", ({ target }) => {
  if (target instanceof HTMLScriptElement) reloadLater();
}, true);
