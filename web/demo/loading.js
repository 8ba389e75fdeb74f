// Loads the page again after a file of it could not be loaded. Imports nothing, so that it is there in that case.

const pauseMilliseconds = 1_500;
const pauseMillisecondsMax = 60_000;
const answerMillisecondsMax = 10_000;
let isWaiting = false;

/**
 * Waits before a request is repeated: longer after each attempt, and while nobody sees the page.
 * @param {number} attempt 1, 2, …
 */
export async function pauseAfter(attempt) {
  const pause = Math.min(pauseMilliseconds * 2 ** (attempt - 1), pauseMillisecondsMax) * (1 + Math.random());
  await new Promise((resolve) => setTimeout(resolve, pause));
  while (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
}

/** Reloads the page as soon as the server can be reached. A reload without the server would replace it by an error. */
export function reloadLater() {
  if (isWaiting) return;
  isWaiting = true;
  void reload(1);
}

/** @param {number} attempt 1, 2, … @returns {Promise<void>} */
async function reload(attempt) {
  await pauseAfter(attempt);
  const limit = new AbortController();
  setTimeout(() => limit.abort(), answerMillisecondsMax);
  try {
    await fetch("./", { method: "HEAD", cache: "no-store", signal: limit.signal });
  } catch {
    return reload(attempt + 1);
  }
  location.reload();
}

// A module whose imports fail has such an event, too. It does not bubble.
addEventListener("error", ({ target }) => {
  if (target instanceof HTMLScriptElement) reloadLater();
}, true);
