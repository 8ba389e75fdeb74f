"""The tests of the transport that depend on how bytes are read and written, over TLS.

The tests of this file come last and replace those of the same name.
"""

import os
import socket
import ssl
import time

import pytest

from conftest_socket import HASTY, PATIENT, shared, starting
from harness.certificates import Authority
from harness.pickerd import wait_until
from rawsocket import CLOSE, TEXT, Gone, Raw, frame
from test_rfc6455_closing import (  # noqa: F401
    test_a_close_frame_follows_all_buffered_messages_and_has_its_code)
from test_socket_batching import *  # noqa: F401,F403
from test_socket_http import *  # noqa: F401,F403
from test_socket_limits import (  # noqa: F401
    every_refusal_is_counted, has_room, test_an_idle_websocket_costs_less_than_its_maximum,
    test_requests_sent_during_a_pending_response_use_no_cpu_time)
from test_socket_loops import (  # noqa: F401
    second, test_a_moved_websocket_behaves_like_any_other,
    test_a_stream_can_move_and_its_end_is_detected, two)
from test_socket_pause import *  # noqa: F401,F403
from test_socket_reading import *  # noqa: F401,F403


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def echo(tmp_path_factory, authority):  # noqa: F811
    yield from shared(tmp_path_factory.mktemp("echo") / "log", authority=authority, **PATIENT)


@pytest.fixture(scope="session")
def hasty(tmp_path_factory, authority):  # noqa: F811
    yield from shared(tmp_path_factory.mktemp("hasty") / "log", authority=authority, **HASTY)


@pytest.fixture
def start(tmp_path, authority):  # noqa: F811
    yield from starting(tmp_path, authority)


def test_connections_over_the_limit_get_503_and_are_counted(start):  # noqa: F811
    """With TLS they are closed instead: a response would need a handshake."""
    server = start(connectionsMax=2)
    with server.websocket() as leaving, server.websocket():
        with pytest.raises((ssl.SSLError, ConnectionError)):
            server.raw()
        leaving.send_frame(CLOSE, b"\x03\xe8")
        leaving.read_to_end()
        every_refusal_is_counted(server, 1)


def test_a_peer_that_shuts_down_its_writing_side_gets_its_response(echo):  # noqa: F811
    """Without close_notify: Python cannot send it and then read on."""
    with echo.raw() as raw:
        raw.request("GET", "/later?milliseconds=300")
        with socket.socket(fileno=os.dup(raw.socket.fileno())) as bare:
            bare.shutdown(socket.SHUT_WR)
        assert raw.response()[2] == b"at last"


@pytest.fixture
def idle_bytes_max():  # noqa: F811
    """OpenSSL needs 13 KiB."""
    return 20_480


# What only TLS has ------------------------------------------------------------------------------


def test_only_http_1_1_is_negotiated(echo, authority):  # noqa: F811
    context = authority.client()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with Raw(echo.address, tls=context) as raw:
        assert raw.socket.selected_alpn_protocol() == "http/1.1"
        assert raw.exchange("GET", "/hello")[2] == b"hello"
    context.set_alpn_protocols(["h2"])
    with pytest.raises((ssl.SSLError, ConnectionError, Gone)):
        with Raw(echo.address, tls=context) as raw:
            raw.exchange("GET", "/hello")


@pytest.mark.parametrize("version", ["TLSv1_2", "TLSv1_3"])
def test_a_session_is_resumed(echo, authority, version):  # noqa: F811
    version = getattr(ssl.TLSVersion, version)
    context = authority.client(minimum_version=version, maximum_version=version)
    with Raw(echo.address, tls=context) as raw:
        raw.exchange("GET", "/hello")
        session = raw.socket.session
    with socket.create_connection(echo.address) as bare:
        with context.wrap_socket(bare, server_hostname="localhost", session=session) as again:
            assert again.session_reused


def test_plain_http_on_a_tls_listener_gets_no_response(echo):  # noqa: F811
    with Raw(echo.address) as raw:
        raw.send(b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"HTTP" not in raw.read_to_end()


def test_an_unfinished_handshake_times_out_and_delays_nobody(start):  # noqa: F811
    server = start(headerMilliseconds=3000)
    with Raw(server.address) as silent, Raw(server.address) as slow:
        slow.send(b"\x16\x03\x01\x02\x00")
        wait_until(lambda: has_room(server))  # On a busy machine the first attempts may time out, too.
        silent.read_to_end()
        slow.read_to_end()


class Records:
    """TLS over a socket, whose records are sent as the test decides."""

    def __init__(self, bare, context):
        self.bare = bare
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        self.whenever_possible(self.tls.do_handshake)

    def whenever_possible(self, act):
        while True:
            try:
                return act()
            except ssl.SSLWantReadError:
                self.bare.sendall(self.outgoing.read())
                self.incoming.write(self.bare.recv(65536))

    def recv(self, size):
        return self.whenever_possible(lambda: self.tls.read(size))

    def sendall(self, data):
        self.tls.write(data)
        self.bare.sendall(self.outgoing.read())

    def close(self):
        self.bare.close()


def test_records_that_arrive_together_or_in_parts_are_read(echo, authority):  # noqa: F811
    with Raw(echo.address) as raw:
        raw.socket = records = Records(raw.socket, authority.client())
        assert raw.upgrade()[0] == 101
        for cut in range(0, 150, 3):
            for number in range(4):
                records.tls.write(frame(TEXT, b"%d.%d" % (cut, number)))
            together = records.outgoing.read()
            records.bare.sendall(together[:cut])
            time.sleep(0.003)
            records.bare.sendall(together[cut:])
            for number in range(4):
                assert raw.read_text() == f"{cut}.{number}"


def test_malformed_records_end_only_their_own_connection(echo):  # noqa: F811
    for number in range(200):
        with Raw(echo.address) as raw:
            raw.send(os.urandom(number + 1))
        with Raw(echo.address) as raw:
            raw.send(b"\x16\x03\x01" + os.urandom(2) + os.urandom(number))
    with echo.websocket() as web:
        bare = socket.socket(fileno=os.dup(web.socket.fileno()))
        bare.sendall(b"\x17\x03\x03\x00\x20" + os.urandom(32))
        bare.close()
        web.read_to_end()
    with echo.raw() as raw:
        assert raw.exchange("GET", "/hello")[2] == b"hello"


def test_a_closed_connection_ends_with_close_notify(echo):  # noqa: F811
    """Without it `suppress_ragged_eofs=False` would make the read fail."""
    with echo.raw() as raw:
        raw.request("GET", "/hello", [("Connection", "close")])
        assert raw.response()[0] == 200
        raw.socket.suppress_ragged_eofs = False
        assert raw.socket.recv(1) == b""
    with echo.websocket("/script") as web:
        web.send_text("close 1000 done")
        assert web.read_close() == (1000, "done")
        web.answer_close()
        web.socket.suppress_ragged_eofs = False
        assert web.socket.recv(1) == b""
