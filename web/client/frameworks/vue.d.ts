// The elements in Vue's templates: `import "@pickerd/client/types/vue"` in `src/vite-env.d.ts`.

import type { HTMLAttributes, PublicProps } from "vue";
import type { PickerSession } from "../pickerd.js";
import type { AttributesByTag } from "../tags";

/** Templates check `member-name` as `memberName`. */
type Camel<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Rest>}` : Name;
type InTemplates<Attributes> = Attributes & { [Name in keyof Attributes as Camel<Name>]: Attributes[Name] };

/** An element as Vue's tools see a component: `ref` is the element. */
type InVue<Tag extends keyof AttributesByTag> = new () => HTMLElementTagNameMap[Tag] & {
  $props: HTMLAttributes & PublicProps & InTemplates<AttributesByTag[Tag]> & { picker?: PickerSession | null };
  $emit: (name: "change" | "input", event: Event) => void;
};

declare module "vue" {
  interface GlobalComponents {
    "pickerd-availability": InVue<"pickerd-availability">;
    "pickerd-calendar": InVue<"pickerd-calendar">;
    "pickerd-wheels": InVue<"pickerd-wheels">;
  }
}
