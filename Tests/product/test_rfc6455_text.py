"""RFC 6455 over raw sockets: UTF-8 and close frames."""

import struct
import time

import pytest

from conftest_socket import echo, hasty, start  # noqa: F401
from harness.pickerd import wait_until
from rawsocket import CLOSE, CONTINUATION, TEXT, Gone, frame

#: Well-formed, at the edges of every length. - Source: Unicode, table 3-7
GOOD = ["κόσμε", "\0", "\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\ufffd", "\uffff",
        "\U00010000", "\U0010ffff", "\U0001f600 and 25日"]
#: Each ends with the first byte that makes it invalid.
BAD = {
    "a lone continuation": b"\x80", "the highest continuation": b"\xbf",
    "an overlong slash": b"\xc0", "an overlong del": b"\xc1", "an overlong of 3": b"\xe0\x9f",
    "an overlong of 4": b"\xf0\x8f", "the first surrogate": b"\xed\xa0",
    "the last surrogate": b"\xed\xbf", "past U+10FFFF": b"\xf4\x90", "a lead of 5": b"\xf8",
    "a lead of 6": b"\xfc", "fe": b"\xfe", "ff": b"\xff", "ASCII after a lead of 2": b"\xc3a",
    "ASCII inside 3": b"\xe2\x82a", "ASCII inside 4": b"\xf0\x9f\x98a", "two leads": b"\xc3\xc3",
    "the lead f5": b"\xf5",
}


def fails_with_1007(web):
    assert web.read_close() == (1007, "invalid UTF-8")
    web.answer_close(1007)
    web.read_to_end()
    web.socket.close()


@pytest.mark.parametrize("text", GOOD, ids=ascii)
def test_well_formed_text_is_echoed_also_split_at_every_byte(echo, text):
    with echo.websocket() as web:
        web.send_text(text)
        assert web.read_text() == text
        web.send_frame(TEXT, b"", final=False)
        for byte in text.encode():
            web.send_frame(CONTINUATION, bytes([byte]), final=False)
        web.send_frame(CONTINUATION, b"")
        assert web.read_text() == text


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_ill_formed_text_closes_with_1007_before_the_end_of_frame_and_message(echo, data):
    """6.4: at the invalid byte, not at the final fragment."""
    first = frame(TEXT, b"ok", final=False)
    split = first + b"".join(
        frame(CONTINUATION, bytes([byte]), final=False) for byte in data)
    whole = frame(TEXT, b"sixteen letters " + data + b" and more")
    for sent in whole, split:
        web = echo.websocket()
        web.send(sent)
        fails_with_1007(web)
    with echo.websocket() as web:
        web.send_frame(TEXT, b"ok" + data, length=3000)
        assert web.read_close()[0] == 1007


@pytest.mark.parametrize("data", [b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xf0\x9f", b"\xf0"])
@pytest.mark.parametrize("is_split", [False, True])
def test_text_that_ends_inside_a_character_closes_with_1007(echo, data, is_split):
    web = echo.websocket()
    web.send_frame(TEXT, b"cut " + data, final=not is_split)
    if is_split:
        web.send_frame(CONTINUATION, b"")
    fails_with_1007(web)


# Close by the client ---------------------------------------------------------------------------


def closes(echo, body):
    """Sends a close frame with `body`; code and reason of the answer, after which TCP ends."""
    with echo.websocket() as web:
        web.send_frame(CLOSE, body)
        opcode, payload = web.read_frame()
        assert opcode == CLOSE
        web.read_to_end()
        return struct.unpack("!H", payload[:2])[0] if payload else None, payload[2:]


@pytest.mark.parametrize("code", [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999,
                                  4000, 4404, 4999])
def test_a_valid_close_code_is_echoed(echo, code):
    for reason in "Grüße".encode(), b"r" * 123:
        assert closes(echo, struct.pack("!H", code) + reason) == (code, reason)


#: Bodies of close frames, and the code of the answer.
ANSWERED = {
    "empty": (b"", None), "one byte": (b"\x03", 1002),
    **{f"code {code}": (struct.pack("!H", code), 1002) for code in (
        0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999)},
    # libwebsockets 4.1.6 only knows the codes of the RFC itself.
    **{f"newer code {code}": (struct.pack("!H", code), 1002) for code in (1012, 1013, 1014)},
    **{f"reason {reason}": (struct.pack("!H", 1000) + reason, 1007) for reason in (
        b"\xff", b"\xed\xa0\x80", b"cut \xe2\x82")},
}


@pytest.mark.parametrize("body, code", ANSWERED.values(), ids=ANSWERED)
def test_another_body_of_a_close_frame_is_answered_with_its_error(echo, body, code):
    assert closes(echo, body)[0] == code


def test_messages_after_the_clients_close_are_ignored(echo):
    before = echo.counters()["closed"]
    with echo.websocket() as web:
        # In one segment: the server may end the connection between two.
        web.send(frame(CLOSE, struct.pack("!H", 1000)) + frame(TEXT, b"too late"))
        assert web.read_frame()[0] == CLOSE
        with pytest.raises(Gone):
            web.read_frame()
    wait_until(lambda: echo.counters()["closed"] > before)


def test_a_message_before_the_close_is_answered_before_the_close(echo):
    with echo.websocket() as web:
        web.send_text("first")
        web.send_frame(CLOSE, struct.pack("!H", 1000))
        assert web.read_frame() == (TEXT, b"first")
        assert web.read_close() == (1000, "")


# Close by the handler --------------------------------------------------------------------------


@pytest.mark.parametrize("code", [1000, 1001, 1011, 4301, 4404, 4508])
def test_the_handlers_code_and_reason_are_sent(echo, code):
    with echo.websocket("/script") as web:
        web.send_text(f"close {code} why not, Ünal?")
        assert web.read_close() == (code, "why not, Ünal?")
        web.answer_close(code)
        web.read_to_end()


def test_a_last_message_arrives_before_the_close(echo):
    with echo.websocket("/script") as web:
        web.send_text("last 4404 no such session")
        assert web.read_frame() == (TEXT, b"last words")
        assert web.read_close() == (4404, "no such session")


def test_a_reason_over_123_bytes_is_truncated_between_characters(echo):
    with echo.websocket("/script") as web:
        web.send_text("close 4400 " + "ü" * 100)
        assert web.read_close() == (4400, "ü" * 61)


def test_two_megabytes_arrive_before_the_close(echo):
    """The close frame follows even if the message needs partial writes."""
    with echo.websocket("/script", receive_buffer=4096) as web:
        web.send_text("flood-close 1 2000000 4410")
        assert web.read_frame() == (TEXT, b"x" * 2_000_000)
        assert web.read_close() == (4410, "done")
        web.answer_close(4410)
        web.read_to_end()


def test_a_client_that_does_not_answer_the_close_is_dropped(hasty):
    with hasty.websocket("/script") as web:
        began = time.monotonic()
        web.send_text("close 4404 gone")
        assert web.read_close()[0] == 4404
        web.read_to_end()
        assert time.monotonic() - began > 1


def test_a_client_that_does_not_read_while_closing_is_dropped(start):
    server = start(closeMilliseconds=1500)
    with server.websocket("/script", receive_buffer=4096) as web:
        web.send_text("flood-close 1 8000000 4410")
        wait_until(lambda: server.counters()["closed"] == 1)


def test_messages_after_the_handlers_close_are_ignored(echo):
    with echo.websocket("/script") as web:
        web.send(frame(TEXT, b"close 4404 gone") + frame(TEXT, b"all nobody may read this"))
        assert web.read_frame()[0] == CLOSE
