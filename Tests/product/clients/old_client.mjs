// The browser client of commit e842581 (its state machine and fold, unchanged) on a real WebSocket.
// Prints its state as a line of JSON after each message, and sends the commands that it reads from
// lines of standard input.

import { createInterface } from "node:readline";
import { PickerMachine } from "./e842581/machine.js";
import { resultOf } from "./e842581/predict.js";

const url = process.argv[2];
const machine = new PickerMachine({ name: "Old" });
const timers = new Map();
let socket = null;
/** The number of connections; more than one means that a message could not be folded. */
let dials = 0;

function show() {
  const { state, connection } = machine;
  const columns = state.columns.map(({ generation, count, row }) => ({ generation, count, row }));
  const texts = state.columns.map((column) => column.selected?.text ?? null);
  const { revision, range, status } = state;
  console.log(JSON.stringify({ revision, connection, dials, status, result: resultOf(state), texts, columns, calendar: { range } }));
}

function perform(effects) {
  for (const effect of effects) {
    if (effect.effect === "dial") dial();
    else if (effect.effect === "hangUp") disconnect();
    else if (effect.effect === "send" && socket?.readyState === 1) socket.send(JSON.stringify(effect.message));
    else if (effect.effect === "timer") setTimer(effect);
  }
}

function setTimer({ name, milliseconds }) {
  clearTimeout(timers.get(name));
  if (milliseconds !== null) timers.set(name, setTimeout(() => perform(machine.fired(name)), milliseconds));
}

function disconnect() {
  const old = socket;
  socket = null;
  old?.close(1000);
}

function dial() {
  disconnect();
  dials += 1;
  const mine = new WebSocket(url, "pickerd.v1");
  socket = mine;
  const isOurs = () => socket === mine;
  mine.onopen = () => isOurs() && perform(machine.opened());
  mine.onmessage = ({ data }) => {
    if (!isOurs()) return;
    perform(machine.received(JSON.parse(data)));
    show();
  };
  mine.onclose = ({ code }) => {
    if (!isOurs()) return;
    socket = null;
    perform(machine.closed(code));
    show();
  };
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  perform(message.type === "months" ? machine.lookAt(message.from, message.count) : machine.command(message));
}).on("close", () => process.exit(0));
perform(machine.start());
