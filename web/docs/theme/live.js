// Definitions with their pickers: each example creates a session when it comes into view, and again when it is changed.

const meta = document.querySelector("meta[name=docs]");
const server = new URL(meta.dataset.server, new URL(meta.content, location.href)).href;
const elements = { calendar: "elements.js", availability: "define-availability.js" };
/** How long a text rests before its picker is made. */
const restMilliseconds = 400;
/** The sessions of a page end soon after it is closed. */
const ttlSeconds = 600;

const escaped = (text) => text.replace(/[&<>]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[one]);

/** JSON as HTML, with the classes that the other examples have. */
const colored = (json) => escaped(json).replace(
  /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g,
  (all, text, colon) => text ? `<span class="${colon ? "nt" : "s2"}">${text}</span>${colon ?? ""}` : `<span class="mi">${all}</span>`);

class Example {
  #picker = null;
  #rest = 0;
  #turn = 0;

  constructor(box) {
    this.code = box.querySelector("code");
    this.original = this.code.textContent;
    this.live = box.querySelector(".live");
    this.stage = box.querySelector(".stage");
    this.answer = box.querySelector(".answer");
    this.second = box.querySelector(".second");
    this.code.contentEditable = "plaintext-only";
    this.code.spellcheck = false;
    this.live.hidden = false;
    this.code.addEventListener("input", () => {
      clearTimeout(this.#rest);
      this.#rest = setTimeout(() => void this.show(), restMilliseconds);
    });
    this.code.addEventListener("blur", () => { this.code.innerHTML = colored(this.code.textContent); });
  }

  /** Sets a field of the definition as it was at first, marks it, and shows the picker. */
  set(field, value, unit) {
    const definition = JSON.parse(this.original);
    if (unit) definition.unit = unit;
    definition[field] = value;
    const lines = JSON.stringify(definition, null, 2).split("\n");
    let isMarked = false;
    this.code.innerHTML = lines.map((line) => {
      if (/^ {2}"/.test(line)) isMarked = line.startsWith(`  ${JSON.stringify(field)}:`);
      if (line === "}") isMarked = false;
      return isMarked ? `<mark>${colored(line)}</mark>` : colored(line);
    }).join("\n");
    return this.show();
  }

  #read() {
    try {
      return JSON.parse(this.code.textContent);
    } catch (error) {
      this.#says(error.message, true);
      return null;
    }
  }

  #says(text, isProblem = false) {
    this.answer.textContent = text;
    this.answer.toggleAttribute("data-problem", isProblem);
  }

  /** Shows the picker of the definition, or why there is none. */
  async show() {
    const turn = ++this.#turn;
    const definition = this.#read();
    if (definition) await this.#create(definition, turn);
    if (turn === this.#turn) this.live.dataset.turn = turn;
  }

  async #create(definition, turn) {
    try {
      const response = await fetch(new URL("v1/sessions", server), {
        method: "POST", body: JSON.stringify({ definition, ttlSeconds, title: `Example: ${definition.kind}` }),
      });
      const answer = await response.json();
      if (turn !== this.#turn) return;
      if (!response.ok) return this.#says(response.status === 401 || response.status === 403
        ? "Only the host of this server creates pickers. On your own, with make run, this example is live."
        : answer.detail ?? answer.title, true);
      await this.#join(answer.session, definition.kind, turn);
    } catch {
      this.#says("Live where a pickerd serves this page: make run, then open its /docs/.", true);
    }
  }

  async #join(session, kind, turn) {
    const module = elements[kind] ?? elements.calendar;
    const { connect } = await import(new URL(`client/${module}`, server).href);
    const picker = await connect(new URL(`v1/sessions/${session}`, server).href, { name: "You", identity: "none" });
    if (turn !== this.#turn) {
      picker.leave();
      return;
    }
    this.#picker?.leave();
    this.#picker = picker;
    const says = () => { if (picker.state) this.#says(JSON.stringify(picker.result ?? null)); };
    picker.addEventListener("change", says);
    const tag = kind === "calendar" || kind === "availability" ? kind : "wheels";
    const element = document.createElement(`pickerd-${tag}`);
    element.setAttribute("frame", "none");
    element.setAttribute("actions", "none");
    element.picker = picker;
    this.stage.dataset.kind = kind;
    this.stage.replaceChildren(element);
    this.second.href = new URL(`s/${session}`, server).href;
    says();
  }
}

const examples = new Map([...document.querySelectorAll(".try")].map((box) => [box, new Example(box)]));
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    void examples.get(target).show();
  }
});
for (const box of examples.keys()) seen.observe(box);

// The fields of a kind are tried in its first example.
const [first] = examples.values();
for (const button of first ? document.querySelectorAll(".try-field") : []) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const { field, value, unit } = button.dataset;
    first.code.closest(".try").scrollIntoView({ block: "nearest" });
    void first.set(field, JSON.parse(value), unit);
  });
}
