// A picker by one tag, in its place, in a dialog, or in one behind a floating button:
//
//   <script type="module" src="/client/v1/embed.js" data-session="/s/ID" data-open="dialog" data-text="Choose the days"></script>
//
// The element is the one for the session's kind; attributes of the tag other than these are attributes of the element.

const OWN = ["session", "open", "text"];

/** @type {{[language: string]: string}} the cross is read as “times” otherwise */
const closeWords = { ar: "إغلاق", de: "Schließen", ja: "閉じる", zh: "关闭" };

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
:where(.pickerd-boot) { min-height: 22rem; border-radius: 12px; background: #8881; animation: pickerd-boot 1.2s ease-in-out infinite alternate; }
:where(.pickerd-button) { font: inherit; font-weight: 600; min-height: 44px; padding: 0 1.2em; border: 0; border-radius: 999px;
  background: var(--pickerd-accent, #2451c5); color: var(--pickerd-accent-ink, #fff); cursor: pointer; }
:where(.pickerd-floating) { position: fixed; inset-block-end: max(1rem, env(safe-area-inset-bottom)); inset-inline-end: 1rem; z-index: 10;
  box-shadow: 0 4px 16px #0004; }
:where(.pickerd-dialog) { box-sizing: border-box; width: min(44rem, 100%); max-width: 100%; max-height: 100%; padding: 0; border: 0; border-radius: 12px;
  background: Canvas; color: CanvasText; }
:where(.pickerd-dialog::backdrop) { background: #0008; }
:where(.pickerd-close) { display: block; margin-inline-start: auto; width: 44px; height: 44px; border: 0; background: none; color: inherit;
  font: 1.5rem/1 system-ui, sans-serif; cursor: pointer; }
@keyframes pickerd-boot { to { opacity: .5; } }
@media (prefers-reduced-motion: reduce) { :where(.pickerd-boot) { animation: none; } }
`);

/**
 * @param {string} name @param {string} className @param {...(Node | string)} children
 * @returns {any}
 */
function make(name, className, ...children) {
  const element = document.createElement(name);
  element.className = className;
  element.append(...children);
  return element;
}

/**
 * The element for the kind of a session, as soon as the kind is known.
 * @param {DOMStringMap} data of the tag @returns {Promise<HTMLElement>}
 */
async function elementOf(data) {
  const { connect } = await import("./pickerd.js");
  const { session = "", memberName, token, locale = document.documentElement.lang || undefined } = data;
  const picker = await connect(session, { name: memberName, token, locale });
  await new Promise((/** @type {(known?: unknown) => void} */ known) => {
    const look = () => {
      // What can never be shown is said by an element, too.
      if (picker.state.isKnown || picker.connection === "credentials" || picker.connection === "away") known();
    };
    for (const event of ["change", "connection"]) picker.addEventListener(event, look);
    look();
  });
  const kind = picker.state.availability ? "availability" : picker.state.isCalendar || !picker.state.isKnown ? "calendar" : "wheels";
  await (kind === "availability" ? import("./define-availability.js") : kind === "wheels" ? import("./define-wheels.js") : import("./define-calendar.js"));
  const element = /** @type {any} */ (document.createElement(`pickerd-${kind}`));
  for (const [name, value] of Object.entries(data)) {
    if (!OWN.includes(name)) element.setAttribute(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value);
  }
  element.picker = picker;
  return element;
}

/**
 * A box that is empty until the element is there; another try begins when it is shown again.
 * @param {DOMStringMap} data
 */
function boxOf(data) {
  const box = make("div", "pickerd-boot");
  let isLoading = false;
  const load = async () => {
    if (isLoading) return;
    isLoading = true;
    box.setAttribute("aria-busy", "true");
    try {
      box.replaceWith(await elementOf(data));
    } catch (problem) {
      console.error(`embed.js: ${data.session} was not loaded`, problem);
      isLoading = false;
    }
  };
  return { box, load };
}

/** @param {HTMLScriptElement} script */
function embed(script) {
  const data = script.dataset;
  const { open = "inline", text } = data;
  if (!["inline", "dialog", "button"].includes(open) || (open !== "inline" && !text)) {
    console.error(`embed.js: data-open is "inline", "dialog" or "button", and the last two need data-text, the text of the button`);
    return;
  }
  const { box, load } = boxOf(data);
  /** @param {Node} node in the place of the tag */
  const place = (node) => (script.closest("head") ? document.body.append(node) : script.after(node));
  if (open === "inline") {
    place(box);
    void load();
    return;
  }
  const close = make("button", "pickerd-close", "×");
  const dialog = make("dialog", "pickerd-dialog", make("form", "", close), box);
  dialog.firstChild.method = "dialog";
  dialog.ariaLabel = text;
  close.ariaLabel = closeWords[(data.locale || document.documentElement.lang || navigator.language).slice(0, 2)] ?? "Close";
  dialog.addEventListener("click", (/** @type {Event} */ event) => { if (event.target === dialog) dialog.close(); });
  const button = make("button", `pickerd-button${open === "button" ? " pickerd-floating" : ""}`, text ?? "");
  button.type = "button";
  button.ariaHasPopup = "dialog";
  button.addEventListener("click", () => {
    dialog.showModal();
    void load();
  });
  if (open === "button") document.body.append(button);
  else place(button);
  document.body.append(dialog);
}

document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
for (const script of document.querySelectorAll("script[data-session]")) {
  if (/\/embed\.js(\?|$)/.test(/** @type {HTMLScriptElement} */ (script).src)) embed(/** @type {HTMLScriptElement} */ (script));
}
