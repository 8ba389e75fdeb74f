// The style sheet of both elements. Pages change it with the custom properties of `:host` and with `::part`.

import { sheetOf } from "./dom.js";

export const baseSheet = sheetOf(`
:host {
  --accent: var(--pickerd-accent, light-dark(#0b5fc0, #7cc0ff));
  --on-accent: var(--pickerd-on-accent, light-dark(#ffffff, #05233f));
  --surface: var(--pickerd-surface, light-dark(#ffffff, #1a1d24));
  --sunken: var(--pickerd-sunken, light-dark(#eef1f7, #252932));
  --ink: var(--pickerd-ink, light-dark(#12161d, #f1f4f9));
  --muted: var(--pickerd-muted, light-dark(#535d6f, #aab4c5));
  --line: var(--pickerd-line, light-dark(#dbe1eb, #363c48));
  --warn: var(--pickerd-warn, light-dark(#7f4500, #ffc27a));
  --warn-surface: var(--pickerd-warn-surface, light-dark(#fff2df, #3a2a14));
  --good: var(--pickerd-good, light-dark(#0c6436, #7fdca4));
  --bad: var(--pickerd-bad, light-dark(#a3241c, #ffb0a6));
  --radius: var(--pickerd-radius, 1.2rem);
  --row-height: var(--pickerd-row-height, max(42px, 2.625rem));
  --touch: max(44px, 2.75rem);
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
  border: 1px solid var(--line); padding: .9rem; display: grid; gap: .6rem;
  grid-template-columns: minmax(0, 1fr); transition: border-color .3s;
}
button {
  font: inherit; color: inherit; cursor: pointer; border: 0; background: none;
  min-block-size: var(--touch); min-inline-size: var(--touch); border-radius: .8rem; touch-action: manipulation; transition: background .15s;
}
button:disabled, button[aria-disabled="true"] { cursor: default; color: var(--muted); opacity: .55; }
button svg { inline-size: 1.25rem; block-size: 1.25rem; fill: none; stroke: currentColor; stroke-width: 2.2;
  stroke-linecap: round; stroke-linejoin: round; display: block; margin: auto; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (hover: hover) { button:not(:disabled, [aria-disabled="true"]):hover { background: var(--sunken); } }
button:not(:disabled, [aria-disabled="true"]):active { background: color-mix(in oklab, var(--sunken), var(--ink) 8%); }

.top { display: flex; align-items: center; justify-content: space-between; gap: 4px 10px; min-block-size: var(--touch); }
.tools { display: flex; flex: none; align-items: center; gap: 2px; margin-inline-start: auto; }
/* On one line, with shorter names: a member that joins must not move the picker down. */
.people { display: flex; gap: .45rem; margin: 0; padding: 0; list-style: none; min-inline-size: 0; }
.face {
  display: flex; align-items: center; gap: .4rem; padding: .19rem; padding-inline-end: .75rem; border-radius: 1.3rem; min-inline-size: 0;
  background: var(--sunken); font-size: .88rem; position: relative; transition: opacity .3s, box-shadow .2s, background .2s;
}
.picture {
  inline-size: 1.85rem; block-size: 1.85rem; border-radius: 50%; display: grid; place-items: center; flex: none; position: relative;
  background: var(--author, var(--muted)); color: #fff; font-weight: 680; font-size: .84rem; transition: transform .25s cubic-bezier(.3, 1.8, .5, 1);
}
.called { font-weight: 560; min-inline-size: 0; max-inline-size: 9rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.people[data-many] .face { padding-inline-end: .19rem; background: none; }
.people[data-many] .called { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
.face[data-self] .picture { box-shadow: 0 0 0 2px var(--sunken), 0 0 0 3.5px var(--author); transform: scale(.9); }
.face[data-away] { opacity: .62; }
.face[data-away] .picture { filter: grayscale(.85); }
.face[data-touching] { box-shadow: 0 0 0 2px var(--author); }
.face[data-touching] .picture { transform: scale(1.12); }
.face[data-opener] .picture::after {
  content: ""; position: absolute; inset-block-end: -2px; inset-inline-end: -2px; inline-size: .75rem; block-size: .75rem;
  border-radius: 50%; background: var(--accent); border: 2px solid var(--sunken);
}
.face.more .picture { background: var(--sunken); color: var(--ink); }
/* Over the row of the note, and upwards from there, so that the picker and the buttons below it do not move. */
.banner {
  position: absolute; grid-area: 3 / 1 / 4 / 2; inset-inline: 0; inset-block-end: 0; min-block-size: 100%; pointer-events: none;
  display: flex; align-items: center; justify-content: end; flex-wrap: wrap; gap: 0 10px; background: var(--warn-surface); color: var(--warn);
  border-radius: .8rem; padding-block: 3px; padding-inline: 14px 6px; font-size: .92rem; line-height: 1.28;
}
.banner div { flex: 1 1 8em; min-inline-size: 0; overflow-wrap: anywhere; }
.banner .retry { font-weight: 650; text-decoration: underline; padding-inline: 8px; pointer-events: auto; align-self: end; max-inline-size: 60%; }
/* Without a picker it is at the top. */
.stage[inert] ~ .banner { grid-area: 1 / 1 / 3 / 2; inset-block: 0 auto; min-block-size: 3.25rem; }
/* A note covers it. Without a connection, it covers notes about changes of others. */
.frame:is([data-connection="live"]:has(.note[data-shown]), :has(.note:is([data-shown="decision"], [data-shown="late"], [data-shown="correction"], [data-shown="refusal"], :focus-within))) .banner:not(:focus-within) {
  opacity: 0; pointer-events: none;
}
.frame:not([data-connection="live"]) .note:not([data-shown="decision"], [data-shown="late"], [data-shown="correction"], [data-shown="refusal"], :focus-within) { visibility: hidden; }

.remark[data-tone]::before { margin-inline-end: .2em; font-size: .82em; }
.remark[data-tone="low"]::before { content: "▾" / ""; }
.remark[data-tone="high"]::before { content: "▴" / ""; }
.remark[data-tone="good"]::before { content: "✓" / ""; }
.remark[data-tone="bad"]::before { content: "✕" / ""; }
.remark:is([data-tone="low"], [data-tone="good"]) { color: var(--good); }
.remark[data-tone="high"] { color: var(--warn); }
.remark[data-tone="bad"] { color: var(--bad); }
.note-place { min-block-size: 3.25rem; display: grid; align-items: center; }
.note-place > * { grid-area: 1 / 1; }
.frame[inert] { opacity: .6; }
.top[inert], .stage[inert] { visibility: hidden; }
.zone { padding: 0 .25rem .45rem; color: var(--muted); font-size: .9rem; }
.hint { display: flex; justify-content: space-between; gap: 4px 14px; flex-wrap: wrap; padding-inline: .25rem; color: var(--muted); font-size: .95rem; }
.hint strong { font-weight: 600; color: var(--ink); }
.note-place:has(.note[data-shown]) .hint { visibility: hidden; }
.bar { display: flex; align-items: center; justify-content: space-between; flex-wrap: wrap; gap: 8px;
  border-block-start: 1px solid var(--line); padding-block-start: .65rem; position: relative; }
.unstored {
  position: absolute; inset-block-start: -.58rem; inset-inline-start: .25rem; padding-inline: .35rem; border-radius: .5rem;
  background: var(--warn-surface); color: var(--warn); font-size: .8rem; font-weight: 650; line-height: 1.25rem; white-space: nowrap;
}
.unstored:empty { padding: 0; }
.chosen { font-weight: 680; font-size: 1.1rem; letter-spacing: -.008em; flex: 1 1 auto; min-inline-size: 0; overflow-wrap: anywhere; min-block-size: 1.4em; font-variant-numeric: tabular-nums; padding-inline-start: .25rem; }
.acts { display: flex; flex-wrap: wrap; gap: 4px; align-items: center; justify-content: end; margin-inline-start: auto; }
.acts > .act:not(.undo, .redo, .clear) { padding-inline: 1rem; font-weight: 650; }
.act.cancel { color: var(--bad); }
.question { font-weight: 600; padding-inline: .5rem; text-align: end; }
@container (max-width: 430px) {
  .question { flex: 1 1 100%; }
  .acts { gap: 0; }
  .acts > .act:not(.undo, .redo, .clear) { padding-inline: .5rem; }
}
.act.confirm { background: var(--accent); color: var(--on-accent); border-radius: 1.4rem; padding-inline: 1.2rem; }
.act.confirm[aria-disabled="true"] { background: var(--sunken); color: var(--muted); opacity: 1; }
@media (hover: hover) { .act.confirm:not([aria-disabled="true"]):hover { background: color-mix(in oklab, var(--accent), var(--ink) 16%); } }
.frame[data-status="confirmed"] { border-color: var(--accent); }
.frame[data-status="confirmed"] .chosen { color: var(--accent); animation: settles .5s cubic-bezier(.2, 1.4, .4, 1); }
.frame[data-status="cancelled"] .chosen { color: var(--muted); }
.frame[data-status="cancelled"] .value { text-decoration: line-through; }
@keyframes settles { 0% { transform: scale(.94); opacity: 0; } }
.act.undo:dir(rtl) svg, .act.redo:dir(rtl) svg { transform: scaleX(-1); }
@container (max-width: 430px) {
  .banner { font-size: .84rem; line-height: 1.22; padding-inline: 10px 2px; gap: 0 4px; }
  .banner .retry { max-inline-size: 6.5rem; }
  /* Both sentences would cover the picker. */
  .frame:not([data-connection="credentials"]) .banner:not([data-refused]) span:has(+ .queued:not(:empty)) {
    position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%);
  }
  .called { max-inline-size: 7.6rem; }
  /* More members must not move the buttons and the picker down. */
  .people[data-count="3"] .face, .top:has(.tools > *) .people:not([data-count="1"]) .face { padding-inline-end: .19rem; background: none; }
  .people[data-count="3"] .called, .top:has(.tools > *) .people:not([data-count="1"]) .called {
    position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%);
  }
}
@container (max-width: 430px) {
  /* The pictures overlap if there is not enough room. */
  .top:has(.tools > *) .people[data-many] { padding-inline-end: 1rem; }
}
/* In German, too, the buttons are on one line. */
@container (max-width: 345px) { .acts > :is(.undo, .redo, .clear) { min-inline-size: 2.2rem; } }
/* Enlarged texts. */
@media (max-width: 18em) {
  .banner .retry { max-inline-size: none; }
  .top { flex-wrap: wrap; }
}
@container (max-width: 330px) {
  .face { padding-inline-end: .19rem; background: none; }
  .called { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
}
@media (forced-colors: active) {
  .acts > .act, .today, .picture, .note { border: 1px solid; }
  button:is(:disabled, [aria-disabled="true"]), .act.confirm[aria-disabled="true"] { color: GrayText; opacity: 1; }
}
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { transition: none !important; animation: none !important; } }
`);
