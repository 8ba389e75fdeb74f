"""A shop's backend with pickerd: customers choose a time, the shop has the last word.

    . ./shop.env && python3 shop.py 127.0.0.1:8000 http://127.0.0.1:7681 shop.sqlite

Needs Python's standard library and pickerd.py, the backend kit. shop.md explains it step by step.
"""

import contextlib, html, http.server, os, secrets, sqlite3, sys, threading, time, urllib.parse

from pickerd import Pickerd, WebhookError, sign_token, verify_webhook

ADDRESS, PICKERD, DATABASE = sys.argv[1:]
pickerd = Pickerd(PICKERD, os.environ["SHOP_KEY"], retry_seconds=5)  # `work` tries again, too.
wake = threading.Event()  # Set when there is something to send to pickerd.

PICKER = {"kind": "slot", "timeZone": "Europe/Berlin", "stepMinutes": 30, "minutes": 30, "days": 7,
          "hours": [{"from": "18:00", "until": "20:00"}]}
SOLD_OUT = {"en": "Somebody else has just booked this time. Please choose another one.",
            "de": "Diese Zeit wurde gerade gebucht. Bitte wählen Sie eine andere."}
SCHEMA = """
CREATE TABLE IF NOT EXISTS inquiries (id TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS bookings (id INTEGER PRIMARY KEY, start TEXT NOT NULL UNIQUE,
  until TEXT NOT NULL, inquiry TEXT, session TEXT, op TEXT, revision INTEGER);
CREATE TABLE IF NOT EXISTS decisions (op TEXT PRIMARY KEY, session TEXT NOT NULL,
  granted INTEGER NOT NULL, answered INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS webhooks (id TEXT PRIMARY KEY, at INTEGER NOT NULL);
"""


@contextlib.contextmanager
def transaction():
    """Commits at the end; a crash or an exception before that leaves nothing behind."""
    with contextlib.closing(sqlite3.connect(DATABASE, isolation_level=None, timeout=10)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield db
        db.execute("COMMIT")


# Sessions


def session_of(inquiry):
    """The session of an inquiry. It is created once, however often the page is loaded."""
    attempt(show_taken)
    made = pickerd.create_by(inquiry, {
        "uses": "tables", "title": "Your table", "decide": {"by": "host", "seconds": 300}})
    wake.set()  # A booking made in this moment may be missing.
    return made["session"]


def show_taken():
    """Puts the booked times into the definition that all sessions share, and so into them."""
    with transaction() as db:
        today = time.strftime("%Y-%m-%d", time.gmtime())
        rows = db.execute("SELECT id, start, until FROM bookings WHERE until > ?", (today,))
        taken = {f"booking-{id}": {"from": start, "until": until} for id, start, until in rows}
    pickerd.put_shared("tables", {"definition": {**PICKER, "taken": taken}})


# The decisions. The functions with `db` run in the caller's transaction.


def decide(db, op, session, revision, inquiry, result):
    """Books the time if it is free. UNIQUE lets one booking win; the row in `decisions` makes it
    final, because it is written in the same transaction."""
    if not db.execute("SELECT 1 FROM inquiries WHERE id = ? AND NOT EXISTS"
                      " (SELECT 1 FROM decisions WHERE op = ?)", (inquiry, op)).fetchone():
        return  # The session of another application, or decided already.
    release(db, session, revision)
    granted = db.execute(
        "INSERT OR IGNORE INTO bookings (start, until, inquiry, session, op, revision)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (result["instant"], result["until"], inquiry, session, op, revision)).rowcount
    db.execute("INSERT INTO decisions (op, session, granted) VALUES (?, ?, ?)",
               (op, session, granted))


def release(db, session, revision):
    """The session was not confirmed at this revision: what it had booked before is free again."""
    db.execute("DELETE FROM bookings WHERE session = ? AND revision <= ?", (session, revision))


def decide_missed():
    """Decides what no webhook has reported: the shop or `pickerd deliver` was down, or is late."""
    for listed in pickerd.sessions(status="confirming"):
        attempt(decide_found, listed["session"])
        attempt(settle_all)


def decide_found(session):
    found = pickerd.session(session)
    if found["status"] == "confirming":
        with transaction() as db:
            decide(db, found["op"], session, found["revision"], found.get("external"),
                   found["snapshot"]["result"])


def settle_all():
    """Sends all decisions that pickerd has not answered."""
    with transaction() as db:
        found = list(db.execute("SELECT op, session, granted FROM decisions WHERE NOT answered"))
    for decision in found:
        attempt(settle, decision)


def settle(decision):
    """Sends a decision until it is answered. The same one again gets the same answer."""
    op, session, granted = decision
    outcome = pickerd.settle(session, op, bool(granted), reason=None if granted else SOLD_OUT)
    with transaction() as db:
        if outcome == "late":  # Cancelled, timed out, or pickerd was restored.
            db.execute("DELETE FROM bookings WHERE op = ?", (op,))
        db.execute("UPDATE decisions SET answered = 1 WHERE op = ?", (op,))


def attempt(step, *what):
    """The step's result, or None after an error, which is printed and stops nothing else."""
    try:
        return step(*what)
    except Exception as error:
        print(f"{step.__name__}{what!r:.300}: {error!r}", file=sys.stderr, flush=True)


def work():
    """Brings the table and pickerd together: decisions first, because they have a deadline.
    Every step may be repeated, so the next round does what an error or a crash has left."""
    while True:
        wake.clear()
        for step in (settle_all, decide_missed, settle_all, show_taken):
            attempt(step)
        wake.wait(10)


# Webhooks


def receive(headers, body):
    """Verifies a webhook and acts on it once: the status of the answer."""
    try:
        event = verify_webhook(os.environ["SHOP_WEBHOOK"], headers, body)
    except WebhookError:
        return 401
    data, now = event["data"], int(time.time())
    with transaction() as db:
        db.execute("DELETE FROM webhooks WHERE at < ?", (now - 7 * 86400,))
        if not db.execute("INSERT OR IGNORE INTO webhooks VALUES (?, ?)",
                          (event["id"], now)).rowcount:
            return 204
        if event["type"] == "session.confirming":
            decide(db, data["op"], data["session"], data["revision"], data.get("external"),
                   data["result"])
        elif event["type"] in ("session.reopened", "session.ended"):
            if data.get("status") != "confirmed":
                release(db, data["session"], data.get("revision"))
    wake.set()
    return 204


# The shop's pages

HOME = """<h1>Book a table</h1>
<form method="post" action="/inquiries">
<label>Your name <input name="name" maxlength="64" required autofocus></label>
<button>Choose a time</button></form>"""
CHOOSE = """<script type="module" src="{pickerd}/client/elements.js"></script>
<h1>Your table, {name}</h1>
<pickerd-wheels session="{pickerd}/v1/sessions/{session}" token="{token}"></pickerd-wheels>"""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>The shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<style>body {{ font: 18px/1.5 system-ui; max-width: 32rem; margin: 2rem auto; padding: 0 1rem }}
input, button {{ font: inherit; padding: .3rem .6rem }}</style>{0}</html>"""


class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        inquiry = self.path.removeprefix("/inquiries/")
        with transaction() as db:
            found = db.execute("SELECT name FROM inquiries WHERE id = ?", (inquiry,)).fetchone()
        if self.path == "/":
            self.answer(200, HOME)
        elif not found:
            self.answer(404, "<p>There is no such page.</p>")
        else:
            session = attempt(session_of, inquiry)
            if not session:
                return self.answer(503, "<p>Please reload this page in a moment.</p>")
            token = sign_token(os.environ["SHOP_SIGNING"], session=session, role="owner", sub=inquiry,
                               name=found[0], seconds=12 * 3600)
            self.answer(200, CHOOSE.format(
                pickerd=PICKERD, session=session, token=token, name=html.escape(found[0])))

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > 65_536:
            return self.answer(413)
        body = self.rfile.read(length)
        if self.path == "/webhooks":
            return self.answer(attempt(receive, self.headers, body) or 500)
        name = urllib.parse.parse_qs(body.decode()).get("name", [""])[0].strip()[:64]
        if self.path != "/inquiries" or not name:
            return self.answer(400, "<p>Please go back and enter your name.</p>")
        inquiry = secrets.token_urlsafe(16)
        with transaction() as db:
            db.execute("INSERT INTO inquiries VALUES (?, ?)", (inquiry, name))
        self.answer(303, location=f"/inquiries/{inquiry}")

    def answer(self, status, content="", location=None):
        body = PAGE.format(content).encode() if content else b""
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    with contextlib.closing(sqlite3.connect(DATABASE)) as database:
        database.executescript(SCHEMA)
    threading.Thread(target=work, daemon=True).start()
    host, port = ADDRESS.rsplit(":", 1)
    http.server.ThreadingHTTPServer.request_queue_size = 128  # Webhooks and pages at once.
    http.server.ThreadingHTTPServer((host, int(port)), Shop).serve_forever()
