// Registers the service worker, after the page was loaded. Only bundled pages have it.

if ("serviceWorker" in navigator) {
  addEventListener("load", () => {
    // Without it the page works as before: it is not allowed in some private windows.
    navigator.serviceWorker.register("demo/worker.js", { scope: "./" }).catch(() => {});
  });
}
export {};
