"""1,000 members in one session."""

import asyncio
import json
import time

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from harness.definitions import LISTS

CROWD = 1000


async def enter(session, number):
    web = await connect(
        session.url, subprotocols=["pickerd.v1"], compression=None, proxy=None, max_size=None,
        max_queue=None, ping_interval=None, open_timeout=30)
    await web.send(json.dumps({"type": "join", "name": f"Member {number}"}))
    welcome = json.loads(await asyncio.wait_for(web.recv(), 30))
    assert welcome["type"] == "welcome", welcome
    return web


async def hear(web, revision):
    """Deltas 1…`revision`, in order; presence may come in between."""
    expected = 1
    while expected <= revision:
        message = json.loads(await asyncio.wait_for(web.recv(), 30))
        if message["type"] == "delta":
            assert message["revision"] == expected, message
            expected += 1
        else:
            assert message["type"] == "presence", message


async def closing(web):
    """What is heard until the connection is closed, however it is."""
    try:
        while True:
            yield await asyncio.wait_for(web.recv(), 10)
    except ConnectionClosed:
        return


async def meet(session):
    webs = []
    for start in range(0, CROWD, 100):
        webs += await asyncio.gather(*(enter(session, n) for n in range(start, start + 100)))
    one_more = await connect(session.url, subprotocols=["pickerd.v1"], compression=None, proxy=None)
    await one_more.send('{"type":"join"}')
    told = [json.loads(text) async for text in closing(one_more)]
    begun = time.monotonic()
    for number, web in enumerate(webs[:10]):
        select = {"type": "select", "ref": 1, "column": 0, "row": (number + 1) % 4, "generation": 1}
        await web.send(json.dumps(select))
    await asyncio.gather(*(hear(web, 10) for web in webs))
    fan_out = time.monotonic() - begun
    for web in webs:
        web.transport.abort()
    return told, one_more.close_code, fan_out


def test_a_thousand_members_hear_each_other_and_one_more_has_no_place(server):
    session = server.session(LISTS)
    begun = time.monotonic()

    told, code, fan_out = asyncio.run(meet(session))

    assert (code, [m["type"] for m in told]) == (4503, ["error"])
    assert session.revision() == 10
    assert len(session.get()["members"]) == CROWD
    assert time.monotonic() - begun < 20
    assert fan_out < 10, f"{fan_out:.1f} s for 10 selects to 1,000 members"
