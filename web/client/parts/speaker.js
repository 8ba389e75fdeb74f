// Says what happens: shows notices in the note, and announces them to screen readers.

import { Announcer } from "./announcer.js";
import { Banner } from "./banner.js";
import { bareSheet } from "./bare-sheet.js";
import { usability } from "./bar.js";
import { anew, lateLabel } from "./late-sentences.js";
import { Note } from "./note.js";
import { keyOf, placeOf } from "./places.js";
import { sentenceOf } from "./sentences.js";
import { speakerSheet } from "./speaker-sheet.js";

/** @typedef {import("../core/session.js").PickerSession} PickerSession */
/** @typedef {import("../core/types").Notice} Notice */

export class Speaker {
  /** @param {import("./picker-element.js").PickerElement} element */
  constructor(element) {
    this.element = element;
    this.announcer = new Announcer();
    this.banner = new Banner(() => element.picker?.retry());
    this.note = new Note(() => void element.picker?.undo(), () => element.bar.focus());
    /** @type {import("../words/words.js").Words | null} those of the note */
    this.drawn = null;
    /** @type {import("./stock.js").Stock | null} loaded for sessions that take from an inventory */
    this.stock = null;
    /** @type {Promise<void> | undefined} */
    this.stocking = undefined;
    element.adopt(speakerSheet, bareSheet);
    element.stage.after(this.banner.element);
    element.notePlace.append(this.note.element);
    element.frameElement.append(this.announcer.element);
  }

  get words() { return this.element.words; }
  get labels() { return this.element.labels; }

  drawConnection() { this.banner.draw(this.element.picker, this.words); }

  /** @param {import("../words/words.js").Words} words */
  draw(words) {
    if (this.drawn !== words) this.note.setWords(words.undo);
    this.drawn = words;
    const isLive = this.element.picker?.connection === "live";
    this.note.setLive(isLive);
    if (isLive) this.note.outdateOffline();
    this.note.drawOffers();
    if (this.stock) this.stock.draw();
    else if (this.element.picker?.state.inventory) void this.#loadStock();
  }

  /** Loads what shows an inventory. It may be tried again; a browser reports the failure. */
  #loadStock() {
    return this.stocking ??= import("./stock.js").then(({ Stock }) => {
      this.element.stock = this.stock = new Stock(this.element, this.announcer);
      this.element.redraw();
    }, () => { this.stocking = undefined; });
  }

  /** Removes the texts of another session. */
  forget() {
    this.note.hide();
    this.announcer.stop();
    this.stock?.forget();
  }

  /**
   * Logs which element to use, if this one cannot show a session.
   * @param {string} own @param {string} other the one for the session @param {PickerSession["state"]} state
   */
  logKind(own, other, { hasKnownKind, availability, definition }) {
    const isKnown = hasKnownKind || availability;
    if (own === other && isKnown) return;
    const way = isKnown ? `: use <${other}>` : "";
    console.error(`<${own}> cannot show a session of the kind ${definition?.kind}${way}`);
  }

  /**
   * Refuses something that the user wanted, without a request.
   * @param {() => string} write the reason
   */
  refuse(write) {
    const text = write();
    this.announcer.announceNow(text);
    const about = { text, color: null, mine: true, canUndo: false };
    this.note.show({ ...about, tone: "refusal" }, "why", write, false);
  }

  /** @param {Notice} notice */
  handle(notice) {
    const { picker } = this.element;
    if (!picker) return;
    if (picker.state.inventory && !this.stock) {
      void this.#loadStock().then(() => this.stock && this.handle(notice));
      return;
    }
    this.stock?.noticed(notice);
    // The list of members shows this already.
    if (notice.kind === "away" || notice.kind === "back") return;
    // What the note says was about the previous status.
    if (notice.kind === "status") this.note.outdateByStatus();
    if ("by" in notice && notice.by !== null) this.note.withdrawUndo();
    this.note.outdateBy(notice);
    const sentence = sentenceOf(notice, picker, this.words, this.labels, this.stock);
    this.stock?.draw();
    if (!sentence) return;
    // A decision of the host, or a change that moves the selection, is announced at once, and not merged with changes of
    // others. After a decision such a change is announced later, because it would replace the decision.
    const isCorrection = (notice.kind === "hosted" || notice.kind === "hold") && sentence.tone === "correction" && !this.note.hasDecision;
    const place = placeOf(notice);
    const key = keyOf(notice, sentence.text);
    if (sentence.mine || sentence.tone === "decision" || isCorrection) this.announcer.announceNow(sentence.text, place);
    else this.announcer.announceLater(key, sentence.text);
    // Own changes are not reported, unless their outcome differs from the request.
    const isCleared = notice.kind === "range" && notice.cause === "clear";
    if (sentence.mine && sentence.tone === "move") {
      this.note.outdate();
      if (!isCleared) return;
    }
    // At the wheel, which the wish of a member has turned.
    if (notice.kind === "corrected" && notice.by !== null) return this.element.explain(notice, sentence.text);
    const write = () => (sentenceOf(notice, picker, this.words, this.labels, this.stock) ?? sentence).text;
    const stale = sentence.tone === "late" && "command" in notice ? notice.command : null;
    this.note.show(sentence, key, write, sentence.canUndo && picker.canChange, notice, stale && this.#offer(stale, picker));
  }

  /**
   * The button that gives a stale command anew.
   * @param {import("../core/types").Command} command @param {PickerSession} picker @returns {import("./note.js").Offer}
   */
  #offer(command, picker) {
    return {
      label: () => lateLabel(command, picker, { ...this.words, hold: this.stock?.words.hold ?? "" }),
      usability: () => usability(command.type, picker),
      act: () => {
        this.element.flush();
        return picker.command(anew(command));
      },
    };
  }
}
