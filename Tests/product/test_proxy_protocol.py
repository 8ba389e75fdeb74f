"""Version 2 of the PROXY protocol: every kind of header, split and damaged, and real HAProxy."""

import os
import ssl
import subprocess

import pytest

from conftest_socket import PATIENT, start  # noqa: F401
from harness.certificates import Authority
from harness.pickerd import Pickerd, wait_until
from harness.ports import free_ports
from harness.proxies import program
from rawsocket import Raw, open_websocket, problem
from test_socket_limits import has_room

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
LOCAL, PROXY = 0x20, 0x21
UNKNOWN, IPV4, DATAGRAM, IPV6, UNIX = 0x00, 0x11, 0x12, 0x21, 0x31


def header(command=PROXY, family=IPV4, rest=None):
    rest = ipv4("192.0.2.7") if rest is None else rest
    return SIGNATURE + bytes([command, family]) + len(rest).to_bytes(2, "big") + rest


def ipv4(address):
    return bytes(map(int, address.split("."))) + bytes([10, 0, 0, 1]) + b"\x30\x39\x01\xbb"


def ipv6(last):
    return bytes.fromhex("20010db8") + bytes(11) + bytes([last]) + bytes(16) + b"\x30\x39\x01\xbb"


def tlv(kind, value):
    return bytes([kind]) + len(value).to_bytes(2, "big") + value


@pytest.fixture
def server(start):  # noqa: F811
    return start(proxied=1, proxy="127.0.0.1", **PATIENT)


def client(server, first, **rest):
    """The client's address that the server sees behind a header."""
    with Raw(server.address, first=first, **rest) as raw:
        line = raw.exchange("GET", "/request")[2].split(b"\n")[0]
        return line.removeprefix(b"GET /request from ").decode()


def is_refused(server, first):
    """Whether the server closes the connection without a response."""
    with Raw(server.address, first=first) as raw:
        try:
            raw.request("GET", "/hello")
        except ConnectionError:
            return True
        return raw.read_to_end() == b""


def test_the_address_of_each_family_counts(server):
    assert client(server, header()) == "192.0.2.7"
    assert client(server, header(family=IPV6, rest=ipv6(9))) == "2001:db8::9"
    mapped = bytes(10) + b"\xff\xff" + bytes([192, 0, 2, 8]) + bytes(16) + bytes(4)
    assert client(server, header(family=IPV6, rest=mapped)) == "192.0.2.8"


def test_a_header_can_be_split_at_every_byte(server):
    whole = header(rest=ipv4("192.0.2.7") + tlv(0x04, b"padding" * 5))
    for cut in range(1, len(whole)):
        with Raw(server.address, first=whole[:cut]) as raw:
            client(server, header())  # It is answered after the first part has been received.
            raw.send(whole[cut:])
            assert b"from 192.0.2.7" in raw.exchange("GET", "/request")[2], cut


def test_a_header_can_arrive_byte_by_byte_and_with_the_request(server):
    request = b"GET /request HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with Raw(server.address) as raw:
        for byte in header() + request:
            raw.send(bytes([byte]))
        assert b"from 192.0.2.7" in raw.response()[2]
    with Raw(server.address, first=header() + request + request) as raw:
        assert raw.response()[0] == raw.response()[0] == 200


@pytest.mark.parametrize("first", [
    b"GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"PROXY TCP4 192.0.2.7 10.0.0.1 12345 443\r\n", b"\r\n\r\n\0\r\nQUIX\n" + bytes(16),
    SIGNATURE + b"\x11\x11\0\x0c" + bytes(12), SIGNATURE + b"\x31\x11\0\x0c" + bytes(12),
    header(0x22), header(0x2F), header(family=DATAGRAM), header(family=0x10), header(family=0x41),
    header(rest=bytes(11)), header(family=IPV6, rest=bytes(35)), header(family=UNIX,
                                                                        rest=bytes(215))])
def test_garbage_closes_the_connection_with_a_log_line(server, first):
    assert is_refused(server, first)
    wait_until(lambda: "a connection from 127.0.0.1 was closed: " in server.log.read_text(),
               what="the log line")
    assert client(server, header()) == "192.0.2.7"
    wait_until(lambda: server_counters(server)["connections"] == 1, what="the end of the others")


def server_counters(server):
    with Raw(server.address, first=header(LOCAL, UNKNOWN, b"")) as raw:
        lines = raw.exchange("GET", "/counters")[2].decode().splitlines()
    return {name: int(count) for name, count in (line.split() for line in lines)}


def test_a_missing_header_times_out_and_delays_nobody(start):  # noqa: F811
    server = start(proxied=1, proxy="127.0.0.1", headerMilliseconds=3000)
    with Raw(server.address) as silent, Raw(server.address, first=header()[:20]) as partial:
        # On a busy machine the first attempts may time out, too.
        wait_until(lambda: has_room(server, first=header()), what="an answer")
        assert silent.read_to_end() == partial.read_to_end() == b""
    wait_until(lambda: server_counters(server)["timedOut"] >= 2, what="two timeouts")


def test_random_bytes_and_truncated_headers_leave_nothing_behind(server):
    for number in range(200):
        garbage = os.urandom(number)
        first = header()[:number % 28] + garbage if number % 2 else SIGNATURE + garbage
        raw = Raw(server.address, first=first)
        raw.reset() if number % 3 else raw.socket.close()
    wait_until(lambda: server_counters(server)["connections"] == 1, what="the end of the others")
    assert server.stop() == 0


def test_only_trusted_proxies_can_report_an_address(start):  # noqa: F811
    server = start(proxied=1, proxy="127.0.0.9")
    assert client(server, header(), source="127.0.0.9") == "192.0.2.7"
    with Raw(server.address) as raw:
        assert raw.read_to_end() == b""
    wait_until(lambda: "it is not a trusted proxy" in server.log.read_text(), what="the log line")


@pytest.mark.parametrize("loops", [{}, {"loops": 2}])
def test_connections_are_limited_per_client_and_not_per_proxy(start, loops):  # noqa: F811
    server = start(proxied=1, proxy="127.0.0.1", addressConnectionsMax=3, **PATIENT, **loops)

    def held(last, path="/?over"):
        first = header(rest=ipv4(f"192.0.2.{last}"))
        return open_websocket(server.address, path, first=first)

    webs = [held(last) for last in (1, 2, 3) for _ in range(3)]
    with Raw(server.address, first=header(rest=ipv4("192.0.2.2"))) as raw:
        assert problem(raw.response())["code"] == "tooMany"
    assert server_counters(server)["refusedOfAddress"] == 1
    webs.pop().socket.close()
    wait_until(lambda: has_room(server, first=header(rest=ipv4("192.0.2.3"))),
               what="room for another connection")
    for web in webs:
        web.socket.close()


def test_the_header_precedes_the_tls_handshake(tmp_path, start):  # noqa: F811
    authority = Authority(tmp_path)
    server = start(proxied=1, proxy="127.0.0.1", tls=authority.issue().both)
    tls = authority.client()
    assert client(server, header(), tls=tls) == "192.0.2.7"
    with pytest.raises((ssl.SSLError, ConnectionError)):
        Raw(server.address, tls=tls)


# HAProxy ----------------------------------------------------------------------------------------

HAPROXY = """
global
  stats socket {folder}/stats
defaults
  mode tcp
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend public
  bind 127.0.0.1:{port}
  default_backend pickerd
backend pickerd
  # A check fails if a busy machine delays it.
  server pickerd {server} send-proxy-v2 check inter 200ms fall 1000
"""


@pytest.fixture(params=["tcp", "tls", "unix"])
def behind(request, tmp_path):
    """A server behind HAProxy; its public port is HAProxy's."""
    port, = free_ports(1)
    path = f"{tmp_path}/web"
    authority = Authority(tmp_path) if request.param == "tls" else None
    issued = authority and authority.issue()
    server = Pickerd(
        tmp_path / "log", listen=f"proxy:unix:{path}" if request.param == "unix" else "proxy::0",
        clock=None, limits={"createsPerSecond": 1},
        options=["--log-level", "info", *(["--trusted-proxy", "127.0.0.1"] if authority else []),
                 *(["--tls-certificate", issued.certificate, "--tls-key", issued.key]
                   if issued else [])])
    target = f"unix@{path}" if request.param == "unix" else f"127.0.0.1:{server.port}"
    (tmp_path / "haproxy.cfg").write_text(
        HAPROXY.format(folder=tmp_path, port=port, server=target))
    proxy = subprocess.Popen([program("haproxy"), "-db", "-f", tmp_path / "haproxy.cfg"])
    server.front = ("127.0.0.1", port)
    server.tls = authority and authority.client()
    yield server
    proxy.kill()
    proxy.wait()
    server.stop()


def test_behind_haproxy_each_client_has_its_address(behind):
    def create(source):
        with Raw(behind.front, source=source, tls=behind.tls) as raw:
            return raw.exchange("POST", "/v1/sessions", body=b'{"definition":{"kind":"date"}}')[0]

    def accepts():
        try:
            Raw(behind.front).socket.close()
            return True
        except ConnectionError:
            return False

    wait_until(accepts, what="HAProxy's listener")
    statuses = []
    while 429 not in statuses:  # A busy machine may create less than one session per second.
        statuses.append(create("127.0.0.2"))
        assert statuses[-1] in (201, 429) and len(statuses) < 300, statuses
    assert len(statuses) > 3
    assert create("127.0.0.3") == 201
    with Raw(behind.front, source="127.0.0.4", tls=behind.tls) as raw:
        assert raw.upgrade("/v1/sessions/x", Sec_WebSocket_Protocol="pickerd.v1")[0] == 101
    wait_until(lambda: "127.0.0.4" in behind.log.read_text(), what="the client's address in the log")
    assert "was closed: " not in behind.log.read_text(), "HAProxy's health checks are LOCAL"
