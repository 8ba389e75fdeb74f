// The style sheet of <pickerd-availability>.

import { sheetOf } from "../parts/dom.js";

export const availabilitySheet = sheetOf(`
:host {
  --heat: var(--pickerd-heat, light-dark(#34b27b, #1f7a4d));
  --mine: light-dark(color-mix(in oklab, var(--accent), #000 28%), var(--accent));
  --scale-width: 3.5rem; --day-least: 3.5rem; --line-height: 1.6rem;
}
@media (pointer: coarse) { :host { --line-height: 2rem; } }
.stage { display: grid; gap: .8rem; grid-template-columns: minmax(0, 1fr); }
.zone-place { display: flex; align-items: center; position: relative; color: var(--muted); border-radius: .8rem; padding-inline-start: .55rem; min-inline-size: 0; }
.zone-place svg { inline-size: 1.1rem; block-size: 1.1rem; flex: none; fill: none; stroke: currentColor; stroke-width: 1.9; stroke-linecap: round; stroke-linejoin: round; }
.zone-place:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.zone-menu { font: inherit; font-size: .9rem; color: var(--ink); background: none; border: 0; outline: none; min-block-size: var(--touch); max-inline-size: 13rem; min-inline-size: 0; padding-inline: .4rem; text-overflow: ellipsis; cursor: pointer; }
.zone-menu :is(option, optgroup) { color: var(--ink); background: var(--surface); }
.painting { display: grid; gap: .5rem; grid-template-columns: minmax(0, 1fr); align-content: start; min-inline-size: 0; }
.grades { display: flex; justify-self: start; gap: 3px; padding: 3px; border-radius: 1.1rem; background: var(--sunken); max-inline-size: 100%; }
.frame:not([data-can-mark]) .grades { visibility: hidden; }
.grade { display: inline-flex; align-items: center; gap: .45rem; padding-inline: .7rem .8rem; font-weight: 600; font-size: .95rem; border-radius: .9rem; min-inline-size: 0; }
.grade[aria-pressed="true"] { background: var(--surface); box-shadow: 0 1px 4px light-dark(#1b2b4a2e, #0008), inset 0 0 0 1.5px var(--mine); }
.grade kbd { font: 600 .7rem/1.25rem ui-monospace, monospace; color: var(--muted); border: 1px solid var(--line); border-radius: .3rem; padding-inline: .3rem; }
@media (pointer: coarse) { .grade kbd { display: none; } }
.swatch { inline-size: 1.05rem; block-size: 1.05rem; border-radius: .3rem; flex: none; border: 2.5px solid var(--mine); }
[data-grade="yes"] > .swatch { background: color-mix(in oklab, var(--heat) 70%, var(--surface)); }
[data-grade="maybe"] > .swatch { border-style: dashed; background: color-mix(in oklab, var(--heat) 25%, var(--surface)); }
[data-grade="no"] > .swatch { border-color: var(--bad); background: linear-gradient(135deg, transparent 44%, var(--bad) 44% 56%, transparent 56%); }
.legend { display: flex; align-items: center; justify-content: end; gap: 2px; font-size: .8rem; color: var(--muted); padding-inline: .25rem; }
.legend .shade { inline-size: .95rem; block-size: .95rem; border-radius: .2rem; border: 1px solid var(--line); background: var(--surface); }
.legend .shade:first-of-type { margin-inline-start: .35rem; }
.legend .shade:last-of-type { margin-inline-end: .35rem; }

.scroller {
  overflow: auto; position: relative; isolation: isolate; border-radius: .9rem; border: 1px solid var(--line); background: var(--sunken);
  max-block-size: var(--pickerd-availability-height, clamp(15rem, 62svh, 46rem)); scrollbar-width: thin; scrollbar-color: var(--line) transparent;
  scroll-padding: 3.4rem 4px 4px; user-select: none; -webkit-user-select: none; -webkit-touch-callout: none; touch-action: manipulation;
}
.scroller:has([data-layout="times"]) { scroll-padding-inline-start: calc(var(--scales) * var(--scale-width)); }
.scroller[data-painting] { cursor: crosshair; }
.sheet { inline-size: max(100%, calc(var(--scales) * var(--scale-width) + var(--days) * var(--day-least))); padding-block-end: .3rem; }
.sheet > :is(.head, .line) { display: grid; grid-template-columns: calc(var(--scales) * var(--scale-width)) repeat(var(--days), minmax(0, 1fr)); }
.sheet > .head { position: sticky; inset-block-start: 0; z-index: 4; background: var(--sunken); border-block-end: 1px solid var(--line); }
.corner, .times { position: sticky; inset-inline-start: 0; z-index: 3; background: var(--sunken); display: grid; grid-template-columns: repeat(var(--scales), minmax(0, 1fr)); }
.corner { align-items: end; padding-block-end: .25rem; z-index: 5; }
.corner .scale { overflow: hidden; white-space: normal; font-weight: 600; font-size: .7rem; }
.day { display: grid; justify-items: center; align-content: center; padding: .35rem 2px .3rem; line-height: 1.2; min-inline-size: 0; }
.day .weekday { font-size: .78rem; color: var(--muted); font-weight: 600; }
.day > span { max-inline-size: 100%; overflow: hidden; text-overflow: ellipsis; }
.day .number { font-size: .95rem; font-weight: 700; white-space: nowrap; letter-spacing: -.01em; }
.day .number:has(.month-name) { letter-spacing: -.03em; }
.day .month-name { font-weight: 600; font-size: .76em; }
.day[data-today] :is(.number, .weekday) { color: var(--accent); }
.scale { font-size: .76rem; line-height: 1; color: var(--ink); text-align: end; padding-inline: 2px .45rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.scale.beside { color: var(--muted); border-inline-start: 1px solid var(--line); }
.times .scale { padding-block-start: .25rem; }
.line:not([data-main]) > .times > .scale { color: transparent; }
.sheet > .line { min-block-size: var(--line-height); }
.sheet > .line[data-gap] { margin-block-start: .55rem; }
.sheet .cell { border-block-start: 1px solid transparent; border-inline-start: 1px solid var(--line); background-clip: border-box; }
.sheet .line .none { border-inline-start: 1px solid var(--line); }
.sheet .line[data-main] :is(.cell, .none) { border-block-start-color: var(--line); }
.sheet .none { border-block-start: 1px solid transparent; }
.sheet :is(.day, .cell, .none)[data-apart] { margin-inline-start: .45rem; }

.cell { position: relative; background: var(--surface); cursor: pointer; outline: none; min-inline-size: 0; transition: background .18s; }
.frame:not([data-can-mark]) .cell { cursor: default; }
:is(.cell, .shade)[data-level="1"] { background: color-mix(in oklab, var(--heat) 20%, var(--surface)); }
:is(.cell, .shade)[data-level="2"] { background: color-mix(in oklab, var(--heat) 38%, var(--surface)); }
:is(.cell, .shade)[data-level="3"] { background: color-mix(in oklab, var(--heat) 56%, var(--surface)); }
:is(.cell, .shade)[data-level="4"] { background: color-mix(in oklab, var(--heat) 74%, var(--surface)); }
:is(.cell, .shade)[data-level="5"] { background: var(--heat); }
/* Without counts the own marks are all there is. */
.cell:not([data-level])[data-own="yes"] { background: color-mix(in oklab, var(--heat) 60%, var(--surface)); }
.cell:not([data-level])[data-own="maybe"] { background: color-mix(in oklab, var(--heat) 22%, var(--surface)); }
.cell[data-own]::after {
  content: ""; position: absolute; inset: 1px 2px; border: 2.5px solid var(--mine); border-radius: .45rem; pointer-events: none; z-index: 1;
}
.cell[data-own="maybe"]::after { border-style: dashed; }
.cell[data-own="no"]::after { border: 1.5px solid var(--bad); background: repeating-linear-gradient(-45deg, transparent 0 5px, color-mix(in oklab, var(--bad) 60%, transparent) 5px 6.5px); }
.cell[data-joined~="up"]::after { inset-block-start: -1px; border-block-start: 0; border-start-start-radius: 0; border-start-end-radius: 0; }
.cell[data-joined~="down"]::after { inset-block-end: -1px; border-block-end: 0; border-end-start-radius: 0; border-end-end-radius: 0; }
.cell[data-joined~="before"]::after { inset-inline-start: -1px; border-inline-start: 0; border-start-start-radius: 0; border-end-start-radius: 0; }
.cell[data-joined~="after"]::after { inset-inline-end: -1px; border-inline-end: 0; border-start-end-radius: 0; border-end-end-radius: 0; }
.cell[data-past] { background: repeating-linear-gradient(-45deg, var(--sunken) 0 4px, color-mix(in oklab, var(--line) 60%, var(--sunken)) 4px 5.5px); cursor: not-allowed; }
.cell[data-past]::after { opacity: .4; }
.cell[data-preview]::before { content: ""; position: absolute; inset: 0; z-index: 2; background: color-mix(in oklab, var(--mine) 34%, transparent); pointer-events: none; }
.cell[data-preview="maybe"]::before { background: repeating-linear-gradient(90deg, color-mix(in oklab, var(--mine) 42%, transparent) 0 5px, transparent 5px 9px); }
.cell[data-preview="no"]::before { background: repeating-linear-gradient(-45deg, color-mix(in oklab, var(--bad) 55%, transparent) 0 3px, transparent 3px 8px); }
.cell[data-preview="erase"]::before { background: color-mix(in oklab, var(--surface) 78%, transparent); }
.cell[data-window]::before { content: ""; position: absolute; inset: 0; z-index: 2; box-shadow: inset 0 0 0 2px var(--ink); background: color-mix(in oklab, var(--ink) 12%, transparent); pointer-events: none; }
.cell[data-window="chosen"]::before { background: color-mix(in oklab, var(--accent) 55%, transparent); box-shadow: inset 0 0 0 2.5px var(--accent); }
.cell:focus-visible { outline: 3px solid var(--ink); outline-offset: -2px; z-index: 2; }
@media (hover: hover) { .frame[data-can-mark] .scroller:not([data-painting]) .cell:not([data-past]):hover { box-shadow: inset 0 0 0 2px color-mix(in oklab, var(--mine) 55%, transparent); } }

[data-layout="dates"] { padding: .4rem .6rem .8rem; display: grid; gap: .6rem; }
.month-place { display: grid; gap: .1rem; }
.month-place .title { position: sticky; inset-block-start: 0; z-index: 3; margin: 0; padding: .45rem .3rem; font-size: 1.05rem; letter-spacing: -.012em; background: var(--sunken); }
.month > :is(.head, .line) { display: grid; grid-template-columns: repeat(7, minmax(0, 1fr)); gap: 3px; }
.month > .line { margin-block-start: 3px; }
.month .weekday { text-align: center; font-size: .78rem; font-weight: 600; padding-block: .2rem; overflow: hidden; white-space: nowrap; }
.month :is(.cell, .none) { min-block-size: 3.1rem; border-radius: .6rem; display: grid; align-content: center; justify-items: center; line-height: 1.15; font-variant-numeric: tabular-nums; }
.month .cell { border: 1px solid var(--line); }
.month .cell .number { font-weight: 620; font-size: 1rem; }
.month .count { font-size: .74rem; min-block-size: 1.15em; color: var(--ink); }
.month .none { color: var(--muted); font-size: .9rem; }
.month .none .number { opacity: .75; }
.month .cell[data-today] .number { border-block-end: 2px solid; line-height: 1; margin-block-end: 2px; }
.month .cell[data-joined~="before"]::after { inset-inline-start: -4px; }
.month .cell[data-joined~="after"]::after { inset-inline-end: -4px; }
.month .cell[data-past] { color: var(--muted); }
.month .cell[data-preview]::before, .month .cell[data-window]::before { border-radius: .6rem; }
/* The confirmed days: nothing is drawn over their texts. */
.month .cell[data-window="chosen"] { --ink: var(--on-accent); --mine: var(--on-accent); isolation: isolate; background: var(--accent); color: var(--on-accent); }
.month .cell[data-window="chosen"]::before { content: none; }
.month .cell[data-window="chosen"]::after { z-index: -1; }

.beside-board { display: grid; gap: .8rem; align-content: start; min-inline-size: 0; }
.details { min-block-size: 5.4rem; display: grid; gap: .35rem; align-content: start; padding-inline: .25rem; }
.details-head { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0 .8rem; }
.details-title { font-weight: 680; letter-spacing: -.008em; }
.details-share { font-size: .86rem; white-space: nowrap; font-weight: 600; border-radius: .5rem; padding: .05rem .5rem; }
.details-share[data-level] { background: color-mix(in oklab, var(--heat) 25%, var(--surface)); }
.details-remark, .best-remark { margin: 0; color: var(--muted); font-size: .92rem; text-wrap: pretty; }
.groups { display: grid; gap: .35rem; }
.group { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .6rem; }
.group-name { margin: 0; font-size: .82rem; font-weight: 640; color: var(--muted); }
.group[data-grade="yes"] .group-name { color: var(--good); }
.group[data-grade="no"] .group-name { color: var(--bad); }
.group-name span { font-variant-numeric: tabular-nums; }
.whos { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem .7rem; margin: 0; padding: 0; min-inline-size: 0; }
.who { display: inline-flex; align-items: center; gap: .3rem; font-size: .9rem; min-inline-size: 0; }
.who bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-inline-size: 11rem; }
.dot { inline-size: 1.2rem; block-size: 1.2rem; border-radius: 50%; display: grid; place-items: center; background: var(--author); color: #fff; font-size: .66rem; font-weight: 700; flex: none; }
.group[data-grade="unmarked"] .who, .group[data-grade="no"] .who { color: var(--muted); }
.confirm-here { background: var(--accent); color: var(--on-accent); font-weight: 650; padding: .3rem 1.1rem; border-radius: 1.4rem; justify-self: start; font-size: .95rem; }
.confirm-here[aria-disabled="true"] { background: var(--sunken); color: var(--muted); opacity: 1; }
@media (hover: hover) { .confirm-here:not([aria-disabled="true"]):hover { background: color-mix(in oklab, var(--accent), var(--ink) 16%) !important; } }
.best { min-inline-size: 0; padding-inline: .25rem; }
.best-title { margin: 0 0 .35rem; font-size: .95rem; font-weight: 680; }
.windows { list-style: none; margin: 0; padding: 0; display: grid; gap: .3rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); }
.window { inline-size: 100%; text-align: start; padding: .45rem .75rem .5rem; border-radius: .8rem; background: var(--sunken); display: grid; grid-template-columns: minmax(0, 1fr); gap: .1rem; line-height: 1.25; }
@media (hover: hover) { button.window:not([aria-disabled="true"]):hover { background: color-mix(in oklab, var(--sunken), var(--ink) 8%); } }
.window-text { font-weight: 640; font-size: .92rem; letter-spacing: -.012em; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.window-counts { font-size: .86rem; color: var(--muted); }
.window[data-full] .window-counts { color: var(--good); font-weight: 620; }
.share { display: flex; block-size: .3rem; border-radius: .2rem; overflow: hidden; background: var(--line); margin-block-start: .25rem; }
.share-yes { inline-size: calc(var(--yes) * 100%); background: var(--heat); transition: inline-size .3s; }
.share-maybe { inline-size: calc(var(--maybe) * 100%); background: repeating-linear-gradient(90deg, var(--heat) 0 4px, transparent 4px 7px); transition: inline-size .3s; }

@container (min-width: 720px) {
  .stage { grid-template-columns: minmax(0, 1fr) 15.5rem; gap: 1.1rem; }
  .beside-board { align-content: start; }
  .details { min-block-size: 9.5rem; }
  .details-title { font-size: .97rem; }
  .window { padding-inline: .6rem; }
  .window-text { font-size: .88rem; }
  .windows { grid-template-columns: minmax(0, 1fr); }
}
@container (max-width: 430px) {
  :host, .sheet { --scale-width: 2.9rem; --day-least: 3.1rem; }
  .frame { padding: 10px 8px; }
  .grades { justify-self: stretch; }
  .sheet:has(.corner .scale:nth-child(3)) { --scales: 2 !important; }
  .scale:nth-child(3) { display: none; }
  .grade { flex: 1 1 auto; justify-content: center; padding-inline: .5rem; }
  .zone-menu { max-inline-size: 7.4rem; }
  [data-layout="dates"] { padding-inline: .25rem; }
  .month :is(.cell, .none) { min-block-size: 2.9rem; border-radius: .5rem; }
  .month .weekday { font-size: .7rem; }
  .day .number:has(.month-name) { font-size: .84rem; }
  .corner .scale { font-size: .64rem; letter-spacing: -.02em; }
}
/* No room for other zones. */
@container (max-width: 300px) {
  .sheet { --scales: 1 !important; }
  .scale.beside { display: none; }
}
@media (forced-colors: active) {
  .cell { border-color: GrayText; }
  .cell[data-own]::after { border-color: Highlight; }
  .cell[data-own="no"]::after { border-color: GrayText; background: none; }
  .cell[data-own="no"] { text-decoration: line-through; }
  .cell[data-level]:not([data-level="0"]) { background: Canvas; }
  .sheet .cell[data-count] { display: grid; place-items: center; font-size: .7rem; }
  .sheet .cell[data-count]::before { content: attr(data-count); position: static; background: none; box-shadow: none; }
  .cell[data-cell][data-preview][data-x] { forced-color-adjust: none; background: Highlight; color: HighlightText; }
  .cell[data-window] { outline: 3px double Highlight; outline-offset: -3px; }
  .cell[data-past] { color: GrayText; }
  .grade[aria-pressed="true"] { outline: 2px solid Highlight; outline-offset: -2px; }
  .swatch { forced-color-adjust: none; border-color: CanvasText; background: none !important; }
  .share-yes, .share-maybe { forced-color-adjust: none; background: Highlight; }
  .share-maybe { opacity: .5; }
}
`);
