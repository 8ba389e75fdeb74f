// The style sheet of the list of members.

import { sheetOf } from "./dom.js";

export const peopleSheet = sheetOf(`
/* On one line, with shorter names: a member that joins must not move the picker down. */
ul.people { --_name: 9rem; --_gap: 8px; --_end: 12px; --_face: var(--_sunken); display: flex; align-items: center; gap: 8px; margin: 0 0 8px; padding: 0; list-style: none; min-inline-size: 0; min-block-size: var(--_touch); }
.face {
  display: flex; align-items: center; gap: var(--_gap); padding: 4px; padding-inline-end: var(--_end); border-radius: var(--_full); min-inline-size: 0;
  background: var(--_face); font-size: .875rem; position: relative; transition: opacity .3s, box-shadow .2s, background .2s;
}
.picture {
  inline-size: 1.75rem; block-size: 1.75rem; border-radius: var(--_full); display: grid; place-items: center; flex: none; position: relative;
  background: var(--_author, var(--_muted)); color: #fff; font-weight: 650; font-size: .75rem; transition: transform .2s cubic-bezier(.2, 0, 0, 1);
}
.called { font-weight: 550; min-inline-size: 0; max-inline-size: var(--_name); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
ul.people[data-many] { --_name: 0px; --_gap: 0px; --_end: 4px; --_face: none; }
.face[data-self] .picture { box-shadow: 0 0 0 2px var(--_surface), 0 0 0 4px var(--_author); transform: scale(.9); }
.face[data-away] { opacity: .62; }
.face[data-away] .picture { filter: grayscale(.85); }
.face.more .picture { background: var(--_sunken); color: var(--_ink); }
`);
