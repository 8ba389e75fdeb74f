"""One inventory for many sessions: shared definitions, and how the sessions that use them follow."""

import json
import threading

from harness.pickerd import Pickerd, wait_until
from harness.ports import free_ports
from harness.store import MANY, back, log_lines, stored

ROOM = {"kind": "calendar", "months": {"from": "2018-11", "through": "2018-12"}}
PATH = "/v1/definitions/room-12"
MERGE = {"Content-Type": "application/merge-patch+json"}


def patch(server, body, path=PATH, **headers):
    return server.request("PATCH", path, body, headers={**MERGE, **headers})


def uses(server, **rest):
    """A session that uses the room."""
    return server.session(rest.pop("definition", {}), uses="room-12", **rest)


def problem(answer):
    return answer.status, answer.code


def version(session):
    return session.get()["uses"]["version"]


def events(server, type):
    """All events of a type."""
    answer = server.get(f"/v1/feed?types={type}&limit=1000", port=server.admin_port)
    assert answer.status == 200, answer
    return [json.loads(line)["data"] for line in answer.body.splitlines()]


def test_the_resource_and_its_problems(start):
    server = start(limits=MANY)
    for options, status in [({"min": "2018-01-01", "max": "today"}, 201),
                            ({"min": "today", "max": "2018-01-01"}, 422)]:
        body = {"definition": {"kind": "date", **options}}
        assert server.request("PUT", "/v1/definitions/date", body).status == status, options
    refused = server.request("PUT", PATH, {"definition": {**ROOM, "minDays": 0}})
    assert (refused.status, refused.json["pointer"]) == (422, "/minDays"), refused
    for body, status in [({"definition": ROOM, "title": "x"}, 400), ({}, 400), (b"{", 400),
                         ({"definition": ROOM, "notes": {"rows": {}}}, 400),
                         ({"definition": {"kind": "wheel"}}, 422)]:
        assert server.request("PUT", PATH, body).status == status, body
    assert problem(patch(server, {})) == (404, "noSuchDefinition")
    assert problem(server.get(PATH)) == (404, "noSuchDefinition")
    assert problem(server.delete(PATH)) == (404, "noSuchDefinition")
    assert problem(server.post("/v1/sessions", {"uses": "room-12"})) == (404, "noSuchDefinition")
    for name in ("a b", ".", ".."):
        assert server.post("/v1/sessions", {"uses": name}).json["pointer"] == "/uses"
    # Dots that HTTP clients take for the path of a folder.
    for name in ("a%20b", "%2e", "%2E%2E"):
        answer = server.request("PUT", f"/v1/definitions/{name}", {"definition": ROOM})
        assert problem(answer) == (400, "badRequest"), name

    prices = {"days": {"2018-12-24": {"text": "€ 120", "amount": 120}}}
    made = server.request("PUT", PATH, {"definition": ROOM, "notes": prices})
    assert made.status == 201 and made.headers["etag"] == f'"{made.json["version"]}"', made
    got = server.get(PATH)
    assert got.headers["etag"] == made.headers["etag"]
    assert got.json["definition"]["minDays"] == 1 and got.json["notes"]["days"] == prices["days"]
    assert server.request("GET", PATH, headers={"If-None-Match": got.headers["etag"]}).status == 304
    same = server.request("PUT", PATH, {"definition": ROOM, "notes": prices})
    assert (same.status, same.json) == (200, made.json), "nothing has changed"
    assert problem(patch(server, {"definition": {"kind": "slot"}}, **{
        "If-Match": '"0"'})) == (412, "versionMismatch")
    other = patch(server, {"definition": {"kind": "slot"}}, **{"If-Match": made.headers["etag"]})
    assert (other.status, other.json["pointer"]) == (422, "/kind")
    operations = [{"op": "add", "path": "/definition/maxDays", "value": 9}]
    json_patch = {"Content-Type": "application/json-patch+json"}
    assert server.request("PATCH", PATH, operations, headers=json_patch).status == 200
    assert server.get(PATH).json["definition"]["maxDays"] == 9
    operations[0]["path"] = "/rules/0"
    assert problem(server.request("PATCH", PATH, operations, headers=json_patch)) == (
        409, "patchFailed")

    kind = server.post("/v1/sessions", {"uses": "room-12", "definition": {"kind": "date"}})
    assert (kind.status, kind.json["pointer"]) == (422, "/kind")
    session = uses(server)
    assert problem(server.delete(PATH)) == (409, "inUse")
    server.delete(session.path)
    wait_until(lambda: server.delete(PATH).status in (204, 404), what="the deletion")
    assert problem(server.post("/v1/sessions", {"uses": "room-12"})) == (404, "noSuchDefinition")
    again = server.request("PUT", PATH, {"definition": ROOM})
    assert again.status == 201 and again.json["version"] > made.json["version"]
    burst = [server.request("PUT", PATH, {"definition": {**ROOM, "maxDays": n + 1}}).status
             for n in range(60)]
    assert set(burst) <= {200, 429}


def test_one_change_reaches_all_sessions_and_a_part_of_their_own_stays(tmp_path):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite",
                    environment={"PICKERD_LOOPS": "2"})
    try:
        notes = {"days": {"2018-12-24": {"text": "€ 120", "amount": 120}}}
        server.request("PUT", PATH, {"definition": ROOM, "notes": notes})
        plain = uses(server)
        own = uses(server, definition={"minDays": 3, "maxDays": 5},
                   notes={"days": {"2018-12-30": {"text": "own"}}})
        ana, ben = plain.join("Ana"), own.join("Ben")
        for member in (ana, ben):
            member.look("2018-12")
        ana.tap("2018-12-24")

        answer = patch(server, {
            "definition": {"taken": {"17": {"from": "2018-12-27"}}, "maxDays": 20, "minDays": 2},
            "notes": {"days": {"2018-12-24": {"text": "€ 90", "amount": 90},
                               "2018-12-28": {"text": "€ 80"}}}})

        assert answer.status == 200, answer
        ana.reach(2)
        ben.reach(1)
        changed = [m for m in ana.record if m["type"] == "delta"][-1]["changes"]
        kinds = [change["change"] for change in changed]
        assert kinds[0] == "definition" and kinds.count("notes") == 1, "one step"
        assert changed[0]["definition"]["minDays"] == 2 and "taken" not in changed[0]["definition"]
        day_notes = next(change for change in changed if change["change"] == "notes")["days"]
        assert day_notes["2018-12-28"] == {"text": "€ 80"}
        assert {key: ben.screen.definition[key] for key in ("minDays", "maxDays")} == {
            "minDays": 3, "maxDays": 5}
        assert server.get(own.path + "/notes").json["days"] == {
            "2018-12-24": {"text": "€ 90", "amount": 90}, "2018-12-28": {"text": "€ 80"},
            "2018-12-30": {"text": "own"}}
        line = plain.log()[-1]
        assert line["command"]["type"] == "define" and line["command"]["notes"]["days"]
        assert version(plain) == version(own) == answer.json["version"]

        # minDays 3 of the session's own contradicts: it stays, and an event says so.
        refused = patch(server, {"definition": {"minDays": 1, "maxDays": None, "unit": "nights"}})
        assert refused.status == 422, "the shared definition alone has days only"
        refused = patch(server, {"definition": {
            "minDays": None, "maxDays": None, "allowBlockedInside": None, "unit": "nights"}})
        assert refused.status == 200, refused
        wait_until(lambda: len(events(server, "definition.rejected")) == 1, what="the rejection")
        rejected = events(server, "definition.rejected")
        assert {e["session"] for e in rejected} == {own.id}
        assert rejected[0]["uses"] == {"name": "room-12", "version": refused.json["version"]}
        assert rejected[0]["pointer"] in ("/minDays", "/maxDays") and rejected[0]["detail"]
        server.kill()
        server.start()
        assert server.get(own.path + "/definition").json["minDays"] == 3
        assert server.get(own.path + "/definition").json["maxDays"] == 5
        assert len(events(server, "definition.rejected")) == 1
        for session, member in ((plain, ana), (own, ben)):
            session.forget()
            back(session, member)
            session.agree()
    finally:
        server.stop()


class Hotel:
    """Sessions of one room, some with members, while its definition changes again and again.

    The `n`-th change sets `maxDays` to `n`.
    """

    COUNT = 60

    def __init__(self, servers):
        self.servers = servers
        servers[0].request("PUT", PATH, {"definition": {**ROOM, "maxDays": 1}})
        self.sessions = [uses(servers[n % len(servers)]) for n in range(self.COUNT)]
        self.members = [(session, session.join(f"m{n}"))
                        for n, session in enumerate(self.sessions[:12])]
        self.done = 1

    def change(self, server):
        """Makes a change, unless the server is killed meanwhile."""
        try:
            answer = patch(server, {"definition": {"maxDays": self.done + 1}})
        except OSError:
            # It may be stored: the next change does not depend on that.
            self.done += 1
            return
        if answer.status == 200:
            self.done += 1
        else:
            assert answer.status in (429, 503), answer

    def check(self, server):
        """All sessions have the last change, and no session has one twice or out of order."""
        wait_until(lambda: patch(server, {"definition": {"maxDays": self.done + 1}}).status == 200,
                   what="a change")
        self.done += 1
        for session in self.sessions:
            session.server = server
            wait_until(lambda: server.get(session.path + "/definition").json["maxDays"] == self.done,
                       what=f"{session.id} follows")
            given = [line["command"] for line in log_lines(session).values()
                     if line["command"]["type"] == "define"]
            days = [command["definition"]["maxDays"] for command in given]
            assert days == sorted(set(days)), days
            assert [command["version"] for command in given] == list(range(2, len(given) + 2))


def test_a_change_at_one_node_reaches_the_sessions_of_another(tmp_path, postgres):
    store, ports = postgres.database(), free_ports(4)
    nodes = [Pickerd(tmp_path / f"node{n}.log", clock="system", limits=MANY,
                     listen=f"127.0.0.1:{ports[2 * n]}",
                     options=("--store", store, "--trusted-proxy", "127.0.0.1",
                              "--node-listen", f"127.0.0.1:{ports[2 * n + 1]}"))
             for n in range(2)]
    try:
        hotel = Hotel(nodes)
        hotel.change(nodes[0])
        hotel.change(nodes[1])
        for session, member in hotel.members:
            member.until(lambda m: m.screen.definition["maxDays"] == hotel.done, what="the change")
        assert problem(nodes[1].delete(PATH)) == (409, "inUse")
        for victim, other in (nodes, nodes[::-1]):
            is_over, changes = threading.Event(), []

            def load():
                while not is_over.is_set():
                    changes.append(hotel.change(other))

            changing = threading.Thread(target=load)
            changing.start()
            wait_until(lambda: len(changes) > 2, what="changes at the other node")
            victim.kill()
            is_over.set()
            changing.join()
            victim.start()
        hotel.check(nodes[0])
    finally:
        for node in nodes:
            node.stop()
