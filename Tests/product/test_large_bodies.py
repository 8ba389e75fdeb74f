"""Large request bodies: parsed off the event loop, limited during parsing and in total."""

import json

import pytest

from harness.definitions import LISTS
from harness.host import Host
from harness.metrics import samples
from harness.pickerd import wait_until
from rawsocket import Raw

MIB = 1024 * 1024
#: Little memory for bodies, and a rate of checks that is not reached.
ROOM = {"bufferBytes": 16 * MIB, "bodyBytes": MIB, "readsPerSecond": 10_000}
#: About 4 MiB each, with as many values as fit, or as expensive to parse as possible.
HEAVY = {
    "values": b'{"definition":{"kind":"columns","columns":[[' + b"0," * (2 * MIB - 40) + b"0]]}}",
    "rows": b'{"definition":{"kind":"columns","columns":[[' + b'"",' * 1_398_000 + b'"a"]]}}',
    "objects": b'{"definition":{"kind":"cascade","nodes":[' + b"{}," * 1_398_000 + b"{}]}}",
    "names": b'{"definition":{' + b",".join(b'"%d":0' % n for n in range(390_000)) + b"}}",
    "a string": b'{"definition":"' + b"x" * (4 * MIB - 20) + b'"}',
    "escapes": b'{"definition":"' + b"\\u0041" * (4 * MIB // 6 - 20) + b'"}'}


@pytest.mark.parametrize("body", HEAVY.values(), ids=HEAVY)
def test_a_body_with_too_many_values_is_rejected_early(server, body):
    assert 2 * MIB < len(body) <= 4 * MIB

    answer = server.post("/v1/definitions/check", body)

    assert answer.status in (400, 422), answer
    assert answer.json["detail"]


def announced(server, length, sent=b"{", source="127.0.0.1"):
    """Sends a request's headers and the first bytes of its body, but never the rest."""
    raw = Raw(("127.0.0.1", server.port), source=source)
    raw.request("POST", "/v1/definitions/check", [("Content-Length", length)])
    raw.send(sent)
    return raw.socket


def test_all_bodies_in_flight_share_one_limit(start):
    server = start(limits=ROOM)
    held = [announced(server, MIB, sent=b"{" * (MIB - 1)) for _ in range(3)]
    try:
        wait_until(lambda: samples(server, "pickerd_buffer_bytes")[("bodies",)] >= 3 * (MIB - 1),
                   what="the received bodies")
        with Raw(("127.0.0.1", server.port)) as there:
            status, headers, body = there.exchange(
                "POST", "/v1/definitions/check", body=b" " * 100_000)
            assert (status, json.loads(body)["code"]) == (503, "full")
            assert int(headers["retry-after"]) >= 1
            assert headers["connection"] == "close" and there.read_to_end() == b""
        assert server.check(LISTS).status == 200, "small bodies do not count towards the limit"
    finally:
        for there in held:
            there.close()
    assert wait_for_room(server)


def test_one_address_may_hold_a_quarter_of_the_memory_for_bodies(start):
    """Connections of proxies have no share."""
    server = start(
        options=("--trusted-proxy", "127.0.0.1"), limits={**ROOM, "bufferBytes": 64 * MIB})
    held = [announced(server, MIB, b" " * (MIB - 1), "127.0.0.2") for _ in range(4)]
    try:
        wait_until(lambda: samples(server, "pickerd_buffer_bytes")[("bodies",)] >= 4 * (MIB - 1),
                   what="the received bodies")
        with Raw(("127.0.0.1", server.port), source="127.0.0.2") as there:
            status, _, body = there.exchange(
                "POST", "/v1/definitions/check", body=b" " * 100_000)
            assert (status, json.loads(body)["code"]) == (503, "full")
        for source in ("127.0.0.1", "127.0.0.3"):
            with Raw(("127.0.0.1", server.port), source=source) as there:
                assert there.exchange(
                    "POST", "/v1/definitions/check", body=b" " * 100_000)[0] == 400, "not full"
        for there in held[:2]:
            there.close()
        wait_until(lambda: samples(server, "pickerd_buffer_bytes")[("bodies",)] < 3 * MIB,
                   what="the end of two bodies")
        with Raw(("127.0.0.1", server.port), source="127.0.0.2") as there:
            assert there.exchange(
                "POST", "/v1/definitions/check", body=b" " * 100_000)[0] == 400, "not full"
    finally:
        for there in held:
            there.close()


def test_announced_bytes_that_are_not_sent_do_not_count(start):
    server = start(limits=ROOM)
    held = [announced(server, MIB) for _ in range(50)]
    try:
        wait_until(
            lambda: samples(server, "pickerd_sockets")[()] >= len(held), what="the connections")
        body = json.dumps({"definition": LISTS}).encode()
        assert server.post("/v1/definitions/check", body.ljust(1_000_000)).status == 200
    finally:
        for there in held:
            there.close()


def test_small_bodies_of_strangers_take_no_room_from_a_key(start, tmp_path):
    """Regression: they counted, although nobody had checked who sends them."""
    host = Host(tmp_path)
    server = start(
        auth=f"keys:{host.file}", clock=None,
        limits={"bufferBytes": 4 * MIB, "bodyBytes": MIB, "readsPerSecond": 10_000})
    small = 16_384
    held = [announced(server, small, sent=b"{" * (small - 1)) for _ in range(MIB // small + 8)]
    try:
        # Each connection is accepted by now, and what it has sent is read before the next request.
        wait_until(
            lambda: samples(server, "pickerd_sockets")[()] >= len(held), what="the connections")
        body = json.dumps({"definition": LISTS}).encode().ljust(100_000)
        answer = server.post("/v1/sessions", body, token=host.api)

        assert answer.status == 201, answer
        assert samples(server, "pickerd_buffer_bytes")[("bodies",)] == 0
        refused = server.post("/v1/sessions", body)
        assert (refused.status, refused.code) == (401, "noToken"), "larger ones need a key first"
        for there in held:
            there.sendall(b"{")
        statuses = {there.recv(65_536).split()[1] for there in held}
        assert statuses <= {b"400", b"401"}, statuses
    finally:
        for there in held:
            there.close()


def wait_for_room(server):
    """Whether the closed connections no longer count towards the limit."""
    body = json.dumps({"definition": LISTS}).encode()
    return wait_until(
        lambda: server.post("/v1/definitions/check", body + b" " * 1_000_000).status == 200)


def test_parsed_bodies_no_longer_count_towards_the_limit(start):
    server = start(limits=ROOM)
    body = json.dumps({"definition": LISTS}).encode().ljust(MIB)

    assert [server.post("/v1/definitions/check", body).status for _ in range(20)] == [200] * 20
    assert [server.post("/v1/definitions/check", b"{".ljust(MIB)).status for _ in range(20)] == (
        [400] * 20)


@pytest.mark.parametrize("path", ["/v1/clock", "SESSION/members", "SESSION/commands"])
def test_bodies_without_a_definition_are_limited_to_64_kib(server, path):
    session = server.session(LISTS)

    answer = server.post(path.replace("SESSION", session.path), b"{}".ljust(65_537))

    assert (answer.status, answer.code) == (413, "tooLarge")
