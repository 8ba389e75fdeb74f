"""RFC 6455 over raw sockets: framing, fragments, UTF-8 and closing.

Case numbers are those of Autobahn's test suite. libwebsockets 4.1.6 deviates in some of them, none
of which a correct client causes: see ARCHITECTURE.md."""

import errno
import random
import socket
import struct

import pytest

from conftest_socket import echo, hasty  # noqa: F401
from rawsocket import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Gone, drip, frame

LIMIT = 65536


def is_over_soon(web, code):
    """The server closes with `code`, accepts the answer and closes TCP well before its timeout."""
    assert web.read_close()[0] == code
    web.answer_close(code)
    web.read_to_end()
    web.socket.close()


# Framing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 125, 126, 127, 128, 1024, 65535, LIMIT])
def test_a_text_message_of_any_length_up_to_the_limit_is_echoed(echo, count):
    with echo.websocket() as web:
        web.send_text("x" * count)
        assert web.read_text() == "x" * count


def test_a_message_sent_byte_by_byte_is_echoed(echo):
    with echo.websocket() as web:
        for byte in frame(TEXT, "grüße".encode()):
            web.send(bytes([byte]))
        assert web.read_text() == "grüße"


def test_messages_in_one_segment_are_echoed_in_order(echo):
    with echo.websocket() as web:
        web.send(b"".join(frame(TEXT, str(number).encode()) for number in range(500)))
        assert [web.read_text() for _ in range(500)] == [str(number) for number in range(500)]


def test_the_handler_can_send_before_anything_is_received(echo):
    with echo.websocket("/greeting") as web:
        assert web.read_text() == "hello localhost"


#: Frames that end a connection, and the code.
CLOSING = {
    "binary": (frame(BINARY, b"\x00"), 1003),
    **{f"reserved opcode {opcode}": (frame(opcode, b"x"), 1002)
       for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)},
    **{f"reserved bits {rsv}": (frame(TEXT, b"x", rsv=rsv), 1002) for rsv in range(1, 8)},
    "one byte over the limit": (frame(TEXT, b"x" * (LIMIT + 1)), 1009),
    "fragments over the limit": (
        frame(TEXT, b"x" * LIMIT, final=False) + frame(CONTINUATION, b"x"), 1009),
    "65 fragments": (
        frame(TEXT, b"x", final=False) + frame(CONTINUATION, b"x", final=False) * 63, 1009),
    "a continuation without a message": (frame(CONTINUATION, b"x"), 1002),
    "a first continuation without a message": (frame(CONTINUATION, b"x", final=False), 1002),
    "a message between fragments": (frame(TEXT, b"one", final=False) + frame(TEXT, b"two"), 1002),
    "a fragmented ping": (frame(PING, b"x", final=False), 1002),
}


@pytest.mark.parametrize("data, code", CLOSING.values(), ids=CLOSING)
def test_a_frame_closes_with_its_code(echo, data, code):
    web = echo.websocket()
    web.send(data)
    is_over_soon(web, code)


def test_compression_is_not_negotiated(echo):
    with echo.raw() as raw:
        status, headers, _ = raw.upgrade(
            Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits")
        assert status == 101
        assert "sec-websocket-extensions" not in headers


def test_nothing_is_echoed_after_the_server_has_failed_the_connection(echo):
    """5.15: frames that follow a protocol error in the same segment are not processed."""
    with echo.websocket() as web:
        web.send(frame(TEXT, b"good") + frame(CONTINUATION, b"bad") + frame(TEXT, b"late"))
        assert web.read_text() == "good"
        assert web.read_frame()[0] == CLOSE
        with pytest.raises(Gone):
            web.read_frame()


# Size ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [LIMIT + 1, 1 << 31, 1 << 32, (1 << 63) - 1])
def test_a_frame_length_over_the_limit_closes_with_1009_before_the_payload(echo, length):
    with echo.websocket() as web:
        web.send_frame(TEXT, b"x", length=length)
        assert web.read_close()[0] == 1009


def test_a_frame_length_with_its_highest_bit_set_ends_the_connection(echo):
    """RFC 6455, section 7.1.7: a close frame may be left out."""
    with echo.websocket() as web:
        web.send(b"\x81\xff" + struct.pack("!Q", 1 << 63) + b"abcd")
        web.read_to_end()


# Fragments -------------------------------------------------------------------------------------


def test_fragments_with_control_frames_between_them_are_one_message(echo):
    """5.6 to 5.8."""
    with echo.websocket() as web:
        web.send_frame(TEXT, b"one ", final=False)
        web.send_frame(PING, b"between")
        web.send_frame(CONTINUATION, b"", final=False)
        web.send_frame(PONG, b"unasked")
        web.send_frame(CONTINUATION, b"message")
        answers = {web.read_frame(), web.read_frame()}  # the pong may arrive second
        assert answers == {(PONG, b"between"), (TEXT, b"one message")}


def test_empty_fragments_make_an_empty_message(echo):
    with echo.websocket() as web:
        web.send_frame(TEXT, b"", final=False)
        web.send_frame(CONTINUATION, b"")
        assert web.read_text() == ""


def test_a_message_of_64_fragments_is_accepted(echo):
    with echo.websocket() as web:
        web.send(frame(TEXT, b"x", final=False) + frame(CONTINUATION, b"x", final=False) * 62
                 + frame(CONTINUATION, b"x"))
        assert web.read_text() == "x" * 64


def test_a_message_that_takes_too_long_closes_with_1009(hasty):
    """The timeout covers the whole message; single bytes do not restart it."""
    with hasty.websocket() as web:
        drip(web, [bytes([byte]) for byte in frame(TEXT, b"x" * 10_000)])
        assert web.read_close()[0] == 1009


@pytest.mark.parametrize("seed", range(40))
def test_random_frames_end_only_their_own_connection(echo, seed):
    rng = random.Random(seed)
    with echo.websocket() as web:
        try:
            for _ in range(rng.randint(1, 20)):
                web.send(random_bytes(rng))
            web.socket.shutdown(socket.SHUT_WR)
            web.read_to_end()
        except OSError as error:
            # The server may close the connection before it has read everything. If it resets it,
            # shutdown() is no longer possible.
            if not isinstance(error, ConnectionError) and error.errno != errno.ENOTCONN:
                raise
    with echo.websocket() as web:
        web.send_text("x")
        assert web.read_text() == "x"


def random_bytes(rng):
    """A frame with random fields, which may have another length than its header says, or garbage."""
    payload = rng.randbytes(rng.choice([0, 1, 7, 125, 126, 127, 1000, 70_000]))
    if rng.random() < 0.1:
        return payload
    is_usual = rng.random() < 0.6
    length = None if is_usual else rng.choice([0, 1, 126, 65_536, 2**31, 2**63 - 1, 2**63, 2**64 - 1])
    whole = frame(
        TEXT if is_usual else rng.randrange(16), b"a" * len(payload) if is_usual else payload,
        final=rng.random() < 0.8, rsv=0 if is_usual else rng.randrange(8),
        masked=is_usual or rng.random() < 0.8, length=length)
    return whole if rng.random() < 0.9 else whole[:rng.randrange(len(whole))]


# Control frames --------------------------------------------------------------------------------


@pytest.mark.parametrize("payload", [b"", b"x", bytes(range(125)), b"\xff\xfe"])
def test_a_ping_is_answered_with_its_payload(echo, payload):
    with echo.websocket() as web:
        web.send_frame(PING, payload)
        assert web.read_frame() == (PONG, payload)


PINGS = b"".join(frame(PING, b"%d" % number) for number in range(20))


@pytest.mark.parametrize("cut", [0, 1, 2, 5, len(PINGS) - 3, len(PINGS)])
def test_of_pings_that_arrive_together_one_is_answered(echo, cut):
    """2.10: the first one, where RFC 6455 recommends the last."""
    with echo.websocket() as web:
        segments = PINGS + frame(TEXT, b"text")
        web.send(segments[:cut])
        echo.counters()  # It is answered after the first part has been received.
        web.send(segments[cut:])
        assert {web.read_frame()[0], web.read_frame()[0]} == {PONG, TEXT}
        web.send(frame(PING, b"one by one"))
        while web.read_frame() != (PONG, b"one by one"):
            pass


def test_a_ping_is_answered_if_a_connection_is_writable_again(echo):
    with echo.websocket("/script", receive_buffer=4096) as web:
        web.send(frame(TEXT, b"flood 1 5000000") + frame(PING, b"first"))
        received = [web.read_frame(), web.read_frame()]
        assert sorted(received) == [(TEXT, b"x" * 5_000_000), (PONG, b"first")]


def test_an_unsolicited_pong_is_ignored(echo):
    with echo.websocket() as web:
        web.send_frame(PONG, b"\xff not even text")
        web.send_text("still here")
        assert web.read_text() == "still here"


@pytest.mark.parametrize("count", [126, 70_000])
@pytest.mark.parametrize("opcode", [PING, PONG, CLOSE])
def test_a_control_frame_over_125_bytes_ends_the_connection(echo, opcode, count):
    """RFC 6455, section 7.1.7: a close frame may be left out."""
    with echo.websocket() as web:
        web.send_frame(opcode, b"x" * count)
        web.read_to_end()


def test_an_unmasked_frame_is_processed(echo):
    """A client must mask (x.1.*); libwebsockets does not check it."""
    with echo.websocket() as web:
        web.send(frame(TEXT, b"masked") + frame(TEXT, b"unmasked", masked=False))
        assert [web.read_text(), web.read_text()] == ["masked", "unmasked"]


@pytest.mark.parametrize("is_split", [False, True])
@pytest.mark.parametrize("payload", [b"\x03\xE9", b"\x03\xE9bye"])
def test_an_unmasked_close_frame_with_1001_is_answered_with_1001(echo, payload, is_split):
    """Caddy 2.6 sends it when it is reloaded. A client that gets 1002 does not come back."""
    web = echo.websocket()
    sent = frame(CLOSE, payload, masked=False)
    for piece in [bytes([byte]) for byte in sent] if is_split else [sent]:
        web.send(piece)
    is_over_soon(web, 1001)
