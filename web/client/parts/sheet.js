// The style sheet of both elements. Pages change it with the custom properties of `:host` and with `::part`.

import { sheetOf } from "./dom.js";

export const baseSheet = sheetOf(`
:host {
  --_row-height: var(--pickerd-row-height, var(--_touch));
  display: block;
  container-type: inline-size;
  color: var(--_ink);
  font-family: var(--pickerd-font, system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif);
  font-size: 1rem;
  line-height: 1.5;
  -webkit-tap-highlight-color: transparent;
}
:host([hidden]) { display: none !important; }
.frame {
  position: relative; background: var(--_surface); border-radius: var(--_radius);
  border: 1px solid var(--_line); padding: 12px; display: grid; gap: 8px;
  grid-template-columns: minmax(0, 1fr); transition: border-color .3s;
}
/* Without people and tools it takes no room. */
.top { display: flex; align-items: center; justify-content: space-between; gap: 4px 8px; }
.stage { margin-block-start: -8px; }
.tools > *, ::slotted([slot="people"]:not(:empty)) { margin-block-end: 8px; }
.tools { display: flex; flex: none; align-items: center; gap: 4px; margin-inline-start: auto; }

.remark[data-tone]::before { margin-inline-end: .2em; }
.remark[data-tone="low"]::before { content: "▾" / ""; }
.remark[data-tone="high"]::before { content: "▴" / ""; }
.remark[data-tone="good"]::before { content: "✓" / ""; }
.remark[data-tone="bad"]::before { content: "✕" / ""; }
.remark:is([data-tone="low"], [data-tone="good"]) { color: var(--_good); }
.remark[data-tone="high"] { color: var(--_warn); }
.remark[data-tone="bad"] { color: var(--_bad); }
.note-place { min-block-size: 3rem; display: grid; align-items: center; }
.note-place > * { grid-area: 1 / 1; }
.frame[inert] { opacity: .6; }
.top[inert], .stage[inert] { visibility: hidden; }
.zone { padding: 0 4px 8px; color: var(--_muted); font-size: .875rem; }
.hint { display: flex; justify-content: space-between; gap: 4px 12px; flex-wrap: wrap; padding-inline: 4px; color: var(--_muted); font-size: .875rem; }
.hint strong { font-weight: 550; color: var(--_ink); }
.bar { display: flex; align-items: center; justify-content: space-between; flex-wrap: wrap; gap: 8px;
  border-block-start: 1px solid var(--_line); padding-block-start: 12px; position: relative; }
.chosen { font-weight: 650; font-size: 1.125rem; line-height: 1.5rem; flex: 1 1 auto; min-inline-size: 0; overflow-wrap: anywhere; min-block-size: 1.5rem; font-variant-numeric: tabular-nums; padding-inline-start: 4px; }
.acts { display: flex; flex-wrap: wrap; gap: 4px; align-items: center; justify-content: end; margin-inline-start: auto; }
.acts > .act:not(.undo, .redo, .clear, .primary) { padding-inline: 16px; font-weight: 550; }
.act.cancel { color: var(--_bad); }
@container (max-width: 430px) {
  .acts { gap: 0; }
  .acts > .act:not(.undo, .redo, .clear) { padding-inline: 12px; }
}
@container (max-width: 430px) {
  ul.people { --_name: 7.6rem; }
  /* More members must not move the buttons and the picker down. */
  .people[data-count="3"], .top:has(.tools > *) .people:not([data-count="1"]) { --_name: 0px; --_gap: 0px; --_end: 4px; --_face: none; }
  /* The pictures overlap if there is not enough room. */
  .top:has(.tools > *) .people[data-many] { padding-inline-end: 16px; }
}
/* In German, too, the buttons are on one line. */
@container (max-width: 345px) { .acts > :is(.undo, .redo, .clear) { min-inline-size: 2.2rem; } }
/* Enlarged texts. */
@media (max-width: 18em) { .top { flex-wrap: wrap; } }
@container (max-width: 330px) { ul.people { --_name: 0px; --_gap: 0px; --_end: 4px; --_face: none; } }
@media (forced-colors: active) { .acts > .act, .today, .picture { border: 1px solid; } }
`);
