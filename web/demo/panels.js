// The panels beside a picker: host, share and definition. Loaded once the picker is shown.

import { DefinitionPanel } from "./definition-panel.js";
import { HostPanel } from "./host/panel.js";
import { SharePanel } from "./share-panel.js";

/** @typedef {import("../client/core/session.js").PickerSession} PickerSession */

export class Panels {
  /**
   * @param {NonNullable<import("./route.js").Route>} route @param {string | undefined} owner the owner's token
   * @param {import("./settings.js").Settings} settings
   */
  constructor(route, owner, settings) {
    this.settings = settings;
    this.share = new SharePanel(route.session, route.token);
    this.definition = new DefinitionPanel();
    // With tokens a shared link does not contain the owner's, so that its recipients get no host panel.
    this.host = owner || !route.token ? new HostPanel(route.session, owner, settings) : null;
    this.translate();
  }

  /** @returns {HTMLElement[]} */
  get elements() {
    return [this.host, this.share, this.definition].flatMap((panel) => panel?.element ?? []);
  }

  /** Updates all texts to the current language. */
  translate() {
    const { words } = this.settings;
    this.share.setWords(words);
    this.definition.setWords(words);
    this.host?.setWords();
  }

  /**
   * Shows what the server says about the session.
   * @param {any} document the response to `GET`
   */
  read(document) {
    this.definition.follow(document.snapshot.definition, document.title ?? "");
    this.host?.ask(document.op);
  }

  /** @param {PickerSession} picker @param {string | null} labels names of the columns, separated by commas */
  draw(picker, labels) {
    if (!this.host) return;
    this.host.labels = labels?.split(",") ?? [];
    this.host.draw(picker);
  }
}
