"""Every error response of the transport is a problem document (RFC 9457)."""

import contextlib
import json

import pytest

from conftest_socket import echo, start  # noqa: F401
from harness.pickerd import wait_until
from rawsocket import Gone

END = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
LINES = b"".join(b"X-%d: %s\r\n" % (number, b"y" * 90) for number in range(200))
KEY = b"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
UPGRADE = END.replace(b"close", b"Upgrade") + b"Upgrade: websocket\r\n"

REFUSED = {
    "unknown method": (b"BREW /hello" + END + b"\r\n", 501, "methodNotAllowed"),
    "CONNECT": (b"CONNECT a:1" + END + b"\r\n", 501, "methodNotAllowed"),
    "TRACE": (b"TRACE /hello" + END + b"\r\n", 501, "methodNotAllowed"),
    "a longer method": (b"GETX /hello" + END + b"\r\n", 501, "methodNotAllowed"),
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 501, "methodNotAllowed"),
    "bad escape": (b"GET /%zz" + END + b"\r\n", 400, "badRequest"),
    "cut escape": (b"GET /%" + END + b"\r\n", 400, "badRequest"),
    "no path": (b"GET x" + END + b"\r\n", 400, "badRequest"),
    "no target": (b"GET " + END + b"\r\n", 400, "badRequest"),
    "two blanks": (b"GET  /hello" + END + b"\r\n", 400, "badRequest"),
    "no authority": (b"GET http:///hello" + END + b"\r\n", 400, "badRequest"),
    "other scheme": (b"GET ftp://x/hello" + END + b"\r\n", 400, "badRequest"),
    "asterisk": (b"GET *" + END + b"\r\n", 400, "badRequest"),
    "no UTF-8": (b"GET /%ff" + END + b"\r\n", 400, "badRequest"),
    "no ASCII": (b"GET /\xc3\xbc" + END + b"\r\n", 400, "badRequest"),
    "NUL": (b"GET /a\x00b" + END + b"\r\n", 400, "badRequest"),
    "bad escape in the query": (b"GET /hello?a=%4" + END + b"\r\n", 400, "badRequest"),
    "long target": (b"GET /" + b"x" * 13_000 + END + b"\r\n", 431, "tooLarge"),
    "large head": (b"GET /" + END + LINES + b"\r\n", 431, "tooLarge"),
    "very large head": (b"GET /" + END + LINES * 10 + b"\r\n", 431, "tooLarge"),
    "101 headers": (b"GET /hello" + END + b"X:\r\n" * 99 + b"\r\n", 431, "tooLarge"),
    "65 segments": (b"GET " + b"/a" * 65 + END + b"\r\n", 404, "notFound"),
    "65 fields": (b"GET /hello?" + b"a&" * 64 + END + b"\r\n", 400, "badRequest"),
    "two methods": (b"GET /" + END + b"GET /x: y\r\n\r\n", 400, "badRequest"),
    "chunked": (b"POST /echo" + END + b"Transfer-Encoding: chunked\r\n\r\n", 411, "badRequest"),
    "chunked with a length": (b"POST /echo" + END + b"Transfer-Encoding: chunked\r\n"
                              b"Content-Length: 5\r\n\r\n", 411, "badRequest"),
    "another coding": (b"POST /echo" + END + b"Content-Length: 5\r\n"
                       b"Transfer-Encoding: identity\r\n\r\n", 411, "badRequest"),
    "no length": (b"POST /echo" + END + b"\r\n", 411, "badRequest"),
    "bad length": (b"POST /echo" + END + b"Content-Length: x\r\n\r\n", 400, "badRequest"),
    "large body": (b"POST /echo" + END + b"Content-Length: 99999999\r\n\r\n", 413, "tooLarge"),
    "no host": (b"GET /hello HTTP/1.1\r\n\r\n", 400, "badRequest"),
    "two hosts": (b"GET /hello" + END + b"Host: y\r\n\r\n", 400, "badRequest"),
    "the same host twice": (b"GET /hello" + END + b"Host: x\r\n\r\n", 400, "badRequest"),
    "other version": (b"GET /hello HTTP/1.7\r\nHost: x\r\n\r\n", 400, "badRequest"),
    "no key": (b"GET /" + UPGRADE + b"Sec-WebSocket-Version: 13\r\n\r\n", 400, "badRequest"),
    "version 8": (b"GET /" + UPGRADE + KEY + b"Sec-WebSocket-Version: 8\r\n\r\n", 426,
                  "badRequest"),
}


def is_problem(response, status, code):
    got, headers, body = response
    assert (got, headers["content-type"]) == (status, "application/problem+json"), response
    document = json.loads(body)
    assert document["type"] == "about:blank" and document["title"] and document["detail"]
    assert (document["status"], document["code"]) == (status, code)
    assert set(document) == {"type", "title", "status", "code", "detail"}


@pytest.mark.parametrize("kind", REFUSED)
def test_an_http_error_is_a_problem_document(echo, kind):
    data, status, code = REFUSED[kind]
    with echo.raw() as raw:
        with contextlib.suppress(OSError):  # It may be refused before all of it is sent.
            raw.send(data)
        is_problem(raw.response(), status, code)
        assert raw.read_to_end() == b"", "there is one response"


def test_a_head_with_as_many_parts_as_are_decoded_is_answered(echo):
    with echo.raw() as raw:
        raw.send(b"GET " + b"/." * 63 + b"/request?" + b"&a" * 63 + END + b"X:\r\n" * 98 + b"\r\n")
        status, _, body = raw.response()
    assert status == 200 and body.count(b"query a=") == 63


@pytest.mark.parametrize("kind", ["unknown method", "bad escape", "long target", "large head"])
def test_an_error_in_a_later_request_is_a_problem_document(echo, kind):
    data, status, code = REFUSED[kind]
    with echo.raw() as raw:
        assert raw.exchange("GET", "/hello")[2] == b"hello"
        assert raw.exchange("POST", "/echo", body=b"b" * 20_000)[2] == b"b" * 20_000
        with contextlib.suppress(OSError):
            raw.send(data)
        is_problem(raw.response(), status, code)
        raw.read_to_end()


def test_a_draining_loop_responds_with_draining(start):
    """It must not report too many connections instead."""
    for _ in range(5):
        try:
            return responds_with_draining(start(loops=2))
        except (OSError, Gone):
            pass  # The drain, which takes 2 s, was over.
    pytest.fail("five draining loops have not responded")


def responds_with_draining(server):
    with server.websocket("/?over") as there, server.raw() as drain, server.raw() as late:
        there.send_text("one that keeps the other loop until it is closed")
        assert drain.exchange("POST", "/drain-other", [("Content-Length", "0")])[0] == 200
        answers = []

        def is_draining():
            with server.raw() as raw:
                answers.append(raw.exchange("GET", "/hello?over"))
            return answers[-1][0] == 503

        wait_until(is_draining)
        is_problem(answers[-1], 503, "draining")
        assert late.upgrade("/?over")[0] == 503
    assert server.counters()["refusedFull"] == 0
