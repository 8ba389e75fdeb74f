// The style sheet of wheels.

import { sheetOf } from "../parts/dom.js";

export const wheelsSheet = sheetOf(`
/* Columns are as wide as their longest texts, the longest of which are cut first, and share the room that is left. */
.columns {
  position: relative; display: grid; grid-auto-flow: column; grid-auto-columns: minmax(4.75rem, auto);
  overflow-x: auto; overflow-y: hidden; scrollbar-width: thin; inline-size: fit-content; min-inline-size: min(100%, 28rem); max-inline-size: 100%; margin-inline: auto;
}
/* Years, hours and minutes are short, and leave room for months and days. */
.columns:is([data-kind="date"], [data-kind="slot"]) { grid-auto-columns: minmax(3.25rem, auto); }
.column { display: grid; grid-template-rows: auto auto auto auto; grid-template-columns: minmax(0, 1fr); min-inline-size: 0; }
.label { text-align: center; color: var(--_muted); font-size: .75rem; line-height: 1.75rem; padding-inline: 12px;
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; unicode-bidi: plaintext; }
.find { display: flex; align-items: center; justify-content: center; gap: 4px; min-block-size: 1.75rem; min-inline-size: 0; block-size: 1.75rem; padding-inline: 8px; }
.find span { min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; }
.find svg { inline-size: 1rem; block-size: 1rem; flex: none; margin: 0; }
.step { inline-size: 100%; color: var(--_muted); user-select: none; -webkit-user-select: none; opacity: 0; transition: opacity .12s; }
.step:disabled { opacity: 0; }
.column:is(:hover, :focus-within) .step:not(:disabled) { opacity: 1; }
.wheel {
  position: relative; block-size: calc(var(--_row-height) * 5.2); overflow: hidden; outline: none;
  touch-action: pan-x; cursor: grab; user-select: none; -webkit-user-select: none;
}
[data-bare] .wheel { block-size: clamp(var(--_row-height) * 5.2, 100svh - 20rem, var(--_row-height) * 7.2); }
.wheel:active { cursor: grabbing; }
.column[data-disabled] .wheel, .wheel[data-empty] { cursor: default; touch-action: auto; }
/* One across all columns. Its rows are those of the drum, dark: a text that is half in it is half dark. */
.lens {
  position: absolute; inset-inline: 0; inset-block-start: calc(50% - var(--_row-height) / 2); block-size: var(--_row-height);
  background: var(--_faint); overflow: hidden; perspective: 900px; pointer-events: none; border: solid var(--_soft); border-width: 1px 0;
}
.column:first-child .lens { border-start-start-radius: var(--_corner); border-end-start-radius: var(--_corner); border-inline-start-width: 1px; }
.column:last-of-type .lens { border-start-end-radius: var(--_corner); border-end-end-radius: var(--_corner); border-inline-end-width: 1px; }
.wheel:focus-visible .lens { outline: 3px solid var(--_accent); outline-offset: -3px; border-radius: var(--_corner); }
.drum {
  position: absolute; inset: 0; perspective: 900px; transform-style: flat;
  mask-image: linear-gradient(transparent 1%, #0009 24%, #000 40% 60%, #0009 76%, transparent 99%);
}
:is(.row, .copy) {
  position: absolute; inset-inline: 0; inset-block-start: calc(50% - var(--_row-height) / 2); block-size: var(--_row-height);
  display: block; line-height: var(--_row-height); padding-inline: 12px; text-align: center;
  /* A text that is too long is cut at its own end, not at the page's: the end of Latin texts in a page in Arabic is right. */
  unicode-bidi: plaintext;
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; backface-visibility: hidden;
  color: var(--_muted); font-size: 1.125rem; border-radius: var(--_corner); font-variant-numeric: tabular-nums; will-change: transform;
}
.lens .copy { inset-block-start: -1px; color: var(--_ink); font-weight: 650; }
/* Day, hour and minute read as one time. */
[data-kind="slot"] .column:nth-child(odd) :is(.row, .copy, .label) { text-align: start; }
[data-kind="slot"] .column:nth-child(2) :is(.row, .copy, .label) { text-align: end; }
/* As wide as a selected row with this text. */
.sizer {
  block-size: 0; overflow: hidden; visibility: hidden; white-space: nowrap; max-inline-size: 14rem; padding-inline: 12px;
  font-size: 1.125rem; font-weight: 650; font-variant-numeric: tabular-nums;
}
:is(.row, .copy, .sizer) .remark { font-size: .75rem; font-weight: 550; margin-inline-start: 8px; }
/* Notes are beside the text if there is room, otherwise below it. */
.columns[data-many] :is(.row, .copy):has(.remark:not([hidden])) { line-height: 1.15; padding-block-start: calc((var(--_row-height) - 2.15rem) / 2); }
.columns[data-many] :is(.row, .copy, .sizer) .remark:not([hidden]) { display: block; margin: 0; overflow: hidden; text-overflow: ellipsis; line-height: 1.2; unicode-bidi: plaintext; }
.wheel[data-empty] .lens { display: none; }
.wheel[data-empty] .row { font-size: .875rem; white-space: normal; line-height: 1.2; block-size: auto; }
:is(.row, .copy)[data-hover] { box-shadow: inset 0 0 0 2px var(--_ghost); }
:is(.row, .copy)[data-ghost] { box-shadow: inset 0 0 0 2px var(--_ghost), inset 0 0 0 4px var(--_ghost-second); }
:is(.row, .copy):is([data-ghost], [data-hover])::after {
  content: attr(data-ghost); position: absolute; inset-block-start: 4px; inset-inline-end: 4px; font-size: .75rem; font-weight: 650;
  line-height: 1rem; padding-inline: 4px; border-radius: var(--_full); background: var(--_ghost-fill); color: #fff; word-spacing: .35em;
  max-inline-size: 60%; overflow: hidden; text-overflow: ellipsis;
}
:is(.row, .copy)[data-hover]::after { content: attr(data-who); }
.edge {
  position: absolute; inset-inline: 20%; block-size: 1.125rem; line-height: 1.125rem; font-size: .75rem; font-weight: 650; text-align: center;
  background: var(--_ghost-fill); color: #fff; word-spacing: .35em; border-radius: var(--_full); overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
}
.edge.above { inset-block-start: 4px; }
.edge.below { inset-block-end: 4px; }
.struck.struck { color: var(--_warn); text-decoration: line-through; }
/* Below the lens, at its column, as wide as its text. */
.tip {
  position: absolute; z-index: 1; grid-column: var(--_at) / span 1; inset-inline-start: 0; inset-block-start: calc(50% + .875rem + var(--_row-height) / 2 + 6px);
  inline-size: max-content; max-inline-size: min(15rem, 60cqi); margin: 0; padding: 8px 12px; border-radius: var(--_corner); pointer-events: none;
  background: var(--_warn-surface); color: var(--_warn); font-size: .875rem; line-height: 1.25rem; animation: rises .2s cubic-bezier(.2, 0, 0, 1);
}
.tip[data-end] { inset-inline: auto 0; }
/* Not over the row that was wanted. */
.tip[data-after] { margin-block-start: var(--_row-height); }
.tip::before { content: ""; position: absolute; inset-block-start: -6px; inset-inline-start: 16px; border: solid transparent; border-width: 0 6px 6px; border-block-end-color: var(--_warn-surface); }
.tip[data-end]::before { inset-inline: auto 16px; }
@keyframes rises { 0% { transform: translateY(8px); opacity: 0; } }
.wheel.corrected .lens { animation: corrected 1.4s ease-out; }
@keyframes corrected { 0%, 35% { background: var(--_warn-surface); border-color: var(--_warn); } }
/* A finger swipes and taps rows; a screen reader still finds the buttons. */
@media (pointer: coarse) {
  .columns[data-long] .label { line-height: var(--_touch); block-size: var(--_touch); }
  .column { position: relative; }
  .step { position: absolute; inline-size: 1px; min-inline-size: 0; block-size: 1px; min-block-size: 0; padding: 0; overflow: hidden; clip-path: inset(50%); }
}
@media (forced-colors: active) { .lens { border: 2px solid; } .tip { border: 1px solid; } .tip::before { content: none; } }
@container (max-width: 24em) {
  /* Enlarged texts: above the end of the columns, which would cut it, and as wide as all of them. */
  .tip { grid-column: auto; inset-block: auto 4px; max-inline-size: 100%; }
  .tip[data-after] { margin: 0; }
  .tip::before { content: none; }
  :is(.row, .copy, .sizer) { font-size: 1rem; }
  :is(.row, .copy, .sizer, .label) { padding-inline: 4px; }
}
`);
