// The site's pages: the list of contents on a phone, copy buttons, and the search.

const root = document.querySelector("meta[name=docs]").content;
const contents = document.querySelector(".contents");
const nav = document.querySelector("#nav");

function showContents(isShown) {
  contents.setAttribute("aria-expanded", isShown);
  nav.toggleAttribute("data-shown", isShown);
  if (isShown) nav.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
}

contents.addEventListener("click", () => showContents(contents.getAttribute("aria-expanded") !== "true"));
nav.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
scrollTo(0, 0);

// Copy buttons

const copyIcon = `<svg viewBox="0 0 24 24" aria-hidden="true"><rect x="9" y="9" width="11" height="11" rx="2.5"/><path d="M5.5 15A1.5 1.5 0 0 1 4 13.5v-8A1.5 1.5 0 0 1 5.5 4h8A1.5 1.5 0 0 1 15 5.5"/></svg>`;

// A page without TLS may not write to the clipboard.
for (const block of navigator.clipboard ? document.querySelectorAll(".codehilite") : []) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "icon-button copy", innerHTML: copyIcon });
  button.setAttribute("aria-label", "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("pre").textContent.trimEnd());
    button.setAttribute("aria-label", "Copied");
  });
  block.append(button);
}

// Search

const form = document.querySelector(".search");
const input = form.querySelector("input");
const found = form.querySelector(".found");
const list = found.querySelector("ol");
const status = found.querySelector("[role=status]");
const longest = 12;
let worker = null;
let isReady = false;

/** The worker of MkDocs, which makes the index when the search is first used. */
function start() {
  if (worker) return;
  worker = new Worker(`${root}search/worker.js`);
  worker.addEventListener("message", ({ data }) => {
    if (data.allowSearch) {
      isReady = true;
      ask();
    } else if (data.results) show(data.results);
  });
  worker.postMessage({ init: true });
}

/** The words of the query, without the characters that have a meaning for lunr. */
const words = () => input.value.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

function ask() {
  const all = words();
  found.hidden = all.length === 0;
  if (all.length === 0) return;
  if (!isReady) {
    status.textContent = "Searching…";
    return;
  }
  worker.postMessage({ query: all.map((word) => `${word} ${word}*`).join(" ") });
}

/** The text around the first word that it has. */
function excerpt(text, all) {
  const lower = text.toLowerCase();
  const place = Math.min(...all.map((word) => lower.indexOf(word)).filter((index) => index >= 0));
  const start = Number.isFinite(place) && place > 80 ? text.lastIndexOf(" ", place - 60) + 1 : 0;
  return `${start > 0 ? "…" : ""}${text.slice(start, start + 160)}`;
}

/** Shows what has all words, what has them in its title first. */
function show(results) {
  const all = words();
  // A page and its first section are one place.
  const seen = new Set();
  const single = results.filter(({ location, title }) => {
    const name = `${location.split("#")[0]} ${title}`;
    return !seen.has(name) && seen.add(name);
  });
  const places = single.map((one) => ({ ...one, inTitle: one.title.toLowerCase(), inText: one.text.toLowerCase() }));
  const complete = places.filter(({ inTitle, inText }) => all.every((word) => inTitle.includes(word) || inText.includes(word)));
  const kept = complete.length > 0 ? complete : places;
  const score = ({ inTitle }) => all.filter((word) => inTitle.includes(word)).length + (inTitle === all.join(" ") ? 1 : 0);
  // The sort is stable: otherwise what lunr finds best.
  kept.sort((one, other) => score(other) - score(one));
  status.textContent = kept.length === 0 ? "Nothing found." : kept.length === 1 ? "1 place" : `${kept.length} places`;
  list.replaceChildren(...kept.slice(0, longest).map(({ location, title, text }) => {
    const link = document.createElement("a");
    link.href = root + location;
    const name = document.createElement("b");
    name.textContent = title;
    const about = document.createElement("span");
    about.textContent = excerpt(text, all);
    link.append(name, about);
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
}

function close() {
  found.hidden = true;
}

input.addEventListener("focus", () => { start(); ask(); });
input.addEventListener("input", () => { start(); ask(); });
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
form.addEventListener("focusout", ({ relatedTarget }) => { if (relatedTarget && !form.contains(relatedTarget)) close(); });
form.addEventListener("keydown", (event) => {
  const places = [input, ...list.querySelectorAll("a")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") {
    close();
    input.focus();
    close();
  } else if (step && !found.hidden) {
    event.preventDefault();
    places[Math.min(Math.max(places.indexOf(document.activeElement) + step, 0), places.length - 1)].focus();
  }
});
document.addEventListener("pointerdown", ({ target }) => { if (!form.contains(target)) close(); });
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, [contenteditable]");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    input.focus();
  } else if (event.key === "Escape" && nav.hasAttribute("data-shown")) {
    showContents(false);
    contents.focus();
  }
});
