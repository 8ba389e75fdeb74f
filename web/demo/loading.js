// Loads the page again after a file of it could not be loaded. Imports nothing, so that it is there in that case.

const pauseMilliseconds = 3_000;
let isWaiting = false;

/**
 * A signal that aborts a request after some time.
 * @param {number} milliseconds
 */
export function timeLimit(milliseconds) {
  const limit = new AbortController();
  setTimeout(() => limit.abort(), milliseconds);
  return limit.signal;
}

/** Reloads the page as soon as the server can be reached. A reload without the server would replace it by an error. */
export function reloadLater() {
  if (isWaiting) return;
  isWaiting = true;
  setTimeout(reload, pauseMilliseconds);
}

async function reload() {
  try {
    await fetch("/", { method: "HEAD", cache: "no-store", signal: timeLimit(pauseMilliseconds) });
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
