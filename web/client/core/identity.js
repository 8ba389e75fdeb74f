// Who this browser is in a session. The member is stored in the browser, and what has no answer yet in the tab.
//
// One page at a time is a member: the one that was opened last, or in which the user has asked for it. Its claim is stored
// beside the member. Other pages see it there before they connect, and at once by the event `storage`. A lock would need a
// secure context, and would keep pages out of the back/forward cache.

/** @typedef {import("./types").Memory} Memory */
/** @typedef {{member: string, secret: string, epoch: string, claim: string, at: number}} Stored `at`: when, in milliseconds */

/** The maximum of stored members of the origin; the oldest are removed. */
const storedMax = 100;

/** The prefix of all names in the storage. */
const prefix = "pickerd ws";

/**
 * What the copies of this client in a page share: each address of the client is a bundle with its own one.
 * @type {{used: Map<string, Identity>, shared: Map<string, any>, words?: Map<string, any>}} the identities by name that connected
 *   sessions use, and the texts of the page by language
 */
export const page = /** @type {any} */ (globalThis)[Symbol.for("pickerd")] ??= { used: new Map(), shared: new Map() };

/** @param {string} url of a session @returns {boolean} whether a connected session of this page is its member */
export const isUsed = (url) => page.used.has(`pickerd ${url}`);

export class Identity {
  /**
   * @param {string} url of the session
   * @param {import("./types").Options["identity"]} kind
   */
  constructor(url, kind = "browser") {
    this.name = `pickerd ${url}`;
    // Two sessions of a page cannot be the same member (4409).
    this.kind = isUsed(url) ? "none" : kind;
    this.claim = String(Math.random());
    /** What was written last: what is there already is not written again. */
    this.written = "";
    this.pending = "";
  }

  /** @param {boolean} isUsed whether a connected session uses it */
  setUsed(isUsed) {
    if (this.kind === "none") return;
    if (isUsed) page.used.set(this.name, this);
    else if (page.used.get(this.name) === this) page.used.delete(this.name);
  }

  /** Whether another page is this member now. */
  get isTaken() {
    const { stored } = this;
    return this.kind === "browser" && stored !== null && stored.claim !== this.claim;
  }

  /** Makes this page the member; the others disconnect. */
  take() {
    if (this.stored) this.#write({ ...this.stored, claim: this.claim });
  }

  /** Takes the stored member. @returns {Memory | null} */
  load() {
    this.take();
    if (!this.stored) return null;
    const { member, secret, epoch } = this.stored;
    const left = attempt(() => JSON.parse(String(sessionStorage.getItem(`${this.name} pending`))));
    const { ref, pending } = left?.member === member ? left : { ref: 0, pending: [] };
    return { member, secret, epoch, ref, pending };
  }

  /** @param {Memory | null} memory null: the member has left, or the session has ended */
  save(memory) {
    if (this.kind === "none" || this.isTaken) return;
    if (!memory) {
      attempt(() => this.#area.removeItem(this.name));
      attempt(() => sessionStorage.removeItem(`${this.name} pending`));
      return;
    }
    const { member, secret, epoch, ...rest } = memory;
    if (this.written !== member + secret + epoch) {
      this.written = member + secret + epoch;
      this.#write({ member, secret, epoch, claim: this.claim, at: Date.now() });
      attempt(forgetOldest);
    }
    const pending = JSON.stringify({ member, ...rest });
    if (this.pending !== pending) attempt(() => sessionStorage.setItem(`${this.name} pending`, this.pending = pending));
  }

  /** @returns {Storage} */
  get #area() { return this.kind === "browser" ? localStorage : sessionStorage; }

  /** @returns {Stored | null} */
  get stored() { return this.kind === "none" ? null : attempt(() => storedIn(this.#area, this.name)); }

  /** @param {Stored} stored */
  #write(stored) { attempt(() => this.#area.setItem(this.name, JSON.stringify(stored))); }
}

/**
 * Storage may be full or forbidden. Then a reloaded page joins as a new member.
 * @template T @param {() => T} work @returns {T | null}
 */
function attempt(work) {
  try {
    return work();
  } catch {
    return null;
  }
}

/** @param {Storage} area @param {string} name @returns {Stored | null} */
function storedIn(area, name) {
  const stored = JSON.parse(String(area.getItem(name)));
  return stored?.member ? stored : null;
}

/** Removes the oldest members if there are too many. */
function forgetOldest() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  const at = (/** @type {string} */ name) => storedIn(localStorage, name)?.at ?? 0;
  for (const name of names.sort((a, b) => at(a) - at(b)).slice(0, -storedMax)) localStorage.removeItem(name);
}
