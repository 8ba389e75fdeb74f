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
def test_well_formed_text_is_echoed(echo, text):
    with echo.websocket() as web:
        web.send_text(text.encode("utf-8", "surrogatepass"))
        assert web.read_text() == text


@pytest.mark.parametrize("text", GOOD, ids=ascii)
def test_well_formed_text_split_at_every_byte_is_echoed(echo, text):
    data = text.encode()
    with echo.websocket() as web:
        web.send_frame(TEXT, b"", final=False)
        for byte in data:
            web.send_frame(CONTINUATION, bytes([byte]), final=False)
        web.send_frame(CONTINUATION, b"")
        assert web.read_text() == text


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_ill_formed_text_closes_with_1007(echo, data):
    web = echo.websocket()
    web.send_frame(TEXT, b"sixteen letters " + data + b" and more")
    fails_with_1007(web)


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_ill_formed_text_closes_before_the_end_of_the_message(echo, data):
    """6.4: at the invalid byte, not at the final fragment."""
    web = echo.websocket()
    web.send_frame(TEXT, b"ok", final=False)
    for byte in data:
        web.send_frame(CONTINUATION, bytes([byte]), final=False)
    fails_with_1007(web)


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_ill_formed_text_closes_before_the_end_of_the_frame(echo, data):
    web = echo.websocket()
    web.send_frame(TEXT, b"ok" + data, length=3000)
    assert web.read_close()[0] == 1007
    web.socket.close()


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


def test_an_empty_close_is_answered_with_an_empty_one(echo):
    assert closes(echo, b"") == (None, b"")


@pytest.mark.parametrize("code", [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999,
                                  4000, 4404, 4999])
def test_a_valid_close_code_is_echoed(echo, code):
    assert closes(echo, struct.pack("!H", code) + "Grüße".encode()) == (code, "Grüße".encode())


@pytest.mark.parametrize("code", [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999])
def test_an_invalid_close_code_is_answered_with_1002(echo, code):
    assert closes(echo, struct.pack("!H", code))[0] == 1002


@pytest.mark.parametrize("code", [1012, 1013, 1014])
def test_a_close_code_newer_than_the_rfc_is_answered_with_1002(echo, code):
    """libwebsockets 4.1.6 only knows the codes of the RFC itself."""
    assert closes(echo, struct.pack("!H", code))[0] == 1002


def test_a_close_body_of_one_byte_is_answered_with_1002(echo):
    assert closes(echo, b"\x03")[0] == 1002


@pytest.mark.parametrize("reason", [b"\xff", b"\xed\xa0\x80", b"cut \xe2\x82"])
def test_an_ill_formed_reason_is_answered_with_1007(echo, reason):
    assert closes(echo, struct.pack("!H", 1000) + reason)[0] == 1007


def test_a_reason_of_123_bytes_is_echoed(echo):
    assert closes(echo, struct.pack("!H", 1000) + b"r" * 123) == (1000, b"r" * 123)


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
