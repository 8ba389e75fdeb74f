// pickerd for React:
//
//   <Calendar session="https://pick.example.org/v1/sessions/ID" memberName="Ada" onChange={(value) => …} />

export { Availability } from "./availability.js";
export { Calendar } from "./calendar.js";
export { usePicker } from "./use-picker.js";
export { Wheels } from "./wheels.js";
