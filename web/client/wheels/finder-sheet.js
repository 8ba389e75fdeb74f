// The style sheet of the search in a long column.

import { sheetOf } from "../parts/dom.js";

export const finderSheet = sheetOf(`
.stage { position: relative; }
/* Over the wheels, as wide as a list of texts can be read. */
.finder {
  position: absolute; z-index: 5; inset: 0; inline-size: min(100%, 28rem); margin-inline: auto; padding: 8px;
  display: grid; grid-template-rows: auto minmax(0, 1fr) auto; gap: 4px; background: var(--_surface);
  border: 1px solid var(--_line); border-radius: var(--_radius); box-shadow: var(--_lift);
}
.finder-line { display: flex; gap: 4px; }
.finder-text {
  flex: 1; min-inline-size: 0; min-block-size: var(--_touch); padding-inline: 12px; font-size: 1rem;
  background: var(--_sunken); border: 1px solid var(--_muted); border-radius: var(--_corner);
}
.finder-text:focus-visible { outline-offset: -1px; }
.finder-list { overflow-y: auto; overscroll-behavior: contain; }
.found {
  min-block-size: 2.25rem; padding: 6px 12px; border-radius: var(--_corner); cursor: pointer; line-height: 1.5rem;
  overflow-wrap: anywhere;
}
.found[aria-selected="true"] { background: var(--_soft); }
.found mark { background: none; color: var(--_accent); font-weight: 650; }
@media (hover: hover) { .found:not([aria-selected="true"]):hover { background: var(--_sunken); } }
@media (pointer: coarse) { .found { min-block-size: var(--_touch); padding-block: 10px; } }
.finder-status { padding-inline: 12px; font-size: .875rem; line-height: 1.25rem; min-block-size: 1.25rem; color: var(--_muted); }
@media (forced-colors: active) { .found[aria-selected="true"] { outline: 2px solid; outline-offset: -2px; } .found mark { text-decoration: underline; } }
`);
