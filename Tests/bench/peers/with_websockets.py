"""A room server on websockets: broadcast(), no compression, uvloop."""

import asyncio
from collections import defaultdict

import uvloop
from room import PORT, WELCOME, Room, is_join, tls
from websockets.asyncio.server import broadcast, serve
from websockets.exceptions import ConnectionClosed

rooms = defaultdict(Room)


async def serve_member(member):
    room = rooms[member.request.path]
    try:
        async for message in member:
            if is_join(message):
                room.members.add(member)
                await member.send(WELCOME)
            else:
                broadcast(room.members, room.delta(message))
    except ConnectionClosed:
        pass
    finally:
        room.members.discard(member)


async def main():
    async with serve(serve_member, "127.0.0.1", PORT, subprotocols=["pickerd.v1"],
                     compression=None, ssl=tls()):
        await asyncio.get_running_loop().create_future()


uvloop.run(main())
