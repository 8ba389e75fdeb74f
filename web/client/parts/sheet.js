// The look that both elements share. Themed from outside by the custom properties of `:host` and by `::part`.

import { sheetOf } from "./dom.js";

export const baseSheet = sheetOf(`
:host {
  --accent: var(--pickerd-accent, light-dark(#0b62c4, #7cc0ff));
  --on-accent: var(--pickerd-on-accent, light-dark(#ffffff, #05233f));
  --surface: var(--pickerd-surface, light-dark(#ffffff, #1b1e24));
  --sunken: var(--pickerd-sunken, light-dark(#eef1f6, #262a33));
  --ink: var(--pickerd-ink, light-dark(#12161d, #f1f4f9));
  --muted: var(--pickerd-muted, light-dark(#566072, #a8b2c3));
  --line: var(--pickerd-line, light-dark(#d9dfe9, #383e4a));
  --warn: var(--pickerd-warn, light-dark(#8a4b00, #ffc27a));
  --warn-surface: var(--pickerd-warn-surface, light-dark(#fff3e0, #3a2a14));
  --radius: var(--pickerd-radius, 18px);
  --row-height: var(--pickerd-row-height, 42px);
  display: block;
  container-type: inline-size;
  color: var(--ink);
  font-family: var(--pickerd-font, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif);
  font-size: 1rem;
  line-height: 1.35;
  -webkit-tap-highlight-color: transparent;
}
:host([hidden]), [hidden] { display: none !important; }
*, *::before, *::after { box-sizing: border-box; }
.unseen {
  position: absolute; inline-size: 1px; block-size: 1px; margin: -1px; padding: 0;
  overflow: hidden; clip-path: inset(50%); white-space: nowrap; border: 0;
}
.frame {
  position: relative; background: var(--surface); border-radius: var(--radius);
  border: 1px solid var(--line); padding: 14px; display: grid; gap: 10px;
  grid-template-columns: minmax(0, 1fr);
}
button {
  font: inherit; color: inherit; cursor: pointer; border: 0; background: none;
  min-block-size: 44px; min-inline-size: 44px; border-radius: 12px; touch-action: manipulation;
}
button:disabled, button[aria-disabled="true"] { cursor: default; color: var(--muted); opacity: .6; }
button svg { inline-size: 20px; block-size: 20px; fill: none; stroke: currentColor; stroke-width: 2.2;
  stroke-linecap: round; stroke-linejoin: round; display: block; margin: auto; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (hover: hover) { button:not(:disabled, [aria-disabled="true"]):hover { background: var(--sunken); } }

.top { display: flex; align-items: center; justify-content: space-between; flex-wrap: wrap; gap: 4px 10px; min-block-size: 44px; }
.tools { display: flex; align-items: center; gap: 2px; margin-inline-start: auto; }
.people { display: flex; flex-wrap: wrap; gap: 6px; margin: 0; padding: 0; list-style: none; }
.face {
  inline-size: 34px; block-size: 34px; border-radius: 50%; display: grid; place-items: center;
  background: var(--author, var(--sunken)); color: var(--author-ink, var(--ink));
  font-weight: 650; font-size: .85rem; position: relative; transition: transform .2s, opacity .2s;
}
.face[data-self] { box-shadow: 0 0 0 2px var(--surface), 0 0 0 4px var(--author); margin-inline-end: 6px; }
.face[data-away] { opacity: .45; filter: saturate(.4); }
.face[data-touching] { transform: scale(1.14); }
.face[data-opener]::after {
  content: ""; position: absolute; inset-block-end: -2px; inset-inline-end: -2px; inline-size: 12px; block-size: 12px;
  border-radius: 50%; background: var(--accent); border: 2px solid var(--surface);
}
.banner {
  display: flex; align-items: center; flex-wrap: wrap; gap: 4px 10px; background: var(--warn-surface); color: var(--warn);
  border-radius: 12px; padding: 8px 14px; font-size: .92rem;
}
.banner .retry { font-weight: 650; text-decoration: underline; padding-inline: 8px; }

.note-place { min-block-size: 52px; display: grid; align-items: center; }
.note-place > * { grid-area: 1 / 1; }
.hint { display: flex; justify-content: space-between; gap: 4px 14px; flex-wrap: wrap; padding-inline: 4px; color: var(--muted); font-size: .95rem; }
.hint strong { font-weight: 600; color: var(--ink); }
.note-place:has(.note[data-shown]) .hint { visibility: hidden; }
.note {
  display: flex; align-items: center; gap: 8px; border-radius: 14px; background: var(--sunken);
  padding-inline: 14px 6px; min-block-size: 48px; opacity: 0; visibility: hidden; transform: translateY(4px);
  transition: opacity .18s, transform .18s, visibility .18s;
}
.note[data-shown] { opacity: 1; visibility: visible; transform: none; }
.note[data-shown="correction"], .note[data-shown="refusal"] { background: var(--warn-surface); color: var(--warn); }
.sentences { list-style: none; margin: 0; padding: 6px 0; flex: 1; min-inline-size: 0; font-size: .95rem; }
.sentence { display: flex; gap: 8px; align-items: baseline; overflow-wrap: anywhere; }
.sentence::before {
  content: ""; flex: none; inline-size: 9px; block-size: 9px; border-radius: 50%;
  background: var(--author, var(--muted)); transform: translateY(-1px);
}
.undo-note { display: inline-flex; align-items: center; gap: 6px; font-weight: 650; padding-inline: 12px; color: var(--ink); }
.undo-note svg { inline-size: 17px; block-size: 17px; }

.bar { display: flex; align-items: center; justify-content: space-between; flex-wrap: wrap; gap: 8px;
  border-block-start: 1px solid var(--line); padding-block-start: 10px; }
.chosen { font-weight: 650; font-size: 1.06rem; flex: 1 1 auto; min-inline-size: 0; overflow-wrap: anywhere; min-block-size: 1.4em; }
.acts { display: flex; flex-wrap: wrap; gap: 4px; align-items: center; margin-inline-start: auto; }
.act.cancel, .act.reopen, .act.confirm { padding-inline: 16px; font-weight: 650; }
.act.confirm { background: var(--accent); color: var(--on-accent); border-radius: 22px; }
.act.confirm[aria-disabled="true"] { background: var(--sunken); color: var(--muted); opacity: 1; }
@media (hover: hover) { .act.confirm:not([aria-disabled="true"]):hover { background: color-mix(in oklab, var(--accent), black 12%); } }
.frame[data-status="confirmed"] .chosen { color: var(--accent); }
.frame[data-status="cancelled"] .chosen { color: var(--muted); }
:dir(rtl) .act.undo svg, :dir(rtl) .act.redo svg, :dir(rtl) .undo-note svg { transform: scaleX(-1); }
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { transition: none !important; animation: none !important; } }
`);
