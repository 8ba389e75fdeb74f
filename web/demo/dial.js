// Opens the socket of a link at once, while the scripts that use it are being loaded, and then loads the page that the
// address leads to: not before the first scripts, which join the session. Only bundled pages have it.

import { wayBack } from "./address.js";

const path = wayBack ? undefined : /^#\/s\/([^/?]+)/.exec(location.hash)?.[1].replace(/^/, "v1/sessions/");
// The other scripts may have come from a cache before this one, and then have joined already.
if (path && !("dialed" in globalThis)) {
  const url = new URL(path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = "";
  /** @type {any} */ (globalThis).dialed = { path, socket: new WebSocket(url, "pickerd.v1") };
}

const needed = wayBack ? undefined : document.querySelector(`meta[name="${path ? "picker" : "home"}-modules"]`)?.getAttribute("content");
for (const href of needed?.split(" ") ?? []) {
  const kind = href.endsWith(".css") ? { rel: "preload", as: "style" } : { rel: "modulepreload" };
  document.head.append(Object.assign(document.createElement("link"), kind, { href }));
}
