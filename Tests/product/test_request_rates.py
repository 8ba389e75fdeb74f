"""`429 tooMany`: requests of each kind are limited per address and in total, by number and size."""

import itertools
import json
import socket
import time

import pytest

from harness.definitions import CALENDAR, DATE
from harness.loops import metric
from harness.pickerd import wait_until
from rawsocket import KEY, Raw

UPGRADE = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", KEY),
           ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Protocol", "pickerd.v1")]


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


def until_too_many(ask, most=300):
    """The answers to requests up to the first 429: a busy machine may be as slow as the rate."""
    answers = []
    while len(answers) < most:
        answers.append(ask())
        if answers[-1].status == 429:
            return answers
    raise AssertionError(f"none of {most} requests has exceeded the rate")


@pytest.mark.parametrize("loops", [1, 2])
@pytest.mark.parametrize("kind", ["creates", "joins", "commands", "checks", "drawings", "logs"])
def test_each_kind_has_a_rate_per_address(start, kind, loops):
    server = start(limits=limits(kind), options=("--loops", str(loops)))
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


def test_requests_of_all_addresses_share_a_rate(start):
    server = start(limits=limits("checks"))
    numbers = itertools.count()

    answers = until_too_many(lambda: server.post(
        "/v1/definitions/check", {"definition": DATE},
        headers=forwarded(f"192.0.2.{next(numbers) % 250}")))

    assert len(answers) > 10 * BURST


def test_a_rate_limited_creation_creates_nothing(start):
    server = start(limits=limits("creates"))

    *created, _ = until_too_many(lambda: server.create(DATE))

    assert created and metric(server, "pickerd_sessions") == len(created)


def test_requests_are_accepted_again_when_the_rate_recovers(start):
    server = start(limits=limits("checks"))
    until_too_many(lambda: server.check(DATE))

    wait_until(lambda: server.check(DATE).status == 200, timeout=60, what="another token")


def test_x_forwarded_for_of_untrusted_peers_is_ignored(start):
    server = start(limits=limits("checks"), options=("--trusted-proxy", "none"))
    numbers = itertools.count()

    answers = until_too_many(lambda: server.post(
        "/v1/definitions/check", {"definition": DATE},
        headers=forwarded(f"192.0.2.{next(numbers) % 250}")), most=60)

    assert len(answers) > BURST


def test_forged_addresses_in_x_forwarded_for_are_ignored(start):
    server = start(limits=limits("checks"))
    numbers = itertools.count()

    answers = until_too_many(lambda: server.post(
        "/v1/definitions/check", {"definition": DATE},
        headers=forwarded(f"203.0.113.{next(numbers) % 250}, 192.0.2.1")), most=60)

    assert len(answers) > BURST


def test_the_default_rates_allow_150_checks_in_a_row(plain):
    for _ in range(150):
        assert plain.check(DATE).status == 200


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
    refused = ask("192.0.2.1", TOKENS)
    assert (refused.status, refused.code) == (429, "tooMany")
    assert 1 <= int(refused.headers["retry-after"]) <= TOKENS
    assert ask("192.0.2.2", TOKENS).status < 300
    assert sum(metric(server, "pickerd_rate_limited_total").values()) == 1


def test_a_body_over_the_rate_is_refused_before_it_is_read(start):
    server = start(limits=limits("checks"), origins=["https://a.example"])
    assert server.post("/v1/definitions/check", sized(TOKENS)).status == 200

    body = sized(6 * TOKENS)
    with Raw(("127.0.0.1", server.port)) as there:
        there.request("POST", "/v1/definitions/check", [
            ("Content-Length", str(len(body))), ("Origin", "https://a.example")])
        status, headers, problem = there.response()
        assert (status, json.loads(problem)["code"]) == (429, "tooMany")
        assert 1 <= int(headers["retry-after"]) <= TOKENS
        assert headers["access-control-allow-origin"] == "https://a.example"
        assert headers["connection"] == "close"
        # Otherwise the kernel would take most of the body at once.
        there.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32_768)
        began = time.monotonic()
        there.send(body)
        # One MiB per second: otherwise refused requests could occupy the event loop.
        assert time.monotonic() - began > len(body) / 2**20 * 0.35
        assert there.read_to_end() == b""


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


def test_an_announced_body_takes_its_tokens_although_it_is_not_sent(start):
    server = start(limits=limits("checks"))

    with Raw(("127.0.0.1", server.port)) as there:
        there.request("POST", "/v1/definitions/check", [
            ("Content-Length", str(len(sized(TOKENS)))), ("Expect", "100-continue")])
        assert there.response()[0] == 100
        assert server.post("/v1/definitions/check", sized(TOKENS)).status == 429
