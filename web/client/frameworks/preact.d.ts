// The elements in Preact: `import type {} from "@pickerd/client/types/preact"` in any file of a program.

import type { PickerSession } from "../pickerd.js";
import type { PickerTags } from "../tags";

/** Preact sets a property that an element has, and listens to its events. */
type InPreact = {
  [Tag in keyof PickerTags]: PickerTags[Tag] & {
    picker?: PickerSession | null;
    onChange?: (event: Event & { readonly currentTarget: HTMLElementTagNameMap[Tag] }) => void;
    onInput?: (event: Event & { readonly currentTarget: HTMLElementTagNameMap[Tag] }) => void;
  };
};

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements extends InPreact {}
  }
}
