// The link to share: with a phone by its own sheet, otherwise in a popover, with a QR code.

import { isolated } from "../client/words/dates.js";
import { h } from "./patch.js";
import { qrModules, qrPath } from "./qr.js";
import { hashOf, linkOf, storedTokens } from "./route.js";

/** The light modules around a QR code. */
const quiet = 4;

/**
 * Shares a link with the sheet of the device, where there is one and a finger asks for it.
 * @param {import("./picker-page.js").PickerPage} page @returns {Promise<boolean>} whether there is one
 */
export async function shareByDevice(page) {
  const { settings: { words, locale, name } } = page;
  if (!navigator.share || !matchMedia("(pointer: coarse)").matches) return false;
  const text = words.message(isolated(name, locale), isolated(page.title, locale));
  // The user may cancel it.
  await navigator.share({ title: page.title, text, url: linkOf(page.route.session, tokenOf(page)) }).catch(() => {});
  return true;
}

/** @param {import("./picker-page.js").PickerPage} page @returns {string | undefined} the token in the link */
function tokenOf({ route: { session, token }, sharedRole }) {
  const tokens = storedTokens(session);
  return tokens ? tokens[sharedRole] : token;
}

/** @param {import("./picker-page.js").PickerPage} page @returns {import("./patch.js").View} */
export function shareView(page) {
  const { route: { session }, settings: { words } } = page;
  const token = tokenOf(page);
  const link = linkOf(session, token);
  return [
    h("h2", {}, words.share),
    h("p", { class: "remark" }, words.shareText),
    storedTokens(session)?.editor && h("select", {
      "aria-label": words.share, value: page.sharedRole,
      onchange: (/** @type {any} */ { target }) => page.shareAs(target.value),
    }, h("option", { key: "editor", value: "editor" }, words.roleEditor), h("option", { key: "viewer", value: "viewer" }, words.roleViewer)),
    h("input", {
      class: "link", id: "share-link", type: "text", readonly: true, value: link, "aria-label": words.pasteLink,
      onfocus: (/** @type {any} */ { target }) => target.select(),
    }),
    h("div", { class: "ways" },
      h("button", { class: "primary", key: "copy", type: "button", onclick: () => copy(page, link) }, words.copy),
      h("a", { class: "secondary second", href: `./${hashOf(session, token, true)}`, target: "_blank", rel: "noopener" }, words.secondWindow)),
    h("p", { class: "remark", key: "status", role: "status" }, page.shareStatus),
    picture(link, words),
    isLocal(location.hostname) && h("p", { class: "remark", key: "local" }, words.qrLocal(location.port || "80")),
  ];
}

/** @param {import("./picker-page.js").PickerPage} page @param {string} link */
async function copy(page, link) {
  const { words } = page.settings;
  try {
    await navigator.clipboard.writeText(link);
    page.say(words.copied);
  } catch {
    // The clipboard needs a secure context. Without it the link is selected, so that the user can copy it.
    document.getElementById("share-link")?.focus();
    page.say(words.copyFailed);
  }
}

/**
 * The QR code of a link, unless the link is too long.
 * @param {string} link @param {import("./words/words.js").DemoWords} words
 */
function picture(link, words) {
  const modules = qrModules(link);
  if (!modules) return null;
  const size = modules.length + 2 * quiet;
  return h("figure", { class: "qr" },
    h("svg", { viewBox: `${-quiet} ${-quiet} ${size} ${size}`, role: "img", "aria-label": `QR: ${words.share}` }, h("path", { d: qrPath(modules) })),
    h("figcaption", {}, words.qrText));
}

/**
 * Whether only this machine can open the address.
 * @param {string} host
 */
const isLocal = (host) => host === "localhost" || host === "[::1]" || /^127\./.test(host);
