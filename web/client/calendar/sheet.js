// The style sheet of the calendar.

import { sheetOf } from "../parts/dom.js";

export const calendarSheet = sheetOf(`
/* For pages that want to show it. */
.hits { display: none; }
.turn { color: var(--muted); }
.today { padding-inline: 14px; font-weight: 600; color: var(--accent); }
.scroller {
  position: relative; overflow-y: auto; overflow-x: hidden; block-size: var(--pickerd-calendar-height, clamp(var(--least), 56svh, 46rem));
  --least: max(8rem, min(20.6rem, 100svh - 6rem));
  border-radius: 1rem; background: var(--sunken); overscroll-behavior: contain; overflow-anchor: none; scroll-padding-block-start: var(--head-height);
  scrollbar-width: thin; scrollbar-color: var(--line) transparent; contain: strict;
}
/* The list fills a low screen, and the page scrolls on at its ends. */
@media (max-height: 480px) { .scroller { overscroll-behavior: auto; } }
.content { position: relative; margin: 0 6px .3rem; }
.month {
  position: absolute; inline-size: calc((100% - (var(--columns) - 1) * 24px) / var(--columns));
  inset-inline-start: calc(var(--column) * (100% + 24px) / var(--columns));
}
.title, .head { position: sticky; z-index: 3; background: var(--sunken); }
.title {
  inset-block-start: 0; display: flex; align-items: center; gap: .35rem; inline-size: 100%; block-size: calc(var(--head-height) - 1.6rem);
  padding-inline: .6rem; border-radius: 0; text-align: start; font-size: 1.12rem; font-weight: 700; letter-spacing: -.012em;
}
.title::after {
  content: ""; inline-size: .42rem; block-size: .42rem; border: solid currentColor; border-width: 0 2px 2px 0; opacity: .65;
  transform: translateY(-.14rem) rotate(45deg);
}
.weekdays, .week { display: grid; grid-template-columns: repeat(7, minmax(0, 1fr)); }
.head { inset-block-start: calc(var(--head-height) - 1.6rem); block-size: 1.6rem; }
.weekdays { block-size: 100%; align-items: center; justify-items: center; font-size: .78rem; font-weight: 600; color: var(--muted); }
.weekday { overflow: hidden; max-inline-size: 100%; white-space: nowrap; }
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
.day[data-unavailable] { color: var(--muted); cursor: not-allowed; }
.day[data-unavailable]:not([aria-selected="true"]) .number { border-color: transparent; opacity: .72; }
.day[data-unavailable="taken"]:not([aria-selected="true"]) .number { opacity: 1; background: repeating-linear-gradient(-45deg, transparent 0 4px, var(--line) 4px 5.5px); }
.day[aria-current] .number { border: 2px solid var(--accent); font-weight: 700; }
.day[aria-selected="true"] { color: var(--on-accent); font-weight: 620; }
.day[aria-selected="true"] .number { border-color: transparent; }
.day[aria-selected="true"][aria-current] .number { border-color: var(--on-accent); }
.day[data-head] .number, .day[data-tail] .number { box-shadow: inset 0 0 0 2.5px var(--on-accent); font-weight: 720; }
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
.grid { position: relative; }
.frame[data-status="cancelled"] { --accent: var(--muted); --on-accent: var(--surface); }
.month[data-loading] .day { opacity: .55; }
@container (max-width: 400px) {
  .frame { padding: 10px 8px; }
  .today { padding-inline: .5rem; }
  .scroller { block-size: var(--pickerd-calendar-height, clamp(min(19rem, var(--least)), 46svh, 46rem)); }
  .content { margin-inline: 2px; }
}
`);
