"""The host's hand in a session: commands, `reopen`, and roles of its users."""

import json

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
        def accepted():
            answer = self.post("role", {"role": role, **who})
            return answer if answer.status != 429 else None

        answer = wait_until(accepted, what="the rate of changes")
        assert (answer.status, answer.json) == (200, {"role": role}), answer

    def get(self):
        answer = self.server.get(self.path, token=self.host.api)
        return contract.fits("session", answer.json)

    def log(self):
        answer = self.server.get(f"{self.path}/log", token=self.host.api)
        return [contract.fits("logLine", json.loads(line))
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
    assert lines[1]["command"] == {"type": "tap", "date": "2018-11-28", "hits": 1}
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


def last_status(member):
    return [change for message in member.record for change in message.get("changes", [])
            if change["change"] == "status"][-1]


def test_a_host_cancels_with_a_reason_in_the_language_of_each_member(keyed, host, tmp_path):
    booking = Booking(keyed, host, LISTS, cancel="host", decide={"by": "host", "seconds": 300})
    ana = booking.join("Ana")
    ben = Member(keyed.socket(booking.path), "Ben", locale="de-CH",
                 token=host.token(booking.id, "editor"))
    assert ana.welcome["snapshot"]["cancel"] == booking.get()["snapshot"]["cancel"] == "host"
    refused = ana.do("cancel")
    assert (refused["code"], refused["detail"]) == (
        "notAllowed", "only the host can cancel this session")
    reason = {"en": "Dr. Weber is ill", "de": "Dr. Weber ist krank"}

    # While the host is asked it takes the confirmation back.
    ana.select(0, 1)
    ana.confirm()
    (opened,) = booking.send("cancel", reason=reason)["changes"]
    assert opened == {"change": "status", "status": "open", "detail": reason["en"]}
    assert last_status(ben.reach(3))["detail"] == reason["de"]
    assert "reason" not in booking.get()

    (cancelled,) = booking.send("cancel", reason=reason)["changes"]
    assert cancelled == {"change": "status", "status": "cancelled", "reason": reason["en"]}
    assert last_status(ben.reach(4))["reason"] == reason["de"]
    found = booking.get()
    assert found["reason"] == found["snapshot"]["reason"] == reason["en"]
    german = keyed.get(f"{booking.path}?locale=de", token=host.api).json
    assert german["reason"] == german["snapshot"]["reason"] == reason["de"]
    feed = host.add("feed", "feed")
    events = [json.loads(line)["data"] for line in keyed.get(
        "/v1/feed?types=session.cancelled,session.reopened", token=feed).body.splitlines()]
    assert [event.get("detail", event.get("reason")) for event in events] == [reason, reason]
    ana.drop()
    ben.drop()

    again(keyed)
    assert booking.get()["snapshot"] == found["snapshot"]
    lines = booking.log()
    assert lines[-1]["command"] == {"type": "cancel", "reason": reason}
    assert lines[0]["session"]["cancel"] == "host"
    log = tmp_path / "lines"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for source in ([log], [f"sqlite:{tmp_path}/store.sqlite", booking.id]):
        done = replay(*source, "--json")
        assert (done.status, state(done)["snapshot"]) == (0, found["snapshot"]), done
    booking.send("reopen")
    assert "reason" not in booking.get()
    assert booking.send("cancel", reason="Snow")["changes"][0]["reason"] == "Snow"


def test_a_wrong_reason_or_role_is_named(keyed, host):
    booking = Booking(keyed, host, LISTS)
    for body in [
            {"type": "cancel", "reason": ""}, {"type": "cancel", "reason": 1},
            {"type": "cancel", "reason": "x" * 201}, {"type": "cancel", "reason": {"x" * 40: "a"}},
            {"type": "confirm", "reason": "x"}]:
        answer = booking.post("commands", body)
        assert (answer.status, answer.code, answer.json["pointer"]) == (
            400, "badRequest", "/reason"), body
    for body, wanted in [
            ({"role": "viewer"}, 400), ({"role": "king", "subject": "bo"}, 400),
            ({"role": "viewer", "subject": ""}, 400),
            ({"role": "viewer", "member": "m_nobody"}, 404),
            ({"role": "viewer", "subject": "bo", "member": "m_1"}, 400)]:
        assert booking.post("role", body).status == wanted, body


def test_a_list_has_the_results_and_the_sessions_of_a_shared_definition(keyed, host):
    for name in ("kaya", "weber"):
        keyed.request("PUT", f"/v1/definitions/{name}", {"definition": LISTS}, token=host.api)
    bookings = [Booking(keyed, host, {}, uses=name, external=f"{name}-{number}")
                for number in range(3) for name in ("kaya", "weber")]
    plain = Booking(keyed, host, LISTS)
    kaya = bookings[::2]
    kaya[1].send("select", column=0, row=1, generation=1, key="b")
    kaya[1].send("confirm")

    def listed(query):
        answer = keyed.get(f"/v1/sessions{query}", token=host.api)
        assert answer.status == 200, answer
        return answer.json

    for _ in range(2):
        assert [item["session"] for item in listed("?uses=kaya")["sessions"]] == [
            booking.id for booking in kaya]
        page = listed("?uses=kaya&limit=2&include=result")
        assert [item["session"] for item in page["sessions"]] == [kaya[0].id, kaya[1].id]
        assert page["sessions"][1] == {
            "session": kaya[1].id, "external": "kaya-1", "status": "confirmed", "revision": 2,
            "result": kaya[1].get()["snapshot"]["result"]}
        rest = listed(f"?uses=kaya&limit=2&include=result&after={page['next']}")
        assert [item["session"] for item in rest["sessions"]] == [kaya[2].id]
        assert listed("?uses=nobody")["sessions"] == []
        every = listed("?include=result")["sessions"]
        assert [item["session"] for item in every] == [b.id for b in (*bookings, plain)]
        assert all(item["result"] and item["revision"] in (0, 2) for item in every)
        assert "result" not in listed("")["sessions"][0]
        # Once more after a restart: nothing is in memory.
        again(keyed)
    wrong = keyed.get("/v1/sessions?include=members", token=host.api)
    assert (wrong.status, wrong.code) == (400, "badRequest")


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


def test_without_keys_there_is_no_host(server):
    session = server.session(CALENDAR)
    answer = server.post(f"{session.path}/commands", {"type": "clear"})
    assert (answer.status, answer.code) == (400, "badRequest")
    assert server.post(f"{session.path}/role", {"role": "viewer", "member": "m"}).status == 404
