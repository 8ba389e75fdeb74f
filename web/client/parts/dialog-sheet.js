// The dialogs of the elements and of the page around them.

import { sheetOf } from "./dom.js";

export const dialogSheet = sheetOf(`
dialog { border: 1px solid var(--_line); border-radius: var(--_radius); background: var(--_surface); color: var(--_ink); box-shadow: var(--_lift); }
dialog::backdrop { background: #0008; }
`);
