// The style sheet of <pickerd-availability>.

import { sheetOf } from "../parts/dom.js";

export const availabilitySheet = sheetOf(`
:host {
  --_heat: var(--pickerd-heat, light-dark(oklch(.655 .118 166), oklch(.53 .1 168)));
  --_cold: light-dark(oklch(.972 .008 150), oklch(.25 .012 165));
  --_mine: light-dark(color-mix(in oklab, var(--_accent), #000 28%), var(--_accent));
  --_scale-width: 3.5rem; --_line-height: var(--_touch); --_day-least: 2.75rem;
}
.stage { display: grid; gap: 12px; grid-template-columns: minmax(0, 1fr); align-content: start; }
[data-bare] > .stage.stage { padding-block: 8px; }
.zone-place { display: flex; align-items: center; position: relative; color: var(--_muted); border-radius: var(--_corner); padding-inline-start: 8px; min-inline-size: 0; }
.zone-place svg { inline-size: 1.1rem; block-size: 1.1rem; flex: none; fill: none; stroke: currentColor; stroke-width: 1.9; stroke-linecap: round; stroke-linejoin: round; }
.zone-place:has(:focus-visible) { outline: 3px solid var(--_accent); outline-offset: 2px; }
.zone-menu { font-size: .875rem; color: var(--_ink); background: none; border: 0; outline: none; min-block-size: var(--_touch); max-inline-size: 13rem; min-inline-size: 0; padding-inline: 8px; text-overflow: ellipsis; }
.zone-menu :is(option, optgroup) { color: var(--_ink); background: var(--_surface); }
.painting { display: grid; gap: 8px; grid-template-columns: minmax(0, 1fr); align-content: start; min-inline-size: 0; }
.grades { display: flex; flex-wrap: wrap; justify-self: start; gap: 4px; padding: 4px; border-radius: var(--_full); background: var(--_sunken); max-inline-size: 100%; }
.frame:not([data-can-mark]) .grades { visibility: hidden; }
.grade { display: inline-flex; align-items: center; gap: 8px; padding-inline: 12px 12px; font-weight: 550; border-radius: var(--_full); min-inline-size: 0; }
.grade[aria-pressed="true"] { background: var(--_surface); box-shadow: 0 1px 4px #0003; }
.grade kbd { font: inherit; font-size: .75rem; font-weight: 400; color: var(--_muted); }
@media (pointer: coarse) { .grade kbd { display: none; } }
.swatch { inline-size: 1.05rem; block-size: 1.05rem; border-radius: var(--_corner); flex: none; border: 2.5px solid var(--_mine); }
[data-grade="yes"] > .swatch { background: color-mix(in oklab, var(--_heat) 70%, var(--_surface)); }
[data-grade="maybe"] > .swatch { border-style: dashed; background: color-mix(in oklab, var(--_heat) 25%, var(--_surface)); }
[data-grade="no"] > .swatch { border-color: var(--_bad); background: linear-gradient(135deg, transparent 44%, var(--_bad) 44% 56%, transparent 56%); }
.legend { display: flex; align-items: center; justify-content: end; gap: 8px; min-block-size: 1.5rem; font-size: .75rem; color: var(--_muted); padding-inline: 4px; }
.shades { inline-size: 5rem; block-size: .5rem; border-radius: var(--_full); background: linear-gradient(to right in oklab, var(--_cold), var(--_heat)); }
.shades:dir(rtl) { transform: scaleX(-1); }

.scroller {
  overflow: auto; position: relative; isolation: isolate;
  max-block-size: var(--pickerd-availability-height, clamp(15rem, 62svh, 46rem)); scrollbar-width: thin; scrollbar-color: var(--_line) transparent;
  scroll-padding: 3.5rem 4px 4px; user-select: none; -webkit-user-select: none; -webkit-touch-callout: none; touch-action: manipulation;
}
.scroller:has([data-layout="times"]) { scroll-padding-inline-start: calc(var(--_scales) * var(--_scale-width)); }
.scroller[data-painting] { cursor: crosshair; }
.sheet { inline-size: max(100%, calc(var(--_scales) * var(--_scale-width) + var(--_days) * var(--_day-least))); padding-block-end: 4px; }
.sheet > :is(.head, .line) { display: grid; grid-template-columns: calc(var(--_scales) * var(--_scale-width)) repeat(var(--_days), minmax(0, 1fr)); }
.sheet > .head { position: sticky; inset-block-start: 0; z-index: 4; background: var(--_surface); }
.corner, .times { position: sticky; inset-inline-start: 0; z-index: 3; background: var(--_surface); display: grid; grid-template-columns: repeat(var(--_scales), minmax(0, 1fr)); }
.corner { align-items: end; padding-block-end: 4px; z-index: 5; }
.corner .scale { overflow: hidden; font-weight: 550; font-size: .75rem; }
.day { display: grid; justify-items: center; align-content: center; padding: 4px 4px 4px; line-height: 1.2; min-inline-size: 0; }
.day .weekday { font-size: .75rem; color: var(--_muted); font-weight: 550; }
.day > span { max-inline-size: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.day .number { font-size: 1rem; font-weight: 650; white-space: nowrap; }
.day .month-name { font-weight: 550; font-size: .75rem; }
.day[data-today] :is(.number, .weekday) { color: var(--_accent); }
.scale { font-size: .75rem; line-height: 1; color: var(--_ink); text-align: end; padding-inline: 0 4px; font-variant-numeric: tabular-nums; }
.scale.beside { color: var(--_muted); border-inline-start: 1px solid var(--_line); }
.times .scale { padding-block-start: 4px; }
.line:not([data-main]) > .times > .scale { opacity: 0; }
.sheet > .line { min-block-size: var(--_line-height); }
.sheet > .line[data-gap] { margin-block-start: 8px; }
.sheet .cell { border-block-start: 1px solid var(--_surface); border-inline-start: 1px solid var(--_surface); display: grid; place-items: center; }
.sheet :is(.day, .cell, .none)[data-apart] { margin-inline-start: 8px; }

.cell { position: relative; background: var(--_surface); cursor: pointer; outline: none; min-inline-size: 0; transition: background .18s; }
.frame:not([data-can-mark]) .cell { cursor: default; }
/* Stretched between the least and the most of all cells. */
.cell[data-level] { background: color-mix(in oklab, var(--_heat) calc(var(--_v) * 100%), var(--_cold)); color: light-dark(#12211b, #ffffff); }
.count { font-size: .875rem; font-variant-numeric: tabular-nums; }
/* The two best windows: an edge, and the rank at the first cell. */
.sheet .cell[data-best] { border-inline-start: 3px solid var(--_ink); }
.month .cell[data-best] { border-block-start: 3px solid var(--_ink); }
.count[data-rank]::before, .window::before {
  content: attr(data-rank); inline-size: 1.125rem; block-size: 1.125rem; border-radius: var(--_full); background: var(--_ink); color: var(--_surface);
  font-size: .75rem; line-height: 1.125rem; font-weight: 650; text-align: center;
}
.count[data-rank]::before { position: absolute; z-index: 3; inset-block-start: -.5rem; inset-inline-start: -.5rem; }
.head + .line .count[data-rank]::before { inset-block-start: 0; }
/* Without counts the own marks are all there is. */
.cell:not([data-level])[data-own="yes"] { background: color-mix(in oklab, var(--_heat) 60%, var(--_surface)); }
.cell:not([data-level])[data-own="maybe"] { background: color-mix(in oklab, var(--_heat) 22%, var(--_surface)); }
.cell[data-own]::after {
  content: ""; position: absolute; inset: 1px 2px; border: 2.5px solid var(--_mine); border-radius: var(--_corner); pointer-events: none; z-index: 1;
}
.cell[data-own="maybe"]::after { border-style: dashed; }
.cell[data-own="no"]::after { border: 1.5px solid var(--_bad); background: repeating-linear-gradient(-45deg, transparent 0 5px, color-mix(in oklab, var(--_bad) 60%, transparent) 5px 6.5px); }
.cell[data-joined~="up"]::after { inset-block-start: -1px; border-block-start: 0; border-start-start-radius: 0; border-start-end-radius: 0; }
.cell[data-joined~="down"]::after { inset-block-end: -1px; border-block-end: 0; border-end-start-radius: 0; border-end-end-radius: 0; }
.cell[data-joined~="before"]::after { inset-inline-start: -1px; border-inline-start: 0; border-start-start-radius: 0; border-end-start-radius: 0; }
.cell[data-joined~="after"]::after { inset-inline-end: -1px; border-inline-end: 0; border-start-end-radius: 0; border-end-end-radius: 0; }
.cell[data-past] { background: repeating-linear-gradient(-45deg, var(--_sunken) 0 4px, color-mix(in oklab, var(--_line) 60%, var(--_sunken)) 4px 5.5px); cursor: not-allowed; }
.cell[data-past]::after { opacity: .4; }
.cell[data-preview]::before { content: ""; position: absolute; inset: 0; z-index: 2; background: color-mix(in oklab, var(--_mine) 34%, transparent); pointer-events: none; }
.cell[data-preview="maybe"]::before { background: repeating-linear-gradient(90deg, color-mix(in oklab, var(--_mine) 42%, transparent) 0 5px, transparent 5px 9px); }
.cell[data-preview="no"]::before { background: repeating-linear-gradient(-45deg, color-mix(in oklab, var(--_bad) 55%, transparent) 0 3px, transparent 3px 8px); }
.cell[data-preview="erase"]::before { background: color-mix(in oklab, var(--_surface) 78%, transparent); }
.cell[data-window="best"]::before { content: ""; position: absolute; inset: 0; z-index: 2; box-shadow: inset 0 0 0 2px var(--_ink); background: color-mix(in oklab, var(--_ink) 12%, transparent); pointer-events: none; }
.cell:focus-visible { outline: 3px solid var(--_ink); outline-offset: -2px; z-index: 2; }
@media (hover: hover) { .frame[data-can-mark] .scroller:not([data-painting]) .cell:not([data-past]):hover { box-shadow: inset 0 0 0 2px color-mix(in oklab, var(--_mine) 55%, transparent); } }

[data-layout="dates"] { padding: 8px 8px 12px; display: grid; gap: 8px; }
.month-place { display: grid; gap: 0; }
.month-place .title { font-weight: 650; position: sticky; inset-block-start: 0; z-index: 3; margin: 0; padding: 8px 4px; font-size: 1.125rem; background: var(--_surface); }
.month > :is(.head, .line) { display: grid; grid-template-columns: repeat(7, minmax(0, 1fr)); gap: 4px; }
.month > .line { margin-block-start: 4px; }
.month .weekday { text-align: center; font-size: .75rem; font-weight: 550; padding-block: 4px; overflow: hidden; white-space: nowrap; }
.month :is(.cell, .none) { min-block-size: 3.1rem; border-radius: var(--_corner); display: grid; align-content: center; justify-items: center; line-height: 1.15; font-variant-numeric: tabular-nums; }
.month .cell .number { font-weight: 650; font-size: 1rem; }
.month .count { font-size: .75rem; min-block-size: 1rem; line-height: 1rem; }
.month .none { color: var(--_muted); font-size: .875rem; }
.month .none .number { opacity: .75; }
.month .cell[data-today] .number { border-block-end: 2px solid; line-height: 1; margin-block-end: 4px; }
.month .cell[data-joined~="before"]::after { inset-inline-start: -4px; }
.month .cell[data-joined~="after"]::after { inset-inline-end: -4px; }
.month .cell[data-past] { color: var(--_muted); }
.month .cell[data-preview]::before, .month .cell[data-window]::before { border-radius: var(--_corner); }
/* The confirmed cells: nothing is drawn over their texts. */
.cell[data-cell][data-window="chosen"] { --_ink: var(--_on-accent); --_mine: var(--_on-accent); isolation: isolate; background: var(--_accent); color: var(--_on-accent); }
.cell[data-window="chosen"]::after { z-index: -1; }

.details { display: grid; gap: 8px; align-content: start; padding-inline: 4px; min-inline-size: 0; }
.details-head { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0 12px; }
.details-title { font-weight: 650; }
.details-share { font-size: .875rem; white-space: nowrap; font-weight: 550; }
.details-remark, .best-remark { margin: 0; color: var(--_muted); font-size: .875rem; text-wrap: pretty; }
.groups { display: grid; gap: 4px; }
.group { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 8px; }
.group-name { margin: 0; font-size: .875rem; font-weight: 650; color: var(--_muted); }
.group[data-grade="yes"] .group-name { color: var(--_good); }
.group[data-grade="no"] .group-name { color: var(--_bad); }
.group-name span { font-variant-numeric: tabular-nums; }
.whos { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 12px; margin: 0; padding: 0; min-inline-size: 0; }
.who { display: inline-flex; align-items: center; gap: 4px; font-size: .875rem; min-inline-size: 0; }
.who bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-inline-size: 11rem; }
.dot { inline-size: 1.2rem; block-size: 1.2rem; border-radius: var(--_full); display: grid; place-items: center; background: var(--_author); color: #fff; font-size: .75rem; font-weight: 650; flex: none; }
.group[data-grade="unmarked"] .who, .group[data-grade="no"] .who { color: var(--_muted); }
/* The bar has the primary action. */
.confirm-here { padding: 8px 16px; border: 1px solid var(--_line); color: var(--_accent); font-weight: 550; }
.best { min-inline-size: 0; padding-inline: 4px; }
.best-title { margin: 0 0 4px; font-size: 1rem; font-weight: 650; }
.windows { list-style: none; margin: 0; padding: 0; display: flex; gap: 8px; overflow-x: auto; scrollbar-width: none; counter-reset: rank; }
.window { display: grid; grid-template-columns: auto auto; gap: 0 8px; align-items: center; inline-size: 100%; padding: 4px 16px 4px 12px; border: 1px solid var(--_line); text-align: start; white-space: nowrap; }
.window::before { counter-increment: rank; content: counter(rank); grid-row: 1 / 3; }
.window-text { font-weight: 550; font-size: .875rem; line-height: 1.25rem; font-variant-numeric: tabular-nums; }
.window-counts { font-size: .75rem; line-height: 1rem; color: var(--_muted); }
.window[data-full] .window-counts { color: var(--_good); font-weight: 550; }
.share { display: none; block-size: .25rem; border-radius: var(--_full); overflow: hidden; background: var(--_line); grid-column: 2; margin-block-start: 4px; }
.share-yes { inline-size: calc(var(--_yes) * 100%); background: var(--_heat); transition: inline-size .3s; }
.share-maybe { inline-size: calc(var(--_maybe) * 100%); background: repeating-linear-gradient(90deg, var(--_heat) 0 4px, transparent 4px 7px); transition: inline-size .3s; }
summary { min-block-size: var(--_touch); align-content: center; cursor: pointer; font-weight: 550; }

/* On a phone the best windows are chips above the grid. */
@container (max-width: 719px) {
  .best-title { position: absolute; clip-path: inset(50%); inline-size: 1px; block-size: 1px; overflow: hidden; margin: 0; white-space: nowrap; }
  .best { min-block-size: 3rem; }
  .stage { grid-template-rows: max-content; }
}
/* Enlarged texts. */
@container (max-width: 16em) {
  .grades { border-radius: var(--_radius); }
  .swatch { display: none; }
}
@container (min-width: 720px) {
  .stage { grid-template: auto 1fr / minmax(0, 1fr) 15.5rem; gap: 16px 24px; }
  .painting { grid-area: 1 / 1 / 3 / 2; }
  .windows { display: grid; grid-template-columns: minmax(0, 1fr); gap: 4px; }
  .window { grid-template-columns: auto minmax(0, 1fr); padding: 8px; border-width: 0 0 1px; border-radius: 0; white-space: normal; }
  .window::before { align-self: start; }
  .share { display: flex; }
}
@container (max-width: 430px) {
  :host, .sheet { --_scale-width: 3rem; }
  .frame:not([data-bare]) { padding: 12px 8px; }
  .grades { justify-self: stretch; }
  .day .month-name { display: none; }
  .sheet:has(.corner .scale:nth-child(3)) { --_scales: 2 !important; }
  .scale:nth-child(3) { display: none; }
  .grade { flex: 1 1 auto; justify-content: center; padding-inline: 8px; }
  .zone-menu { max-inline-size: 7.4rem; }
  [data-layout="dates"] { padding-inline: 4px; }
  .month :is(.cell, .none) { min-block-size: 2.9rem; border-radius: var(--_corner); }
  .corner .scale { font-size: .75rem; }
}
/* No room for other zones. */
@container (max-width: 300px) {
  .sheet { --_scales: 1 !important; }
  .scale.beside { display: none; }
}
@media (forced-colors: active) {
  .cell { border-color: GrayText; }
  .cell[data-own]::after { border-color: Highlight; }
  .cell[data-own="no"]::after { border-color: GrayText; background: none; }
  .cell[data-own="no"] { text-decoration: line-through; }
  .cell[data-level] { background: Canvas; color: CanvasText; }
  .cell[data-cell][data-preview][data-x] { forced-color-adjust: none; background: Highlight; color: HighlightText; }
  .cell[data-window] { outline: 3px double Highlight; outline-offset: -3px; }
  .cell[data-past] { color: GrayText; }
  .grade[aria-pressed="true"] { outline: 2px solid Highlight; outline-offset: -2px; }
  .swatch { forced-color-adjust: none; border-color: CanvasText; background: none !important; }
  .share-yes, .share-maybe { forced-color-adjust: none; background: Highlight; }
  .share-maybe { opacity: .5; }
}
`);
