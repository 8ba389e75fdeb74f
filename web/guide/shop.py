"""A shop's backend with pickerd: customers choose a time, the shop has the last word.

    . ./shop.env && python3 shop.py 127.0.0.1:8000 http://127.0.0.1:7681 shop.sqlite

Needs only Python's standard library. shop.md explains it step by step.
"""

import base64, contextlib, hmac, html, http.server, json, os, secrets, sqlite3, sys, threading
import time, urllib.error, urllib.parse, urllib.request

ADDRESS, PICKERD, DATABASE = sys.argv[1:]
KEY = os.environ["SHOP_KEY"]
KID, SIGNING = os.environ["SHOP_SIGNING"].removeprefix("pk_").split(".")
WEBHOOK = base64.b64decode(os.environ["SHOP_WEBHOOK"].removeprefix("whsec_"))
wake = threading.Event()  # Set when there is something to send to pickerd.
again = threading.Event()  # Set when something failed that may succeed in a moment.

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


# pickerd's HTTP API


def ask(method, path, body=None):
    """A request with the shop's API key: the JSON of the answer. A refusal is an HTTPError whose
    message has the request and the body: `code` is for programs, `detail` says what is wrong."""
    request = urllib.request.Request(
        PICKERD + path, None if body is None else json.dumps(body).encode(), method=method,
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        text = error.read().decode(errors="replace")
        error.msg = f"{method} {request.full_url}: {text}"
        is_problem = error.headers.get_content_type() == "application/problem+json"
        error.problem = json.loads(text)["code"] if is_problem else ""
        raise


def sessions(status):
    """The ids of all sessions with this status."""
    ids, after = [], "0"
    while after:
        page = ask("GET", f"/v1/sessions?status={status}&limit=500&after={after}")
        ids += [found["session"] for found in page["sessions"]]
        after = page.get("next")
    return ids


def session_of(inquiry):
    """The session of an inquiry. PUT creates it once, however often the page is loaded."""
    made = ask("PUT", f"/v1/sessions/by/{inquiry}", {
        "definition": {**PICKER, "taken": taken()}, "title": "Your table",
        "decide": {"by": "host", "seconds": 300}})
    wake.set()  # A booking made in this moment is missing in `taken`.
    return made["session"]


def member_token(session, inquiry, name):
    """A JWT that lets the customer join as the owner, who may confirm."""
    def encoded(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    now = int(time.time())
    claims = {"aud": "pickerd", "session": session, "role": "owner", "sub": inquiry, "name": name,
              "iat": now, "exp": now + 12 * 3600}
    parts = [{"alg": "HS256", "typ": "JWT", "kid": KID}, claims]
    text = b".".join(encoded(json.dumps(part).encode()) for part in parts)
    return (text + b"." + encoded(hmac.digest(SIGNING.encode(), text, "sha256"))).decode()


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


def decide_missed(session):
    """Decides what no webhook has reported: the shop or `pickerd deliver` was down, or is late."""
    found = ask("GET", f"/v1/sessions/{session}")
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
    answer = {"granted": True} if granted else {"granted": False, "reason": SOLD_OUT}
    problem = None
    try:
        ask("POST", f"/v1/sessions/{session}/settle", {"op": op, **answer})
    except urllib.error.HTTPError as error:
        problem = error.problem
        if problem not in ("tooLate", "noSuchOp", "noSuchSession"):
            raise
    with transaction() as db:
        if problem in ("tooLate", "noSuchOp"):  # Cancelled, timed out, or pickerd was restored.
            db.execute("DELETE FROM bookings WHERE op = ?", (op,))
        db.execute("UPDATE decisions SET answered = 1 WHERE op = ?", (op,))


def taken(but=""):
    """The booked times as pickers have them, without those of the session `but`."""
    with transaction() as db:
        rows = db.execute(
            "SELECT id, start, until FROM bookings WHERE until > ? AND session IS NOT ?",
            (time.strftime("%Y-%m-%d", time.gmtime()), but))
        return {f"booking-{id}": {"from": start, "until": until} for id, start, until in rows}


def show_taken(session):
    """Patches the differences into a session in which somebody can still choose."""
    now, path = taken(but=session), f"/v1/sessions/{session}/definition"
    before = ask("GET", path).get("taken", {})
    patch = {id: None for id in before if id not in now}
    patch |= {id: times for id, times in now.items() if before.get(id) != times}
    if patch:
        ask("PATCH", path, {"taken": patch})


def attempt(step, *what):
    """The step's result, or None after an error, which is printed and stops nothing else."""
    try:
        return step(*what)
    except Exception as error:
        print(f"{step.__name__}{what!r:.300}: {error!r}", file=sys.stderr, flush=True)
        if isinstance(error, OSError) and getattr(error, "code", 503) >= 429:
            again.set()


def work():
    """Brings the table and pickerd together: decisions before what the next session shows.
    Every step may be repeated, so the next round does what an error or a crash has left."""
    while True:
        wake.clear()
        again.clear()
        attempt(settle_all)
        for step, status in (
                (decide_missed, "confirming"), (show_taken, "open"), (show_taken, "confirming")):
            for one in attempt(sessions, status) or ():
                attempt(step, one)
                attempt(settle_all)  # Only a local query, if there is nothing to send.
        wake.wait(1 if again.is_set() else 10)


# Webhooks


def receive(headers, body):
    """Verifies a Standard Webhook and acts on it once: the status of the answer."""
    id, at, signatures = (headers.get(f"webhook-{part}", "") for part in (
        "id", "timestamp", "signature"))
    digest = hmac.digest(WEBHOOK, f"{id}.{at}.".encode() + body, "sha256")
    expected = b"v1," + base64.b64encode(digest)
    if not any(hmac.compare_digest(expected, one.encode()) for one in signatures.split()):
        return 401
    now = int(time.time())
    if abs(now - int(at)) > 300:
        return 401
    event = json.loads(body)
    data = event["data"]
    with transaction() as db:
        db.execute("DELETE FROM webhooks WHERE at < ?", (now - 7 * 86400,))
        if not db.execute("INSERT OR IGNORE INTO webhooks VALUES (?, ?)", (id, now)).rowcount:
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
            token = member_token(session, inquiry, found[0])
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
