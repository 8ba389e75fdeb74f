// The panel with the link to share.

import { make, setAttribute, setText } from "../client/parts/dom.js";
import { isolated } from "../client/words/dates.js";
import { qrModules, qrPath } from "./qr.js";
import { storedTokens, linkOf } from "./route.js";

export class SharePanel {
  /**
   * @param {string} session @param {string | undefined} token of the address
   * @param {boolean} isOpen whether the user is likely to invite others
   * @param {(() => void) | null} done called when the user goes on; null if sharing is no step
   */
  constructor(session, token, isOpen, done) {
    this.session = session;
    this.tokens = storedTokens(session);
    const isPersonal = !this.tokens && namesUser(token);
    this.token = this.tokens?.editor ?? (isPersonal ? undefined : token);
    /** What is sent with the link. */
    this.message = "";
    this.heading = make("summary", {});
    this.text = make("p", { class: "remark" });
    this.field = make("input", { class: "link", type: "text", readonly: true, id: "share-link", onfocus: () => this.field.select() });
    this.copyButton = make("button", { class: "primary", type: "button", onclick: () => this.#copy() });
    this.sendButton = make("button", { class: "secondary", type: "button", onclick: () => this.#send() });
    this.secondLink = make("a", { class: "secondary second", target: "_blank", rel: "noopener" });
    this.doneButton = make("button", { class: "secondary done", type: "button", onclick: () => {
      // The panel is folded, so that the user sees that the step is over, and can be opened again.
      this.element.open = false;
      this.doneButton.hidden = true;
      done?.();
    } });
    this.doneButton.hidden = !done;
    this.role = make("select", { onchange: () => this.#choose(this.role.value) });
    this.role.hidden = !this.tokens;
    this.sendButton.hidden = !navigator.share;
    this.status = make("p", { class: "remark", role: "status" });
    this.picture = make("figure", { class: "qr" });
    this.caption = make("figcaption", {});
    this.local = make("p", { class: "remark" });
    this.element = make("details", { class: "panel share", open: isOpen }, this.heading, this.text, make("div", { class: "share-ways" },
      make("div", {}, this.role, this.field,
        make("div", { class: "ways" }, this.copyButton, this.sendButton, this.secondLink, this.doneButton), this.status),
      this.picture), this.local);
    this.element.hidden = isPersonal;
    this.#draw();
  }

  /** @param {import("./words/words.js").DemoWords} words */
  setWords(words) {
    this.words = words;
    setText(this.heading, words.share);
    setText(this.text, words.shareText);
    setText(this.copyButton, words.copy);
    setText(this.sendButton, words.send);
    setText(this.secondLink, words.secondWindow);
    setText(this.doneButton, words.done);
    setAttribute(this.field, "aria-label", words.pasteLink);
    setAttribute(this.role, "aria-label", words.share);
    if (this.tokens) {
      this.role.replaceChildren(make("option", { value: "editor" }, words.roleEditor), make("option", { value: "viewer" }, words.roleViewer));
    }
    setText(this.local, isLocal(location.hostname) ? words.qrLocal(location.port || "80") : "");
    setText(this.caption, words.qrText);
    setText(this.status, "");
    this.#draw();
  }

  /** @param {string} title of the picker @param {string} user the name of the user */
  name(title, user) {
    const { lang } = document.documentElement;
    this.message = this.words && title ? this.words.message(isolated(user, lang), isolated(title, lang)) : "";
  }

  /** @param {string} role */
  #choose(role) {
    this.token = this.tokens?.[/** @type {"editor" | "viewer"} */ (role)];
    this.#draw();
  }

  #draw() {
    const link = linkOf(this.session, this.token);
    this.field.value = link;
    setAttribute(this.secondLink, "href", link);
    this.#picture(link);
  }

  /**
   * Shows the QR code of a link, unless the link is too long.
   * @param {string} link
   */
  #picture(link) {
    const modules = qrModules(link);
    this.picture.hidden = modules === null;
    if (!modules) return;
    const quiet = 4;
    const size = modules.length + 2 * quiet;
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    setAttribute(svg, "viewBox", `${-quiet} ${-quiet} ${size} ${size}`);
    setAttribute(svg, "role", "img");
    setAttribute(svg, "aria-label", `QR: ${this.words?.share ?? ""}`);
    const path = document.createElementNS(space, "path");
    setAttribute(path, "d", qrPath(modules));
    svg.append(path);
    this.picture.replaceChildren(svg, this.caption);
  }

  async #copy() {
    const { words } = this;
    try {
      await navigator.clipboard.writeText(this.field.value);
      setText(this.status, words?.copied ?? "");
    } catch {
      // The clipboard needs a secure context. Without it the link is selected, so that the user can copy it.
      this.field.focus();
      setText(this.status, words?.copyFailed ?? "");
    }
  }

  async #send() {
    try {
      await navigator.share({ title: this.message, text: this.message, url: this.field.value });
    } catch {
      // The user has canceled sharing.
    }
  }
}

/**
 * Whether a token names its user, as one of `--auth keys` may: everyone with a link that has it would be this user.
 * @param {string | undefined} token
 */
function namesUser(token = "") {
  try {
    const claims = JSON.parse(atob(token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/")));
    return "sub" in claims || "name" in claims;
  } catch {
    return false;
  }
}

/**
 * Whether only this machine can open the address.
 * @param {string} host
 */
const isLocal = (host) => host === "localhost" || host === "[::1]" || /^127\./.test(host);
