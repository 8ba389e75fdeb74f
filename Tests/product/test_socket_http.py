"""HTTP/1.1 over raw sockets, on the WebSocket port. - Source: RFC 9112"""

import contextlib
import time

import pytest

from conftest_socket import echo, hasty, start  # noqa: F401
from harness.pickerd import wait_until
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


@pytest.mark.parametrize("method", ["BREW", "TRACE", "CONNECT", "PRI", "GETX"])
def test_an_unknown_method_is_rejected_with_501_and_closes_the_connection(echo, method):
    with echo.raw() as raw:
        raw.request(method, "/request")
        assert problem(raw.response())["status"] == 501
        raw.read_to_end()


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


def test_requests_in_one_segment_are_answered_in_order(echo):
    with echo.raw() as raw:
        one = b"GET /request?n=%d HTTP/1.1\r\nHost: x\r\n\r\n"
        nothing = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
        later = b"GET /later?milliseconds=30 HTTP/1.1\r\nHost: x\r\n\r\n"
        raw.send(b"".join(one % n + nothing + later for n in range(20)))
        for n in range(20):
            assert b"query n=%d" % n in raw.response()[2]
            assert raw.response()[2] == b""
            assert raw.response()[2] == b"at last"


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


# Malformed requests ----------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [["-1"], ["+5"], ["0x5"], ["5,5"], ["5", "5"],
                                     ["5", "6"], ["9" * 40], ["18446744073709551621"], ["five"]])
def test_an_invalid_content_length_is_rejected_with_400_and_closed(echo, lengths):
    with echo.raw() as raw:
        raw.request("POST", "/echo", [("Content-Length", length) for length in lengths])
        assert problem(raw.response())["code"] == "badRequest"
        raw.read_to_end()


@pytest.mark.parametrize("headers", [
    [("Transfer-Encoding", "chunked")],
    [("Transfer-Encoding", "chunked"), ("Content-Length", "5")],
    [("Content-Length", "5"), ("Transfer-Encoding", "identity")], []])
def test_a_body_without_content_length_is_rejected_with_411_and_closed(echo, headers):
    with echo.raw() as raw:
        raw.request("POST", "/echo", headers)
        assert raw.response()[0] == 411
        raw.read_to_end()


@pytest.mark.parametrize("hosts", [[], ["a", "b"], ["a", "a"]])
def test_a_request_needs_exactly_one_host(echo, hosts):
    with echo.raw() as raw:
        raw.request("GET", "/hello", [("Host", name) for name in hosts], host=None)
        assert raw.response()[0] == 400
        raw.read_to_end()


def test_a_body_over_the_limit_is_rejected_before_it_is_sent(echo):
    with echo.raw() as raw:
        raw.request("POST", "/echo", [("Content-Length", str(LARGE + 1))])
        assert problem(raw.response())["code"] == "tooLarge"


def test_a_body_over_the_limit_that_is_sent_anyway_is_discarded(echo):
    with echo.raw() as raw:
        raw.request("POST", "/echo", body=b"z" * (LARGE + 1))
        status, headers, _ = raw.response()
        assert (status, headers["connection"]) == (413, "close")
        assert raw.read_to_end() == b""


def test_expect_100_continue_is_answered_with_100(echo):
    with echo.raw() as raw:
        raw.request("POST", "/echo", [("Content-Length", "3"), ("Expect", "100-continue")])
        assert raw.response()[0] == 100
        raw.send(b"abc")
        assert raw.response()[2] == b"abc"


@pytest.mark.parametrize("path", ["/" + "x" * 13_000, "/?q=" + "x" * 13_000, "/" + "?a&" * 6000])
def test_an_overlong_path_is_not_answered_with_200(echo, path):
    with echo.raw() as raw:
        raw.request("GET", path, [("Connection", "close")])
        assert b"200" not in raw.read_to_end()[:15]


@pytest.mark.parametrize("path", ["/a%00b", "/%", "/%zz", "/a\x00b", "x", "*", "http://x/", "",
                                  "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd"])
def test_malformed_paths_are_rejected(echo, path):
    with echo.raw() as raw:
        raw.request("GET", path, [("Connection", "close")])
        assert b"200" not in raw.read_to_end()[:15]
    with echo.raw() as raw:
        assert raw.exchange("GET", "/hello")[0] == 200


def test_too_many_headers_are_rejected(echo):
    with echo.raw() as raw:
        raw.request("GET", "/hello", [(f"X-{number}", "y" * 90) for number in range(200)])
        assert b"200" not in raw.read_to_end()[:15]


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


def test_a_stream_is_closed_when_its_peer_disconnects(echo):
    before = echo.counters()["streamsClosed"]
    raw = echo.raw()
    raw.request("GET", "/stream?pieces=-1")
    assert raw.read_line() == b"HTTP/1.1 200 OK"
    raw.socket.close()
    wait_until(lambda: echo.counters()["streamsClosed"] > before)


def test_a_pending_request_is_dropped_when_its_peer_disconnects(echo):
    before = echo.counters()["connections"]
    with echo.raw() as raw:
        raw.request("GET", "/later?milliseconds=500")
    wait_until(lambda: echo.counters()["connections"] <= before)
