"""`POST …/members` and `POST …/commands`: commands over HTTP."""

import pytest

from harness import contract
from harness.definitions import CALENDAR, DATE, LISTS
from harness.pickerd import wait_until


class Poster:
    """A member that sends its commands with HTTP requests."""

    def __init__(self, session, name="Cem", token=None, **fields):
        self.session = session
        self.token = token
        answer = session.server.post(f"{session.path}/members", {"name": name, **fields},
                                     token=token)
        assert answer.status == 201, answer
        self.welcome = contract.fits("welcome", answer.json)
        self.id = self.welcome["member"]["id"]
        self.who = {"member": self.id, "secret": self.welcome["member"]["secret"]}
        self.ref = 0

    def post(self, type, *, query="", token=None, **fields):
        return self.session.server.post(
            f"{self.session.path}/commands{query}", {"type": type, **self.who, **fields},
            token=token or self.token)

    def do(self, type, **fields):
        """Sends a command and returns its answer."""
        self.ref += 1
        answer = self.post(type, **{"ref": self.ref, **fields})
        assert answer.status == 200, answer
        return contract.message_fits(answer.json)


def test_a_command_is_answered_with_its_delta(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    cem = Poster(session)
    assert (cem.welcome["revision"], cem.welcome["member"]["role"]) == (0, "editor")

    answer = cem.do("tap", date="2018-11-20")

    assert (answer["type"], answer["revision"], answer["ref"], answer["by"]) == (
        "delta", 1, 1, cem.id)
    assert "ref" not in ana.expect("delta")
    assert ana.screen.range["start"] == "2018-11-20"


def test_a_refusal_is_sent_with_status_200(server):
    cem = Poster(server.session(CALENDAR))

    answer = cem.do("tap", date="2030-01-01")

    assert (answer["type"], answer["code"]) == ("refused", "outsideMonths")
    assert answer["changes"] == [{"change": "range", "start": None, "end": None, "hits": 0}]
    assert cem.do("dance")["code"] == "unknownType"
    assert cem.do("undo")["code"] == "nothingToUndo"


def test_late_commands_are_refused(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    cem = Poster(session)
    ana.tap("2018-11-20")

    refused = cem.do("clear", at=0)
    assert (refused["code"], refused["params"], refused["changes"]) == (
        "stale", {"revision": 1, "by": ana.id}, [])
    assert cem.do("tap", date="2018-11-21", hits=0)["code"] == "stale"
    assert cem.do("tap", date="2018-11-21", hits=1)["type"] == "delta"


def test_a_member_renames_itself(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    cem = Poster(session)

    assert cem.do("rename", name="Kit")["type"] == "reply"

    ana.until(lambda m: m.screen.members.get(cem.id, {}).get("name") == "Kit")


def test_an_idle_http_member_leaves_and_its_next_command_brings_it_back(forgetful):
    session = forgetful.session(LISTS)
    ana = session.join("Ana")
    cem = Poster(session)
    first = {"column": 0, "row": 1, "generation": 1, "ref": 1}
    cem.do("select", **first)
    wait_until(lambda: len(session.get()["members"]) == 1, what="Cem's leaving")
    ana.until(lambda m: cem.id not in m.screen.members)

    assert cem.do("select", **first)["type"] == "reply", "executed once"

    ana.until(lambda m: cem.id in m.screen.members, what="Cem's return")
    assert cem.do("undo", ref=2)["type"] == "delta"


def test_a_member_may_use_http_and_websocket(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    poster = Poster.__new__(Poster)
    poster.session, poster.token, poster.ref = session, None, 100
    poster.who = {"member": ana.id, "secret": ana.welcome["member"]["secret"]}

    refused = poster.do("tap", date="2018-11-20")

    assert refused["code"] == "wrongKind"
    ana.greatest = 101
    ana.receives_nothing()


def test_answers_are_in_the_requested_locale(server):
    cem = Poster(server.session(DATE), locale="zh-Hans")
    assert cem.welcome["snapshot"]["columns"][2]["rows"][0]["text"] == "01日"

    answer = cem.do("select", query="?locale=zh-Hans", column=2, row=0, generation=1)

    assert answer["changes"][-2]["text"] == "01日"


@pytest.mark.parametrize("body", [b"", b"[]", b"{", {"type": "undo", "ref": 1}])
def test_malformed_commands_are_rejected(server, body):
    answer = server.post(f"{server.session(LISTS).path}/commands", body)

    assert (answer.status, answer.code) == (400, "badRequest")


def test_commands_require_valid_member_credentials(server):
    session = server.session(LISTS)
    cem = Poster(session)
    path = f"{session.path}/commands"
    undo = {"type": "undo", "ref": 1}

    assert server.post(path, {**undo, **cem.who, "secret": "x"}).code == "badToken"
    assert server.post(path, {**undo, **cem.who, "member": "x"}).code == "noSuchMember"
    assert server.post("/v1/sessions/nobody/commands", {**undo, **cem.who}).code == "noSuchSession"
    assert server.post(path, {**undo, **cem.who}, headers={"Origin": "http://evil"}).status == 403
    assert server.get(path).status == server.get(f"{session.path}/members").status == 405
    assert server.post(f"{session.path}/members", {"nam": "x"}).code == "badRequest"
    assert server.post(path, {**undo, **cem.who, "key": "x" * 70_000}).code == "tooLarge"


@pytest.mark.parametrize("resource, body, pointer", [
    ("commands", {"type": "undo"}, "/ref"), ("commands", {"ref": 1}, "/type"),
    ("commands", {"type": "join"}, "/type"),
    ("commands", {"type": "undo", "ref": 1, "a/b": 2}, "/a~1b"),
    ("commands", {"type": "tap", "ref": 1, "date": "2018"}, "/date"),
    ("commands", {"type": "undo", "ref": "1"}, "/ref"),
    ("commands", {"type": "undo", "ref": 1, "at": "1"}, "/at"),
    ("commands", {"type": "rename", "ref": 1, "name": ""}, "/name"),
    ("members", {"name": 5}, "/name"),
    ("tickets", {"for": "fun"}, "/for"), ("tickets", {"for": "events", "seconds": 0}, "/seconds")])
def test_the_problem_of_a_body_has_a_pointer(server, resource, body, pointer):
    cem = Poster(server.session(LISTS))
    who = cem.who if resource == "commands" else {}

    answer = server.post(f"{cem.session.path}/{resource}", {**who, **body})

    assert (answer.status, answer.code, answer.json["pointer"]) == (400, "badRequest", pointer)


@pytest.mark.parametrize("resource", ["commands", "members", "tickets"])
def test_an_invalid_body_is_refused_after_a_missing_token_and_an_unknown_session(guarded, resource):
    session = guarded.session(LISTS)

    def code(path, **options):
        return guarded.post(f"{path}/{resource}", b"{", **options).code

    assert code(session.path) == "noToken"
    assert code(session.path, token="wrong") == "badToken"
    assert code("/v1/sessions/nobody") == "noSuchSession"
    assert code(session.path, token=session.tokens["viewer"]) == "badRequest"
