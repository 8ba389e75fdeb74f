"""The npm packages of a release: installed offline, imported, typed, rendered.

React is Debian's (node-react, node-react-dom). It has no types, and there are no other frameworks:
their types here are the few that are used.
"""

import json
import os
import re
import shutil
import subprocess
import tarfile

import pytest

from harness.definitions import CALENDAR
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, binary
from playwright.sync_api import expect

pytest_plugins = ["webpages"]

PAGE = """import { connect } from "@pickerd/client";
import { CalendarElement } from "@pickerd/client/define";
import type { PickerEventMap, ResultByKind } from "@pickerd/client/types";

const picker = await connect("/v1/sessions/a", { name: "Ada", locale: "de" });
picker.addEventListener("notice", ({ detail }: PickerEventMap["notice"]) => detail.kind);
const result = picker.result as ResultByKind["calendar"] | null;
const element: CalendarElement | null = document.querySelector("pickerd-calendar");
element?.picker?.tap({ date: "2026-11-20" });
export const shown = [result, element];
"""
STRICT = {"target": "ES2022", "module": "ES2022", "moduleResolution": "node16", "strict": True,
          "noEmit": True, "types": [], "lib": ["ES2022", "DOM", "DOM.Iterable"],
          "jsx": "react-jsx", "jsxImportSource": "preact"}


#: Where Debian's packages look for each other; another build of Node needs this.
DEBIAN = "/usr/share/nodejs"
REACT_TYPES = """declare module "react" {
  export type ReactNode = unknown;
  export type CSSProperties = { [name: string]: unknown };
  export type RefAttributes<T> = { ref?: { current: T | null } };
  export type ForwardRefExoticComponent<P> = (props: P) => unknown;
}
"""
FRAMEWORKS = """declare module "preact" {
  export namespace JSX { interface Element {} interface IntrinsicElements {} }
}
declare module "preact/jsx-runtime" { export { JSX } from "preact"; }
declare module "svelte/elements" {
  export interface HTMLAttributes<T> {
    class?: string; onchange?: (event: Event & { currentTarget: EventTarget & T }) => void;
  }
  export interface SvelteHTMLElements { [name: string]: { [name: string]: any } }
}
declare module "vue" {
  export interface HTMLAttributes { class?: any; onChange?: (payload: Event) => void }
  export interface PublicProps { key?: PropertyKey }
  export interface GlobalComponents {}
}
"""
#: A program for each framework: its last line is wrong.
PROGRAMS = {
    "preact.tsx": """import type {} from "@pickerd/client/types/preact";
import { connect } from "@pickerd/client";
const picker = await connect("/v1/sessions/a");
export const tags = [
  <pickerd-calendar session="a" member-name="Ada" months={2} required aria-label="Days"
    onChange={(event) => event.currentTarget.picker?.tap({ date: event.currentTarget.value })} />,
  <pickerd-wheels picker={picker} class="time" />,
  <pickerd-availability zones="UTC" presence="no" />];
""",
    "svelte.mts": """import type { SvelteHTMLElements } from "svelte/elements";
import type {} from "@pickerd/client/types/svelte";
export const wheels: SvelteHTMLElements["pickerd-wheels"] = {
  session: "a", "member-name": "Ada", class: "time", picker: null, labels: "Hour,Minute",
  onchange: (event) => { event.currentTarget.value.length; } };
export const calendar: SvelteHTMLElements["pickerd-calendar"] = { months: "3" };
""",
    "vue.mts": """/// <reference types="@pickerd/client/types/vue" />
import type { GlobalComponents } from "vue";
type Calendar = InstanceType<GlobalComponents["pickerd-calendar"]>;
export const props: Calendar["$props"] = {
  session: "a", memberName: "Ada", months: "2", class: ["stay"], onChange: (event) => event.type };
export const calls = (one: Calendar) => [one.picker?.clear(), one.value, one.$emit("change", new Event("change"))];
export const wrong: Calendar["$props"] = { memberNames: "Ada" };
""",
    # What its compiler makes of `#calendar` in a template.
    "angular.mts": """import "@pickerd/client/define";
const calendar = document.createElement("pickerd-calendar");
export const value: string = calendar.value;
calendar.picker?.tap({ day: "2026-11-20" });
"""}
REACT_PAGE = """import { Availability, Calendar, usePicker } from "@pickerd/react";
const picker = usePicker("/v1/sessions/a", { name: "Ada" });
if (picker?.state.hold?.until) await picker.units(picker.state.inventory?.units.max ?? 1).then(() => picker.hold());
Calendar({ picker, months: 2, actions: "none", onChange: (value, element) => [value.length, element.picker?.revision] });
Availability({ session: "/v1/sessions/b", zones: ["UTC"], frame: "none", onChange: (_, element) => element.canMark });
"""
BACKEND = """import { Pickerd, PickerdError, signToken, verifyWebhook } from "@pickerd/server";
import type { Claims, Delivered } from "@pickerd/server";

const pickerd = new Pickerd("http://127.0.0.1:7681", "pk_a.b", { retrySeconds: 5 });
const claims: Claims = { session: "a", role: "owner", sub: "17" };
const event: Delivered = verifyWebhook(["whsec_a"], new Headers(), new Uint8Array());
for await (const { type, data, cursor } of pickerd.feed({ after: event.id }))
  if (data?.session) await pickerd.settle(data.session, cursor, true, { reason: { en: type } });
export const code = (error: unknown) => (error instanceof PickerdError ? error.code : "");
export const tokens = [signToken("pk_a.b", claims), signToken("pk_a.b", { session: "a", role: "admin" })];
"""
APP = """import { createElement as h, useState } from "react";
import { Calendar, usePicker } from "@pickerd/react";

export function App({ first }) {
  const [session, setSession] = useState(first);
  const [value, setValue] = useState("");
  const [isDisabled, disable] = useState(false);
  const picker = usePicker(session, { name: "Ada" });
  return h("main", {},
    h(Calendar, { picker, className: "stay", disabled: isDisabled, onChange: setValue },
      h("b", { slot: "day-2018-11-15" }, "fair")),
    h("p", { id: "value" }, value),
    h("p", { id: "members" }, String(picker?.state.members.size ?? 0)),
    h("button", { onClick: () => disable(!isDisabled) }, "Disable"),
    h("button", { onClick: () => setSession(null) }, "Leave"));
}
"""


def run(*command, **rest):
    rest = {"env": {**os.environ, "NODE_PATH": DEBIAN}, **rest}
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True,
                          timeout=PATIENCE, **rest)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def project(release, tmp_path_factory):
    """A project with the packages: installed by npm, or unpacked to where npm installs them."""
    archives = sorted(release.glob("npm/*.tgz"))
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{"name": "page", "private": true, "type": "module"}')
    if shutil.which("npm"):
        run("npm", "install", "--offline", "--no-audit", "--no-fund", f"--cache={folder / 'cache'}",
            *archives, f"{DEBIAN}/react", f"{DEBIAN}/react-dom", cwd=folder)
    else:
        (folder / "node_modules/@pickerd").mkdir(parents=True)
        for archive in archives:
            with tarfile.open(archive) as files:
                files.extractall(folder / "unpacked")
            name = archive.name.split("-")[1]
            (folder / "unpacked/package").rename(folder / "node_modules/@pickerd" / name)
        for name in ("react", "react-dom"):
            (folder / "node_modules" / name).symlink_to(f"{DEBIAN}/{name}")
    return folder


def node(project, text):
    (project / "script.js").write_text(text)
    return run("node", "script.js", cwd=project).strip()


ENTRIES = {
    "": "connect", "/calendar": "CalendarElement", "/wheels": "WheelsElement",
    "/availability": "AvailabilityElement", "/define-availability": "AvailabilityElement",
    "/define": "connect", "/define-calendar": "CalendarElement", "/define-wheels": "WheelsElement",
    "/words": "loadWords"}


def test_every_entry_is_imported_without_a_dom(project):
    assert json.loads(node(project, f"""const found = {{}};
        for (const [entry, name] of Object.entries({json.dumps(ENTRIES)}))
          found[entry] = typeof (await import("@pickerd/client" + entry))[name];
        console.log(JSON.stringify([found, typeof document]));""")) == [
            dict.fromkeys(ENTRIES, "function"), "undefined"]


@pytest.fixture(scope="module")
def mistakes(project):
    """The errors in programs that use the packages, from one run of tsc, which would read the types
    of browsers for each of them."""
    programs = {"page.mts": PAGE, "wrong.mts": PAGE.replace('{ date: "2026-11-20" }', '{ day: 20 }'),
                "react.d.ts": REACT_TYPES, "component.mts": REACT_PAGE, "backend.mts": BACKEND,
                "frameworks.d.ts": FRAMEWORKS, **PROGRAMS}
    for name, text in programs.items():
        (project / name).write_text(text)
    # Not tsconfig.json, which esbuild reads as well.
    (project / "types.json").write_text(json.dumps({"compilerOptions": STRICT, "files": list(programs)}))
    done = subprocess.run(["tsc", "--project", project / "types.json"], capture_output=True, text=True,
                          timeout=PATIENCE)
    return [line for line in done.stdout.splitlines() if "error" in line]


def test_a_page_is_checked_against_the_types(mistakes):
    assert [line for line in mistakes if "page.mts" in line] == []
    wrong, = (line for line in mistakes if "wrong.mts" in line)
    assert "wrong.mts(9,24)" in wrong


@pytest.mark.parametrize("name, text", PROGRAMS.items())
def test_a_framework_knows_the_tags_and_their_attributes(mistakes, name, text):
    wrong, = (line for line in mistakes if name in line)
    assert f"{name}({text.count(chr(10))}," in wrong


def test_the_archive_has_the_documented_elements_and_the_version_of_the_server(project):
    package = project / "node_modules/@pickerd/client"
    description = json.loads((package / "package.json").read_text())
    assert description["version"] == run(binary(), "--version").strip()
    for target in description["exports"].values():
        assert (package / (target if isinstance(target, str) else target["types"])).exists()

    manifest = json.loads((package / "custom-elements.json").read_text())
    tags = {each["tagName"]: each for module in manifest["modules"] for each in module["declarations"]}
    assert set(tags) == {"pickerd-availability", "pickerd-calendar", "pickerd-wheels"}
    attributes = {each["name"] for each in tags["pickerd-calendar"]["attributes"]}
    assert {"session", "name", "locale", "token", "labels"} <= attributes
    assert "--pickerd-accent" in {each["name"] for each in tags["pickerd-wheels"]["cssProperties"]}
    assert "scroller" in {each["name"] for each in tags["pickerd-calendar"]["cssParts"]}


def test_react_renders_the_tags_on_a_server(project):
    script = """import { createElement as h } from "react";
        import { renderToString } from "react-dom/server";
        import { Availability, Calendar, Wheels } from "@pickerd/react";
        console.log(renderToString(h(Availability, { session: "S", timeZone: "Asia/Tokyo", zones: ["UTC", "Asia/Seoul"] })));
        console.log(renderToString(h(Calendar, { session: "S", memberName: "Ada", required: true, disabled: false, months: 2 })));
        console.log(renderToString(h(Wheels, { session: "S", labels: ["a", "b"] })));"""
    assert node(project, script).splitlines() == [
        '<pickerd-availability session="S" time-zone="Asia/Tokyo" zones="UTC,Asia/Seoul"></pickerd-availability>',
        '<pickerd-calendar months="2" session="S" member-name="Ada" required=""></pickerd-calendar>',
        '<pickerd-wheels session="S" labels="a,b"></pickerd-wheels>']


HYDRATED = """import { createElement as h, useState } from "react";
import { Availability } from "@pickerd/react";

export function App({ session }) {
  const [value, setValue] = useState("");
  return h("main", {},
    h(Availability, { session, memberName: "Ada", timeZone: "UTC", className: "when", onChange: setValue }),
    h("p", { id: "value" }, value || "nothing yet"));
}
"""


def test_what_a_server_has_rendered_is_used_by_the_page(project, start, window, tmp_path):
    (project / "app.js").write_text(HYDRATED)
    (project / "page.js").write_text("""import { createElement as h } from "react";
        import { hydrateRoot } from "react-dom/client";
        import { App } from "./app.js";
        window.rendered = document.querySelector("pickerd-availability");
        const session = rendered.getAttribute("session");
        hydrateRoot(document.getElementById("root"), h(App, { session }), { onRecoverableError: (error) => { throw error; } });""")
    # The page's server does not know ids before it has started.
    folder = pages(project, "page.js", tmp_path / "web", rendered="RENDERED", build="development")
    server = start(options=("--web", folder))
    session = server.session({"kind": "availability", "dates": ["2018-11-26", "2018-11-27"]})
    rendered = node(project, f"""import {{ createElement as h }} from "react";
        import {{ renderToString }} from "react-dom/server";
        import {{ App }} from "./app.js";
        console.log(renderToString(h(App, {{ session: "{session.path}" }})));""")
    assert rendered == (
        f'<main><pickerd-availability class="when" session="{session.path}" member-name="Ada" time-zone="UTC">'
        '</pickerd-availability><p id="value">nothing yet</p></main>')
    page = folder / "client/app.html"
    page.write_text(page.read_text().replace("RENDERED", rendered))

    ada = window(server, path="client/app.html", name="Ada")
    ada.cell(1).click()

    expect(ada.page.locator("#value")).to_have_text("2018-11-27/2018-11-27")
    assert ada.page.evaluate("rendered === document.querySelector('pickerd-availability')")
    assert session.get()["members"][0]["name"] == "Ada"
    assert ada.page_errors == []


def test_the_react_package_has_types(mistakes):
    # A session has no such property; all else is right.
    wrong, = (line for line in mistakes if "component.mts" in line or "react.d.ts" in line)
    assert "'revision' does not exist" in wrong


def test_the_backend_kit_runs_without_a_dom_and_has_types(project, mistakes):
    assert node(project, """import { Pickerd, signToken } from "@pickerd/server";
        console.log(typeof Pickerd, signToken("pk_a.b", { session: "a", role: "owner" }).split(".").length);
        """) == "function 3"
    package = project / "node_modules/@pickerd/server"
    names = {path.name for path in package.iterdir()}
    assert names == {"index.js", "index.d.ts", "package.json", "README.md", "LICENSE"}
    assert json.loads((package / "package.json").read_text())["version"] == run(binary(), "--version").strip()

    # There is no such role; all else is right.
    wrong, = (line for line in mistakes if "backend.mts" in line)
    assert "backend.mts(10," in wrong


def pages(project, module, folder, rendered="", build="production"):
    """Pages with one, client/app.html, made of a module in the project; `rendered` is what a server
    has rendered for it. A development build also logs what React objects to."""
    shutil.copytree(REPOSITORY / "web", folder)
    run("esbuild", "--bundle", "--format=esm", f"--outfile={folder / 'client/app/app.js'}",
        "--jsx=automatic", f'--define:process.env.NODE_ENV="{build}"', module, cwd=project)
    (folder / "client/app.html").write_text(
        '<!doctype html><html lang="en"><title>React</title><link rel="icon" href="data:,">'
        f'<div id="root">{rendered}</div><script type="module" src="app/app.js"></script>')
    return folder


@pytest.fixture(scope="module")
def react(project, tmp_path_factory, _shared):
    """A server with a page of the examples for React, and of `APP`."""
    (project / "app.jsx").write_text(APP)
    text = (REPOSITORY / "web/docs/pages/embed/react.md").read_text()
    stay, used, shared, places = re.findall(r"(?ms)^```jsx\n(.*?)^```$", text)
    (project / "stay.jsx").write_text(stay)
    (project / "shared.jsx").write_text(shared)
    (project / "places.jsx").write_text(places.replace("2026-12-24", "2018-11-14"))
    # The session is that of the address instead of an example.
    used = used.replace('"http://127.0.0.1:7681/v1/sessions/SESSION"', "{session}")
    (project / "page.jsx").write_text(f"""import {{ createRoot }} from "react-dom/client";
        import {{ Stay }} from "./stay.jsx";
        import {{ Shared }} from "./shared.jsx";
        import {{ Places }} from "./places.jsx";
        import {{ App }} from "./app.jsx";
        const session = new URLSearchParams(location.search).get("session");
        const page = location.search.includes("shared") ? <Shared session={{session}} />
          : location.search.includes("places") ? <Places session={{session}} />
          : location.search.includes("app") ? <App first={{session}} /> : {used.strip()};
        createRoot(document.getElementById("root")).render(page);""")
    folder = pages(project, "page.jsx", tmp_path_factory.mktemp("react") / "web")
    return _shared("react", options=("--web", folder))


def test_the_examples_of_the_page_for_react_work(react, window):
    session = react.session(CALENDAR)
    ada = window(react, path=f"client/app.html?session={session.path}", name="Ada")
    expect(ada.page.get_by_text("Nothing chosen yet")).to_be_visible()
    ada.day("2018-11-14").click()
    ada.day("2018-11-16").click()
    expect(ada.page.get_by_text("2018-11-14/2018-11-16")).to_be_visible()

    bo = window(react, path=f"client/app.html?shared&session={session.path}", name="Bo")
    expect(bo.page.get_by_text("2 people are here")).to_be_visible()
    bo.page.locator("#root > button").click()
    expect(ada.page.get_by_text("Nothing chosen yet")).to_be_visible()

    definition = {**CALENDAR, "selection": "single"}
    inventory = {"capacity": 3, "units": {"max": 3}, "waiting": True}
    body = {"definition": definition, "inventory": inventory}
    assert react.request("PUT", "/v1/definitions/evening", body).status == 201
    cem, dora = (
        window(react, name=name, path="client/app.html?places&session="
               + react.session({}, uses="evening").path) for name in ("Cem", "Dora"))
    cem.day("2018-11-14").click()
    cem.button("More than 1").click()
    cem.button("More than 2").click()
    cem.button("Hold").click()
    expect(cem.page.get_by_text("held: 2018-")).to_be_visible()
    dora.button("Wait").click()
    expect(dora.page.get_by_text("waiting: you are number 1")).to_be_visible()
    cem.button("Give back").click()
    expect(dora.page.get_by_text("offered: 2018-")).to_be_visible()


def test_a_react_page_uses_a_session_and_leaves_it(react, window):
    session = react.session(CALENDAR)
    ada = window(react, path=f"client/app.html?app&session={session.path}", name="Ada")
    bo = window(react, session, name="Bo")
    expect(ada.page.locator("#members")).to_have_text("2")
    expect(ada.page.get_by_text("fair")).to_be_visible()
    ada.day("2018-11-14").click()
    bo.day("2018-11-16").click()
    expect(ada.page.locator("#value")).to_have_text("2018-11-14/2018-11-16")
    expect(bo.face("Ada")).to_be_visible()

    ada.button("Disable").click()
    expect(ada.page.locator(".frame")).to_have_attribute("inert", "")
    ada.button("Leave").click()
    expect(ada.page.locator("#members")).to_have_text("0")
    expect(bo.face("Ada (away)")).to_be_visible()
