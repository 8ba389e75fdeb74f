// Only <pickerd-wheels>, without the calendar: see elements.js.

import { define } from "./parts/dom.js";
import { WheelsElement } from "./wheels/wheels-element.js";

define("pickerd-wheels", WheelsElement);

export { WheelsElement };
/** @typedef {import("./tags").PickerEventMap} PickerEventMap */
export * from "./pickerd.js";
export { words } from "./words/words.js";
