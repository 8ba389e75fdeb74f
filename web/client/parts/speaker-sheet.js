// The style sheet of the note.

import { sheetOf } from "./dom.js";

export const speakerSheet = sheetOf(`
.note {
  position: relative; z-index: 1; display: flex; align-items: center; gap: 8px; border-radius: .9rem; background: var(--sunken);
  padding-inline: 14px 6px; min-block-size: 3rem; opacity: 0; visibility: hidden; transform: translateY(6px) scale(.985);
  transition: opacity .2s, transform .28s cubic-bezier(.2, 1.3, .4, 1), visibility .2s;
}
.note[data-shown] { opacity: 1; visibility: visible; transform: none; }
.note:is([data-shown="decision"], [data-shown="late"], [data-shown="correction"], [data-shown="refusal"]) { background: var(--warn-surface); color: var(--warn); }
.sentences { list-style: none; margin: 0; padding: 6px 0; flex: 1; min-inline-size: 0; font-size: .95rem; text-wrap: pretty; }
.sentence { display: flex; gap: 8px; align-items: baseline; overflow-wrap: anywhere; }
.sentence::before {
  content: ""; flex: none; inline-size: 9px; block-size: 9px; border-radius: 50%;
  background: var(--author, var(--muted)); transform: translateY(-1px);
}
.late { flex-wrap: wrap; }
.late span { flex: 1 1 10rem; }
.offer { font-weight: 650; padding-inline: 12px; color: var(--ink); margin-inline-start: auto; text-decoration: underline; }
.undo-note { display: inline-flex; align-items: center; gap: 6px; font-weight: 650; padding-inline: 12px; color: var(--ink); }
.undo-note svg { inline-size: 1.05rem; block-size: 1.05rem; }
.undo-note:dir(rtl) svg { transform: scaleX(-1); }
/* The sentence needs the room. */
@container (max-width: 430px) {
  .undo-note { padding-inline: 0; justify-content: center; }
  .undo-note span { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
}
@media (prefers-reduced-motion: reduce) { .note { transition: none !important; } }
`);
