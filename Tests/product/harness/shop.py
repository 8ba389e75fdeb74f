"""The guide's shop with pickerd and `pickerd deliver`, started by the commands of its page."""

import contextlib
import os
import re
import signal
import socket
import sqlite3
import subprocess
import urllib.parse
import urllib.request
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from .member import Member
from .pickerd import ANSWER_SECONDS, REPOSITORY, Answer, binary, wait_until
from .ports import free_port

GUIDE = REPOSITORY / "web/guide"
PAGE = GUIDE / "shop.md"
PROGRAM = GUIDE / "shop.py"
KIT = REPOSITORY / "web/packages/server/pickerd.py"
ZONE = ZoneInfo("Europe/Berlin")


def blocks():
    """The shell commands of the page, in order: keys, serve, deliver, shop."""
    return re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Shop:
    """Three processes: `serve`, `deliver` and `shop`."""

    def __init__(self, folder):
        self.folder = folder
        self.port, self.pickerd_port = free_port(), free_port()
        #: The port at which the shop finds pickerd; a test may put a proxy between.
        self.upstream_port = self.pickerd_port
        self.running = {}
        programs = folder / "bin"
        programs.mkdir()
        (programs / "pickerd").symlink_to(binary())
        for program in (PROGRAM, KIT):
            (folder / program.name).write_bytes(program.read_bytes())
        keys, *commands = blocks()
        self.commands = dict(zip(("serve", "deliver", "shop"), commands, strict=True))
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}",
                            "PICKERD_LISTEN": f"127.0.0.1:{self.pickerd_port}"}
        self.run(keys)

    def on_free_ports(self, command):
        port = self.upstream_port if "shop.py" in command else self.pickerd_port
        return command.replace(":7681", f":{port}").replace(":8000", f":{self.port}")

    def run(self, command):
        """The output of a command."""
        return subprocess.run(
            ["bash", "-euc", self.on_free_ports(command)], cwd=self.folder, env=self.environment,
            stdout=subprocess.PIPE, text=True, check=True, timeout=120).stdout

    # Processes

    def start(self, *names):
        for name in names or self.commands:
            with (self.folder / f"{name}.log").open("ab") as log:
                self.running[name] = subprocess.Popen(
                    ["bash", "-c", self.on_free_ports(self.commands[name])], cwd=self.folder, env=self.environment,
                    stdout=log, stderr=log, start_new_session=True)
            if name in ("serve", "shop"):
                port = self.pickerd_port if name == "serve" else self.port
                wait_until(lambda: accepts(port), timeout=90, what=f"{name} listens")

    def kill(self, *names):
        """Sends SIGKILL."""
        for name in names:
            process = self.running.pop(name)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    @contextlib.contextmanager
    def paused(self, name):
        """Stops a process for a while."""
        os.killpg(self.running[name].pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self.running[name].pid, signal.SIGCONT)

    def logs(self):
        return "\n".join(f"{log.name}:\n{log.read_text()[-2000:]}" for log in self.folder.glob("*.log"))

    def setting(self, name):
        return re.search(rf"{name}=(\S+)", (self.folder / "shop.env").read_text())[1]

    # What the shop has stored

    def rows(self, query, *values):
        database = sqlite3.connect(
            self.folder / "shop.sqlite", timeout=ANSWER_SECONDS, isolation_level=None)
        try:
            return database.execute(query, values).fetchall()
        finally:
            database.close()

    def bookings(self):
        """(start, session) of each booking that a session made."""
        return set(self.rows("SELECT start, session FROM bookings WHERE session IS NOT NULL"))

    def book_all_but(self, *free):
        """Books every time of a year for guests who called, except these."""
        today = datetime.now(ZONE).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        starts = [today + timedelta(days=day, hours=18, minutes=minutes)
                  for day in range(368) for minutes in (0, 30, 60, 90)]
        rows = [(instant(start), instant(start + timedelta(minutes=30))) for start in starts
                if start not in free]
        database = sqlite3.connect(self.folder / "shop.sqlite", timeout=ANSWER_SECONDS)
        database.executemany("INSERT INTO bookings (start, until) VALUES (?, ?)", rows)
        database.commit()
        database.close()

    # The pages

    def inquire(self, name):
        """Sends the form; the address of the customer's page."""
        form = urllib.parse.urlencode({"name": name}).encode()
        address = f"http://127.0.0.1:{self.port}/inquiries"
        with urllib.request.urlopen(address, form, timeout=ANSWER_SECONDS) as page:
            return page.url

    def customer(self, name):
        """A member that has joined as the page of the customer would."""
        with urllib.request.urlopen(self.inquire(name), timeout=ANSWER_SECONDS) as page:
            html = page.read().decode()
        session = re.search(r'/v1/sessions/([^"]+)"', html)[1]
        token = re.search(r'token="([^"]+)"', html)[1]
        member = Member(f"ws://127.0.0.1:{self.pickerd_port}/v1/sessions/{session}", token=token)
        member.session = session
        return member

    # pickerd

    def api(self, method, path, body=None, key=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.pickerd_port}{path}", body, method=method,
            headers={"Authorization": f"Bearer {key or self.setting('SHOP_KEY')}"})
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
            return Answer(answer.status, dict(answer.headers), answer.read())

    def status(self, session):
        return self.api("GET", f"/v1/sessions/{session}").json["status"]

    def confirmed(self):
        """(start, session) of each confirmed session."""
        listed = self.api("GET", "/v1/sessions?status=confirmed&limit=500").json["sessions"]
        found = (self.api("GET", f"/v1/sessions/{one['session']}").json for one in listed)
        return {(one["snapshot"]["result"]["instant"], one["session"]) for one in found}

    def is_consistent(self):
        """Nothing is undecided, and the bookings are exactly the confirmed sessions."""
        undecided = self.api("GET", "/v1/sessions?status=confirming").json["sessions"]
        waiting = self.rows("SELECT 1 FROM decisions WHERE NOT answered")
        return not undecided and not waiting and self.bookings() == self.confirmed()


def instant(local):
    """A local time of the shop as pickerd writes instants."""
    return local.replace(tzinfo=ZONE).astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
