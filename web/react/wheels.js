import "@pickerd/client/define-wheels";
import { componentOf } from "./component.js";

/** `<pickerd-wheels>` as a component. */
export const Wheels = componentOf("pickerd-wheels", "Wheels");
