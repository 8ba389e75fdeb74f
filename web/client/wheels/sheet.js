// The style sheet of wheels.

import { sheetOf } from "../parts/dom.js";

export const wheelsSheet = sheetOf(`
/* Columns are as wide as their longest texts, the longest of which are cut first, and share the room that is left. */
.columns {
  display: grid; grid-auto-flow: column; grid-auto-columns: minmax(4.75rem, auto); gap: 8px;
  overflow-x: auto; overflow-y: hidden; scrollbar-width: thin; padding: 6px; margin: -6px;
}
/* Years, hours and minutes are short, and leave room for months and days. */
.columns:is([data-kind="date"], [data-kind="slot"]) { grid-auto-columns: minmax(3.25rem, auto); }
.column { display: grid; grid-template-rows: auto auto auto auto; grid-template-columns: minmax(0, 1fr); min-inline-size: 0; }
.label { text-align: center; color: var(--muted); font-size: .82rem; font-weight: 600; letter-spacing: .01em;
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; unicode-bidi: plaintext; }
.step { inline-size: 100%; color: var(--muted); user-select: none; -webkit-user-select: none; }
.step:disabled { opacity: .35; }
.wheel {
  position: relative; block-size: calc(var(--row-height) * 5.2); overflow: hidden; border-radius: 1rem;
  touch-action: pan-x; cursor: grab; user-select: none; -webkit-user-select: none; background: var(--sunken);
}
.wheel:active { cursor: grabbing; }
.column[data-disabled] .wheel, .wheel[data-empty] { cursor: default; touch-action: auto; }
.lens {
  position: absolute; inset-inline: 5px; inset-block-start: calc(50% - var(--row-height) / 2); block-size: var(--row-height);
  border-radius: .75rem; background: var(--surface); box-shadow: 0 1px 3px light-dark(#1c2b4526, #0009), 0 0 0 1px var(--line);
}
.drum {
  position: absolute; inset: 0; perspective: 900px; transform-style: flat;
  mask-image: linear-gradient(transparent 1%, #0009 24%, #000 40% 60%, #0009 76%, transparent 99%);
}
.row {
  position: absolute; inset-inline: 6px; inset-block-start: calc(50% - var(--row-height) / 2); block-size: var(--row-height);
  display: block; line-height: var(--row-height); padding-inline: 6px; text-align: center;
  /* A text that is too long is cut at its own end, not at the page's: the end of Latin texts in a page in Arabic is right. */
  unicode-bidi: plaintext;
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; backface-visibility: hidden;
  color: var(--muted); font-size: 1.14rem; border-radius: .75rem; font-variant-numeric: tabular-nums; will-change: transform;
}
/* As wide as a selected row with this text. */
.sizer {
  block-size: 0; overflow: hidden; visibility: hidden; white-space: nowrap; max-inline-size: 14rem; padding-inline: 13px;
  font-size: 1.14rem; font-weight: 640; font-variant-numeric: tabular-nums;
}
.row[data-lens] { color: var(--ink); font-weight: 640; }
:is(.row, .sizer) .remark { font-size: .74rem; font-weight: 560; margin-inline-start: .5em; }
/* Notes are beside the text if there is room, otherwise below it. */
.columns[data-many] .row:has(.remark:not([hidden])) { line-height: 1.15; padding-block-start: calc((var(--row-height) - 2.15rem) / 2); }
.columns[data-many] :is(.row, .sizer) .remark:not([hidden]) { display: block; margin: 0; overflow: hidden; text-overflow: ellipsis; line-height: 1.2; unicode-bidi: plaintext; }
.wheel[data-empty] .lens { display: none; }
.wheel[data-empty] .row { font-size: .85rem; white-space: normal; line-height: 1.2; block-size: auto; }
.row[data-hover] { box-shadow: inset 0 0 0 2px color-mix(in oklab, var(--ghost) 45%, transparent); }
.row[data-ghost] { box-shadow: inset 0 0 0 2.5px var(--ghost), inset 0 0 0 5px var(--ghost-second); }
.row[data-ghost]::after {
  content: attr(data-ghost); position: absolute; inset-block-start: 3px; inset-inline-end: 4px; font-size: .62rem; font-weight: 700;
  line-height: 1; padding: 2px 5px; border-radius: 8px; background: var(--ghost-fill); color: #fff; word-spacing: .35em;
  max-inline-size: 60%; overflow: hidden; text-overflow: ellipsis;
}
.edge {
  position: absolute; inset-inline: 20%; block-size: 18px; line-height: 18px; font-size: .66rem; font-weight: 700; text-align: center;
  background: var(--ghost-fill); color: #fff; word-spacing: .35em; border-radius: 9px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
.edge.above { inset-block-start: 3px; }
.edge.below { inset-block-end: 3px; }
.wheel.corrected .lens { animation: corrected 1.4s ease-out; }
@keyframes corrected {
  0%, 35% { background: var(--warn-surface); box-shadow: 0 0 0 2.5px var(--warn); }
  100% { background: var(--surface); }
}
/* A finger swipes and taps rows; a screen reader still finds the buttons. */
@media (pointer: coarse) {
  .column { position: relative; }
  .step { position: absolute; inline-size: 1px; min-inline-size: 0; block-size: 1px; min-block-size: 0; padding: 0; overflow: hidden; clip-path: inset(50%); }
}
@media (forced-colors: active) { .lens { border: 2px solid; } }
@container (max-width: 380px) {
  .columns { gap: 4px; }
  .row { font-size: 1rem; inset-inline: 3px; padding-inline: 1px; }
  .sizer { font-size: 1rem; padding-inline: 5px; }
}
`);
