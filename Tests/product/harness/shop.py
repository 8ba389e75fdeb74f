"""The guide's shop and hotel, with pickerd, started by the commands of their pages."""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from .member import Member
from .patience import PATIENCE
from .pickerd import REPOSITORY, Answer, binary, wait_until
from .ports import free_port

GUIDE = REPOSITORY / "web/guide"
PAGE = GUIDE / "shop.md"
PROGRAM = GUIDE / "shop.py"
KIT = REPOSITORY / "web/packages/server"
ZONE = ZoneInfo("Europe/Berlin")


def blocks(page):
    """The shell commands of a page, in order: keys, serve, deliver, shop."""
    return re.findall(r"^```sh\n(.*?)^```$", page.read_text(), re.M | re.S)


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Processes:
    """What the commands of a page start, in a folder."""

    page = None
    #: The prefix of its settings.
    shop = None
    #: The processes, in the order of the page.
    names = ()

    def __init__(self, folder):
        self.folder = folder
        self.port, self.pickerd_port = free_port(), free_port()
        #: The port at which the shop finds pickerd; a test may put a proxy between.
        self.upstream_port = self.pickerd_port
        self.running = {}
        programs = folder / "bin"
        programs.mkdir()
        (programs / "pickerd").symlink_to(binary())
        self.copy()
        keys, *commands = blocks(self.page)
        self.commands = dict(zip(self.names, commands, strict=True))
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}",
                            "PICKERD_LISTEN": f"127.0.0.1:{self.pickerd_port}"}
        self.run(keys)

    def on_free_ports(self, command):
        port = self.pickerd_port if command.startswith("pickerd ") else self.upstream_port
        return re.sub(r"\b8000\b", str(self.port), command.replace(":7681", f":{port}"))

    def run(self, command):
        """The output of a command."""
        return subprocess.run(
            ["bash", "-euc", self.on_free_ports(command)], cwd=self.folder, env=self.environment,
            stdout=subprocess.PIPE, text=True, check=True, timeout=PATIENCE).stdout

    # Processes

    def start(self, *names):
        for name in names or self.commands:
            with (self.folder / f"{name}.log").open("ab") as log:
                self.running[name] = subprocess.Popen(
                    ["bash", "-c", self.on_free_ports(self.commands[name])], cwd=self.folder, env=self.environment,
                    stdout=log, stderr=log, start_new_session=True)
            if name != "deliver":
                port = self.pickerd_port if name == "serve" else self.port
                wait_until(lambda: accepts(port), what=f"{name} listens")

    def kill(self, *names):
        """Sends SIGKILL."""
        for name in names:
            process = self.running.pop(name)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def again(self, *names):
        """Kills processes, and starts them in the order of the page."""
        self.kill(*names)
        self.start(*[name for name in self.commands if name in names])

    @contextlib.contextmanager
    def paused(self, name):
        """Stops a process for a while."""
        os.killpg(self.running[name].pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self.running[name].pid, signal.SIGCONT)

    def copy_store(self):
        """Copies the store, which nothing uses."""
        (self.folder / "backup").mkdir()
        for file in self.folder.glob("pickerd.sqlite*"):
            shutil.copy(file, self.folder / "backup")

    def restore_store(self):
        for file in self.folder.glob("pickerd.sqlite*"):
            file.unlink()
        for file in (self.folder / "backup").iterdir():
            shutil.copy(file, self.folder)

    def logs(self):
        return "\n".join(f"{log.name}:\n{log.read_text()[-2000:]}" for log in self.folder.glob("*.log"))

    def setting(self, name):
        settings = next(self.folder.glob("*.env")).read_text()
        return re.search(rf"{name}=(\S+)", settings)[1]

    def post(self, path, **fields):
        """Sends a form as a browser does, or GETs without fields; the status, and where to or the
        page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request(
            "POST" if fields else "GET", path, urllib.parse.urlencode(fields) if fields else None)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers["Location"] or text

    # pickerd

    @property
    def key(self):
        return self.setting(f"{self.shop}_KEY")

    @property
    def desk(self):
        return f"/desk/{self.setting(f'{self.shop}_DESK')}"

    def joined(self, session, path, token):
        """A member that has joined as the page at the path does."""
        url = f"ws://127.0.0.1:{self.pickerd_port}/v1/sessions/{session}"
        member = Member(url, token=token)
        member.session, member.path, member.token = session, path, token
        member.greatest = member.welcome["ref"]
        return member

    def shown(self, html, path):
        """A member that has joined as the page does."""
        session = re.search(r'/v1/sessions/([^"]+)"', html)[1]
        token = re.search(r'token[:=] ?"([^"]+)"', html)[1]
        return self.joined(session, path, token)

    def api(self, method, path, body=None, key=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.pickerd_port}{path}", body, method=method,
            headers={"Authorization": f"Bearer {key or self.key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return Answer(answer.status, dict(answer.headers), answer.read())

    def status(self, session):
        return self.api("GET", f"/v1/sessions/{session}").json["status"]

    def listed(self, status):
        """The sessions with this status, as GET shows them."""
        found = self.api("GET", f"/v1/sessions?status={status}&limit=500").json["sessions"]
        return [self.api("GET", f"/v1/sessions/{one['session']}").json for one in found]


class Shop(Processes):
    """Three processes: `serve`, `deliver` and `shop`."""

    page, shop = PAGE, "SHOP"
    names = ("serve", "deliver", "shop")

    def copy(self):
        for program in (PROGRAM, KIT / "pickerd.py"):
            (self.folder / program.name).write_bytes(program.read_bytes())

    # What the shop has stored

    def rows(self, query, *values):
        database = sqlite3.connect(
            self.folder / "shop.sqlite", timeout=PATIENCE, isolation_level=None)
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
        database = sqlite3.connect(self.folder / "shop.sqlite", timeout=PATIENCE)
        database.executemany("INSERT INTO bookings (start, until) VALUES (?, ?)", rows)
        database.commit()
        database.close()

    # The pages

    def inquire(self, name):
        """Sends the form; the address of the customer's page."""
        form = urllib.parse.urlencode({"name": name}).encode()
        address = f"http://127.0.0.1:{self.port}/inquiries"
        with urllib.request.urlopen(address, form, timeout=PATIENCE) as page:
            return page.url

    def customer(self, name):
        """A member that has joined as the page of the customer would."""
        with urllib.request.urlopen(self.inquire(name), timeout=PATIENCE) as page:
            return self.shown(page.read().decode(), page.url)

    def confirmed(self):
        """(start, session) of each confirmed session."""
        return {(one["snapshot"]["result"]["instant"], one["session"])
                for one in self.listed("confirmed")}

    def is_consistent(self):
        """Nothing is undecided, and the bookings are exactly the confirmed sessions."""
        undecided = self.listed("confirming")
        waiting = self.rows("SELECT 1 FROM decisions WHERE NOT answered")
        return not undecided and not waiting and self.bookings() == self.confirmed()


class Hotel(Processes):
    """Two processes: `serve` and `hotel`, which has the kit of JavaScript."""

    page, shop = GUIDE / "hotel.md", "HOTEL"
    names = ("serve", "hotel")
    programs = ("hotel.mjs",)

    def copy(self):
        for name in self.programs:
            (self.folder / name).write_bytes((GUIDE / name).read_bytes())
        package = self.folder / "node_modules/@pickerd/server"
        package.parent.mkdir(parents=True)
        shutil.copytree(KIT, package)

    def guest(self, name):
        status, path = self.post("/", name=name, guest=uuid.uuid4())
        assert status == 303 and path.startswith("/stays/"), (status, path)
        return self.join(path)

    def join(self, path):
        """A member that has joined by the link of a guest."""
        status, link = self.post(path)
        assert status == 303, (status, link)
        session, token = re.fullmatch(r"http.*/s/(.*)#token=(.*)", link).groups()
        return self.joined(session, path, token)

    def books(self):
        return json.loads((self.folder / "books.json").read_text())

    def stays(self):
        """(session, start, end) of each stay in the books."""
        return {(session, one["start"], one["end"]) for session, one in self.books()["stays"].items()}

    def booked(self):
        """(session, first night, nights) of each booking of a session."""
        page = self.api("GET", "/v1/definitions/double/bookings?limit=1000").json["bookings"]
        return {(one["session"], one["keys"][0], len(one["keys"])) for one in page if "session" in one}

    def confirmed(self):
        """(session, start, end) of each confirmed session."""
        results = [(one["session"], one["snapshot"]["result"]) for one in self.listed("confirmed")]
        return {(session, result["start"], result["end"]) for session, result in results}

    def is_consistent(self):
        """The stays in the books are exactly the confirmed sessions."""
        return self.stays() == self.confirmed()


class Tickets(Hotel):
    """Two processes: `serve` and `tickets`, which has the kit of JavaScript."""

    page, shop = GUIDE / "tickets.md", "TICKETS"
    names = ("serve", "tickets")
    programs = ("tickets.mjs", "tickets.html")

    def order(self, name):
        """The path of a new order."""
        id = str(uuid.uuid4())
        status, path = self.post("/", id=id, name=name, mail=f"{name.lower()}@example.org")
        assert (status, path) == (303, f"/orders/{id}")
        return path

    def member(self, path):
        """A member that has joined as the page of an order would."""
        status, html = self.post(path)
        assert status == 200, (status, html)
        return self.shown(html, path)

    def is_open(self):
        """Whether the shop has put its inventory."""
        try:
            return self.api("GET", "/v1/definitions/evenings").status == 200
        except urllib.error.HTTPError:
            return False

    def letters(self):
        """(address, text) of each letter."""
        file = self.folder / "letters.txt"
        text = file.read_text() if file.exists() else ""
        return re.findall(r"To: (.*)\nSubject: Your evening\nMessage-ID: <.*@theatre>\n\n(.*)\n", text)

    def counts(self):
        return self.api("GET", "/v1/definitions/evenings/inventory?limit=1000").json["keys"]

    def bookings(self):
        return self.api("GET", "/v1/definitions/evenings/bookings?limit=1000").json["bookings"]

    def sales(self):
        """(session, date, units) of each sale in the books."""
        file = self.folder / "books.json"
        sales = json.loads(file.read_text())["sales"] if file.exists() else {}
        return {(session, one["date"], one["units"]) for session, one in sales.items()}

    def confirmed(self):
        results = [(one["session"], one["snapshot"]["result"]) for one in self.listed("confirmed")]
        return {(session, result["date"], result["units"]) for session, result in results}


class Practice(Processes):
    """Two processes: `serve` and `practice`."""

    page, shop = GUIDE / "appointments.md", "PRACTICE"
    names = ("serve", "practice")

    def copy(self):
        for program in (GUIDE / "appointments.py", GUIDE / "appointments_pages.py", KIT / "pickerd.py"):
            (self.folder / program.name).write_bytes(program.read_bytes())

    def patient(self, name):
        """The path of a new patient's page."""
        status, path = self.post("/", do="come", name=name)
        assert status == 303 and path.startswith("/patients/"), (status, path)
        return path

    def member(self, path):
        """A member that has joined as the page of the patient would."""
        address = f"http://127.0.0.1:{self.port}{path}"
        html = wait_until(lambda: self.page_of(address), what="the page of a patient")
        return self.shown(html, path)

    @staticmethod
    def page_of(address):
        """The page, None while the practice cannot reach pickerd."""
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE) as page:
                return page.read().decode()
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise

    def book(self):
        database = sqlite3.connect(self.folder / "book.sqlite", timeout=PATIENCE)
        try:
            return json.loads(database.execute("SELECT data FROM book").fetchone()[0])
        finally:
            database.close()

    def visits(self):
        """(start, session) of each visit."""
        return {(one["start"], one["session"]) for one in self.book()["visits"].values()}

    def confirmed(self):
        return {(one["snapshot"]["result"]["instant"], one["session"])
                for one in self.listed("confirmed")}

    def is_consistent(self):
        """The visits in the book are exactly the confirmed sessions."""
        return self.visits() == self.confirmed()


def instant(local):
    """A local time of the shop as pickerd writes instants."""
    return local.replace(tzinfo=ZONE).astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def started(processes):
    """Started processes, for a fixture."""
    try:
        processes.start()
        yield processes
    finally:
        processes.kill(*processes.running)
        print(processes.logs())  # Shown if the test has failed.


def selling(folder):
    """A started ticket shop, for a fixture."""
    for tickets in started(Tickets(folder)):
        wait_until(tickets.is_open, what="the inventory")
        yield tickets
