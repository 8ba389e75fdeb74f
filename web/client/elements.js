// The custom elements, for pages without own code:
//
//   <script type="module" src="/client/elements.js"></script>
//   <pickerd-wheels session="ID" name="Ada" locale="de"></pickerd-wheels>
//   <pickerd-calendar session="ID"></pickerd-calendar>

export { CalendarElement } from "./define-calendar.js";
export { WheelsElement } from "./define-wheels.js";
export * from "./pickerd.js";
export { words } from "./words/words.js";
