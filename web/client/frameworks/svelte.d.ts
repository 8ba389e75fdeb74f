// The elements in Svelte: `import "@pickerd/client/types/svelte"` in `src/app.d.ts`.

import type { HTMLAttributes } from "svelte/elements";
import type { PickerSession } from "../pickerd.js";
import type { AttributesByTag } from "../tags";

/** Svelte sets a property that an element has. */
type InSvelte = {
  [Tag in keyof AttributesByTag]:
    AttributesByTag[Tag] & HTMLAttributes<HTMLElementTagNameMap[Tag]> & { picker?: PickerSession | null };
};

declare module "svelte/elements" {
  interface SvelteHTMLElements extends InSvelte {}
}
