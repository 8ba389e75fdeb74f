// <pickerd-availability>, which is not in elements.js: pages load it when they need it.

import { AvailabilityElement } from "./availability/availability-element.js";
import { define } from "./parts/dom.js";

define("pickerd-availability", AvailabilityElement);

export { AvailabilityElement };
/** @typedef {import("./tags").PickerEventMap} PickerEventMap */
export * from "./pickerd.js";
export { words } from "./words/words.js";
