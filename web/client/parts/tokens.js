// The design tokens, of the elements (`:host`) and of the page around them (`:root`). Pages change those of the elements
// with custom properties that begin with `--pickerd-`; those that begin with `--_` are private. Font sizes are .75, .875,
// 1, 1.125 and 1.5 rem, weights 400, 550 and 650, radii those below, and spaces 4, 8, 12, 16, 24, 32 and 48 px.

import { sheetOf } from "./dom.js";

export const tokenSheet = sheetOf(`
:host, :root {
  /* At least 16 px: pages with a root font size of 62.5 % have larger texts than that. */
  --_rem: max(1rem, 16px);
  --_accent: var(--pickerd-accent, light-dark(#00664f, #74d8b5));
  --_on-accent: var(--pickerd-on-accent, light-dark(#ffffff, #04271c));
  --_surface: var(--pickerd-surface, light-dark(#ffffff, #1a1b19));
  --_sunken: var(--pickerd-sunken, light-dark(#efede8, #2a2b28));
  --_ink: var(--pickerd-ink, light-dark(#1b1a17, #f4f2ed));
  --_muted: var(--pickerd-muted, light-dark(#5f5b52, #aca89e));
  --_line: var(--pickerd-line, light-dark(#e4e1da, #343531));
  --_warn: var(--pickerd-warn, light-dark(#7d4a00, #f3bf6b));
  --_warn-surface: var(--pickerd-warn-surface, light-dark(#fcefd8, #3a2c14));
  --_good: var(--pickerd-good, light-dark(#00664f, #74d8b5));
  --_bad: var(--pickerd-bad, light-dark(#a32f1f, #ff9f8f));
  --_bad-surface: light-dark(#fbe6e1, #43211b);
  --_soft: light-dark(color-mix(in oklab, var(--_accent) 14%, var(--_surface)), color-mix(in oklab, var(--_accent) 22%, var(--_surface)));
  --_faint: color-mix(in oklab, var(--_accent) 8%, var(--_surface));
  --_corner: .5rem;
  --_radius: var(--pickerd-radius, 1rem);
  --_full: 62rem;
  --_lift: 0 2px 6px light-dark(#28221414, #0008), 0 16px 48px light-dark(#28221429, #0009);
  --_touch: max(44px, 2.75rem);
}
`);
