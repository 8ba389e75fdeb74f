// The style sheet of what the first paint does not need: the banner of a lost connection, the note, the question before
// cancelling, and what members and the status change.

import { sheetOf } from "./dom.js";

export const speakerSheet = sheetOf(`
/* Over the row of the note, and upwards from there, so that the picker and the buttons below it do not move. */
.banner {
  position: absolute; grid-area: 3 / 1 / 4 / 2; inset-inline: 0; inset-block-end: 0; min-block-size: 100%; pointer-events: none;
  display: flex; align-items: center; justify-content: end; flex-wrap: wrap; gap: 0 12px; background: var(--_warn-surface); color: var(--_warn);
  border-radius: var(--_corner); padding-block: 4px; padding-inline: 16px 8px; font-size: .875rem; line-height: 1.28;
}
.banner div { flex: 1 1 8em; min-inline-size: 0; overflow-wrap: anywhere; }
.banner .retry { font-weight: 650; text-decoration: underline; padding-inline: 8px; pointer-events: auto; align-self: end; max-inline-size: 60%; }
/* Without a picker it is at the top. */
.stage[inert] ~ .banner { grid-area: 1 / 1 / 3 / 2; inset-block: 0 auto; min-block-size: 3.25rem; }
/* Without a frame it is over the picker; in a calendar the title of a month stays in view. */
[data-bare] > .banner.banner { grid-area: 2 / 1 / 3 / 2; inset-block: 0 auto; min-block-size: 2.75rem; z-index: 5; border-radius: 0; padding-block: 0; }
:host(pickerd-calendar) [data-bare] > .banner.banner { inset-block: auto 0; pointer-events: auto; }
/* A receipt is low. */
[data-bare][data-status="confirmed"] > .banner.banner { position: static; grid-area: 3 / 1; }
/* A note covers it. Without a connection, it covers notes about changes of others. */
.frame:is([data-connection="live"]:has(.note[data-shown]), :has(.note:is([data-shown="decision"], [data-shown="late"], [data-shown="correction"], [data-shown="refusal"], :focus-within))) .banner:not(:focus-within) {
  opacity: 0; pointer-events: none;
}
.frame:not([data-connection="live"]) .note:not([data-shown="decision"], [data-shown="late"], [data-shown="correction"], [data-shown="refusal"], :focus-within) { visibility: hidden; }
.note-place:has(.note[data-shown]) .hint { visibility: hidden; }
.unstored {
  position: absolute; inset-block-start: -.58rem; inset-inline-start: .25rem; padding-inline: 4px; border-radius: var(--_corner);
  background: var(--_warn-surface); color: var(--_warn); font-size: .75rem; font-weight: 650; line-height: 1.25rem; white-space: nowrap;
}
.unstored:empty { padding: 0; }
.question { font-weight: 550; padding-inline: 8px; text-align: end; }
.note {
  position: relative; z-index: 1; display: flex; align-items: center; gap: 8px; border-radius: var(--_radius); background: var(--_sunken);
  padding-inline: 16px; min-block-size: 3rem; opacity: 0; visibility: hidden; transform: translateY(6px) scale(.985);
  transition: opacity .2s, transform .28s cubic-bezier(.2, 1.3, .4, 1), visibility .2s;
}
.note[data-shown] { opacity: 1; visibility: visible; transform: none; }
.note:is([data-shown="decision"], [data-shown="late"], [data-shown="correction"], [data-shown="refusal"]) { background: var(--_warn-surface); color: var(--_warn); }
.sentences { list-style: none; margin: 0; padding: 8px 0; flex: 1; min-inline-size: 0; font-size: .875rem; line-height: 1.25rem; text-wrap: pretty; }
.sentence { display: flex; gap: 8px; align-items: baseline; overflow-wrap: anywhere; }
.sentence::before {
  content: ""; flex: none; inline-size: 9px; block-size: 9px; border-radius: var(--_full);
  background: var(--_author, var(--_muted)); transform: translateY(-1px);
}
/* One sentence for all stale commands, and a button for each. */
.sentences:has(.late) { display: flex; flex-wrap: wrap; align-items: center; gap: 0 8px; }
.sentences:has(.late) .sentence { flex: 1 1 100%; }
.sentences .late { display: contents; }
.late ~ .late span, .late ~ .late::before { display: none; }
/* The note has the same button. */
.frame:has(.note[data-shown] .undo-note:not([hidden])) .act.undo:not(:focus) { visibility: hidden; }
.late span { flex: 1 1 calc(100% - 24px); }
.offer { font-weight: 650; padding-inline: 12px; color: var(--_ink); text-decoration: underline; }
.undo-note { display: inline-flex; align-items: center; gap: 8px; font-weight: 650; padding-inline: 12px; color: var(--_ink); }
.undo-note svg { inline-size: 1.05rem; block-size: 1.05rem; }
.undo-note:dir(rtl) svg { transform: scaleX(-1); }
.face[data-touching] { box-shadow: 0 0 0 2px var(--_author); }
.face[data-touching] .picture { transform: scale(1.12); }
.face[data-opener] .picture::after {
  content: ""; position: absolute; inset-block-end: -2px; inset-inline-end: -2px; inline-size: .75rem; block-size: .75rem;
  border-radius: var(--_full); background: var(--_accent); border: 2px solid var(--_sunken);
}
.frame[data-status="confirmed"] { border-color: var(--_accent); }
.frame:not([data-bare])[data-status="confirmed"] .chosen { color: var(--_accent); }
.frame[data-status="confirmed"] :is(.chosen, .bar)::before, .frame[data-status="confirmed"] .chosen { animation: settles .32s cubic-bezier(.2, 0, 0, 1); }
.frame[data-status="cancelled"] .chosen { color: var(--_muted); }
.frame[data-status="cancelled"] .value { text-decoration: line-through; }
@keyframes settles { 0% { transform: scale(.94); opacity: 0; } }
.act.undo:dir(rtl) svg, .act.redo:dir(rtl) svg { transform: scaleX(-1); }
[data-bare][data-status="confirmed"] .chosen { text-wrap: balance; }
@container (max-width: 430px) {
  .question { flex: 1 1 100%; }
  [data-bare][data-status="confirmed"] .acts { margin-inline: -12px; }
  .banner { font-size: .875rem; line-height: 1.22; padding-inline: 12px 4px; gap: 0 4px; }
  .banner .retry { max-inline-size: 6.5rem; }
  /* The sentence needs the room. */
  .undo-note { padding-inline: 0; justify-content: center; }
  .undo-note span { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
}
/* Enlarged texts. */
@media (max-width: 18em) { .banner .retry { max-inline-size: none; } }
@media (forced-colors: active) { .note { border: 1px solid; } }
`);
