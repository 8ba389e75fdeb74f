"""What a release has stored, and its client, work with this version: see releases/make.py.

A test that fails here says that stores of users would not be read as they were. The step that
migrates them comes with the change.
"""

import gzip
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness.clocks import clock_offset
from harness.host import Host
from harness.pickerd import binary, wait_until
from harness.store import again, stored_at

pytest_plugins = ["webpages"]

RELEASES = Path(__file__).resolve().parent / "releases"
sys.path.insert(0, str(RELEASES))
import make

VERSIONS = sorted(path.parent.name for path in RELEASES.glob("*/store.sqlite.gz"))


def read(version, name):
    return gzip.decompress((RELEASES / version / name).read_bytes())


class Opened:
    """A server of this version on the store of a release, a minute after it was made."""

    def __init__(self, version, kind, folder, postgres):
        self.made = json.loads(read(version, f"{kind}.json.gz"))
        if kind == "sqlite":
            (folder / "store.sqlite").write_bytes(read(version, "store.sqlite.gz"))
            self.store = f"sqlite:{folder / 'store.sqlite'}"
        else:
            self.store = postgres.database()
            (folder / "dump.sql").write_bytes(read(version, "postgres.sql.gz"))
            name = self.store.split("/")[3].split("?")[0]
            postgres.run(
                "psql", "-q", "-d", name, "-v", "ON_ERROR_STOP=1", "-f", folder / "dump.sql")
        self.host = Host(folder)
        offset = self.made["madeAt"] + 60 - int(time.time())
        self.server = stored_at(
            folder / "log", self.store, auth=f"keys:{self.host.file}",
            options=("--web", self.pages(version, folder / "web")),
            environment={
                "LD_PRELOAD": str(clock_offset(folder)), "CLOCK_OFFSET_SECONDS": str(offset)})
        self.server.clock(self.made["now"])

    def pages(self, version, folder):
        """A page with the client of the release."""
        files = {f"client/{path}": text
                 for path, text in json.loads(read(version, "client.json.gz")).items()}
        session = self.named("calendar")
        then = self.made["madeAt"]
        token = self.host.token(
            session.rsplit("/", 1)[1], "owner", sub="Ana", iat=then, exp=then + 86_400)
        files["demo/index.html"] = f"""<!doctype html><html lang="en"><title>A release</title>
            <script type="module" src="/client/elements.js"></script>
            <pickerd-calendar session="{session}" token="{token}"></pickerd-calendar></html>"""
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return folder

    def get(self, path):
        answer = self.server.get(path, token=self.host.api)
        assert answer.status == 200, answer
        return answer.json

    def shown(self):
        sessions = [path for path in self.made["shown"] if path.startswith("/v1/sessions/")]
        shown = make.shown(self.get, sessions)
        if self.store.startswith("postgres"):
            # A database that was restored elsewhere goes on as another history.
            for path in sessions:
                shown[path]["epoch"] = self.made["shown"][path]["epoch"]
        return shown

    def named(self, name):
        """The path of a session."""
        return next(path for path, document in self.made["shown"].items()
                    if document.get("title") == name)


@pytest.fixture(params=VERSIONS)
def version(request):
    return request.param


@pytest.fixture
def opened(request, version, tmp_path):
    kind = getattr(request, "param", "sqlite")
    found = Opened(version, kind, tmp_path,
                   request.getfixturevalue("postgres") if kind == "postgres" else None)
    yield found
    if found.server.is_alive:
        found.server.stop()


both = pytest.mark.parametrize("opened", ["sqlite", "postgres"], indirect=True)


@both
def test_a_store_of_a_release_shows_what_it_showed(opened):
    shown = opened.shown()
    for path, document in opened.made["shown"].items():
        assert shown[path] == document, path
    again(opened.server)
    opened.server.clock(opened.made["now"])
    assert opened.shown() == shown


@both
def test_the_entries_of_a_release_yield_what_its_snapshots_have(opened):
    for path in opened.made["shown"]:
        if path.startswith("/v1/sessions/"):
            session = path.rsplit("/", 1)[1]
            replayed = subprocess.run(
                [binary(), "replay", opened.store, session], capture_output=True, text=True)
            assert replayed.returncode == 0, replayed.stdout + replayed.stderr


@both
def test_sessions_of_a_release_go_on(opened):
    path = opened.named("evening 0")
    before = opened.get(path)
    assert before["snapshot"]["hold"]["state"] == "offered", before
    answer = opened.server.post(
        f"{path}/commands", {"type": "confirm", "ref": 1, "at": before["revision"]},
        token=opened.host.api)
    assert answer.status == 200, answer
    assert opened.get(path)["status"] == "confirmed"
    counts = opened.get("/v1/definitions/evening/inventory?key=2026-12-25")
    assert counts["keys"]["2026-12-25"]["booked"] == before["snapshot"]["hold"]["units"]


def test_the_client_of_a_release_works_with_this_server(opened, version, chromium):
    page = chromium.new_page()
    try:
        page.goto(f"http://127.0.0.1:{opened.server.port}/")
        path = opened.named("calendar")
        revision = opened.get(path)["revision"]
        page.locator("[part~=day]:not([aria-disabled=true])").nth(3).click()
        wait_until(lambda: opened.get(path)["revision"] > revision, what="the tap")
    finally:
        page.close()
