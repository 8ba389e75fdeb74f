"""Connections of PickerClient in one process do not delay each other (Tests/ClientDial)."""

import os
import select
import socket
import subprocess

import pytest

from harness.definitions import LISTS
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY
from harness.tls import SecurePickerd


def binary():
    """The ClientDial binary: $CLIENT_DIAL, or the build's."""
    places = [os.environ["CLIENT_DIAL"]] if "CLIENT_DIAL" in os.environ else [
        REPOSITORY / ".build" / kind / "ClientDial" for kind in ("debug", "release")]
    return next(str(place) for place in places if os.path.exists(place))


@pytest.fixture
def dials(tmp_path):
    """A server with TLS, and a ClientDial process that trusts its authority."""
    server = SecurePickerd(tmp_path)
    process = subprocess.Popen(
        # Unbuffered: lines in a buffer would be invisible to select().
        [binary()], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "SSL_CERT_FILE": str(server.authority.root)})
    yield server, process
    process.kill()
    process.wait(PATIENCE)
    process.stdin.close()
    process.stdout.close()
    server.stop()


def dial(process, link):
    process.stdin.write(f"{link}\n".encode())
    process.stdin.flush()


def line(process, timeout=PATIENCE):
    readable, _, _ = select.select([process.stdout], [], [], timeout)
    assert readable, f"no line within {timeout} s"
    return process.stdout.readline().decode().rstrip()


def test_a_hanging_tls_handshake_does_not_delay_other_connections(dials):
    server, process = dials
    link = f"https://localhost:{server.port}/#/s/{server.session(LISTS).id}"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        dial(process, f"https://localhost:{silent.getsockname()[1]}/#/s/nobody")
        silent.settimeout(PATIENCE)
        hanging, _ = silent.accept()
        with hanging:
            hanging.settimeout(PATIENCE)
            assert hanging.recv(1) == b"\x16", "the client has started a TLS handshake"

            dial(process, link)

            assert line(process) == f"{link} is at revision 1"
            hanging.setblocking(False)
            assert hanging.recv(65536), "the client still waits for the handshake"
            with pytest.raises(BlockingIOError):
                hanging.recv(1)


def test_many_simultaneous_tls_handshakes_succeed(dials):
    server, process = dials
    sessions = [server.session(LISTS) for _ in range(12)]
    links = [f"https://localhost:{server.port}/#/s/{session.id}" for session in sessions]

    for link in links:
        dial(process, link)

    assert {line(process) for _ in links} == {f"{link} is at revision 1" for link in links}
