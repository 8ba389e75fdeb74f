// The style sheet of the calendar. The fractions of a month's height are those of the hit test on the server.

import { sheetOf } from "../parts/dom.js";

export const calendarSheet = sheetOf(`
.hits { font-variant-numeric: tabular-nums; }
.hits[data-none] { visibility: hidden; }
.turn { color: var(--muted); }
.today { padding-inline: 14px; font-weight: 600; color: var(--accent); }
.scroller {
  position: relative; overflow-y: auto; overflow-x: hidden; block-size: var(--pickerd-calendar-height, clamp(var(--least), 56svh, 46rem));
  --least: max(8rem, min(20.6rem, 100svh - 6rem));
  border-radius: 1rem; background: var(--sunken); overscroll-behavior: contain; overflow-anchor: none;
  scrollbar-width: thin; scrollbar-color: var(--line) transparent; contain: strict;
}
/* The list fills a low screen, and the page scrolls on at its ends. */
@media (max-height: 480px) { .scroller { overscroll-behavior: auto; } }
.content { position: relative; margin: .3rem 6px; }
.month { position: absolute; inset-inline: 0; display: grid; grid-template-rows: 9.5fr 90.5fr; }
.title { margin: 0; font-size: 1.12rem; font-weight: 700; letter-spacing: -.012em; align-self: center; padding-inline-start: calc(100% / 14 - .4em); }
.grid { display: grid; grid-template-rows: 8.9fr 81.6fr; min-block-size: 0; }
.weekdays, .week { display: grid; grid-template-columns: repeat(7, minmax(0, 1fr)); }
.head, .weekdays { block-size: 100%; }
.weekdays { align-items: center; justify-items: center; font-size: .78rem; font-weight: 600; color: var(--ink); }
.weekday { overflow: hidden; max-inline-size: 100%; white-space: nowrap; }
.weekday[data-weekend] { color: var(--muted); }
.weeks { display: grid; grid-auto-rows: var(--week-height); }
.day {
  display: grid; grid-template-rows: var(--day-height) auto; place-items: center; align-content: start; position: relative; cursor: pointer; border-radius: 50%;
  font-variant-numeric: tabular-nums; user-select: none; -webkit-user-select: none; touch-action: manipulation; outline: none;
}
.number {
  inline-size: var(--spot); block-size: var(--spot); border-radius: 50%; display: grid; place-items: center;
  border: 1px solid var(--line); transition: background .15s, border-color .15s; font-size: clamp(.9rem, calc(var(--spot) * .42), 1.12rem);
}
.remark {
  max-inline-size: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: clamp(.66rem, calc(var(--spot) * .26), .78rem);
  line-height: 1; padding-inline: 1px; margin-block-start: -.06rem; color: var(--muted); font-weight: 560;
}
.day[aria-selected="true"] .remark { font-weight: 680; }
.day[aria-selected="true"] .remark:not([data-tone]) { color: var(--ink); }
.day.outside { cursor: default; color: var(--muted); opacity: .45; }
.day.outside .number { border-color: transparent; font-size: .82rem; }
.day[data-unavailable] { color: var(--muted); cursor: not-allowed; }
.day[data-unavailable]:not([aria-selected="true"]) .number { border-color: transparent; opacity: .72; }
.day[data-unavailable="taken"]:not([aria-selected="true"]) .number { opacity: 1; background: repeating-linear-gradient(-45deg, transparent 0 4px, var(--line) 4px 5.5px); }
.day[aria-current] .number { border: 2px solid var(--accent); font-weight: 700; }
.day[aria-selected="true"] { color: var(--on-accent); font-weight: 620; }
.day[aria-selected="true"] .number { border-color: transparent; }
.day[aria-selected="true"][aria-current] .number { border-color: var(--on-accent); }
.day[data-head] .number, .day[data-tail] .number { box-shadow: inset 0 0 0 2.5px var(--on-accent); font-weight: 720; }
.day:focus-visible .number { outline: 3px solid var(--accent); outline-offset: 2px; }
.day[aria-selected="true"]:focus-visible .number { outline-color: var(--ink); }
@media (hover: hover) { .day:not(.outside, [data-unavailable], [aria-selected="true"]):hover .number { background: color-mix(in oklab, var(--accent) 16%, transparent); } }
.day[data-hover]:not([data-head], [data-tail]) .number { box-shadow: 0 0 0 2px color-mix(in oklab, var(--ghost) 45%, transparent); }
.day[data-ghost] .number { box-shadow: 0 0 0 3px var(--ghost), 0 0 0 5.5px var(--ghost-second); }
.day[data-ghost]::after {
  content: attr(data-ghost); position: absolute; inset-block-start: -1px; inset-inline-end: calc(50% - var(--spot) / 2 - 4px);
  min-inline-size: 1.1rem; block-size: 1.1rem; padding-inline: 4px; border-radius: .6rem; background: var(--ghost-fill); color: #fff; word-spacing: .3em; white-space: nowrap;
  font-size: .66rem; font-weight: 700; display: grid; place-items: center; z-index: 2;
}
.bands { position: absolute; inset-inline: 0; inset-block-end: 0; block-size: calc(var(--weeks) * var(--week-height)); pointer-events: none; }
.band {
  position: absolute; block-size: var(--spot); border-radius: var(--spot); background: var(--accent);
  inset-block-start: calc(var(--row) * var(--week-height) + (var(--day-height) - var(--spot)) / 2);
  inset-inline-start: calc(var(--from) * 100% / 7 + (100% / 7 - var(--spot)) / 2);
  inline-size: calc(var(--days) * 100% / 7 + var(--spot));
}
/* Half days: a stay begins and ends in the middle of a day, and so does what is not free before and after it. */
.band.stay {
  border-radius: 0; inset-inline-start: calc(var(--start) * 100% / 7); inline-size: calc((var(--end) - var(--start)) * 100% / 7);
}
.day:is([data-only], [data-half]) .number { position: relative; overflow: hidden; isolation: isolate; }
.day[data-half] { color: var(--ink); }
.day[data-half] .number { background: var(--sunken); box-shadow: inset 0 0 0 2.5px var(--accent); }
.day[data-half][aria-current] .number { border-color: var(--accent); }
.day[data-half] .number::after {
  content: ""; position: absolute; z-index: -2; inset-block: 0; inline-size: 50%; background: color-mix(in oklab, var(--accent) 32%, transparent);
}
.day[data-half="arrival"] .number::after { inset-inline-end: 0; }
.day[data-half="departure"] .number::after { inset-inline-start: 0; }
.day[data-only]:is([data-half], :not([aria-selected="true"])) .number::before {
  content: ""; position: absolute; z-index: -1; inset-block: 0; inline-size: 50%;
  background: repeating-linear-gradient(-45deg, transparent 0 4px, var(--line) 4px 5.5px), color-mix(in oklab, var(--line) 45%, transparent);
}
.day[data-only="arrival"] .number::before { inset-inline-start: 0; }
.day[data-only="departure"] .number::before { inset-inline-end: 0; }
.preview .band {
  background: color-mix(in oklab, var(--accent) 14%, transparent); border: 2px dashed var(--accent);
}
.grid { position: relative; }
.month[data-loading] .day { opacity: .55; }
@media (forced-colors: active) {
  .bands:not(.preview) .band { forced-color-adjust: none; background: Highlight; }
  .day[aria-selected="true"] .number { forced-color-adjust: none; color: HighlightText; border-color: Highlight; }
  .day[aria-selected="true"][aria-current] .number { border-color: HighlightText; }
  .day:is(.outside, [data-unavailable]) { color: GrayText; opacity: 1; }
  .day:is(.outside, [data-unavailable]):not([aria-selected="true"], [aria-current]) .number { border-color: Canvas; }
  .day[data-unavailable="taken"] .number { text-decoration: line-through; }
  .day[data-half] .number { background: Canvas; color: CanvasText; border-color: Highlight; }
  .day[data-half] .number::after { forced-color-adjust: none; background: Highlight; opacity: .4; }
  .day[data-only]:not([aria-selected="true"]) .number::before { forced-color-adjust: none; background: GrayText; opacity: .45; }
}
@container (max-width: 400px) {
  .frame { padding: 10px 8px; }
  .today { padding-inline: .5rem; }
  .scroller { block-size: var(--pickerd-calendar-height, clamp(min(19rem, var(--least)), 50svh, 46rem)); }
  .content { margin-inline: 2px; }
}
`);
