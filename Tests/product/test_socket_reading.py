"""What follows a request in the same segment: frames, requests and bodies are never mixed up."""

import pytest

from conftest_socket import PATIENT, echo, start  # noqa: F401
from rawsocket import CLOSE, PING, PONG, TEXT, frame, problem

HEAD = b"GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n"
UPGRADE = (b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n")
GET = HEAD % (b"/hello", b"")
LIMIT = 4_194_304


def post(body, length=None, path=b"/echo", more=b""):
    count = len(body) if length is None else length
    return (b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n" % (path, count, more)
            + body)


@pytest.mark.parametrize("path", [b"/", b"/?over"])
def test_frames_in_the_handshakes_segment_are_intact(start, path):  # noqa: F811
    """libwebsockets 4.1.6 alone writes its response over them."""
    server = start(loops=2)
    for sizes in [5], [300], [700], [5_000], [60_000], [1, 200, 40_000, 3, 600]:
        texts = [bytes([97 + place]) * size for place, size in enumerate(sizes)]
        frames = b"".join(frame(TEXT, text) for text in texts) + frame(PING, b"end")
        for padding in 0, 300, 700, 4_000:
            head = HEAD % (path, UPGRADE + b"X-Padding: " + b"p" * padding + b"\r\n")
            with server.raw() as raw:
                raw.send(head + frames)
                assert raw.response()[0] == 101
                answers = [raw.read_frame() for _ in range(len(texts) + 1)]
                assert [each for each in answers if each[0] == TEXT] == [(TEXT, t) for t in texts]
                assert (PONG, b"end") in answers
                raw.send_text("later")
                assert raw.read_text() == "later"


@pytest.mark.parametrize("cut", [-1, 0, 1, 2, 6, 7])
def test_a_frame_cut_near_the_end_of_the_handshake_is_intact(echo, cut):  # noqa: F811
    head, first = HEAD % (b"/", UPGRADE), frame(TEXT, b"early" * 50)
    with echo.raw() as raw:
        raw.send((head + first)[:len(head) + cut])
        if cut >= 0:
            assert raw.response()[0] == 101
        raw.send((head + first)[len(head) + cut:])
        if cut < 0:
            assert raw.response()[0] == 101
        assert raw.read_text() == "early" * 50


def test_a_close_in_the_handshakes_segment_is_answered(echo):  # noqa: F811
    with echo.raw() as raw:
        raw.send(HEAD % (b"/", UPGRADE) + frame(CLOSE, b"\x03\xe8"))
        assert raw.response()[0] == 101
        assert raw.read_close()[0] == 1000


def test_requests_of_all_kinds_in_one_segment_are_answered_in_order(echo):  # noqa: F811
    slow = HEAD % (b"/later?milliseconds=30", b"")
    with echo.raw() as raw:
        raw.send((GET + post(b"a" * 70_000) + slow + post(b"") + post(GET) + slow + post(b"z")) * 3
                 + HEAD % (b"/", UPGRADE) + frame(TEXT, b"frames follow"))
        for _ in range(3):
            for body in (b"hello", b"a" * 70_000, b"at last", b"", GET, b"at last", b"z"):
                assert raw.response()[2] == body
        assert raw.response()[0] == 101
        assert raw.read_text() == "frames follow"


def test_requests_behind_a_moved_one_are_answered(start):  # noqa: F811
    server = start(loops=2)
    with server.raw() as raw:
        over = HEAD % (b"/hello?over", b"")
        raw.send(over + post(b"x" * 3_000) + over + GET + post(b"y"))
        for body in (b"hello", b"x" * 3_000, b"hello", b"hello", b"y"):
            assert raw.response()[2] == body


def test_a_header_hidden_behind_a_body_is_checked(echo):  # noqa: F811
    """The head of each request is checked, whatever precedes it."""
    for first in (post(b"x"), post(b"x" * 3_000), GET):
        with echo.raw() as raw:
            raw.send(first + HEAD % (b"/hello", b"No colon\r\n"))
            assert raw.response()[0] == 200
            assert problem(raw.response())["status"] == 400


@pytest.mark.parametrize("more", [1, 100_000])
def test_nothing_is_parsed_out_of_a_body_over_the_limit(echo, more):  # noqa: F811
    """It contains requests. The connection ends with the refusal."""
    body = (GET * (1 + (LIMIT + more) // len(GET)))[:LIMIT + more]
    with echo.raw() as raw:
        raw.send(post(body) + post(b"after"))
        refusal = raw.response()
        assert (problem(refusal)["code"], refusal[1]["connection"]) == ("tooLarge", "close")
        assert raw.read_to_end() == b""


def test_the_refusal_of_a_body_that_the_client_may_not_send_ends_the_connection(echo):  # noqa: F811
    """A client that expects 100 Continue may send another request instead of the body."""
    with echo.raw() as raw:
        raw.send(post(b"", LIMIT + 1, more=b"Expect: 100-continue\r\n"))
        status, headers, _ = raw.response()
        assert (status, headers["connection"]) == (413, "close")
        raw.send(GET)
        assert raw.read_to_end() == b""


def test_a_refusal_before_the_body_that_is_not_sent_ends_the_connection(start):  # noqa: F811
    """The next request is not swallowed as the body of the refused one."""
    server = start(**PATIENT)
    with server.raw() as raw:
        raw.send(post(b"", 100_000, b"/refused", b"Expect: 100-continue\r\n"))
        status, headers, _ = raw.response()
        assert (status, headers["connection"]) == (403, "close")
        raw.send(GET)
        assert raw.read_to_end() == b""


def test_the_refusal_of_a_very_long_body_arrives_and_ends_the_connection(echo):  # noqa: F811
    with echo.raw() as raw:
        raw.send(post(b"x" * 3_000_000, 1 << 40))
        status, headers, _ = raw.response()
        assert (status, headers["connection"]) == (413, "close")
        assert raw.read_to_end() == b""


def test_pipelined_requests_of_a_client_that_does_not_read_cost_no_cpu(start):  # noqa: F811
    server = start()
    with server.raw(receive_buffer=4096) as raw:
        raw.send((HEAD % (b"/large?bytes=1000000", b"")) * 20 + post(b"last"))
        server.counters()
        assert server.cpu_of_a_second() < 0.5, "the loop does not spin"
        for _ in range(20):
            assert len(raw.response()[2]) == 1_000_000
        assert raw.response()[2] == b"last"
