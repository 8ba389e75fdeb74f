// The style sheet of what a session takes from an inventory.

import { sheetOf } from "./dom.js";

export const stockSheet = sheetOf(`
.stock { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 4px 12px; min-block-size: var(--_touch); padding-inline-start: 4px; outline-offset: -3px; }
.stock[data-quiet] { display: none; }
.stock p { margin: 0; flex: 1 1 0; min-inline-size: min(100%, 9rem); display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 8px; font-size: .875rem; line-height: 1.25rem; overflow-wrap: anywhere; }
.stock[data-hold] .stock-text { font-weight: 550; }
.stock-acts { display: flex; flex-wrap: wrap; align-items: center; justify-content: end; gap: 4px; margin-inline-start: auto; }
.stock .act { padding-inline: 12px; font-weight: 550; white-space: nowrap; }
.stock .act:is(.hold, .join) { background: var(--_soft); font-size: .875rem; }
.stock .act.release { font-size: .875rem; }
.clock { font-size: 1.125rem; line-height: 1.5rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.stock[data-ending] .clock { color: var(--_warn); }
.stock[data-hold="offered"] { background: var(--_soft); border-radius: var(--_corner); padding: 4px 4px 4px 12px; }
.stepper { display: flex; align-items: center; }
.stepper .act.act { padding: 0; font-size: 1.125rem; font-weight: 650; color: var(--_accent); }
.units { min-inline-size: 1.5em; text-align: center; font-weight: 650; font-variant-numeric: tabular-nums; }
[data-bare]:has(> .stock) { grid-template-rows: auto minmax(0, 1fr) auto auto; }
[data-bare] > .stock { grid-area: 3 / 1; padding: 4px 8px 4px 16px; border-block-start: 1px solid var(--_line); border-radius: 0; }
.frame[data-bare]:has(> .stock) .bar { grid-area: 4 / 1; }
[data-bare][data-status="confirmed"]:has(> .stock) .bar { grid-area: 1 / 1; }
.day[data-level="few"]:not([aria-selected="true"]) .remark { color: var(--_warn); }
.day[data-level="held"]:not([aria-selected="true"]) { background: none; }
.day[data-level="held"]:not([aria-selected="true"]) .number { text-decoration: none; outline: 1px dashed var(--_muted); outline-offset: -2px; border-radius: var(--_full); }
:is(.row, .copy)[data-level="few"] .remark { color: var(--_warn); }
@media (forced-colors: active) { .stock .act:is(.hold, .join) { border: 1px solid; } }
`);
