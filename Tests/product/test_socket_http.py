"""HTTP/1.1 over raw sockets, on the WebSocket port. - Source: RFC 9112"""

import contextlib
import time

import pytest

from conftest_socket import echo, hasty, start  # noqa: F401
from rawsocket import problem

LARGE = 4_194_304


def test_responses_have_a_date_and_a_length(echo):
    with echo.raw() as raw:
        status, headers, body = raw.exchange("GET", "/hello")
    assert (status, body, headers["content-length"]) == (200, b"hello", "5")
    assert time.strptime(headers["date"], "%a, %d %b %Y %H:%M:%S GMT")


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_every_method_reaches_the_handler(echo, method):
    with echo.raw() as raw:
        headers = [("Content-Length", "0")] if method in ("POST", "PUT", "PATCH") else []
        status, _, body = raw.exchange(method, "/request", headers)
        assert (status, body.split(b" ")[0]) == (200, method.encode())
        assert raw.exchange("GET", "/hello")[0] == 200


def test_path_query_headers_and_peer_reach_the_handler(echo):
    peer = "unix" if isinstance(echo.address, str) else "127.0.0.1"
    with echo.raw() as raw:
        _, _, body = raw.exchange(
            "GET", "/./x/..//request?locale=zh-Hans&name=a%26b+c&empty",
            [("Origin", "http://a"), ("Authorization", "Bearer x.y"), ("Last-Event-ID", "7"),
             ("X-Forwarded-Proto", "https"), ("Origin", "http://b"), ("Unknown", "is left out")])
    assert body.decode().splitlines() == [
        f"GET /request from {peer}", "query locale=zh-Hans", "query name=a&b c", "query empty=",
        "host: localhost", "origin: http://a, http://b", "authorization: Bearer x.y",
        "xForwardedProto: https", "lastEventID: 7", "body 0"]


def test_each_of_many_repeated_headers_is_joined_in_the_order_of_its_lines(echo):
    with echo.raw() as raw:
        _, _, body = raw.exchange("GET", "/request", [
            ("Accept", ""), ("Origin", "http://a"), ("Accept", "a"), ("Unknown", "is left out"),
            ("If-Match", '"1"'), ("origin", "http://b"), ("ACCEPT", "b"), ("Accept", ""),
            ("If-Match", '"2"'), ("Last-Event-ID", "7"), ("Accept", "c")])
    assert body.decode().splitlines()[1:-1] == [
        "host: localhost", "origin: http://a, http://b", "accept: a, b, , c", "lastEventID: 7",
        'ifMatch: "1", "2"']


@pytest.mark.parametrize("name", [
    "X-Auth", "Auth", "X-Forwarded", "User", "Sec-WebSocket", "X", "A", "ac", "Hos", "Accept-"])
@pytest.mark.parametrize("value", ["a", "", "a b"])
def test_a_short_header_name_hides_no_header(echo, name, value):
    """libwebsockets 4.1.6 loses the header after a name that begins one that it knows."""
    headers = {"Origin": "http://a", "Authorization": "Bearer x.y", "X-Forwarded-For": "192.0.2.1"}
    for hidden, expected in headers.items():
        with echo.raw() as raw:
            for _ in range(2):
                _, _, body = raw.exchange("GET", "/request", [(name, value), (hidden, expected)])
                assert expected in body.decode(), hidden


@pytest.mark.parametrize("line", [
    b"no colon", b"Host : x", b" folded", b"\tfolded", b": no name", b"na me: x", b"n\x00: x",
    b"n\xc3\xa4me: x", b"(x): y", b"a\rb: c", b"X-Auth\r"])
def test_a_malformed_header_line_is_refused(echo, line):
    for lines in ([b"Host: x", line], [b"Host: x", line, b"Accept: */*"]):
        with echo.raw() as raw:
            raw.send(b"\r\n".join([b"GET /hello HTTP/1.1", *lines]) + b"\r\n\r\n")
            assert raw.response()[0] == 400, lines


def test_head_has_the_headers_of_get_and_no_body(echo):
    with echo.raw() as raw:
        status, headers, _ = raw.exchange("HEAD", "/hello")
        assert (status, headers["content-length"]) == (200, "5")
        assert raw.exchange("GET", "/hello")[2] == b"hello"


def test_header_values_cannot_inject_headers(echo):
    with echo.raw() as raw:
        _, headers, _ = raw.exchange("GET", "/injected")
        assert headers["x-name"] == "a  X-Evil: b"


@pytest.mark.parametrize("count", [1, 65_536, 1_000_000, LARGE])
def test_a_body_of_any_length_up_to_the_limit_is_echoed(echo, count):
    with echo.raw() as raw:
        assert raw.exchange("POST", "/echo", body=b"y" * count)[2] == b"y" * count
        assert raw.exchange("GET", "/hello")[2] == b"hello"


def test_a_response_of_10_megabytes_arrives_whole(echo):
    with echo.raw() as raw:
        assert len(raw.exchange("GET", "/large?bytes=10000000")[2]) == 10_000_000
        assert raw.exchange("GET", "/hello")[2] == b"hello"


@pytest.mark.parametrize("first", [
    b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody",
    b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /later?milliseconds=50 HTTP/1.1\r\nHost: x\r\n\r\n"])
@pytest.mark.parametrize("cut", [0, 1, 5, 40, 50])
def test_a_pipelined_request_with_a_body_is_answered(echo, first, cut):
    """libwebsockets 4.1.6 alone would read the headers as the body and loop forever."""
    second = b"PUT /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nlate"
    with echo.raw() as raw:
        raw.send(first + second[:len(second) - cut])
        assert raw.response()[0] == 200
        raw.send(second[len(second) - cut:])
        assert (raw.response()[2], raw.exchange("GET", "/hello")[2]) == (b"late", b"hello")


def test_a_request_sent_byte_by_byte_is_answered(echo):
    with echo.raw() as raw:
        for byte in b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc":
            raw.send(bytes([byte]))
        assert raw.response()[2] == b"abc"


def test_connection_close_closes_the_connection(echo):
    with echo.raw() as raw:
        assert raw.exchange("GET", "/hello", [("Connection", "close")])[0] == 200
        raw.read_to_end()


def test_http_1_0_requests_are_answered_and_closed(echo):
    with echo.raw() as raw:
        raw.send(b"GET /hello HTTP/1.0\r\n\r\n")
        assert raw.response()[2] == b"hello"
        raw.read_to_end()


def test_an_idle_connection_is_closed(hasty):
    with hasty.raw() as raw:
        began = time.monotonic()
        assert raw.exchange("GET", "/hello")[0] == 200
        raw.read_to_end()
        assert time.monotonic() - began > 2


@pytest.mark.parametrize("path", ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd"])
def test_no_path_leads_above_the_root(echo, path):
    with echo.raw() as raw:
        assert raw.exchange("GET", path)[0] in (400, 404)


# Malformed requests ----------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [["-1"], ["+5"], ["0x5"], ["5,5"], ["5", "5"],
                                     ["5", "6"], ["9" * 40], ["18446744073709551621"], ["five"]])
def test_an_invalid_content_length_is_rejected_with_400_and_closed(echo, lengths):
    with echo.raw() as raw:
        raw.request("POST", "/echo", [("Content-Length", length) for length in lengths])
        assert problem(raw.response())["code"] == "badRequest"
        raw.read_to_end()


def test_expect_100_continue_is_answered_with_100(echo):
    with echo.raw() as raw:
        raw.request("POST", "/echo", [("Content-Length", "3"), ("Expect", "100-continue")])
        assert raw.response()[0] == 100
        raw.send(b"abc")
        assert raw.response()[2] == b"abc"


@pytest.mark.parametrize("data", [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\0" * 50,
                                    b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\n\n",
                                    b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", b"\xff" * 500])
def test_malformed_requests_are_rejected(echo, data):
    with echo.raw() as raw:
        raw.send(data)
        with contextlib.suppress(OSError):  # It may have been rejected already.
            raw.socket.shutdown(1)
        assert b"200" not in raw.read_to_end()[:15]


# Streams ---------------------------------------------------------------------------------------


def test_a_streamed_response_arrives_whole_and_ends(echo):
    with echo.raw() as raw:
        status, headers, body = raw.exchange("GET", "/stream?pieces=800")
        assert status == 200 and "content-length" not in headers
        assert len(body) == 8_000_000
