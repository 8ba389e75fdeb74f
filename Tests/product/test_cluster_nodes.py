"""Three servers on one PostgreSQL: one owns a session, and the others pass on what is for it.

The rules are those of one server: no answered command is lost or done twice, and all members see
one order.
"""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.definitions import LISTS
from harness.member import Member
from harness.metrics import samples
from harness.pickerd import wait_until
from harness.proxies import Proxy
from harness.store import Nodes


@pytest.fixture
def nodes(tmp_path, store):
    nodes = Nodes(tmp_path, store, 3)
    yield nodes
    nodes.stop()


def join(session, node, name, **fields):
    """A member of a session at a node."""
    return session.track(Member(node.socket(session.path), name, **fields))


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


def test_one_kept_connection_through_haproxy_serves_the_sessions_of_all_nodes(nodes, tmp_path):
    """Regression: HAProxy uses a client's connection to a node for its later requests, and a third of
    them was answered 503."""
    proxy = Proxy("haproxy", tmp_path, *(node.port for node in nodes))
    sessions = []
    # Most owners are not the nodes to which the ids are hashed.
    for node in nodes * 5:
        sessions.append(node.session(LISTS, now=None))
        join(sessions[-1], node, "Ana")
    statuses = []
    connection = proxy.connection()
    connection.connect()
    first = connection.sock
    for session in sessions * 4:
        connection.request("PATCH", f"{session.path}/definition", '{"locale": "de"}',
                           {"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read()
        statuses.append(response.status)
    assert statuses == [200] * len(statuses)
    assert connection.sock is first
    proxy.stop()


def test_few_sessions_are_relayed_when_the_proxy_hashes(nodes, tmp_path):
    """Regression: the node that had created a session owned it for some milliseconds, and 18 of 60
    first members were relayed."""
    proxy = Proxy("haproxy", tmp_path, *(node.port for node in nodes))

    def post(path, body):
        connection = proxy.connection()
        connection.request("POST", path, json.dumps(body))
        response = connection.getresponse()
        assert response.status == 201, response.read()
        return json.loads(response.read())

    for _ in range(60):
        session = post("/v1/sessions", {"definition": LISTS})["session"]
        post(f"/v1/sessions/{session}/members", {"name": "Ana"})
    relayed = sum(sum(samples(node, "pickerd_relays_total").values()) for node in nodes)
    assert relayed < 6
    proxy.stop()


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


def test_what_is_asked_of_all_nodes_during_a_deletion_is_not_unavailable(nodes):
    """Regression: a new session changed its owner at once, and what was relayed to the former one
    was answered 503."""
    requests = [("DELETE", "", None), ("GET", "", None), ("POST", "/members", {"name": "Bo"})]

    def statuses(_):
        session = nodes[0].session(LISTS, now=None)
        with ThreadPoolExecutor() as pool:
            answers = [pool.submit(node.request, method, session.path + rest, body)
                       for method, rest, body in requests for node in nodes * 2]
            return [answer.result().status for answer in answers]

    with ThreadPoolExecutor(4) as pool:
        found = sum(pool.map(statuses, range(80)), [])
    assert len(found) == 1440 and set(found) <= {200, 201, 204, 404}, set(found)


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
        wait_until(lambda node=node: len(feed(node)) == 3 * (1 + 3 + 4))
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
               == ["session.created", "session.confirmed"], what="the events")
    nodes[1].start()


def test_members_of_a_killed_node_leave_although_nobody_asks_for_their_session(tmp_path, store):
    nodes = Nodes(tmp_path, store, 2, memberMilliseconds=1000)
    try:
        session = nodes[1].session(LISTS, now=None, watch=["members"])
        join(session, nodes[1], "Ana")
        nodes[1].kill()

        left = wait_until(
            lambda: [e for e in feed(nodes[0]) if e["type"] == "member.left"])
        assert left[0]["data"]["session"] == session.id
    finally:
        nodes.stop()
