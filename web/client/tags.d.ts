// The elements for TypeScript: tags, their attributes in JSX, and the events of a session.

import type { AvailabilityElement } from "./availability/availability-element.js";
import type { CalendarElement } from "./calendar/calendar-element.js";
import type { Total } from "./core/types";
import type { WheelsElement } from "./wheels/wheels-element.js";

export type { Options, PickerEventMap } from "./core/types";

/** The attributes of the elements. */
export type PickerAttributes = {
  months?: string; presence?: "off"; frame?: "none"; actions?: "none"; session?: string; "member-name"?: string; locale?: string; token?: string; labels?: string;
  name?: string; required?: boolean; disabled?: boolean;
  id?: string; class?: string; style?: unknown; slot?: string; ref?: unknown; key?: unknown;
};

/** The elements in JSX. */
export type PickerTags = {
  "pickerd-availability": PickerAttributes & { "time-zone"?: string; zones?: string };
  "pickerd-calendar": PickerAttributes;
  "pickerd-wheels": PickerAttributes;
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
