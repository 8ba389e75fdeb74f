"""The npm package @pickerd/client, as `make package` packs it: installed offline, imported, typed."""

import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from harness.pickerd import REPOSITORY, binary

CLIENT = REPOSITORY / "web/client"
PAGE = """import { connect } from "@pickerd/client";
import { CalendarElement } from "@pickerd/client/define";
import type { PickerEventMap, ResultByKind } from "@pickerd/client/types";

const picker = await connect("/v1/sessions/a", { name: "Ada", locale: "de" });
picker.addEventListener("notice", (event) => (event as PickerEventMap["notice"]).detail.kind);
const result = picker.result as ResultByKind["calendar"] | null;
const element: CalendarElement | null = document.querySelector("pickerd-calendar");
element?.picker?.tap({ date: "2026-11-20" });
export const shown = [result, element];
"""
STRICT = {"target": "ES2022", "module": "ES2022", "moduleResolution": "node16", "strict": True,
          "noEmit": True, "types": [], "lib": ["ES2022", "DOM", "DOM.Iterable"]}


def run(*command, **rest):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=600, **rest)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pack(folder):
    return Path(run(sys.executable, REPOSITORY / "web/package.py", folder).strip())


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return pack(tmp_path_factory.mktemp("packed"))


@pytest.fixture(scope="module")
def project(archive, tmp_path_factory):
    """A project with the package: installed by npm, or unpacked to where npm installs it."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{"name": "page", "private": true, "type": "module"}')
    if shutil.which("npm"):
        run("npm", "install", "--offline", "--no-audit", "--no-fund", f"--cache={folder / 'cache'}",
            archive, cwd=folder)
    else:
        with tarfile.open(archive) as files:
            files.extractall(folder / "unpacked")
        (folder / "node_modules/@pickerd").mkdir(parents=True)
        (folder / "unpacked/package").rename(folder / "node_modules/@pickerd/client")
    return folder


def node(project, text):
    (project / "script.js").write_text(text)
    return run("node", "script.js", cwd=project).strip()


@pytest.mark.parametrize("entry, name", [
    ("", "connect"), ("/calendar", "CalendarElement"), ("/wheels", "WheelsElement"),
    ("/availability", "AvailabilityElement"), ("/define-availability", "AvailabilityElement"),
    ("/define", "connect"), ("/define-calendar", "CalendarElement"),
    ("/define-wheels", "WheelsElement"), ("/words", "loadWords")])
def test_every_entry_is_imported_without_a_dom(project, entry, name):
    assert node(project, f"""import {{ {name} }} from "@pickerd/client{entry}";
        console.log(typeof {name}, typeof document);""") == "function undefined"


def test_a_page_is_checked_against_the_types(project):
    (project / "page.mts").write_text(PAGE)
    (project / "tsconfig.json").write_text(json.dumps({"compilerOptions": STRICT, "files": ["page.mts"]}))
    run("tsc", "--project", project)

    (project / "page.mts").write_text(PAGE.replace('{ date: "2026-11-20" }', '{ day: 20 }'))
    done = subprocess.run(["tsc", "--project", project], capture_output=True, text=True, timeout=600)
    assert "page.mts(9,24)" in done.stdout and done.stdout.count("error") == 1, done.stdout


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


def test_equal_sources_make_equal_archives(archive, tmp_path):
    assert pack(tmp_path).read_bytes() == archive.read_bytes()
