"""A room server on picows: buffers that are sent without a copy, uvloop."""

from collections import defaultdict

import uvloop
from picows import (WSListener, WSMsgType, WSUpgradeResponse, WSUpgradeResponseWithListener,
                    ws_create_server)
from room import PORT, WELCOME, Room, is_join, tls

#: The bytes before a message that picows needs for the header of its frame.
HEAD = 14
rooms = defaultdict(Room)


class Member(WSListener):
    def __init__(self, room):
        self.room = room

    def on_ws_frame(self, transport, frame):
        message = frame.get_payload_as_bytes()
        if frame.msg_type == WSMsgType.CLOSE:
            transport.disconnect()
        elif is_join(message):
            self.room.members.add(transport)
            transport.send(WSMsgType.TEXT, WELCOME.encode())
        else:
            delta = bytearray(HEAD) + self.room.delta(message).encode()
            for member in self.room.members:
                member.send_reuse_external_bytearray(WSMsgType.TEXT, delta, HEAD)

    def on_ws_disconnected(self, transport):
        self.room.members.discard(transport)


def accept(request):
    return WSUpgradeResponseWithListener(
        WSUpgradeResponse.create_101_response({"Sec-WebSocket-Protocol": "pickerd.v1"}),
        Member(rooms[request.path]))


async def main():
    # Taps are short: the default buffer has 16 KiB.
    server = await ws_create_server(accept, "127.0.0.1", PORT, ssl=tls(),
                                    read_buffer_init_size=512)
    await server.serve_forever()


uvloop.run(main())
