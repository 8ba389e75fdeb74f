"""The limit of connections per peer address: exact over all loops, enforced before handshakes."""

import pytest

from conftest_socket import PATIENT, start  # noqa: F401
from harness.pickerd import wait_until
from rawsocket import TEXT, frame, problem
from test_socket_limits import has_room, is_served

LIMIT = 3


def of(server, address):
    return server.raw(source=address)


@pytest.mark.parametrize("loops", [{}, {"loops": 2}])
def test_connections_over_the_limit_of_an_address_get_429_and_others_are_served(start, loops):
    server = start(addressConnectionsMax=LIMIT, **PATIENT, **loops)
    held = [of(server, "127.0.0.2") for _ in range(LIMIT)]
    assert all(is_served(raw) for raw in held)
    with of(server, "127.0.0.2") as raw:
        answer = raw.exchange("GET", "/hello")
        assert answer[0] == 429 and answer[1]["retry-after"]
        assert problem(answer)["code"] == "tooMany"
        raw.read_to_end()
    with of(server, "127.0.0.3") as other:
        assert is_served(other)
    assert server.counters()["refusedOfAddress"] == 1
    held.pop().socket.close()
    wait_until(lambda: is_admitted(server))
    for raw in held:
        raw.socket.close()


def is_admitted(server):
    return has_room(server, source="127.0.0.2")


def test_the_count_is_exact_for_every_way_to_close_on_every_loop(start):
    """Half of the connections move to the other loop; some are reset before the first read."""
    server = start(addressConnectionsMax=LIMIT, loops=2, **PATIENT)
    for number in range(60):
        raw = of(server, "127.0.0.2")
        if number % 6 == 0:
            raw.reset()
        elif number % 6 == 1:
            raw.upgrade("/?over")
            raw.reset()
        elif number % 6 == 2:
            raw.upgrade("/?over")
            raw.send(frame(TEXT, b"half", final=False))
            raw.socket.close()
        elif number % 6 == 3:
            raw.request("GET", "/hello?over")
            raw.reset()
        elif number % 6 == 4:
            raw.request("GET", "/stream?pieces=-1&over")
            raw.read_line()
            raw.socket.close()
        else:
            raw.upgrade("/")
            raw.send(frame(3, b"no opcode"))
            raw.read_to_end()
            raw.socket.close()
        wait_until(lambda: is_admitted(server))
    wait_until(lambda: server.counters()["connections"] == 1)
    held = []
    for _ in range(LIMIT):
        wait_until(lambda: held.append(of(server, "127.0.0.2")) or is_served(held[-1]))
    assert not is_admitted(server)
    for raw in held:
        raw.socket.close()


def test_connections_of_a_trusted_proxy_are_not_limited(start):
    server = start(addressConnectionsMax=LIMIT, proxy="127.0.0.9", **PATIENT)
    held = [of(server, "127.0.0.9") for _ in range(3 * LIMIT)]
    assert all(is_served(raw) for raw in held)
    for raw in held:
        raw.socket.close()
