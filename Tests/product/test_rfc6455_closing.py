"""The server's close frame has the right code even if the client sends pings around it.

libwebsockets uses one buffer for the close reason and for the payload of the last ping."""

import contextlib

import pytest

from conftest_socket import echo, start  # noqa: F401
from rawsocket import BINARY, CLOSE, CONTINUATION, PING, TEXT, drip, frame

#: If libwebsockets sent this payload as the close reason, the code would be 25185.
PINGED = frame(PING, b"ba" + b"?" * 50)
TOO_LONG = b"x" * 65537


def script(line):
    return frame(TEXT, line.encode())


#: The bytes that the client sends, and the code with which the server closes.
CAUSES = {
    "4400": (script("close 4400 bad message"), 4400), "4404": (script("close 4404"), 4404),
    "4409": (script("close 4409 " + "r" * 123), 4409), "4410": (script("last 4410 gone"), 4410),
    "1001": (script("close 1001 going away"), 1001), "binary": (frame(BINARY, b"x"), 1003),
    "no text": (frame(TEXT, b"\xff"), 1007), "too long": (frame(TEXT, TOO_LONG), 1009),
    "no opcode": (frame(3, b"x"), 1002), "reserved bit": (frame(TEXT, b"x", rsv=4), 1002),
    "cut ping": (frame(PING, b"x", final=False), 1002),
    "no start": (frame(CONTINUATION, b"x"), 1002),
}
#: The segments that the client sends: the cause of the close with pings around it.
PLACES = {
    "before": lambda cause: [PINGED, cause],
    "before, in the same segment": lambda cause: [PINGED + cause],
    "after, in the same segment": lambda cause: [cause + PINGED],
    "after": lambda cause: [cause, PINGED],
    "all around": lambda cause: [PINGED + PINGED + cause + PINGED * 3, PINGED],
    "cut in two": lambda cause: [PINGED + cause + PINGED[:9], PINGED[9:] + PINGED],
    "many": lambda cause: [cause + PINGED * 200],
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("cause", CAUSES)
def test_a_close_frame_has_its_code_despite_pings(echo, cause, place):
    data, code = CAUSES[cause]
    with echo.websocket("/script") as web:
        with contextlib.suppress(OSError):  # The cause may have ended the connection meanwhile.
            for segment in PLACES[place](data):
                web.send(segment)
        assert web.read_close()[0] == code
        if code != 1002:  # after 1002 libwebsockets may treat any frame as another error
            web.answer_close(code)
        web.read_to_end()


@pytest.mark.parametrize("last, code", [(frame(CONTINUATION, b"\xff"), 1007),
                                        (frame(CONTINUATION, TOO_LONG), 1009),
                                        (frame(CONTINUATION, b" of a script"), 4400),
                                        (frame(TEXT, b"x"), 1002)],
                         ids=["no UTF-8", "too long", "ours", "no continuation"])
def test_a_close_frame_has_its_code_despite_pings_between_fragments(echo, last, code):
    first = frame(TEXT, b"close 4400 in the middle", final=False)
    with echo.websocket("/script") as web:
        web.send(first + PINGED + frame(CONTINUATION, b"", final=False) + PINGED + last + PINGED)
        assert web.read_close()[0] == code
        web.answer_close(code)
        web.read_to_end()


@pytest.mark.parametrize("pings", [0, 1, 100])
def test_a_close_frame_follows_all_buffered_messages_and_has_its_code(echo, pings):
    with echo.websocket("/script", receive_buffer=4096) as web:
        web.send(PINGED * pings + script("flood-close 1 3000000 4410") + PINGED * pings)
        assert web.read_text_past_pongs() == "x" * 3_000_000
        assert web.read_close() == (4410, "done")


def test_a_drain_closes_with_1001_despite_pings(start):
    server = start()
    webs = [server.websocket() for _ in range(10)]
    server.process.terminate()
    for web in webs:
        with contextlib.suppress(OSError):  # The drain ends after 3 s.
            web.send(PINGED * 5)
    for web in webs:
        assert web.read_close() == (1001, "going away")
        web.answer_close(1001)
    assert server.stop() == 0


def test_pings_after_the_servers_close_do_not_extend_the_close_timeout(start):
    server = start(closeMilliseconds=700)
    with server.websocket("/script") as web:
        web.send(script("close 4400") + PINGED * 20)
        assert web.read_close()[0] == 4400
        drip(web, [PINGED] * 10_000)  # without a pause of 700 ms


def test_a_protocol_error_after_the_servers_close_sends_no_second_close_frame(echo):
    with echo.websocket("/script") as web:
        web.send(script("close 4400") + frame(3, b"no opcode"))
        assert web.read_close()[0] == 4400
        assert bytes([0x80 | CLOSE]) not in web.read_to_end()[:1]


def test_the_clients_close_is_answered_with_its_code_despite_pings(echo):
    with echo.websocket() as web:
        web.send(PINGED + frame(CLOSE, b"\x0f\xa0bye") + PINGED)
        assert web.read_close() == (4000, "bye")
        web.read_to_end()
