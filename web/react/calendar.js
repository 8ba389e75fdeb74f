import "@pickerd/client/define-calendar";
import { componentOf } from "./component.js";

/** `<pickerd-calendar>` as a component. */
export const Calendar = componentOf("pickerd-calendar", "Calendar");
