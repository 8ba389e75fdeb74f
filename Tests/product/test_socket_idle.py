"""Thousands of connections that send nothing, while another one is served."""

import resource
import select
import socket
import struct
import time

import pytest

from conftest_socket import starting
from harness.certificates import Authority
from harness.patience import PATIENCE
from harness.pickerd import wait_until

#: The number of connections, and the maximum memory of each in bytes. OpenSSL allocates most of its
#: memory before it has received anything. A process may have that many descriptors and more.
KINDS = {"plain": (10_000, 8192), "TLS": (2_000, 65_536)}


@pytest.fixture(autouse=True)
def descriptors():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.fixture
def start(tmp_path, kind):
    """Starts servers without or with TLS."""
    yield from starting(tmp_path, Authority(tmp_path) if kind == "TLS" else None)


def connected(address):
    one = socket.create_connection(address, PATIENCE)
    # Closes with a reset, which leaves no port in TIME_WAIT.
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return one


@pytest.mark.parametrize("kind", KINDS)
def test_thousands_of_idle_connections_are_closed_and_others_are_served(start, kind):
    count, bytes_max = KINDS[kind]
    # The WebSocket does not answer pings.
    server = start(headerMilliseconds=5000, pongMilliseconds=600_000,
                   connectionsMax=count + 100, addressConnectionsMax=count + 100)
    with server.websocket(timeout=PATIENCE) as web:
        def serve():
            web.send_text("x")
            assert web.read_text() == "x"

        serve()
        before, most = server.resident_bytes(), 0
        idle, poller = {}, select.poll()
        for number in range(count):
            one = connected(server.address)
            idle[one.fileno()] = one
            poller.register(one, select.POLLIN)
            if number % 500 == 0:
                serve()
        deadline = time.monotonic() + PATIENCE
        while idle:
            assert time.monotonic() < deadline, f"{len(idle)} connections are open"
            for descriptor, _ in poller.poll(200):
                poller.unregister(descriptor)
                with idle.pop(descriptor) as one:
                    assert one.recv(1) == b"", "closed without a response"
            serve()
            most = max(most, server.resident_bytes() - before)
        wait_until(lambda: server.counters()["connections"] == 2)
    assert most / count < bytes_max, most / count
