// The custom elements, for pages without own code:
//
//   <script type="module" src="/client/elements.js"></script>
//   <pickerd-wheels session="ID" name="Ada" locale="de"></pickerd-wheels>
//   <pickerd-calendar session="ID"></pickerd-calendar>

import { CalendarElement } from "./calendar/calendar-element.js";
import { WheelsElement } from "./wheels/wheels-element.js";

if (!customElements.get("pickerd-wheels")) customElements.define("pickerd-wheels", WheelsElement);
if (!customElements.get("pickerd-calendar")) customElements.define("pickerd-calendar", CalendarElement);

export { CalendarElement, WheelsElement };
export * from "./pickerd.js";
