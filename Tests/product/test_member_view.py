"""What members see: no bookings of others, and nothing of the host's own fields, on any path."""

import json
import re

import pytest

from harness.definitions import CALENDAR, SLOT
from harness.host import Host
from harness.pickerd import NOON, REPOSITORY, Pickerd, wait_until
from harness.session import Session
from test_event_streams import Watcher

MERGE = {"Content-Type": "application/merge-patch+json"}
EXTERNAL = "inquiry-of-another-system"
META = {"crm": "marker-of-the-host"}
#: Kind: definition, two bookings, a command, and the parts of the bookings that nothing shows.
KINDS = {
    "calendar": (
        CALENDAR, {"from": "2019-08-14", "through": "2019-08-17"},
        {"from": "2019-09-03", "through": "2019-09-05"}, {"type": "tap", "date": "2018-11-24"},
        ["2019-08-14", "2019-08-17", "2019-09-0"]),
    "slot": (
        SLOT, {"from": "2018-11-25T14:10", "until": "2018-11-25T15:20"},
        {"from": "2018-11-26T16:10", "until": "2018-11-26T17:30"},
        {"type": "select", "column": 0, "row": 2, "generation": 1},
        ["T14:10", "T15:20", "T16:10", "T17:30"]),
}
FIRST, SECOND = "booking-of-a-guest", "booking-of-another"


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    host = Host(tmp_path_factory.mktemp("host"))
    host.decide = host.add("decide", "decide")
    return host


@pytest.fixture(scope="module")
def keyed(host, tmp_path_factory):
    server = Pickerd(tmp_path_factory.mktemp("keyed") / "log", auth=f"keys:{host.file}",
                     limits={"joinsPerSecond": 10_000})
    yield server
    server.stop()


def create(server, kind, external, **rest):
    definition, booking, *_ = KINDS[kind]
    server.clock(NOON)
    body = {
        "definition": {**definition, "taken": {FIRST: booking}}, "external": external,
        "meta": META, "decide": {"by": "host", "seconds": 300}}
    answer = server.post("/v1/sessions", body, **rest)
    assert answer.status == 201, answer
    return Session(server, answer.json)


def routes():
    """(method, path) of the table, without the API documents, which name every field."""
    table = (REPOSITORY / "Sources/PickerServer/HTTP/Routes/RouteTable.swift").read_text()
    found = re.findall(r'Route\(\s*\.(\w+),\s*"([^"]+)"', table)
    rows = sorted({(method.upper(), path) for method, path in found if "clock" not in path and "api" not in path})
    assert len(rows) > 20
    return rows


class Reader:
    """Everything that one user receives."""

    def __init__(self, session, token):
        self.session, self.token = session, token
        self.bytes = []

    def note(self, answer):
        self.bytes.append(f"{answer.status} {answer.headers}".encode() + answer.body)
        return answer

    def ask(self, method, path, body=None, headers=None):
        return self.note(self.session.server.request(
            method, path, body, token=self.token, headers=headers))

    def read_all(self, external):
        """Asks every route, once as it should be and once with a body that is none."""
        path = self.session.path
        for method, pattern in routes():
            if pattern.endswith("/events") or (method, pattern) == ("DELETE", "/v1/sessions/{id}"):
                continue
            where = pattern.replace("{id}", self.session.id).replace("{month}", "2018-11")
            where = where.replace("{link}", self.session.id).replace("{external}", external).replace("{name}", "shop")
            bodies = [None] if method in ("GET", "DELETE") else [{}, b"{", {"op": "x"}]
            for body in bodies:
                self.ask(method, where, body)
        for more in ("?definition=full", "?locale=de", "/log?after=0&limit=2", "/log?after=1"):
            assert self.ask("GET", path + more).status == 200
        self.ask("POST", f"{path}/settle", {"op": "x", "granted": True})
        self.ask("PATCH", f"{path}/definition", {"taken": {FIRST: None}}, MERGE)
        self.ask("PUT", f"{path}/definition", {"kind": "date"})
        ticket = self.ask("POST", f"{path}/tickets", {"for": "months"}).json["ticket"]
        self.ask("GET", f"{path}/months/2018-11.svg?ticket={ticket}")
        joined = self.ask("POST", f"{path}/members", {"name": "Post"})
        if joined.status == 201:
            member = joined.json["member"]
            command = {"member": member["id"], "secret": member["secret"], "ref": 1}
            for type in ("undo", "confirm", "reopen"):
                self.ask("POST", f"{path}/commands", {**command, "type": type})
                command["ref"] += 1

    def note_members(self, *members):
        for member in members:
            member.drain()
            self.bytes.append(json.dumps(member.record, ensure_ascii=False).encode())

    def text(self):
        return b"\n".join(self.bytes).decode(errors="replace")


def assert_hidden(text, kind, external):
    fields = ['"external"', '"meta"', '"taken"']
    hidden = [FIRST, SECOND, external, META["crm"], *fields, *KINDS[kind][4]]
    for secret in hidden:
        at = text.find(secret)
        assert at < 0, f"{secret} in …{text[max(0, at - 300):at + 100]}…"


def assert_shown(session, kind, external, token):
    full = "".join(session.server.get(session.path + part, token=token).body.decode()
                   for part in ("", "?definition=full", "/definition", "/log"))
    for shown in (FIRST, SECOND, external, META["crm"], KINDS[kind][4][0]):
        assert shown in full, shown


def change(session, kind, token):
    """The host adds a booking, then replaces the definition."""
    definition, first, second, *_ = KINDS[kind]
    path = f"{session.path}/definition"
    patched = session.server.request(
        "PATCH", path, {"taken": {SECOND: second}}, token=token, headers=MERGE)
    assert patched.status == 200, patched
    put = session.server.request(
        "PUT", path, {**definition, "locale": "de", "taken": {FIRST: first, SECOND: second}},
        token=token)
    assert put.status == 200, put


def live(session, reader, kind, join, settle_token, host_token):
    """Members live through everything; `join` makes one."""
    owner, fields = join(), {"months": {"from": "2018-11", "count": 3}} if (
        kind == "calendar") else {}
    other = join(**fields)
    watcher = Watcher(session, token=reader.token)
    command = dict(KINDS[kind][3])
    assert owner.do(command.pop("type"), **command)["type"] == "delta"
    if kind == "calendar":
        assert owner.tap("2018-11-26")["type"] == "delta"
        assert other.tap("2017-05-05")["code"] == "outsideMonths"
        assert other.tap("2019-08-15")["code"] == "blocked"
    assert owner.confirm()["type"] == "delta"
    assert other.undo()["code"] == "confirming"
    op = session.server.get(session.path, token=host_token).json["op"]
    answer = session.server.post(
        f"{session.path}/settle", {"op": op, "granted": False, "reason": "no", "data": {"x": 1}},
        token=settle_token)
    assert answer.status == 200, answer
    asleep, lost = join(), join()
    before = asleep.screen.revision
    asleep.drop()
    change(session, kind, host_token)
    other.reach(before + 2)
    back = asleep.come_back(**join.fields)
    back.reach(before + 2)
    fresh = lost.come_back(10_000, **join.fields)
    assert back.welcome["resumed"] and "snapshot" in fresh.welcome
    reader.note_members(owner, other, asleep, lost, back, fresh)
    while watcher.screen.revision < before + 2:
        name, message = watcher.event()
        reader.bytes.append(json.dumps([name, message], ensure_ascii=False).encode())
        watcher.fold(name, message)
    reader.bytes.append(json.dumps(watcher.welcome, ensure_ascii=False).encode())
    watcher.connection.close()
    for member in (owner, other, back, fresh):
        member.drop()
    return op


class Join:
    def __init__(self, session, **fields):
        self.session, self.fields = session, fields

    def __call__(self, **more):
        return self.session.join("Ana", **self.fields, **more)


@pytest.mark.parametrize("kind", KINDS)
def test_members_of_a_host_see_no_bookings_and_none_of_its_fields(keyed, host, kind):
    external = f"{EXTERNAL}-{kind}"
    session = create(keyed, kind, external, token=host.api)
    reader = Reader(session, host.token(session.id, "viewer", name="Vi"))
    join = Join(session, token=host.token(session.id, "owner", name="Ow", info={"team": 3}))
    op = live(session, reader, kind, join, host.decide, host.api)
    for role in ("owner", "editor", "viewer"):
        reader.token = host.token(session.id, role)
        reader.read_all(external)

    text = reader.text()
    assert_hidden(text, kind, external)
    assert f'"op":"{op}"' not in text.replace(f'"type":"settle","op":"{op}"', "")
    assert_shown(session, kind, external, host.api)


@pytest.mark.parametrize("kind", KINDS)
def test_with_tokens_only_the_owner_sees_the_bookings_and_only_over_http(guarded, kind):
    external = f"{EXTERNAL}-tokens-{kind}"
    session = create(guarded, kind, external)
    tokens = session.tokens
    reader = Reader(session, tokens["viewer"])
    live(session, reader, kind, Join(session, token=tokens["owner"]), tokens["owner"],
         tokens["owner"])
    for role in ("editor", "viewer"):
        reader.token = tokens[role]
        reader.read_all(external)

    assert_hidden(reader.text(), kind, external)
    assert_shown(session, kind, external, tokens["owner"])


@pytest.mark.parametrize("kind", KINDS)
def test_without_tokens_connections_carry_no_bookings_and_get_has_all(server, kind):
    external = f"{EXTERNAL}-open-{kind}"
    session = create(server, kind, external)
    reader = Reader(session, None)
    live(session, reader, kind, Join(session), None, None)

    assert_hidden(reader.text(), kind, external)
    got = session.get()
    assert got["external"] == external and got["meta"] == META
    assert set(got["snapshot"]["definition"]["taken"]) == {FIRST, SECOND}
    assert set(server.get(f"{session.path}/definition").json["taken"]) == {FIRST, SECOND}
    lines = session.log()
    assert set(lines[0]["session"]["definition"]["taken"]) == {FIRST}
    assert [set(line["command"]["definition"]["taken"]) for line in lines
            if line["command"]["type"] == "define"] == 2 * [{FIRST, SECOND}]


def test_an_op_is_random(server):
    """Two sessions with the same history and time have ops that have nothing in common."""
    ops = []
    for number in range(2):
        session = create(server, "calendar", f"{EXTERNAL}-op-{number}")
        ana = session.join("Ana")
        ana.tap("2018-11-24")
        ana.tap("2018-11-26")
        ana.confirm()
        got = session.get()
        ops.append(got["op"])
        assert re.fullmatch("[A-Za-z0-9_-]{22}", got["op"]), "131 bits"
        assert session.id not in got["op"] and got["epoch"] not in got["op"]
        confirmed = session.log()[-1]["command"]
        assert confirmed == {"type": "confirm", "op": got["op"]}
        ana.cancel()
        ana.confirm()
        wait_until(lambda: session.get()["op"] != got["op"], what="another op")
    assert ops[0] != ops[1] and ops[0][:4] != ops[1][:4]
