import "@pickerd/client/define-availability";
import { componentOf } from "./component.js";

/** `<pickerd-availability>` as a component. */
export const Availability = componentOf("pickerd-availability", "Availability");
