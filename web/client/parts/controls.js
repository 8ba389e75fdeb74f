// The controls of the elements and of the page around them: buttons, fields, focus, texts for screen readers only.

import { sheetOf } from "./dom.js";

export const controlSheet = sheetOf(`
[hidden] { display: none !important; }
*, *::before, *::after { box-sizing: border-box; }
:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; }
strong { font-weight: 550; }
.unseen {
  position: absolute; inline-size: 1px; block-size: 1px; margin: -1px; padding: 0;
  overflow: hidden; clip-path: inset(50%); white-space: nowrap; border: 0;
}
button, input, select, textarea { font: inherit; color: inherit; }
button {
  cursor: pointer; border: 0; padding: 0 8px; background: none; min-block-size: var(--_touch); min-inline-size: var(--_touch); border-radius: var(--_full);
  touch-action: manipulation; transition: background .12s;
}
:is(button, .primary):is(:disabled, [aria-disabled="true"]) { cursor: default; color: var(--_muted); opacity: .55; }
button svg { inline-size: 1.25rem; block-size: 1.25rem; fill: none; stroke: currentColor; stroke-width: 1.75;
  stroke-linecap: round; stroke-linejoin: round; display: block; margin: auto; }
@media (hover: hover) { button:not(:disabled, [aria-disabled="true"]):hover { background: var(--_sunken); } }
button:not(:disabled, [aria-disabled="true"]):active { background: color-mix(in oklab, var(--_sunken), var(--_ink) 8%); }
.primary { background: var(--_accent); color: var(--_on-accent); min-block-size: 3rem; padding-inline: 24px; font-weight: 550; }
.primary:is(:disabled, [aria-disabled="true"]) { background: var(--_sunken); opacity: 1; }
.primary:not(:disabled, [aria-disabled="true"]):active { background: color-mix(in oklab, var(--_accent), var(--_ink) 24%); }
@media (hover: hover) { .primary:not(:disabled, [aria-disabled="true"]):hover { background: color-mix(in oklab, var(--_accent), var(--_ink) 16%); } }
@media (forced-colors: active) { button:is(:disabled, [aria-disabled="true"]) { color: GrayText; opacity: 1; } }
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { transition: none !important; animation: none !important; } }
`);
