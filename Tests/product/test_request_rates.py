"""`429 tooMany`: requests of each kind are limited per address and in total, by number and size."""

import itertools
import json

import pytest

from harness.definitions import CALENDAR, DATE
from harness.loops import metric
from rawsocket import UPGRADE, Raw

#: The requests of a burst, of one per second.
BURST = 10


def limits(kind):
    """`BURST` requests at once, then one per second; for months drawn four times as many."""
    name = "reads" if kind in ("checks", "drawings", "logs") else kind
    return {f"{name}PerSecond": 1}


def requests_of(kind, server, session, member):
    """A request of the kind, as (method, path, body)."""
    return {
        "creates": ("POST", "/v1/sessions", {"definition": DATE}),
        "joins": ("POST", f"{session.path}/members", {}),
        "commands": ("POST", f"{session.path}/commands", {
            "type": "undo", "ref": 1, "member": member["id"], "secret": member["secret"]}),
        "checks": ("POST", "/v1/definitions/check", {"definition": DATE}),
        "drawings": ("GET", f"{session.path}/months/2018-11.svg", None),
        "logs": ("GET", f"{session.path}/log", None)}[kind]


def forwarded(address):
    return {"X-Forwarded-For": address}


def until_too_many(ask):
    """The answers to requests up to the first 429: a busy machine may be as slow as the rate."""
    answers = []
    while len(answers) < 300:
        answers.append(ask())
        if answers[-1].status == 429:
            return answers
    raise AssertionError("none of 300 requests has exceeded the rate")


@pytest.mark.parametrize("kind", ["creates", "joins", "commands", "checks", "drawings", "logs"])
def test_each_kind_has_a_rate_per_address(start, kind):
    server = start(limits=limits(kind), options=("--loops", "2"))
    session = server.session(CALENDAR)
    member = server.post(
        f"{session.path}/members", {}, headers=forwarded("198.51.100.1")).json["member"]
    method, path, body = requests_of(kind, server, session, member)

    def ask(address):
        return server.request(method, path, body, headers=forwarded(address))

    *accepted, over = answers = until_too_many(lambda: ask("192.0.2.1"))
    other = ask("192.0.2.2")

    assert len(accepted) >= BURST and all(answer.status < 300 for answer in accepted)
    assert over.code == "tooMany"
    assert 1 <= int(over.headers["retry-after"]) <= 1
    assert other.status < 300
    refused = metric(server, "pickerd_rate_limited_total")
    assert sum(refused.values()) == sum(answer.status == 429 for answer in answers)
    assert server.get("/healthz", headers=forwarded("192.0.2.1")).status == 200


@pytest.mark.parametrize(("limit", "method", "path", "body"), [
    ("creates", "PUT", "/v1/definitions/{n}", {"definition": DATE}),
    ("commands", "DELETE", "/v1/definitions/{n}", None),
    ("commands", "PATCH", "/v1/definitions/{n}", {}),
    ("commands", "PUT", "/v1/feed/cursors/a", {"position": 0}),
    ("commands", "DELETE", "/v1/feed/cursors/{n}", None),
])
def test_what_reaches_the_store_by_itself_has_a_rate(start, limit, method, path, body):
    """Each was a transaction, which all taps waited for."""
    server = start(limits=limits(limit))
    port = server.admin_port if "feed" in path else None
    numbers = itertools.count()

    *accepted, over = until_too_many(lambda: server.request(
        method, path.format(n=f"n{next(numbers)}"), body, **({"port": port} if port else {})))

    assert len(accepted) >= BURST, accepted
    assert over.code == "tooMany"
    assert server.get("/healthz").status == 200


def test_websockets_and_event_streams_count_as_joins(start):
    server = start(limits=limits("joins"))
    session = server.session(CALENDAR)

    def ask(path, headers):
        """The response, without the rest of a stream; the connection is closed."""
        with Raw(("127.0.0.1", server.port)) as there:
            there.request("GET", path, headers)
            line = there.read_line()
            if line.split(b" ")[1] != b"429":
                return int(line.split(b" ")[1]), {}, b"{}"
            there.buffer = line + b"\r\n" + there.buffer
            return there.response()

    for path, headers, accepted in (
            (session.path, UPGRADE, {101}), (f"{session.path}/events", [], {200})):
        # The streams follow the WebSockets, whose burst is used up, at one per second.
        answers = [ask(path, headers)]
        while answers[-1][0] != 429:
            assert len(answers) < 300
            answers.append(ask(path, headers))
        _, answered, body = answers[-1]
        assert (json.loads(body)["code"], answered["retry-after"]) == ("tooMany", "1")
        assert {answer[0] for answer in answers[:-1]} <= accepted
        assert headers == [] or len(answers) > BURST, "a burst"


def test_x_forwarded_for_of_untrusted_peers_is_ignored(start):
    server = start(limits=limits("checks"), options=("--trusted-proxy", "none"))
    numbers = itertools.count()

    answers = until_too_many(lambda: server.post(
        "/v1/definitions/check", {"definition": DATE},
        headers=forwarded(f"192.0.2.{next(numbers) % 250}")))

    assert len(answers) > BURST


#: The bytes of a body that one token pays for.
TOKEN_BYTES = 65_536
#: A whole burst, which is there again after ten seconds.
TOKENS = BURST


def sized(tokens):
    """The body of a valid check or creation that costs so many tokens."""
    return json.dumps({"definition": DATE}).encode().ljust(tokens * TOKEN_BYTES)


@pytest.mark.parametrize("kind, path", [
    ("checks", "/v1/definitions/check"), ("creates", "/v1/sessions")])
def test_a_body_takes_a_token_per_64_kib(start, kind, path):
    server = start(limits=limits(kind))

    def ask(address, tokens):
        return server.post(path, sized(tokens), headers=forwarded(address))

    assert ask("192.0.2.1", TOKENS).status < 300
    # A busy machine may take the ten seconds of a burst for a request.
    refused = until_too_many(lambda: ask("192.0.2.1", TOKENS))[-1]
    assert refused.code == "tooMany"
    assert 1 <= int(refused.headers["retry-after"]) <= TOKENS
    assert ask("192.0.2.2", TOKENS).status < 300
    assert sum(metric(server, "pickerd_rate_limited_total").values()) == 1


@pytest.mark.parametrize("method, resource", [
    ("PUT", "definition"), ("PATCH", "definition"), ("PATCH", "notes")])
def test_large_changes_count_as_checks_and_small_ones_do_not(start, method, resource):
    server = start(limits=limits("checks"))
    path = f"{server.session(DATE).path}/{resource}"
    small = json.dumps(DATE if method == "PUT" else {}).encode()

    def change(address, byte_count):
        return server.request(method, path, small.ljust(byte_count), headers=forwarded(address))

    assert change("192.0.2.1", TOKENS * TOKEN_BYTES).status in (200, 413)
    refused = until_too_many(lambda: change("192.0.2.1", TOKEN_BYTES + 1))[-1]
    assert (refused.status, refused.code) == (429, "tooMany")
    assert change("192.0.2.1", TOKEN_BYTES).status == 200
    assert change("192.0.2.2", TOKEN_BYTES + 1).status == 200
