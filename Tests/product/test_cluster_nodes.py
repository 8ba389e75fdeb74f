"""Three servers on one PostgreSQL: one owns a session, and the others pass on what is for it.

The rules are those of one server: no answered command is lost or done twice, and all members see
one order.
"""

import json
import subprocess
import threading
from datetime import datetime, timezone

import pytest

from harness.cluster import Client
from harness.definitions import LISTS
from harness.member import Member
from harness.pickerd import Pickerd, wait_until
from harness.ports import free_ports
from harness.proxies import program
from harness.store import MANY
from harness.travellers import Travel


class Nodes(list):
    """Servers on one database."""

    def __init__(self, folder, store, count=3, **limits):
        self.store = store
        ports = free_ports(2 * count)
        super().__init__(
            Pickerd(folder / f"node{n}.log", clock="system", limits={**MANY, **limits},
                    listen=f"127.0.0.1:{ports[2 * n]}", options=(
                        "--store", self.store, "--trusted-proxy", "127.0.0.1",
                        "--node-listen", f"127.0.0.1:{ports[2 * n + 1]}"))
            for n in range(count))

    def stop(self):
        for node in self:
            node.stop()


@pytest.fixture
def store(postgres):
    return postgres.database()


@pytest.fixture
def nodes(tmp_path, store):
    nodes = Nodes(tmp_path, store)
    yield nodes
    nodes.stop()


def test_a_ticket_of_one_node_is_valid_at_the_others_and_after_a_restart(nodes):
    session = nodes[0].session({"kind": "calendar"}, now=None)
    made = nodes[0].post(f"{session.path}/tickets", {"for": "months", "seconds": 600}).json
    month = datetime.now(timezone.utc).strftime("%Y-%m")
    drawing = f"{session.path}/months/{month}.svg?ticket={made['ticket']}"

    nodes[1].terminate()
    nodes[1].exited()
    nodes[1].start()

    assert [node.get(drawing).status for node in nodes] == [200] * 3
    changed = drawing[:-1] + ("0" if drawing[-1] != "0" else "1")
    assert [node.get(changed).status for node in nodes] == [401, 401, 401]


def join(session, node, name, **fields):
    """A member of a session at a node."""
    return session.track(Member(node.socket(session.path), name, **fields))


def back(session, member, node):
    """The member at another node."""
    member.url = node.socket(session.path)
    return session.track(member.come_back())


def names(member):
    return sorted(m["name"] for m in member.screen.members.values())


def online(member):
    return sorted(m["name"] for m in member.screen.members.values() if m["online"])


def is_gone(nodes, session):
    return [node.get(session.path).status for node in nodes] == [404] * len(nodes)


def test_a_session_is_joined_at_another_node_at_once(nodes):
    session = nodes[0].session(LISTS, now=None)

    ana, bo, cleo = [join(session, node, name) for node, name in zip(nodes, ("Ana", "Bo", "Cleo"))]
    for number, member in enumerate((ana, bo, cleo, bo, ana, cleo)):
        assert member.select(0, number % 2 + 1)["type"] == "delta"
    for member in (ana, bo, cleo):
        member.reach(6)
        member.until(lambda m: online(m) == ["Ana", "Bo", "Cleo"], what="everybody")
    states = [node.get(session.path).json for node in nodes]
    assert [state["revision"] for state in states] == [6, 6, 6]
    assert states[0]["snapshot"] == states[1]["snapshot"] == states[2]["snapshot"]


class Balancer(Client):
    """An HAProxy before the nodes, without TLS."""

    def __init__(self, folder, name, balance, nodes):
        self.port, self.sessions = free_ports(1)[0], []
        path = folder / f"{name}.cfg"
        path.write_text("\n".join([
            "defaults", "  mode http", "  timeout connect 5s", "  timeout client 60s",
            "  timeout server 60s", "  timeout tunnel 60s", "listen public",
            f"  bind 127.0.0.1:{self.port}", f"  balance {balance}",
            "  http-request set-header X-Forwarded-For %[src]", "  retries 3",
            "  option redispatch 1", "  http-reuse never",
            *(f"  server node{n} 127.0.0.1:{node.port}" for n, node in enumerate(nodes)), ""]))
        self.process = subprocess.Popen([program("haproxy"), "-db", "-f", path])
        wait_until(self.is_ready, what=name)

    def stop(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def balancers(tmp_path, nodes):
    """One sends connections round robin, and one by a hash with the nodes in another order."""
    made = [Balancer(tmp_path, "robin", "roundrobin", nodes),
            Balancer(tmp_path, "hash", "hash path", nodes[::-1])]
    yield made
    for each in made:
        each.stop()


def owner(nodes, session, postgres):
    """The node that owns a session."""
    address = postgres.sql(nodes.store, f"""
        SELECT address FROM pickerd.session JOIN pickerd.node ON node.number = owner
        WHERE id = '{session.id}'""").strip()
    return next(node for node in nodes if address in node.arguments)


def test_load_balancers_that_disagree_work(nodes, balancers, postgres):
    travel = Travel(balancers, members=6)
    with travel.under_way():
        travel.wait_for_answers(20)
        node = owner(nodes, travel.session, postgres)
        node.kill()
        travel.wait_for_answers(20)
        node.start()
        travel.wait_for_answers()
    assert travel.violations() == []
    assert max(travel.silences()) < 5
    travel.end()


def test_the_newer_connection_of_a_member_stays(nodes):
    session = nodes[0].session(LISTS, now=None)
    ana = join(session, nodes[0], "Ana")
    for node in (nodes[1], nodes[2], nodes[0]):
        older, ana = ana, back(session, ana, node)
        older.closed(4409)
        ana.select(0, 1)
    ana.receives_nothing()


def test_a_command_that_is_sent_again_through_another_node_is_done_once(nodes):
    session = nodes[0].session(LISTS, now=None)
    ana = join(session, nodes[0], "Ana")
    command = {"type": "select", "column": 0, "row": 1, "ref": ana.next_ref(),
               "generation": ana.screen.columns[0]["generation"]}
    ana.send(command)
    first = ana.answer(command["ref"])

    again = back(session, ana, nodes[1])
    again.send(command)
    second = again.answer(command["ref"])

    assert second["revision"] == first["revision"] == 1
    assert nodes[2].get(session.path).json["revision"] == 1


def test_fingers_and_names_are_seen_at_other_nodes(nodes):
    session = nodes[0].session(LISTS, now=None)
    ana, bo = join(session, nodes[0], "Ana"), join(session, nodes[1], "Bo")
    ana.until(lambda m: online(m) == ["Ana", "Bo"])
    bo.until(lambda m: online(m) == ["Ana", "Bo"])

    ana.touch(column=0, row=2)

    bo.until(lambda m: m.screen.touching.get(ana.id) == {"column": 0, "row": 2}, what="the finger")
    ana.drop()
    bo.until(lambda m: online(m) == ["Bo"], what="her absence")


def test_http_requests_work_at_every_node(nodes):
    session = nodes[0].session(LISTS, now=None)
    one, two, three = nodes
    assert two.get("/readyz").status == three.get("/readyz").status == 200
    ana = join(session, one, "Ana")

    changed = two.request("PATCH", f"{session.path}/definition", {"locale": "de"})
    assert changed.status == 200, changed.body
    version = changed.json["version"]
    assert three.get(f"{session.path}/definition").json["locale"] == "de"
    stale = three.request("PATCH", f"{session.path}/definition", {"locale": "fr"},
                          headers={"If-Match": f'"{version - 1}"'})
    assert stale.status == 412
    ana.until(lambda m: m.screen.revision >= 1, what="the change")

    kiosk = two.post(f"{session.path}/members", {"name": "Kiosk"}).json["member"]
    posted = three.post(f"{session.path}/commands", {
        "member": kiosk["id"], "secret": kiosk["secret"], "type": "select", "column": 0, "row": 1,
        "generation": ana.screen.columns[0]["generation"], "ref": 9})
    assert posted.status == 200, posted.body
    ana.until(lambda m: m.screen.revision >= 2, what="the command")

    def log(node):
        return node.get(f"{session.path}/log").body

    assert log(one) == log(two) == log(three)
    assert log(one).count(b"\n") == 2
    assert three.delete(session.path).status == 204
    assert is_gone(nodes, session)
    ana.closed(4410)


def test_a_session_that_several_nodes_delete_at_once_is_not_unavailable(nodes):
    """Regression: requests that arrived during the end at another node were answered 503."""
    answers = []

    def ask(node, method, path):
        answers.append(node.request(method, path).status)

    for _ in range(10):
        session = nodes[0].session(LISTS, now=None)
        threads = [threading.Thread(target=ask, args=(node, method, session.path))
                   for node in nodes for method in ("DELETE", "GET")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(answers) == 60 and set(answers) <= {200, 204, 404}, answers


def test_a_name_is_given_once(nodes):
    answers = []

    def create(node):
        answers.append(node.create(LISTS, external="order 7"))

    for turn in range(3):
        answers.clear()
        threads = [threading.Thread(target=create, args=(node,)) for node in nodes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer.status for answer in answers) == [201, 409, 409]
        created = next(a.json["session"] for a in answers if a.status == 201)
        assert {a.json["session"] for a in answers} == {created}, answers
        same = nodes[turn % 3].request(
            "PUT", "/v1/sessions/by/order%207", {"definition": LISTS})
        assert (same.status, same.json["session"]) == (200, created)
        assert nodes[(turn + 1) % 3].delete(f"/v1/sessions/{created}").status == 204


def test_an_idempotency_key_gives_one_session(nodes):
    headers = {"Idempotency-Key": "once"}
    answers = [node.post("/v1/sessions", {"definition": LISTS}, headers=headers) for node in nodes]
    assert [answer.status for answer in answers] == [201, 200, 200]
    assert len({answer.json["session"] for answer in answers}) == 1
    other = nodes[1].post("/v1/sessions", {"definition": LISTS, "title": "x"}, headers=headers)
    assert (other.status, other.code) == (422, "keyReused")


def test_every_node_lists_all_sessions(nodes):
    created = [node.session(LISTS, now=None).id for node in nodes for _ in range(2)]
    member = join(nodes[0].sessions[0], nodes[1], "Ana")
    member.confirm()

    def listed(node, query=""):
        answer = node.get(f"/v1/sessions?{query}", port=node.admin_port)
        return [s["session"] for s in answer.json["sessions"]]

    for node in nodes:
        assert sorted(listed(node)) == sorted(created)
        wait_until(lambda node=node: listed(node, "status=confirmed") == [created[0]])
    first = nodes[2].get("/v1/sessions?limit=4", port=nodes[2].admin_port).json
    assert len(first["sessions"]) == 4
    rest = listed(nodes[0], f"limit=4&after={first['next']}")
    assert len(rest) == 2


def test_a_session_expires_everywhere(nodes):
    for seconds in (1, 5, 25):
        session = nodes[0].session(LISTS, now=None, ttlSeconds=seconds)
        try:
            ana = join(session, nodes[1], "Ana")
            break
        except AssertionError:
            pass  # A slow machine joins too late.

    ana.closed(4410, timeout=90)

    assert is_gone(nodes, session)
    ended = wait_until(lambda: [
        e for e in feed(nodes[2])
        if e["type"] == "session.ended" and e["data"]["session"] == session.id])
    assert ended[0]["data"]["reason"] == "expired"


def feed(node):
    answer = node.get("/v1/feed?limit=1000", port=node.admin_port)
    assert answer.status == 200, answer.body
    return [json.loads(line) for line in answer.body.splitlines()]


def test_the_feed_has_every_event_once_at_all_nodes(nodes):
    sessions = [node.session(LISTS, now=None, watch=["members"]) for node in nodes]
    # The first member is the owner, at another node than the creation.
    members = [[join(session, nodes[(k + 1 + n) % 3], f"m{n}") for n in range(3)]
               for k, session in enumerate(sessions)]
    for turn in range(4):
        for session, those in zip(sessions, members):
            answer = those[0].do("confirm" if turn % 2 == 0 else "reopen")
            assert answer["type"] == "delta", answer
            for each in those:
                each.reach(answer["revision"])
    for node in nodes:
        wait_until(lambda node=node: len(feed(node)) == 3 * (1 + 3 + 4), timeout=90)
    first, second, third = map(feed, nodes)
    assert first == second == third
    assert [event["position"] for event in first] == list(range(1, len(first) + 1))
    assert len({event["id"] for event in first}) == len(first)
    for session in sessions:
        kinds = [e["type"] for e in first if e["data"]["session"] == session.id]
        assert kinds == ["session.created", *["member.joined"] * 3,
                         *["session.confirmed", "session.reopened"] * 2]


def test_events_of_a_killed_node_are_in_the_feed(nodes):
    session = nodes[1].session(LISTS, now=None)
    ana, bo = join(session, nodes[1], "Ana"), join(session, nodes[2], "Bo")
    ana.ask("confirm")
    bo.reach(1)
    nodes[1].kill()
    wait_until(lambda: [e["type"] for e in feed(nodes[2])]
               == ["session.created", "session.confirmed"], timeout=90, what="the events")
    nodes[1].start()


def test_members_of_a_killed_node_leave_although_nobody_asks_for_their_session(tmp_path, store):
    nodes = Nodes(tmp_path, store, count=2, memberMilliseconds=1000)
    try:
        session = nodes[1].session(LISTS, now=None, watch=["members"])
        join(session, nodes[1], "Ana")
        nodes[1].kill()

        left = wait_until(
            lambda: [e for e in feed(nodes[0]) if e["type"] == "member.left"], timeout=90)
        assert left[0]["data"]["session"] == session.id
    finally:
        nodes.stop()


