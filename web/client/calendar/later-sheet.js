// The style sheet of what the first paint does not need: marks of others, prices, focus, the dialog.

import { sheetOf } from "../parts/dom.js";

export const laterSheet = sheetOf(`
.stage { position: relative; }
.mark {
  position: absolute; z-index: 4; inset-inline: 0; inline-size: fit-content; max-inline-size: calc(100% - 1.5rem); margin-inline: auto;
  min-block-size: 2.25rem; padding-inline: .9rem; border-radius: 1.2rem; background: var(--surface); color: var(--ink);
  border: 2px solid var(--author); font-size: .9rem; font-weight: 600; box-shadow: 0 2px 10px light-dark(#1c2b4533, #000a);
}
.mark::after { content: ""; position: absolute; inset: -5px 0; }
.mark[data-side="above"] { inset-block-start: calc(4.35rem + 4px); }
.mark[data-side="below"] { inset-block-end: 8px; }
.mark[data-side="above"]::before { content: "▲ " / ""; }
.mark[data-side="below"]::before { content: "▼ " / ""; }
.legend { display: flex; flex-wrap: wrap; gap: 0 .8rem; align-items: center; }
.legend .remark { font-size: .84rem; margin: 0; line-height: 1.35; }
.legend .lowest { text-decoration: underline; text-underline-offset: 2px; font-weight: 700; color: inherit; }
.jump {
  border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); color: var(--ink); padding: 0;
  inline-size: min(24rem, calc(100vw - 24px)); box-shadow: 0 12px 40px light-dark(#1c2b4540, #000c);
}
.jump::backdrop { background: light-dark(#1c2b4555, #000a); }
.sheet { display: grid; gap: .8rem; padding: .9rem; }
.line { display: flex; gap: .6rem; justify-content: space-between; align-items: center; }
.years, .dates input {
  font: inherit; color: inherit; background: var(--sunken); border: 1px solid var(--muted); border-radius: .7rem;
  min-block-size: var(--touch); padding-inline: .7rem; min-inline-size: 0;
}
.years { font-weight: 700; font-size: 1.1rem; }
.months { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 4px; }
.months button { background: var(--sunken); padding-inline: 2px; }
.months [aria-current] { box-shadow: inset 0 0 0 2px var(--accent); font-weight: 700; }
.dates { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; border-block-start: 1px solid var(--line); padding-block-start: .8rem; }
.dates label { display: grid; gap: .2rem; flex: 1 1 9rem; font-size: .88rem; color: var(--muted); }
.dates input { inline-size: 100%; font-size: 1rem; color: var(--ink); }
.dates .act { flex: 1 1 100%; }
.close { padding-inline: .8rem; color: var(--accent); font-weight: 600; }
.day[data-cheapest] .remark { font-weight: 750; text-decoration: underline; text-underline-offset: 1px; padding-block-end: 3px; }
/* Who has picked this end of the range. */
.day[data-by]::before {
  content: attr(data-by); position: absolute; z-index: 2; inset-block-start: -.2rem; max-inline-size: calc(100% + .3rem); block-size: 1rem;
  padding-inline: .35rem; border-radius: .5rem; background: var(--by); color: #fff; font-size: .64rem; line-height: 1rem; font-weight: 700;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: plaintext; pointer-events: none;
}
/* In the first week it would be below the weekdays. */
.week:first-child .day[data-by]::before { z-index: 4; }
.day[data-hover]:not([data-head], [data-tail]) .number { box-shadow: 0 0 0 2px color-mix(in oklab, var(--ghost) 45%, transparent); }
.day[data-ghost] .number { box-shadow: 0 0 0 3px var(--ghost), 0 0 0 5.5px var(--ghost-second); }
.day[data-ghost]::after {
  content: attr(data-ghost); position: absolute; inset-block-start: -1px; inset-inline-end: calc(50% - var(--spot) / 2 - 4px);
  min-inline-size: 1.1rem; block-size: 1.1rem; padding-inline: 4px; border-radius: .6rem; background: var(--ghost-fill); color: #fff; word-spacing: .3em; white-space: nowrap;
  font-size: .66rem; font-weight: 700; display: grid; place-items: center; z-index: 2;
}
.preview .band {
  --band: var(--accent); background: color-mix(in oklab, var(--band) 14%, transparent); border: 2px dashed var(--band);
}
.title:focus-visible { outline-offset: -3px; }
.day:focus-visible .number { outline: 3px solid var(--accent); outline-offset: 2px; }
.day[aria-selected="true"]:focus-visible .number { outline-color: var(--ink); }
@media (hover: hover) { .day:not([data-unavailable], [aria-selected="true"]):hover .number { background: color-mix(in oklab, var(--accent) 16%, transparent); } }
@media (forced-colors: active) {
  .bands:not(.preview) .band { forced-color-adjust: none; background: Highlight; }
  .day[aria-selected="true"] .number { forced-color-adjust: none; color: HighlightText; border-color: Highlight; }
  .day[aria-selected="true"][aria-current] .number { border-color: HighlightText; }
  .day[data-unavailable] { color: GrayText; opacity: 1; }
  .day[data-unavailable]:not([aria-selected="true"], [aria-current]) .number { border-color: Canvas; }
  .day[data-unavailable="taken"] .number { text-decoration: line-through; }
  .day[data-half] .number { background: Canvas; color: CanvasText; border-color: Highlight; }
  .day[data-half] .number::after { forced-color-adjust: none; background: Highlight; opacity: .4; }
  .day[data-only]:not([aria-selected="true"]) .number::before { forced-color-adjust: none; background: GrayText; opacity: .45; }
}
`);
