"""The browser client's types (JSDoc and .d.ts), checked with Debian's TypeScript."""

import json
import re
import runpy
import subprocess
from pathlib import Path

import pytest

from harness.patience import PATIENCE

WEB = Path(__file__).resolve().parents[2] / "web"
KIT = WEB / "packages/server"
STRICT = {
    "target": "ES2022", "module": "ES2022", "moduleResolution": "node",
    "lib": ["ES2022", "DOM", "DOM.Iterable"], "types": [], "allowJs": True, "checkJs": True,
    "strict": True, "noEmit": True, "noFallthroughCasesInSwitch": True,
    "baseUrl": str(WEB), "paths": {
        "/client/*": ["client/*"], "/demo/*": ["demo/*"],
        "@pickerd/server": ["packages/server/index.d.ts"]},
}


WRONG = """import { connect } from "/client/pickerd.js";
const picker = await connect("/v1/sessions/a");
picker.select("first", 1);
"""


# Programs of hosts and pages.
PROGRAMS = {
    "the tour of the backend kit": """
declare const process: { env: { [name: string]: string } };
""" + re.search(r"^```js\n(.*?)^```$", (KIT / "README.md").read_text(), re.M | re.S)[1],
    "a loop over all events": """
import { Pickerd } from "@pickerd/server";
export async function follow(pickerd: Pickerd, types: string[]) {
  for await (const event of pickerd.feed()) {
    if (event.type === "restarted") continue;
    if (event.type === "inventory.over") {
      console.log(event.data.name.length, event.data.keys.join());
      continue;
    }
    if (event.data.session === undefined) {
      console.log(event.data.name.length, event.data.version.toFixed());
      continue;
    }
    const session: string = event.data.session;
    if (event.type === "session.offered") console.log(event.data.until.length, event.data.keys[0]);
    if (event.type === "session.holdEnded" && event.data.reason === "expired") console.log(session);
    if (event.type === "session.confirmed") console.log(event.data.units?.toFixed());
    if (event.type === "session.confirming") await pickerd.settle(session, event.data.op, true);
    if (event.type === "session.ended" && event.data.reason === "full") console.log(session);
    if (event.type === "member.joined") console.log(event.data.member.name.length);
    if (event.type === "definition.changed") console.log(event.data.version.toFixed());
  }
  for await (const { data, cursor } of pickerd.feed({ after: "", types }))
    console.log(data?.session?.length, cursor.length);
}""",
    "listeners to a session": """
import { connect } from "/client/pickerd.js";
const picker = await connect("/v1/sessions/a");
picker.addEventListener("change", () => console.log(picker.connection, picker.result));
picker.addEventListener("notice", ({ detail }) => console.log(detail.kind, detail), { once: true });
picker.addEventListener("answered", ({ detail }) => console.log(detail.milliseconds.toFixed()));
const record = ({ detail }: CustomEvent<{ direction: "in" | "out" }>) => detail.direction;
picker.addEventListener("message", record);
picker.removeEventListener("message", record);
const general: EventTarget = picker;
picker.addEventListener("other", (event: Event) => console.log(event.type, general));
export {};""",
    "results by kind": """
import type { ResultByKind } from "/client/tags";
export function first(chosen: ResultByKind["calendar"] | null): string | undefined {
  if (chosen && "start" in chosen) return `${chosen.start} ${chosen.nights?.toFixed()}`;
  const date: string | undefined = chosen?.date;
  return `${date} ${chosen?.total?.amount.toFixed()}`;
}
export function begins(found: ResultByKind["availability"]): string {
  const start: string = "local" in found ? found.local : found.start;
  return start + found.yes?.toFixed();
}
export function booking({ instant, until }: ResultByKind["slot"]): string {
  const end: string | undefined = until;
  return instant + end?.length.toFixed();
}""",
    "notes and commands": """
import { Pickerd } from "@pickerd/server";
export async function change(pickerd: Pickerd, session: string) {
  const text = { en: "sold out", de: "ausgebucht" };
  await pickerd.patchNotes(session, { columns: { 0: { "06": { text, tone: "bad" } } } });
  await pickerd.patchNotes(session, { days: { "2026-12-24": { tone: null, amount: null } } });
  await pickerd.command(session, { type: "tap", month: "2026-12", cell: 3, hits: 0 });
  await pickerd.command(session, { type: "tap", month: "2026-12", x: 0.5, y: 0.5, hits: 0 });
  await pickerd.command(session, { type: "confirm", cell: 3, generation: 1, at: 7 });
}""",
    "an inventory": """
import { Pickerd, PickerdError, type Count } from "@pickerd/server";
export async function sell(pickerd: Pickerd, session: string): Promise<Count[]> {
  const inventory = { capacity: 6, units: { max: 4 }, waiting: true };
  const { over } = await pickerd.putShared("evening", { definition: { kind: "calendar" }, inventory });
  console.log(over?.length);
  await pickerd.command(session, { type: "units", units: 2 });
  await pickerd.command(session, { type: "wait", keys: ["2026-12-24"] });
  const found: Count[] = [];
  for await (const count of pickerd.counts("evening", { from: "2026-12-24" })) found.push(count);
  await pickerd.book("evening", "phone-17", ["2026-12-24"], { over: true }).catch((error) => {
    if (error instanceof PickerdError) console.log(error.keys.join());
  });
  for await (const { booking, units } of pickerd.bookings("evening", { key: "2026-12-24" }))
    console.log(booking, units.toFixed());
  await pickerd.deleteSession(session, { release: true });
  return found;
}""",
    "a webhook": """
import { verifyWebhook } from "@pickerd/server";
export function receive(headers: { [name: string]: string }, body: string): string | null {
  const event = verifyWebhook("whsec_", headers, body);
  if (event.type === "test") return null;
  return event.type === "session.confirming" ? event.data.op : event.data.session ?? null;
}""",
}


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """The errors in the client, the demo page, the programs and a file with a mistake, from one run
    of tsc, which would read the types of browsers for each of them."""
    folder = tmp_path_factory.mktemp("types")
    (folder / "wrong.js").write_text(WRONG)
    for number, text in enumerate(PROGRAMS.values()):
        (folder / f"program{number}.ts").write_text(text)
    (folder / "tsconfig.json").write_text(json.dumps({
        "compilerOptions": STRICT, "include": [f"{WEB}/**/*.js", f"{WEB}/**/*.d.ts", f"{folder}/*"],
        "exclude": [f"{WEB}/react", f"{WEB}/client/frameworks", f"{WEB}/packages", f"{WEB}/docs"]}))
    answer = subprocess.run(["tsc", "--project", str(folder)], capture_output=True, text=True,
                            timeout=PATIENCE, check=False)
    assert answer.returncode != 0, answer.stdout
    return re.findall(r"^\S.*", answer.stdout, re.M)


def test_the_client_and_the_demo_page_pass_strict_type_checking(errors):
    assert [error for error in errors if not re.search(r"(wrong\.js|program\d\.ts)\(", error)] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_passes_strict_type_checking(errors, name):
    file = f"program{list(PROGRAMS).index(name)}.ts("
    assert [error for error in errors if file in error] == []


def test_a_type_error_is_detected(errors):
    assert ["wrong.js(3,15)" in error for error in errors if "wrong.js" in error] == [True]


def test_the_types_of_the_protocol_are_those_of_its_document():
    made = runpy.run_path(str(WEB / "package.py"))["protocol_types"]()
    assert (WEB / "client/core/protocol.d.ts").read_text() == made, "run web/package.py --types"
