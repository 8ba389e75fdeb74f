"""The pages of the practice, and its start.

    . ./practice.env && python3 appointments_pages.py 8000 http://127.0.0.1:7681 book.sqlite
"""

import datetime, html, http.server, os, secrets, threading, time
from urllib.parse import parse_qsl

from appointments import (PICKERD, PORT, book, book_held, call, close, end, pickerd, read, session_of,
                          visit_of, wake, work)
from pickerd import PickerdError, sign_token

DESK = "/desk/" + os.environ["PRACTICE_DESK"]
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>The practice</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<style>body {{ font: 18px/1.5 system-ui; max-width: 34rem; margin: 2rem auto; padding: 0 1rem }}
form {{ margin: 1rem 0 }} input, button {{ font: inherit; padding: .3rem .6rem }}</style>{}</html>"""
# The page is loaded again when the status is another one than it shows, or pickerd cannot be reached.
WHEELS = """<pickerd-wheels></pickerd-wheels>
<script type="module" onerror="setTimeout(() => location.reload(), 1000)">
import { connect } from "PICKERD/client/define-wheels.js";
const picker = await connect("PICKERD/v1/sessions/SESSION", { token: "TOKEN" });
picker.addEventListener("change", () =>
  picker.connection === "live" && picker.state.status !== "STATUS" && location.reload());
document.querySelector("pickerd-wheels").picker = picker;
</script>"""


def form(do, label, *fields, **hidden):
    inputs = [f'<label>{name} <input name="{name}" maxlength="100"></label> ' for name in fields]
    inputs += [f'<input type="hidden" name="{name}" value="{value}">' for name, value in hidden.items()]
    return f'<form method="post">{"".join(inputs)}<button name="do" value="{do}">{label}</button></form>'


def patient_page(data, id):
    patient, visit = data["patients"][id], visit_of(data, id)
    session = session_of(id)
    token = sign_token(os.environ["PRACTICE_SIGNING"], session=session, role="owner", sub=id,
                       name=patient["name"], seconds=12 * 3600)
    status = pickerd.session(session)["status"]
    ended = "" if visit else html.escape(patient.get("reason", ""))  # Why it has ended.
    page = f"<h1>{html.escape(patient['name'])}</h1><p>{ended}</p>"
    if visit and visit["state"] == "held":
        minutes = max(0, round((visit["ends"] - time.time()) / 60))
        page += (f"<p>{visit['local'].replace('T', ', ')} is yours for {minutes} minutes. "
                 "Why do you come?</p>")
        page += form("book", "Book", "reason") + form("back", "Give it back")
    elif visit:
        page += form("cancel", "Cancel my appointment")
    elif status == "confirming":
        page += '<meta http-equiv="refresh" content="1"><p>One moment…</p>'
    elif patient["waits"]:
        page += "<p>You are in the line: the first time that becomes free is booked for you.</p>"
    else:
        page += form("wait", "No time suits me: book the next one that becomes free")
    for name, value in {"PICKERD": PICKERD, "SESSION": session, "TOKEN": token, "STATUS": status}.items():
        page = page.replace("</h1>", "</h1>" + WHEELS, 1) if name == "PICKERD" else page
        page = page.replace(name, value)
    return page


def desk_page(data):
    visits = sorted(data["visits"], key=lambda one: one["local"])
    listed = "".join(
        f"<li>{one['local'].replace('T', ', ')} {html.escape(data['patients'][one['patient']]['name'])}, "
        f"{one['state']}{form('cancel', 'Cancel', 'reason', patient=one['patient'])}" for one in visits)
    return (f"<h1>The desk</h1><ol>{listed}</ol>"
            + form("call", "Book for a caller", "name", "time", id=secrets.token_urlsafe(16))
            + form("close", "Close a day", "day", "reason"))


class Practice(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        data, id = read(), self.path.removeprefix("/patients/")
        if self.path == "/":
            self.answer(200, "<h1>The practice</h1>" + form("come", "Choose a time", "name"))
        elif self.path == DESK:
            self.answer(200, desk_page(data))
        elif id in data["patients"]:
            try:
                self.answer(200, patient_page(data, id))
            except PickerdError:
                self.answer(503, '<meta http-equiv="refresh" content="1"><p>One moment…</p>')
        else:
            self.answer(404, "<p>There is no such page.</p>")

    def do_POST(self):
        try:
            self.act()
        except (KeyError, ValueError):
            self.answer(400, "<p>Something is missing, or is no day.</p>")

    def act(self):
        length = int(self.headers.get("Content-Length", 0))
        fields = dict(parse_qsl(self.rfile.read(min(length, 65_536)).decode()))
        id, do, reason = self.path.removeprefix("/patients/"), fields.get("do"), fields.get("reason", "")
        if self.path == "/" and fields.get("name"):
            id = secrets.token_urlsafe(16)
            with book() as data:
                data["patients"][id] = {"name": fields["name"][:64], "number": 0, "waits": None}
            return self.answer(303, location=f"/patients/{id}")
        if self.path == DESK and do == "call":
            wanted = {"result": {"local": fields["time"]}} if fields.get("time") else {}
            try:
                is_booked = call(fields["id"], fields.get("name", "guest")[:64], **wanted)
            except PickerdError:
                is_booked = False
            wake.set()
            return self.answer(303, location=DESK) if is_booked else self.answer(
                409, "<p>This time is not free.</p>")
        with book() as data:
            visit = visit_of(data, fields.get("patient", id))
            state = visit and visit["state"]
            if self.path == DESK and do == "close":
                close(data, str(datetime.date.fromisoformat(fields["day"])), reason or "closed")
            elif do == "cancel" and state == "booked" and (self.path == DESK or id in data["patients"]):
                end(data, visit, reason or "Cancelled as you wished.")
            elif id in data["patients"] and do == "wait" and not visit:
                data["patients"][id]["waits"] = time.time()
            elif id in data["patients"] and state == "held" and do == "book":
                book_held(data, visit, reason)
            elif id in data["patients"] and state == "held" and do == "back":
                end(data, visit, "Given back.")
        wake.set()
        self.answer(303, location=self.path)

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
    threading.Thread(target=work, daemon=True).start()
    http.server.ThreadingHTTPServer(("127.0.0.1", int(PORT)), Practice).serve_forever()
