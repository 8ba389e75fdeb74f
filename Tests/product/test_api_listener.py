"""`--api-listen`: a listener for the backend, so that the public one serves members only."""

import subprocess

import pytest

from harness.definitions import CALENDAR
from harness.host import Host
from harness.member import Member
from harness.pickerd import REPOSITORY, wait_until
from harness.ports import free_ports
from harness.proxies import Proxy
from rawsocket import Raw

HIDDEN = [("POST", "/v1/sessions"), ("GET", "/v1/sessions"), ("PUT", "/v1/sessions/by/x"),
          ("GET", "/v1/sessions/by/x"), ("POST", "/v1/definitions/check"), ("GET", "/v1/feed"),
          ("GET", "/v1/feed/cursors/x"), ("POST", "SESSION/settle"), ("POST", "SESSION/revoke"),
          ("POST", "SESSION/role")]
#: With a method that members may use for the same path.
HIDDEN_METHODS = [("DELETE", "SESSION"), ("PUT", "SESSION/definition"),
                  ("PATCH", "SESSION/definition"), ("PATCH", "SESSION/notes")]


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


def backend(server, host, method, path, body=None):
    return server.request(method, path, body, token=host.api, port=server.api_port)


def test_the_public_listener_serves_members_only(host, serve, tmp_path):
    server = serve(
        auth=f"keys:{host.file}", options=(
            "--loops", "3", "--web", str(REPOSITORY / "web"), "--api-listen", "127.0.0.1:0",
            "--api-listen", f"unix:{tmp_path}/api", "--public-url", "https://pick.example.org/a/"))
    feed = host.add("feed", "feed")
    made = backend(server, host, "POST", "/v1/sessions", {"definition": CALENDAR})
    assert made.status == 201, made
    path = f"/v1/sessions/{made.json['session']}"
    # The names are those by which members reach the server, also in the backend's responses.
    assert made.json["socket"] == f"wss://pick.example.org/a{path}"
    assert made.headers["location"] == f"https://pick.example.org/a{path}"

    token = host.token(made.json["session"], "owner")
    for credential in (None, host.api, feed, token):
        for method, pattern in HIDDEN:
            answer = server.request(method, pattern.replace("SESSION", path), token=credential,
                                    body=None if method == "GET" else {})
            assert (answer.status, answer.code) == (404, "notFound"), (method, pattern)
        for method, pattern in HIDDEN_METHODS:
            answer = server.request(method, pattern.replace("SESSION", path), token=credential,
                                    body=None if method == "DELETE" else {})
            assert (answer.status, answer.code) == (405, "methodNotAllowed"), (method, pattern)
    # A key that has leaked opens nothing here.
    for ask in (("GET", path), ("GET", path + "/log"), ("POST", path + "/commands")):
        body = {"type": "clear"} if ask[0] == "POST" else None
        answer = server.request(*ask, body, token=host.api)
        assert (answer.status, answer.code) == (401, "badToken")
        assert "--api-listen" in answer.json["detail"]

    ana = Member(server.socket(path), "Ana", token=token)
    ana.tap("2018-11-26")
    assert server.get(path, token=token).status == 200
    ticket = server.post(path + "/tickets", {"for": "months"}, token=token).json["ticket"]
    assert server.get(f"{path}/months/2018-11.svg?ticket={ticket}").status == 200
    assert server.get("/").status == 200 and server.get("/client/pickerd.js").status == 200

    # The backend's has the whole API, and no pages.
    assert backend(server, host, "POST", path + "/commands", {"type": "clear"}).json["host"] is True
    assert backend(server, host, "PATCH", path + "/definition", {"maxDays": 9}).status == 200
    assert server.get("/v1/feed", token=feed, port=server.api_port).status == 200
    assert server.get("/", port=server.api_port).code == "notFound"
    assert server.get("/v1/openapi.json", port=server.api_port).status == 200
    assert server.get("/metrics", token=host.api, port=server.api_port).code == "notFound"
    answer = server.get("/healthz", port=server.api_port, headers={"Host": "evil.example.org"})
    assert (answer.status, answer.code) == (421, "misdirected")
    unix = subprocess.run(
        ["curl", "-s", "--unix-socket", f"{tmp_path}/api", f"http://localhost{path}",
         "-H", f"Authorization: Bearer {host.api}"], capture_output=True, text=True, check=True)
    assert made.json["session"] in unix.stdout
    assert backend(server, host, "DELETE", path).status == 204
    ana.closed(4410)


def test_links_open_for_members_under_the_public_name_for_every_reader(host, serve):
    server = serve(
        auth=f"keys:{host.file}", options=(
            "--api-listen", "127.0.0.1:0", "--public-url", "https://pick.example.org/a"))
    made = backend(server, host, "PUT", "/v1/sessions/by/x", {"definition": CALENDAR})
    session = made.json["session"]
    path, token = f"/v1/sessions/{session}", host.token(session, "viewer", sub="17")
    for date in ("2018-11-26", "2018-11-28"):
        backend(server, host, "POST", path + "/commands", {"type": "tap", "date": date})
    backend(server, host, "POST", path + "/commands", {"type": "confirm"})

    links = [
        server.get(path, token=token).json["links"],
        backend(server, host, "GET", path).json["links"],
        backend(server, host, "GET", "/v1/sessions/by/x").json["links"]]
    assert links[0] == links[1] == links[2]
    ics = links[0]["ics"]
    assert ics.startswith(f"https://pick.example.org/a{path}/event.ics?ticket=")
    assert backend(server, host, "POST", path + "/revoke", {"subject": "17"}).status == 200
    # A proxy forwards the path, or removes it.
    for prefix in ("", "/a"):
        answer = server.get(prefix + ics.removeprefix("https://pick.example.org/a"))
        assert answer.status == 200 and b"DTSTART;VALUE=DATE:20181126" in answer.body, answer
    assert server.get(f"{path}/event.ics").status == 401


@pytest.mark.parametrize("auth", ["open", "token"])
def test_without_keys_owners_still_change_their_session_but_members_create_none(start, auth):
    server = start(auth=auth, options=("--api-listen", "127.0.0.1:0"))
    assert server.create(CALENDAR).code == "notFound"
    made = server.post("/v1/sessions", {"definition": CALENDAR}, port=server.api_port).json
    path, owner = f"/v1/sessions/{made['session']}", made.get("tokens", {}).get("owner")
    assert server.request("PATCH", path + "/definition", {"maxDays": 9}, token=owner).status == 200
    assert server.delete(path, token=owner).status == 204


def test_the_backend_reaches_a_session_of_any_node(host, start, store, tmp_path):
    nodes = [start(auth=f"keys:{host.file}", clock=None, options=(
        "--store", store, "--node-listen", f"127.0.0.1:{port}", "--api-listen", "127.0.0.1:0"))
        for port in free_ports(2)]
    made = backend(nodes[0], host, "PUT", "/v1/sessions/by/x", {"definition": CALENDAR})
    path = f"/v1/sessions/{made.json['session']}"
    ana = Member(nodes[1].socket(path), "Ana", token=host.token(made.json["session"], sub="ana"))
    for node in nodes:
        assert backend(node, host, "GET", "/v1/sessions/by/x").json["session"] in path
        answer = backend(node, host, "POST", path + "/role", {"subject": "ana", "role": "viewer"})
        assert answer.status == 200, answer
        # What another node relays is of the listener that it came from.
        answer = node.post(path + "/role", {"subject": "ana", "role": "owner"}, token=host.api)
        assert (answer.status, answer.code) == (404, "notFound")
    ana.until(lambda m: m.screen.members[ana.id]["role"] == "viewer")
    ana.drop()
    proxy = Proxy("haproxy", tmp_path, *(node.port for node in nodes),
                  # The shipped configuration has three nodes.
                  apis=[node.api_port for node in (*nodes, nodes[0])])
    for _ in nodes:
        answer = nodes[0].request("GET", path, token=host.api, port=proxy.api_port)
        assert answer.status == 200, answer
    proxy.stop()


def fill(server, strangers, count, refusal):
    """Opens connections until `count` have been answered; the next one gets `refusal`.

    One that a client has closed counts until the server has read its end.
    """
    def another():
        stranger = Raw(("127.0.0.1", server.port))
        strangers.append(stranger)
        status = stranger.exchange("GET", "/healthz")[0]
        if status != 200:
            strangers.pop().__exit__()
        return status

    wait_until(lambda: another() == 200 and len(strangers) == count)
    assert another() == refusal


@pytest.mark.parametrize("limit", ["connections", "connectionsPerAddress"])
@pytest.mark.parametrize("loops", ["1", "2"])
def test_strangers_that_use_up_the_connections_do_not_keep_the_backend_out(
        host, serve, limit, loops):
    """A correct key is never refused because of what strangers send."""
    server = serve(
        auth=f"keys:{host.file}", limits={limit: 20},
        options=("--loops", loops, "--trusted-proxy", "none", "--api-listen", "127.0.0.1:0"))
    strangers = []
    try:
        if limit == "connections":
            fill(server, strangers, count=15, refusal=503)
        else:
            fill(server, strangers, count=20, refusal=429)

        for _ in range(3):
            assert backend(server, host, "GET", "/v1/sessions").status == 200
    finally:
        for stranger in strangers:
            stranger.__exit__()
