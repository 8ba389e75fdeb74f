// The demo's pickers, and which of this tab's are new.

import { read, write } from "./storage.js";

/** @typedef {import("./words/words.js").DemoWords} DemoWords */
/**
 * `blocked`, `taken`: as in the definition, but relative to today. `prices`: the notes of its days.
 * `inventory`: what is sold of the definition, to sessions of its own.
 * `decide`: that the host has the last word on a confirmation. `find`: that a dialog asks for dates, or dates and hours. `latin`: translations of its Chinese texts.
 * @typedef {{id: keyof DemoWords["pickers"], definitions: any[], blocked?: any[], taken?: any, prices?: import("./prices.js").Price[], decide?: unknown, inventory?: unknown, find?: "dates" | "times", latin?: {[text: string]: string}}} DemoPicker
 */

/** @type {Promise<DemoPicker[]> | undefined} */
let loaded;
/**
 * The demo's pickers, loaded once.
 * @returns {Promise<DemoPicker[]>}
 */
export const demoPickers = () => (loaded ??= fetch("demo/pickers.json").then((response) => {
  if (!response.ok) throw new Error(`pickers.json: ${response.status}`);
  return response.json();
}).catch((error) => {
  loaded = undefined;
  throw error;
}));

/** @param {string} session that this tab has just created, so that sharing its link is the next step */
export const markNew = (session) => write("sessionStorage", `new ${session}`, "yes");

/** @param {string} session */
export const isNew = (session) => read("sessionStorage", `new ${session}`) === "yes";

/** @param {string} session whose link has been shared */
export const markShared = (session) => write("sessionStorage", `new ${session}`, "");
