// The style sheet of what the first paint does not need: marks of others, prices, focus, the dialog.

import { sheetOf } from "../parts/dom.js";

export const laterSheet = sheetOf(`
.stage { position: relative; }
.mark {
  position: absolute; z-index: 4; inset-inline: 0; inline-size: fit-content; max-inline-size: calc(100% - 1.5rem); margin-inline: auto;
  min-block-size: 2.25rem; padding-inline: 16px; background: var(--_surface); color: var(--_ink);
  border: 2px solid var(--_author); font-size: .875rem; font-weight: 550; box-shadow: var(--_lift);
}
.mark::after { content: ""; position: absolute; inset: -5px 0; }
.mark[data-side="above"] { inset-block-start: 4.5rem; }
.mark[data-side="below"] { inset-block-end: 8px; }
.mark[data-side="above"]::before { content: "▲ " / ""; }
.mark[data-side="below"]::before { content: "▼ " / ""; }
/* So that the last week can be scrolled above a strip or a note. */
[data-bare] .scroller:not([data-folded]) .content { margin-block-end: 3rem; }
.jump { padding: 0; inline-size: min(24rem, calc(100vw - 24px)); }
.sheet { display: grid; gap: 12px; padding: 16px; }
.line { display: flex; gap: 8px; justify-content: space-between; align-items: center; }
.years, .dates input {
  background: var(--_sunken); border: 1px solid var(--_muted); border-radius: var(--_corner);
  min-block-size: var(--_touch); padding-inline: 12px; min-inline-size: 0;
}
.years { font-weight: 650; font-size: 1.125rem; }
.months { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 4px; }
.months button { background: var(--_sunken); padding-inline: 4px; }
.months [aria-current] { box-shadow: inset 0 0 0 2px var(--_accent); font-weight: 650; }
.dates { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; border-block-start: 1px solid var(--_line); padding-block-start: 12px; }
.dates label { display: grid; gap: 4px; flex: 1 1 9rem; font-size: .875rem; color: var(--_muted); }
.dates input { inline-size: 100%; font-size: 1rem; color: var(--_ink); }
.dates .act { flex: 1 1 100%; }
.close { padding-inline: 12px; color: var(--_accent); font-weight: 550; }
.title[data-from]::before { content: attr(data-from) / ""; order: 1; margin-inline-start: 4px; font-size: .75rem; font-weight: 400; color: var(--_accent); }
/* The buttons of the calendar need the room. */
@container (max-width: 21.25em) { .title[data-from]::before { content: none; } }
@container (max-width: 910px) { .month[style*="--_column: 1"] .title[data-from]::before { content: none; } }
[data-bare][data-status="confirmed"] .title::before { content: none; }
.day[data-cheapest] .remark { color: var(--_accent); font-weight: 650; }
/* Who has picked this end of the range: a ring and a face on the rim, and the name while the pointer is there. */
.day[data-by] .number { box-shadow: 0 0 0 2px var(--_surface), 0 0 0 4px var(--_by); }
.day:is([data-by], [data-hover], [data-ghost])::before, .day:is([data-hover], [data-ghost])::after {
  position: absolute; z-index: 2; inset-block-start: calc(50% - var(--_spot) / 2 - 6px); inset-inline-start: calc(50% + var(--_spot) / 2 - 12px);
  --_face: min(1.125rem, 4.6cqi); min-inline-size: var(--_face); max-inline-size: 6rem; block-size: var(--_face); border-radius: var(--_full); box-shadow: 0 0 0 2px var(--_surface);
  color: #fff; font-size: min(.75rem, 3.1cqi); line-height: var(--_face); font-weight: 650; text-align: center;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: plaintext; pointer-events: none;
}
.day[data-by]::before { content: attr(data-initial); background: var(--_by); }
/* Between the weeks, not over the next number. */
.day[data-by]:hover::before { content: attr(data-by); padding-inline: 8px; translate: 0 -.625rem; }
.day[data-hover] .number { outline: 2px solid var(--_ghost); outline-offset: -2px; }
.day[data-ghost] .number { box-shadow: 0 0 0 4px var(--_ghost), 0 0 0 6px var(--_ghost-second); }
.day:is([data-hover], [data-ghost])::after { inset-inline: auto calc(50% + var(--_spot) / 2 - 12px); background: var(--_ghost-fill); }
.day[data-hover]::after { content: attr(data-who); padding-inline: 8px; }
.day[data-ghost]::after { content: attr(data-ghost); padding-inline: 4px; word-spacing: .3em; }
/* The own one is a surface, those of others have edges, so that both can be seen. */
.preview .band { background: var(--_faint); }
.preview .band[style*="--_band"] { background: none; border: dashed var(--_band); border-width: 2px 0; }
.title:focus-visible { outline-offset: -3px; }
.day:focus-visible .number { outline: 3px solid var(--_accent); outline-offset: 2px; }
@media (hover: hover) { .day:not([data-unavailable], [data-head], [data-tail]):hover .number { background: var(--_faint); } }
@media (forced-colors: active) {
  /* Highlight may be translucent: a disc on a band would have two colors. */
  .bands:not(.preview) .band { forced-color-adjust: none; background: none; border: solid Highlight; border-width: 2px 0; }
  .day:is([data-head], [data-tail]) .number { forced-color-adjust: none; background: Highlight; color: HighlightText; }
  .day:is([data-head], [data-tail]) :is(slot, .remark) { forced-color-adjust: none; color: HighlightText; }
  .day[data-unavailable] { color: GrayText; }
}
`);
