// A picker by one tag, in its place, in a dialog, or in one behind a floating button:
//
//   <script type="module" src="/client/v1/embed.js" data-session="/s/ID" data-kind="calendar" data-open="dialog"
//     data-text="Choose the days"></script>

/** @type {{[kind: string]: [name: string, load: () => Promise<unknown>]}} the element for each kind, and the file that defines it */
const elements = {
  calendar: ["pickerd-calendar", () => import("./define-calendar.js")],
  availability: ["pickerd-availability", () => import("./define-availability.js")],
};
for (const kind of ["date", "slot", "cascade", "columns"]) elements[kind] = ["pickerd-wheels", () => import("./define-wheels.js")];

/** What the element gets from the tag. */
const attributes = ["session", "member-name", "locale", "token", "labels", "months", "frame", "actions", "presence", "time-zone", "zones",
  "name", "required", "disabled"];

/** @type {{[language: string]: [close: string, failed: string]}} the cross is read as “times” otherwise */
const words = {
  ar: ["إغلاق", "غير متاح الآن. أعد المحاولة"], de: ["Schließen", "Zurzeit nicht verfügbar. Erneut versuchen"],
  en: ["Close", "Not available right now. Try again"], es: ["Cerrar", "No disponible ahora. Reintentar"],
  fa: ["بستن", "اکنون در دسترس نیست. تلاش دوباره"], fr: ["Fermer", "Indisponible pour le moment. Réessayer"],
  he: ["סגירה", "לא זמין כרגע. לנסות שוב"], hi: ["बंद करें", "अभी उपलब्ध नहीं। फिर कोशिश करें"],
  it: ["Chiudi", "Non disponibile al momento. Riprova"], ja: ["閉じる", "現在利用できません。再試行する"],
  ko: ["닫기", "지금 사용할 수 없습니다. 다시 시도"], nl: ["Sluiten", "Nu niet beschikbaar. Opnieuw proberen"],
  pl: ["Zamknij", "Obecnie niedostępne. Spróbuj ponownie"], pt: ["Fechar", "Indisponível no momento. Tentar de novo"],
  ru: ["Закрыть", "Сейчас недоступно. Повторить"], tr: ["Kapat", "Şu anda kullanılamıyor. Yeniden dene"],
  uk: ["Закрити", "Зараз недоступно. Повторити"], zh: ["关闭", "暂时无法使用。重试"], "zh-Hant": ["關閉", "目前無法使用。重試"],
};

/**
 * The texts in the language of a tag, its page or its reader.
 * @param {HTMLScriptElement} script
 */
const wordsOf = ({ dataset: { locale } }) => {
  const tag = locale || document.documentElement.lang || navigator.language;
  return words[/^zh-(hant|tw|hk|mo)/i.test(tag) ? "zh-Hant" : tag.slice(0, 2).toLowerCase()] ?? words.en;
};

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
:where(.pickerd-loading) { box-sizing: border-box; display: grid; place-content: center; min-height: 22rem; border-radius: 12px; background: #8881; }
:where(.pickerd-loading[data-kind="calendar"]) { min-height: calc(clamp(20.6rem, 56svh, 46rem) + 12.5rem); }
:where(.pickerd-loading[aria-busy="true"]) { padding: 5rem 1rem 3rem;
  background: radial-gradient(circle, #8883 1rem, #0000 1rem) 0 0 / calc(100% / 7) 3.5rem content-box, #8881; }
:where(.pickerd-button) { font: inherit; font-weight: 600; min-height: 44px; padding: 0 1.2em; border: 0; border-radius: 999px;
  background: var(--pickerd-accent, #2451c5); color: var(--pickerd-on-accent, #fff); cursor: pointer; }
:where(.pickerd-floating) { position: fixed; inset-block-end: max(1rem, env(safe-area-inset-bottom)); inset-inline-end: 1rem; z-index: 10;
  display: grid; justify-items: end; gap: .5rem; }
:where(.pickerd-floating > .pickerd-button) { box-shadow: 0 4px 16px #0004; }
:where(.pickerd-dialog) { box-sizing: border-box; width: min(44rem, 100%); max-width: 100%; max-height: 100%; padding: 0; border: 0; border-radius: 12px;
  background: Canvas; color: CanvasText; }
:where(.pickerd-dialog)::backdrop { background: #0008; }
:where(.pickerd-close) { display: block; margin-inline-start: auto; width: 44px; height: 44px; border: 0; background: none; color: inherit;
  font: 1.5rem/1 system-ui, sans-serif; cursor: pointer; }
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

/** @param {string} text @param {() => void} press */
function button(text, press) {
  const element = make("button", "pickerd-button", text);
  element.type = "button";
  element.addEventListener("click", press);
  return element;
}

/**
 * Replaces what has its place by the element, once. If the server cannot be reached, the place says so, and tries again when
 * the reader wants.
 * @param {HTMLElement} box @param {HTMLScriptElement} script
 */
async function load(box, script) {
  if (box.ariaBusy === "true") return;
  box.ariaBusy = "true";
  box.replaceChildren();
  const [name, define] = elements[script.dataset.kind ?? ""];
  try {
    await define();
  } catch (problem) {
    box.ariaBusy = "false";
    box.append(button(wordsOf(script)[1], () => load(box, script)));
    console.error(`embed.js: <${name}> was not loaded`, problem);
    return;
  }
  const element = document.createElement(name);
  for (const each of attributes) {
    const value = script.getAttribute(`data-${each}`);
    if (value !== null) element.setAttribute(each, value);
  }
  box.replaceWith(element);
}

/** @param {HTMLScriptElement} script */
function embed(script) {
  const { kind = "", open = "inline", text = "" } = script.dataset;
  if (!(kind in elements)) {
    console.error(`embed.js: data-kind is the kind of the session's definition: ${Object.keys(elements).join(", ")}`);
    return;
  }
  if (!["inline", "dialog", "floating"].includes(open) || (open !== "inline" && !text)) {
    console.error(`embed.js: data-open is "inline", "dialog" or "floating", and the last two need data-text, the text of the button`);
    return;
  }
  const box = make("div", "pickerd-loading");
  box.role = "status";
  box.dataset.kind = kind;
  /** @param {Node} node in the place of the tag */
  const place = (node) => (script.closest("head") ? document.body.append(node) : script.after(node));
  if (open === "inline") {
    place(box);
    void load(box, script);
    return;
  }
  const close = make("button", "pickerd-close", "×");
  close.ariaLabel = wordsOf(script)[0];
  const form = make("form", "", close);
  form.method = "dialog";
  const dialog = make("dialog", "pickerd-dialog", form, box);
  dialog.ariaLabel = text;
  // A press beside it, from beginning to end.
  let isBeside = false;
  dialog.addEventListener("pointerdown", (/** @type {Event} */ event) => { isBeside = event.target === dialog; });
  dialog.addEventListener("click", (/** @type {Event} */ event) => { if (isBeside && event.target === dialog) dialog.close(); });
  const opener = button(text, () => {
    dialog.showModal();
    void load(box, script);
  });
  opener.ariaHasPopup = "dialog";
  if (open === "dialog") place(opener);
  else {
    const floating = document.querySelector("body > .pickerd-floating") ?? make("div", "pickerd-floating");
    floating.append(opener);
    document.body.append(floating);
  }
  document.body.append(dialog);
}

document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
const here = new URL(import.meta.url);
for (const script of /** @type {NodeListOf<HTMLScriptElement>} */ (document.querySelectorAll("script[data-session]:not([data-embedded])"))) {
  const { origin, pathname } = new URL(script.src || "about:blank");
  if (origin !== here.origin || !pathname.endsWith("/embed.js")) continue;
  // The page may have this module at several addresses.
  script.dataset.embedded = "";
  embed(script);
}
