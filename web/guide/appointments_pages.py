"""The pages of the practice, and its start.

    . ./practice.env && python3 appointments_pages.py 8000 http://127.0.0.1:7681 book.sqlite
"""

import datetime, html, http.server, os, secrets, threading, zoneinfo
from urllib.parse import parse_qsl

from appointments import (PICKER, PICKERD, PORT, book, call, cancel, close, close_days, follow,
                          forever, give, pickerd, read, session_of, wait)
from pickerd import PickerdError, sign_token

DESK = "/desk/" + os.environ["PRACTICE_DESK"]
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>The practice</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<style>body {{ font: 18px/1.5 system-ui; max-width: 34rem; margin: 2rem auto; padding: 0 1rem }}
form {{ margin: 1rem 0 }} input, button {{ font: inherit; padding: .3rem .6rem }}</style>{}</html>"""
# The page is loaded again when it shows another state, or pickerd cannot be reached.
WHEELS = """<pickerd-wheels></pickerd-wheels>
<script type="module" onerror="setTimeout(() => location.reload(), 1000)">
import { connect } from "PICKERD/client/define-wheels.js";
const picker = await connect("PICKERD/v1/sessions/SESSION", { token: "TOKEN" });
picker.addEventListener("change", () => picker.connection === "live"
  && [picker.state.status, picker.state.hold?.state] != "STATUS" && location.reload());
document.querySelector("pickerd-wheels").picker = picker;
</script>"""


def form(do, label, *fields, **hidden):
    inputs = [f'<label>{name} <input name="{name}" maxlength="100"></label> ' for name in fields]
    inputs += [f'<input type="hidden" name="{name}" value="{value}">' for name, value in hidden.items()]
    return f'<form method="post">{"".join(inputs)}<button name="do" value="{do}">{label}</button></form>'


def local(start):
    """A key of the inventory, as the clock of the practice shows it."""
    moment = datetime.datetime.fromisoformat(start.replace("Z", "+00:00"))
    return f"{moment.astimezone(zoneinfo.ZoneInfo(PICKER['timeZone'])):%d.%m. %H:%M}"


def patient_page(data, id):
    patient, session = data["patients"][id], session_of(id)
    token = sign_token(os.environ["PRACTICE_SIGNING"], session=session, role="editor", sub=id,
                       name=patient["name"], seconds=12 * 3600)
    found = pickerd.session(session)
    state = found["snapshot"].get("hold", {}).get("state", "")
    page = f"<h1>{html.escape(patient['name'])}</h1>" + WHEELS
    if found["status"] == "confirmed":
        page += form("cancel", "Cancel my appointment")
    elif state in ("held", "offered"):
        page += "<p>This time is yours. Why do you come?</p>" + form(
            "book", "Book", "reason", start=found["snapshot"]["result"]["instant"])
    elif found["status"] == "cancelled":  # The book has a next session in a moment.
        page += '<meta http-equiv="refresh" content="1"><p>One moment…</p>'
    elif not state:
        page += f"<p>{html.escape(patient.get('reason') or '')}</p>"  # Why the last one has ended.
        page += "".join(form("wait", f"Wait for {local(one['key'])}", start=one["key"])
                        for one in pickerd.counts("practice") if not one["free"])
    for name, value in {"PICKERD": PICKERD, "SESSION": session, "TOKEN": token,
                        "STATUS": f"{found['status']},{state}"}.items():
        page = page.replace(name, value)
    return page


def desk_page(data):
    visits = sorted(data["visits"].values(), key=lambda one: one["local"])
    listed = "".join(
        f"<li>{one['local'].replace('T', ', ')} {html.escape(data['patients'][one['patient']]['name'])}"
        f"{form('cancel', 'Cancel', 'reason', session=one['session'])}" for one in visits)
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
        except PickerdError as error:
            print(repr(error), flush=True)
            self.answer(503, "<p>Please try again.</p>")

    def act(self):
        length = int(self.headers.get("Content-Length", 0))
        fields = dict(parse_qsl(self.rfile.read(min(length, 65_536)).decode()))
        id, do, reason = self.path.removeprefix("/patients/"), fields.get("do"), fields.get("reason", "")
        is_done = True
        if self.path == "/" and fields.get("name"):
            id = secrets.token_urlsafe(16)
            with book() as data:
                data["patients"][id] = {"name": fields["name"][:64], "number": 0}
            return self.answer(303, location=f"/patients/{id}")
        if self.path == DESK and do == "call":
            is_done = call(fields["id"], fields.get("name", "guest")[:64], fields.get("time"))
        elif self.path == DESK and do == "close":
            close(str(datetime.date.fromisoformat(fields["day"])), reason or "closed")
        elif self.path == DESK and do == "cancel":
            cancel(fields["session"], reason or "Cancelled.")
        elif id in read()["patients"] and do == "book":
            with book() as data:
                data["patients"][id]["why"] = reason
            is_done = give(id, {"instant": fields["start"]})
        elif id in read()["patients"] and do == "wait":
            is_done = wait(id, fields["start"])
        elif id in read()["patients"] and do == "cancel":
            cancel(session_of(id), "Cancelled as you wished.")
        if is_done:
            self.answer(303, location=self.path)
        else:
            self.answer(409, "<p>This time is not free.</p>")

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
    for step in (close_days, follow):
        threading.Thread(target=forever, args=[step], daemon=True).start()
    http.server.ThreadingHTTPServer(("127.0.0.1", int(PORT)), Practice).serve_forever()
