// The style sheet of the calendar.

import { sheetOf } from "../parts/dom.js";

export const calendarSheet = sheetOf(`
/* For pages that want to show it. */
.hits { display: none; }
.turn { color: var(--_muted); }
.today { padding-inline: 12px; font-size: .875rem; font-weight: 550; color: var(--_accent); }
.scroller {
  position: relative; overflow-y: auto; overflow-x: hidden; block-size: var(--pickerd-calendar-height, clamp(var(--_least), 56svh, 46rem));
  --_least: max(8rem, min(20.6rem, 100svh - 6rem));
  overscroll-behavior: contain; overflow-anchor: none; scroll-padding-block-start: var(--_head-height);
  scrollbar-width: thin; scrollbar-color: var(--_line) transparent; contain: strict;
}
/* The list fills a low screen, and the page scrolls on at its ends. */
@media (max-height: 480px) { .scroller { overscroll-behavior: auto; } }
.content { position: relative; margin: 0 4px 4px; }
.month {
  position: absolute; inline-size: calc((100% - (var(--_columns) - 1) * 24px) / var(--_columns));
  inset-inline-start: calc(var(--_column) * (100% + 24px) / var(--_columns));
}
.title, .head { position: sticky; z-index: 3; background: var(--_surface); }
.title {
  inset-block-start: 0; display: flex; align-items: center; gap: 8px; inline-size: 100%; block-size: calc(var(--_head-height) - 1.5rem);
  padding-inline: 12px; border-radius: 0; text-align: start; font-size: 1.125rem; font-weight: 650; white-space: nowrap;
}
.title::after {
  content: ""; inline-size: .4rem; block-size: .4rem; border: solid var(--_muted); border-width: 0 2px 2px 0;
  transform: translateY(-.14rem) rotate(45deg);
}
.weekdays, .week { display: grid; grid-template-columns: repeat(7, minmax(0, 1fr)); }
.head { inset-block-start: calc(var(--_head-height) - 1.5rem); block-size: 1.5rem; }
.weekdays { block-size: 100%; align-items: center; justify-items: center; font-size: min(.75rem, 4.6cqi); color: var(--_muted); }
.weekday { overflow: hidden; max-inline-size: 100%; white-space: nowrap; }
.weeks { display: grid; grid-auto-rows: var(--_week-height); }
/* What is below the number, such as a price, is within the disc. */
.day {
  display: grid; place-items: center; position: relative; cursor: pointer; line-height: 1.25rem;
  font-variant-numeric: tabular-nums; user-select: none; -webkit-user-select: none; touch-action: manipulation; outline: none;
  --_taken: color-mix(in oklab, var(--_sunken) 72%, var(--_surface));
}
.day > * { grid-area: 1 / 1; }
.number {
  inline-size: var(--_spot); block-size: var(--_spot); border-radius: var(--pickerd-day-radius, var(--_full)); display: grid; place-items: center;
  position: relative; transition: background .12s;
}
.day:has(.remark:not([hidden])) .number { padding-block-end: 1rem; }
.day > slot { display: block; max-inline-size: 100%; translate: 0 .625rem; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; font-size: .75rem; line-height: 1rem; font-weight: 400; color: var(--_muted); }
::slotted([slot^="day-"]) { position: relative; inset-block-start: .25rem; }
.day[aria-selected="true"] { font-weight: 550; }
.day[aria-current] .number::after {
  content: ""; position: absolute; inset-block-end: 1px; inline-size: 4px; block-size: 4px; border-radius: var(--_full); background: currentcolor;
}
.day[data-unavailable] { color: var(--_muted); cursor: not-allowed; }
.day[data-unavailable]:not([aria-selected="true"]) .number { text-decoration: line-through; }
.day[data-unavailable="taken"]:not([aria-selected="true"]), .day[data-only] { background: linear-gradient(var(--_side, to top), var(--_taken) 50%, var(--_rest, var(--_taken)) 50%) 50% / 100% var(--_spot) no-repeat; margin-inline: -.5px; }
/* A day that two stays share: the half that is not free. */
.day[data-only] { --_side: to bottom right; --_rest: transparent; }
.day[data-only="departure"] { --_side: to top left; }
[dir="rtl"] .day[data-only] { --_side: to bottom left; }
[dir="rtl"] .day[data-only="departure"] { --_side: to top right; }
.day:is([data-head], [data-tail]) { color: var(--_on-accent); font-weight: 650; }
.day:is([data-head], [data-tail]) .number { background: var(--_accent); }
.day:is([data-head], [data-tail]) :is(slot, .remark) { color: inherit; font-weight: 550; }
.bands { position: absolute; inset-inline: 0; inset-block-end: 0; block-size: calc(var(--_weeks) * var(--_week-height)); pointer-events: none; }
/* From the middle of the first day to that of the last one. */
.band {
  position: absolute; block-size: var(--_spot); background: var(--pickerd-range, var(--_soft));
  inset-block-start: calc((var(--_row) + .5) * var(--_week-height) - var(--_spot) / 2);
  inset-inline-start: calc(var(--_start) * 100% / 7); inline-size: calc((var(--_end) - var(--_start)) * 100% / 7);
}
.band:not([data-head]) { border-start-start-radius: var(--_corner); border-end-start-radius: var(--_corner); }
.band:not([data-tail]) { border-start-end-radius: var(--_corner); border-end-end-radius: var(--_corner); }
.grid { position: relative; }
.frame[data-status="cancelled"] { --_accent: var(--_muted); --_on-accent: var(--_surface); --_soft: var(--_sunken); }
.month[data-loading] .day { opacity: .55; }
@container (max-width: 400px) {
  .frame:not([data-bare]) { padding: 8px; }
  .frame:not([data-bare]) .scroller { block-size: var(--pickerd-calendar-height, clamp(min(19rem, var(--_least)), 46svh, 46rem)); }
}
/* Enlarged texts. */
@container (max-width: 16em) {
  .title { font-size: .875rem; }
  .day > slot { display: none; }
}
`);
