import type { AvailabilityElement } from "@pickerd/client/define-availability";
import type { CalendarElement } from "@pickerd/client/define-calendar";
import type { WheelsElement } from "@pickerd/client/define-wheels";
import type { PickerSession } from "@pickerd/client";
import type { Options, PickerTags } from "@pickerd/client/types";
import type { CSSProperties, ForwardRefExoticComponent, ReactNode, RefAttributes } from "react";

export type PickerProps<Element> = {
  /** The session's URL, path or id. */
  session?: string;
  /** A session from `usePicker`, instead of `session`; null while there is none. */
  picker?: PickerSession | null;
  /** The name that other members see. */
  memberName?: string;
  /** The name of the form's field. */
  name?: string;
  required?: boolean;
  disabled?: boolean;
  locale?: string;
  token?: string;
  labels?: string | string[];
  presence?: "off";
  /** `none`: the picker without its card and the list of members. */
  frame?: "none";
  /** `none`: without the bar and the line for an inventory, whose commands the page gives. */
  actions?: "none";
  /** The value has changed, by whichever member. */
  onChange?: (value: string, element: Element) => void;
  id?: string;
  className?: string;
  style?: CSSProperties;
  /** Elements with the attribute `slot`. */
  children?: ReactNode;
};

// React 19 ignores the global namespace `JSX`.
declare module "react" {
  namespace JSX {
    interface IntrinsicElements extends PickerTags {}
  }
}

export declare const Availability: ForwardRefExoticComponent<
  PickerProps<AvailabilityElement> & {
    /** The zone of its times; default: the one of the browser. */
    timeZone?: string;
    /** At most two zones that are shown beside it; default: the one of the definition. */
    zones?: string | string[];
  } & RefAttributes<AvailabilityElement>>;
export declare const Calendar: ForwardRefExoticComponent<
  PickerProps<CalendarElement> & { months?: 1 | 2 } & RefAttributes<CalendarElement>>;
export declare const Wheels: ForwardRefExoticComponent<PickerProps<WheelsElement> & RefAttributes<WheelsElement>>;
export declare function usePicker(session: string | null | undefined, options?: Options): PickerSession | null;
