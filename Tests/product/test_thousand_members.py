"""1,000 members in one session."""

import asyncio
import base64
import json
import os
import struct
import time
from concurrent.futures import ThreadPoolExecutor

from harness.definitions import LISTS

CROWD = 1000
PATIENCE = 120


class OneOfMany(asyncio.Protocol):
    """A minimal member, so that one Python process can run a thousand: it only counts deltas."""

    def __init__(self, session, number):
        self.session, self.number = session, number
        self.buffer = bytearray()
        self.is_upgraded = False
        self.revision = 0
        self.received = []
        self.code = None
        self.changed = asyncio.Event()

    def connection_made(self, transport):
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write((
            f"GET {self.session.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.session.server.port}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: pickerd.v1\r\n\r\n").encode())

    def send(self, opcode, payload):
        """Sends a frame masked with zeros, which leaves the payload as it is."""
        head = bytes([0x80 | opcode])
        head += bytes([0x80 | len(payload)]) if len(payload) < 126 else (
            b"\xfe" + struct.pack(">H", len(payload)))
        self.transport.write(head + bytes(4) + payload)

    def say(self, message):
        self.send(1, json.dumps(message).encode())

    def data_received(self, data):
        self.buffer += data
        if not self.is_upgraded:
            head, found, rest = bytes(self.buffer).partition(b"\r\n\r\n")
            if not found:
                return
            assert head.startswith(b"HTTP/1.1 101"), head
            self.buffer, self.is_upgraded = bytearray(rest), True
            self.say({"type": "join", "name": f"Member {self.number}"})
        start = 0
        while (frame := self.frame(start)) is not None:
            opcode, begin, start = frame
            self.take(opcode, self.buffer[begin:start])
        del self.buffer[:start]

    def frame(self, start):
        """(opcode, begin, end) of the frame at `start`; None while it is incomplete."""
        if len(self.buffer) < start + 2:
            return None
        length, begin = self.buffer[start + 1], start + 2
        if length == 126:
            begin += 2
        elif length == 127:
            begin += 8
        if len(self.buffer) < begin:
            return None
        if length > 125:
            length = int.from_bytes(self.buffer[start + 2:begin], "big")
        end = begin + length
        return (self.buffer[start] & 15, begin, end) if len(self.buffer) >= end else None

    def take(self, opcode, payload):
        if opcode == 9:
            self.send(10, bytes(payload))
        elif opcode == 8:
            self.code = int.from_bytes(payload[:2], "big")
            self.send(8, bytes(payload[:2]))
            self.transport.close()
            self.changed.set()
        elif not payload.startswith(b'{"type":"presence"'):
            message = json.loads(payload)
            self.received.append(message["type"])
            if message["type"] == "delta":
                assert message["revision"] == self.revision + 1, message
                self.revision = message["revision"]
            self.changed.set()

    def connection_lost(self, error):
        self.changed.set()
        self.transport.abort()

    async def until(self, holds):
        while not holds(self):
            assert not self.transport.is_closing(), (
                f"member {self.number} is closed after {self.received}")
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), PATIENCE)


async def enter(session, number):
    loop = asyncio.get_running_loop()
    _, member = await loop.create_connection(
        lambda: OneOfMany(session, number), "127.0.0.1", session.server.port)
    return member


async def meet(session):
    """Joins all members, has ten of them select, and waits until everyone has every delta.

    Also connects one member over the limit; returns it and the fan-out's duration.
    """
    members = []
    for start in range(0, CROWD, 100):
        group = await asyncio.gather(*(enter(session, n) for n in range(start, start + 100)))
        await asyncio.gather(*(member.until(lambda m: "welcome" in m.received) for member in group))
        members += group
    one_more = await enter(session, CROWD)
    await one_more.until(lambda m: m.code)
    begun = time.monotonic()
    for number, member in enumerate(members[:10]):
        member.say({"type": "select", "ref": 1, "column": 0, "row": (number + 1) % 4,
                    "generation": 1})
        await members[0].until(lambda m: m.revision > number)
    await asyncio.gather(*(member.until(lambda m: m.revision == 10) for member in members))
    fan_out = time.monotonic() - begun
    for member in members:
        assert member.received == ["welcome"] + ["delta"] * 10, member.received
        member.transport.abort()
    return one_more, fan_out


def test_a_thousand_members_receive_every_delta_and_one_more_is_closed_with_4503(server):
    session = server.session(LISTS)

    # In a thread of its own: Playwright's event loop may already run in this one.
    with ThreadPoolExecutor(1) as pool:
        one_more, fan_out = pool.submit(asyncio.run, meet(session)).result()

    assert (one_more.code, one_more.received) == (4503, ["error"])
    assert session.revision() == 10
    assert len(session.get()["members"]) == CROWD
    # Less than a second on an idle machine.
    assert fan_out < 60, f"{fan_out:.1f} s for 10 selects to 1,000 members"
