"""The host's hand in a session: commands, `reopen`, and roles of its users."""

import json
import time

import pytest

from harness import contract
from harness.definitions import CALENDAR, LISTS
from harness.host import Host
from harness.member import Member
from harness.pickerd import wait_until
from harness.store import again, stored
from harness.tools import replay, state


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


@pytest.fixture
def keyed(host, tmp_path):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite", auth=f"keys:{host.file}",
                    options=("--loops", "2"))
    yield server
    server.stop()


class Booking:
    """A session of a server with keys, seen by its host."""

    def __init__(self, server, host, definition=CALENDAR, **fields):
        self.server, self.host = server, host
        made = server.post("/v1/sessions", {"definition": definition, **fields}, token=host.api)
        assert made.status == 201, made
        self.id = made.json["session"]
        self.path = f"/v1/sessions/{self.id}"

    def join(self, name, role="owner", sub=None, token=None):
        sub = sub or name.lower()
        return Member(self.server.socket(self.path), name,
                      token=token or self.host.token(self.id, role, sub=sub))

    def send(self, type, **fields):
        """A command of the host; its answer."""
        answer = self.post("commands", {"type": type, **fields})
        assert answer.status == 200, answer
        return contract.message_fits(answer.json)

    def post(self, what, body, token=None):
        return self.server.post(f"{self.path}/{what}", body, token=token or self.host.api)

    def set_role(self, role, **who):
        while (answer := self.post("role", {"role": role, **who})).status == 429:
            time.sleep(0.1)
        assert (answer.status, answer.json) == (200, {"role": role}), answer

    def get(self):
        answer = self.server.get(self.path, token=self.host.api)
        return contract.fits("http-session", answer.json)

    def log(self):
        answer = self.server.get(f"{self.path}/log", token=self.host.api)
        return [contract.fits("http-log-line", json.loads(line))
                for line in answer.body.splitlines()]


def test_the_host_gives_commands_and_alone_reopens_what_is_final(keyed, host, tmp_path):
    booking = Booking(keyed, host, reopen="host")
    ana = booking.join("Ana")
    assert ana.welcome["snapshot"]["reopen"] == booking.get()["snapshot"]["reopen"] == "host"
    assert ana.tap("2018-11-26")["type"] == "delta"

    # A walk-in: the desk chooses the last day, and confirms.
    assert booking.send("tap", date="2018-11-28", hits=0)["code"] == "stale"
    delta = booking.send("tap", date="2018-11-28", hits=1)
    assert (delta["type"], delta["host"], delta["revision"]) == ("delta", True, 2)
    assert booking.send("confirm", at=0)["code"] == "stale"
    assert booking.send("confirm", at=2)["changes"][0]["status"] == "confirmed"
    seen = ana.reach(3)
    deltas = [m for m in seen.record if m["type"] == "delta"][-2:]
    assert all(m["host"] is True and "by" not in m and "ref" not in m for m in deltas)

    refused = ana.reopen()
    assert (refused["code"], refused["detail"]) == (
        "notAllowed", "only the host can reopen this session")
    assert booking.send("tap", date="2018-11-27")["code"] == "notOpen"
    assert "the host" in booking.send("confirm")["detail"]
    assert booking.send("reopen")["changes"][0]["status"] == "open"
    assert booking.send("reopen") == {"type": "reply", "revision": 4}
    booking.send("clear")
    ana.reach(5)
    assert ana.screen.range is None
    assert ana.do("undo")["revision"] == 6 and ana.screen.range["end"] == "2018-11-28"
    # The owner has seen it: the host's command counts as that of another author.
    booking.send("cancel")
    assert ana.do("confirm", at=6)["code"] == "notOpen"
    ana.drop()

    before = booking.get()
    again(keyed)
    assert booking.get()["snapshot"] == before["snapshot"]
    lines = booking.log()
    assert [line.get("host", False) for line in lines] == [
        False, True, True, True, True, False, True]
    assert lines[1]["command"] == {"type": "tap", "date": "2018-11-28"}
    assert lines[0]["session"]["reopen"] == "host"
    log = tmp_path / "lines"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for source in ([log], [f"sqlite:{tmp_path}/store.sqlite", booking.id]):
        done = replay(*source, "--json")
        assert done.status == 0, done
        assert state(done)["snapshot"] == before["snapshot"]
    assert "the host: tap 2018-11-28" in replay(log, "--verbose").output


def test_commands_of_the_host_need_its_key_and_no_member(keyed, host):
    booking = Booking(keyed, host, LISTS)
    ana = booking.join("Ana")
    who = {"member": ana.id, "secret": ana.welcome["member"]["secret"]}

    assert booking.send("select", column=0, row=2, generation=1)["revision"] == 1
    assert booking.send("select", column=0, row=2, generation=1) == {"type": "reply", "revision": 1}
    assert booking.send("select", column=9, row=0, generation=1)["code"] == "noSuchColumn"
    for body, token, wanted in [
            ({"type": "clear"}, None, (200, "wrongKind")),
            ({"type": "undo"}, None, (400, "badRequest")),
            ({"type": "rename", "name": "Mia"}, None, (400, "badRequest")),
            ({"type": "clear", "ref": 1, **who}, None, (400, "badRequest")),
            ({"type": "clear", "ref": 1}, host.token(booking.id, "owner", sub="ana"),
             (400, "badRequest")),
            ({"type": "clear"}, host.add("feed", "feed"), (403, "notAllowed")),
            ({"type": "clear"}, host.token("other", "owner"), (404, "noSuchSession"))]:
        answer = booking.post("commands", body, token=token)
        assert (answer.status, answer.code) == wanted, (body, answer)
    assert booking.get()["revision"] == 1


def test_the_host_is_asked_about_its_own_confirmation(keyed, host):
    booking = Booking(keyed, host, decide={"by": "host", "seconds": 300}, reopen="host")
    decide = host.add("decide", "decide")
    booking.send("tap", date="2018-11-26")
    booking.send("tap", date="2018-11-26")
    booking.send("confirm")
    asked = booking.get()
    assert asked["status"] == "confirming"
    assert booking.send("clear")["code"] == "confirming"
    assert booking.post("settle", {"op": asked["op"], "granted": True}, token=decide).status == 200
    ana = booking.join("Ana")
    assert ana.reopen()["code"] == "notAllowed"

    # The house cancels: the dates stay, and are final until it reopens them.
    result = booking.get()["snapshot"]["result"]
    cancelled = booking.send("cancel")
    assert cancelled["changes"] == [{"change": "status", "status": "cancelled"}]
    ana.reach(cancelled["revision"])
    assert (ana.screen.status, ana.screen.result) == ("cancelled", result)
    again(keyed)
    found = booking.get()
    assert (found["status"], found["snapshot"]["result"]) == ("cancelled", result)
    feed = host.add("feed", "feed")
    event = keyed.get("/v1/feed?types=session.cancelled&waitSeconds=25", token=feed).body
    assert json.loads(event)["data"]["result"] == result
    assert booking.send("cancel")["code"] == "notOpen"
    assert booking.send("reopen")["type"] == "delta"


def test_a_command_of_the_host_counts_after_an_answered_change_of_the_inventory(keyed, host):
    def put(**more):
        answer = keyed.request("PUT", "/v1/definitions/room", {"definition": {**CALENDAR, **more}},
                               token=host.api)
        assert answer.status in (200, 201), answer
        return answer.json["version"]

    put()
    bookings = [Booking(keyed, host, {}, uses="room", reopen="host") for _ in range(40)]
    for booking in bookings:
        for day in ("2018-11-26", "2018-11-28"):
            booking.send("tap", date=day)
        booking.send("confirm")
    sold = put(taken={"n": {"from": "2018-11-26", "through": "2018-11-28"}})
    wait_until(lambda: all(booking.get()["uses"]["version"] >= sold for booking in bookings),
               what="the change")

    free = put()

    for booking in bookings[::-1]:
        booking.send("reopen")
        found = booking.get()
        assert (found["uses"]["version"], found["snapshot"]["result"]["start"]) == (
            free, "2018-11-26")


def test_a_role_changes_without_a_reconnect_and_limits_later_tokens(keyed, host):
    booking = Booking(keyed, host)
    ana, bo = booking.join("Ana"), booking.join("Bo", "editor")
    ana.until(lambda m: len(m.screen.members) == 2)
    bo.tap("2018-11-26")

    # Revoked of the right to choose, not of the seat.
    booking.set_role("viewer", subject="bo")
    ana.until(lambda m: m.screen.members[bo.id]["role"] == "viewer")
    bo.until(lambda m: m.screen.members[bo.id]["role"] == "viewer")
    assert bo.tap("2018-11-28")["code"] == "notAllowed"
    bo.send({"type": "token", "token": host.token(booking.id, "owner", sub="bo")})
    bo.expect("token")
    assert bo.tap("2018-11-28")["code"] == "notAllowed"
    second = booking.join("Bo", "owner", sub="bo")
    assert second.welcome["member"]["role"] == "viewer"
    answer = booking.post("members", {"name": "Bo"}, token=host.token(booking.id, "owner", sub="bo"))
    posted = contract.fits("welcome", answer.json)["member"]
    assert posted["role"] == "viewer"
    body = {"type": "tap", "ref": 1, "date": "2018-11-28", "member": posted["id"],
            "secret": posted["secret"]}
    refused = booking.post("commands", body, token=host.token(booking.id, "owner", sub="bo"))
    assert refused.json["code"] == "notAllowed"

    for member in (ana, bo, second):
        member.drop()
    again(keyed)
    third = booking.join("Bo", "owner", sub="bo")
    assert third.welcome["member"]["role"] == "viewer"
    # A member without a subject, by its id; and more rights than its token has.
    guest = Member(keyed.socket(booking.path), "Guest", token=host.token(booking.id, "viewer"))
    booking.set_role("editor", member=guest.id)
    guest.until(lambda m: m.screen.members[guest.id]["role"] == "editor")
    assert guest.tap("2018-11-28")["type"] == "delta"
    # `owner` ends the limit.
    booking.set_role("owner", subject="bo")
    third.until(lambda m: m.screen.members[third.id]["role"] == "owner")
    assert third.confirm()["type"] == "delta"
    assert booking.join("Bo", "editor", sub="bo").welcome["member"]["role"] == "editor"


@pytest.mark.parametrize("body, wanted", [
    ({"role": "viewer"}, 400), ({"role": "king", "subject": "bo"}, 400),
    ({"role": "viewer", "subject": ""}, 400), ({"role": "viewer", "member": "m_nobody"}, 404),
    ({"role": "viewer", "subject": "bo", "member": "m_1"}, 400),
    ({"role": "viewer", "subject": 1}, 400)])
def test_a_role_names_one_user(keyed, host, body, wanted):
    assert Booking(keyed, host).post("role", body).status == wanted


def test_a_session_has_at_most_256_roles_of_the_host(keyed, host):
    booking = Booking(keyed, host)
    for number in range(256):
        booking.set_role("viewer", subject=f"user-{number}")
    booking.set_role("editor", subject="user-0")
    booking.set_role("owner", subject="another")
    assert booking.post("role", {"role": "viewer", "subject": "another"}).code == "full"
    booking.set_role("owner", subject="user-1")
    booking.set_role("viewer", subject="another")


def test_without_keys_there_is_no_host(server):
    session = server.session(CALENDAR)
    answer = server.post(f"{session.path}/commands", {"type": "clear"})
    assert (answer.status, answer.code) == (400, "badRequest")
    assert server.post(f"{session.path}/role", {"role": "viewer", "member": "m"}).status == 404
    answer = server.create(CALENDAR, reopen="nobody")
    assert (answer.status, answer.json["pointer"]) == (400, "/reopen")
