// The style sheet of an element without a frame, which fills the room that it has. Notes are over the picker.

import { sheetOf } from "./dom.js";

export const bareSheet = sheetOf(`
:host([frame="none"]) { block-size: 100%; }
.frame[data-bare] { block-size: 100%; padding: 0; gap: 0; border: 0; border-radius: 0; grid-template-rows: auto minmax(0, 1fr) auto; }
[data-bare] .top .people { display: none; }
[data-bare] > .top { grid-area: 1 / 1; padding-inline: 12px; }
[data-bare] > .stage { grid-area: 2 / 1; margin: 0; padding-inline: 12px; overflow: auto; align-content: safe center; }
[data-bare] > .note-place { grid-area: 2 / 1; align-self: end; z-index: 5; margin: 8px 12px; min-block-size: 0; pointer-events: none; }
[data-bare] .bar { grid-area: 3 / 1; min-block-size: 4.5rem; padding: 8px 12px; padding-block-end: max(8px, env(safe-area-inset-bottom)); }
[data-bare] .hint { flex: 1; }
[data-bare] :is(.chosen, .hint) { min-inline-size: 28%; }
[data-bare] .bar:has(.chosen:not([hidden])) .hint { display: none; }
[data-bare] .acts:not([role]) { flex: none; flex-wrap: nowrap; }
@container (max-width: 480px) {
  [data-bare] .acts:not([role]) > :is(.redo, .clear, .cancel) { display: none; }
  /* A finger scrolls; a screen reader still finds the buttons. */
  [data-bare] .turn { position: absolute; inline-size: 1px; min-inline-size: 0; block-size: 1px; min-block-size: 0; padding: 0; overflow: hidden; clip-path: inset(50%); }
  [data-bare] .bar { flex-wrap: nowrap; min-block-size: 5.25rem; }
}
/* Enlarged texts: the buttons have a line of their own, the title of a month the whole one. */
@container (max-width: 16em) {
  [data-bare] .today:not(:focus) { position: absolute; inline-size: 1px; min-inline-size: 0; padding: 0; overflow: hidden; clip-path: inset(50%); }
  [data-bare] .bar { flex-wrap: wrap; }
  [data-bare] .acts:not([role]) { flex: 1 1 100%; }
}
:host(pickerd-calendar) [data-bare] > .top { grid-area: 2 / 1; z-index: 4; place-self: start end; }
:host(pickerd-calendar) [data-bare] > .stage { display: grid; grid-template-rows: auto minmax(0, 1fr); overflow: hidden; align-content: normal; }
@container (max-width: 340px) { :host(pickerd-calendar) [data-bare] > .stage { padding: 0; } }
:host(pickerd-calendar) [data-bare] .scroller { grid-row: 2; block-size: auto; }
[data-bare] .tools > * { margin: 0; }
[data-bare] .mark[data-side="below"] { inset-block-end: 4.25rem; }
/* The receipt: the result, and below it the picker, as far as it shows that. */
[data-bare][data-status="confirmed"] > .top { display: none; }
[data-bare][data-status="confirmed"] .bar { grid-area: 1 / 1; flex-direction: column; align-items: start; border: 0; padding: 24px 16px 8px; }
[data-bare][data-status="confirmed"] .bar::before {
  content: "✓" / ""; inline-size: 3.5rem; line-height: 3.5rem; border-radius: var(--_full); background: var(--_accent); color: var(--_on-accent); text-align: center; font-size: 1.5rem;
}
[data-bare][data-status="confirmed"] .chosen { flex: none; padding: 0; font-size: 1.5rem; line-height: 2rem; color: var(--_ink); }
[data-bare][data-status="confirmed"] .question { text-align: start; }
[data-bare][data-status="confirmed"] .acts { margin: 0 -16px; justify-content: start; color: var(--_accent); }
[data-bare][data-status="confirmed"] .chosen > :first-child { position: absolute; clip-path: inset(50%); }
[data-bare] .scroller[data-folded] { overflow: visible; contain: none; }
[data-folded] .content { block-size: auto !important; }
[data-folded] .head { position: static; }
[data-folded] .month { position: relative; inset: 0 !important; inline-size: 100%; }
[data-folded] :is(.month, .week):not(:has([aria-selected="true"])), [data-folded] .title, [data-folded] .month:has([aria-selected="true"]) ~ .month .head { display: none; }
[data-bare][data-status="confirmed"] > .stage { align-content: start; }
[data-bare][data-status="confirmed"] .wheel { block-size: var(--_row-height); }
[data-bare][data-status="confirmed"] :is(.grades, .best, .legend) { display: none; }
[data-bare] .note { pointer-events: auto; justify-self: center; max-inline-size: 100%; box-shadow: var(--_lift); }
`);
