// Only <pickerd-calendar>, without the wheels: see elements.js.

import { CalendarElement } from "./calendar/calendar-element.js";
import { define } from "./parts/dom.js";

define("pickerd-calendar", CalendarElement);

export { CalendarElement };
/** @typedef {import("./tags").PickerEventMap} PickerEventMap */
export * from "./pickerd.js";
export { words } from "./words/words.js";
