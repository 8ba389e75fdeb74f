// The elements for TypeScript: tags, their attributes in JSX, and the events of a session.

import type { AvailabilityElement } from "./availability/availability-element.js";
import type { CalendarElement } from "./calendar/calendar-element.js";
import type { Total } from "./core/types";
import type { WheelsElement } from "./wheels/wheels-element.js";

export type { Options, PickerEventMap } from "./core/types";

/** The attributes of all elements. */
export type PickerAttributes = {
  session?: string; "member-name"?: string; locale?: string; token?: string; labels?: string;
  presence?: "off"; frame?: "none"; actions?: "none";
  name?: string; required?: boolean; disabled?: boolean;
};

/** The attributes of each element. */
export type AttributesByTag = {
  "pickerd-availability": PickerAttributes & { "time-zone"?: string; zones?: string };
  "pickerd-calendar": PickerAttributes & { months?: 1 | 2 | "1" | "2" };
  "pickerd-wheels": PickerAttributes;
};

/** The elements in JSX; what a framework has for its own elements is `any`. */
export type PickerTags = {
  [Tag in keyof AttributesByTag]: AttributesByTag[Tag] & {
    id?: string; class?: string; style?: unknown; slot?: string; hidden?: boolean;
    ref?: any; key?: any; children?: any;
  };
};

type More = { [field: string]: unknown };
/** The result by the kind of a session: `session.result as ResultByKind["calendar"]`. */
export type ResultByKind = {
  date: { date: string } & More;
  /** `until` if the definition has `minutes`. */
  slot: { local: string; instant: string; until?: string } & More;
  cascade: { keys: string[] } & More;
  columns: { keys: string[] } & More;
  // No index signature: with one, "start" in result would not tell a range from a day.
  calendar: ({ start: string; end: string; days?: number; nights?: number } | { date: string }) & {
    total?: Total; data?: unknown;
  };
  availability: (
    | { local: string; instant: string; until: string }
    | { start: string; end: string; days: number }
  ) & { yes?: number; maybe?: number; no?: number; data?: unknown };
};

declare global {
  interface HTMLElementTagNameMap {
    "pickerd-availability": AvailabilityElement;
    "pickerd-calendar": CalendarElement;
    "pickerd-wheels": WheelsElement;
  }
  namespace JSX {
    interface IntrinsicElements extends PickerTags {}
  }
}
