"""Header names that libwebsockets 4.1.6 reads wrongly: no header hides another one."""

import pytest

from harness.definitions import LISTS
from harness.pickerd import Pickerd
from rawsocket import Raw

# Beginnings of names that libwebsockets knows, as X-Auth of X-Auth-Token.
SHORT = ["X-Auth", "User", "Auth", "Content", "X-Forwarded", "Transfer", "Sec-WebSocket", "Retry",
         "Strict", "Www", "Uri", "X-A", "X-F", "X", "A", "ac", "GET", "Hos", "Accept-"]
VALUES = [b" a", b"a", b"", b" ", b" a b"]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    server = Pickerd(tmp_path_factory.mktemp("names") / "log", clock=None)
    yield server
    server.stop()


def ask(server, *lines, pieces=None):
    """Sends a request, and returns the status of the answer."""
    with Raw(("127.0.0.1", server.port)) as connection:
        request = b"\r\n".join(lines) + b"\r\n\r\n"
        for piece in pieces(request) if pieces else [request]:
            connection.send(piece)
        return connection.response()[0]


@pytest.mark.parametrize("name", SHORT)
def test_a_short_header_name_hides_no_header(plain, name):
    session = plain.session(LISTS)
    path = session.path.encode()
    for value in VALUES:
        header = name.encode() + b":" + value
        assert ask(plain, b"GET " + path + b" HTTP/1.1", header, b"Host: 127.0.0.1") == 200, value
        assert ask(plain, b"POST /v1/sessions HTTP/1.1", b"Host: 127.0.0.1", header,
                   b"Origin: http://evil.example", b"Content-Length: 2", b"", b"{}") == 403, value
        assert ask(plain, b"GET " + path + b" HTTP/1.1", b"Host: 127.0.0.1", header) == 200, value


def test_a_short_header_name_is_read_from_any_segments(plain):
    lines = [b"GET /healthz HTTP/1.1", b"X-Auth: a", b"Host: evil.example", b"X:", b"A:b"]
    whole = b"\r\n".join(lines) + b"\r\n\r\n"
    for cut in range(1, len(whole)):
        status = ask(plain, *lines, pieces=lambda text: (text[:cut], text[cut:]))
        assert status == 421, cut


def test_a_token_after_a_short_header_name_is_not_lost(plain):
    session = plain.session(LISTS)
    version = plain.get(session.path + "/definition").headers["etag"].encode()
    assert ask(plain, b"PUT " + session.path.encode() + b"/definition HTTP/1.1",
               b"Host: 127.0.0.1", b"X-Auth: a", b"If-Match: \"99\"", b"Content-Length: 2",
               b"", b"{}") == 412, version


@pytest.mark.parametrize("line", [
    b"no colon", b"Host : x", b" folded", b"\tfolded", b": no name", b"na me: x", b"n\x00: x",
    b"n\xc3\xa4me: x", b"(x): y", b"a\rb: c", b"X-Auth\r"])
def test_a_malformed_header_line_is_refused(plain, line):
    for lines in ([b"Host: 127.0.0.1", line], [b"Host: 127.0.0.1", line, b"Accept: */*"]):
        assert ask(plain, b"GET /healthz HTTP/1.1", *lines) == 400, lines
