// The service worker: the page opens without a request, also while there is no network. `bundle.py` defines `SHELL`, and
// so this file changes with each bundle: browsers install it again, and the next load has the new page.
//
// Without a bundle it removes itself, so that a page of separate modules is not hidden by an older bundle.

const worker = /** @type {any} */ (globalThis);
/** The version, and files relative to the page, which is "./". */
const shell = typeof SHELL === "undefined" ? null : SHELL;
const prefix = "pickerd shell ";
const cacheName = `${prefix}${shell?.version}`;

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(install()));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(activate()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const path = pathOf(event.request);
  if (path !== null) event.respondWith(answer(path, event.request));
});

async function install() {
  if (shell) {
    const cache = await caches.open(cacheName);
    // Hashed files are immutable, so that they come from the browser's cache if the page has loaded them.
    await cache.addAll(shell.files.map((file) =>
      new Request(urlOf(file), { cache: file.includes("/-/") ? "default" : "no-cache" })));
  }
  await worker.skipWaiting();
}

async function activate() {
  const all = (await caches.keys()).filter((one) => one.startsWith(prefix));
  // A page that is open may still load files of the bundle before this one.
  const last = all.filter((one) => one !== cacheName).at(-1);
  await Promise.all(all.filter((one) => !shell || (one !== cacheName && one !== last)).map((one) => caches.delete(one)));
  if (!shell) await worker.registration.unregister();
}

/** @param {string} path relative to the page */
const urlOf = (path) => new URL(path, worker.registration.scope).href;

/**
 * The file of the shell that a request is for; null for all others.
 * @param {Request} request @returns {string | null}
 */
function pathOf({ method, mode, url }) {
  if (!shell || method !== "GET") return null;
  const { href } = new URL(url);
  const address = href.split("#")[0];
  if (mode === "navigate") return address === urlOf("./") || isLink(address) ? "./" : null;
  const path = address.startsWith(urlOf("./")) ? address.slice(urlOf("./").length) : "";
  return path.startsWith("demo/-/") || shell.files.includes(path) ? path : null;
}

/** @param {string} address without a fragment @returns {boolean} whether it is that of a session's link, `s/ID` */
const isLink = (address) => address.startsWith(urlOf("./s/")) && /^[^/?]+$/.test(address.slice(urlOf("./s/").length));

/**
 * The page at the address of a link, as the server has it: with URLs that lead to the same files.
 * @param {Response} page
 */
async function pageOfLink(page) {
  const html = (await page.text()).replace(/(href|src)="(demo|client)\//g, '$1="../$2/')
    .replace('<meta charset="utf-8">', '$&<meta name="root" content="../">');
  return new Response(html, { headers: page.headers });
}

/** @param {string} path @param {Request} request */
async function answer(path, request) {
  const stored = await (await caches.open(cacheName)).match(urlOf(path))
    ?? (path.includes("/-/") ? await caches.match(urlOf(path)) : null);
  if (stored) return request.mode === "navigate" && isLink(request.url.split("#")[0]) ? pageOfLink(stored) : stored;
  const response = await fetch(request);
  if (response.ok && path.includes("/-/")) await (await caches.open(cacheName)).put(urlOf(path), response.clone());
  return response;
}
