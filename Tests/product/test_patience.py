"""What takes the server's patience to see: timeouts of ten seconds and more, all at once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.definitions import LISTS, heavy
from harness.member import Member
from harness.rawmember import CLOSE, PING, PONG, TEXT, RawMember


@pytest.fixture(scope="module")
def outcomes(_shared):
    """All the waiting is done side by side, on a server with the timeouts of the contract."""
    server = _shared("patience", limits={"messagesPerSecond": 100_000})
    with ThreadPoolExecutor(8) as pool:
        begun = {
            wait.__name__: pool.submit(wait, server)
            for wait in (never_joins, never_pongs, pongs, drips, reads_nothing)}
        outcome = {name: future.result() for name, future in begun.items()}
    for session in server.sessions:
        session.forget()
    return outcome


def never_joins(server):
    session = server.session(LISTS)
    member = session.keep(Member(session.url, join=False))
    begun = time.monotonic()
    member.closed(4508, timeout=20)
    return time.monotonic() - begun


def never_pongs(server):
    session = server.session(LISTS)
    silent = RawMember(server, session)
    begun, pings = time.monotonic(), []
    while time.monotonic() - begun < 60:
        opcode, _ = silent.read(timeout=60)
        if opcode == PING:
            pings.append(time.monotonic() - begun)
        if opcode in (None, CLOSE):
            return pings, time.monotonic() - begun
    return pings, None


def pongs(server):
    session = server.session(LISTS)
    alive = RawMember(server, session)
    begun = time.monotonic()
    while time.monotonic() - begun < 45:
        try:
            opcode, payload = alive.read(timeout=max(0.1, begun + 45 - time.monotonic()))
        except TimeoutError:
            break
        if opcode == PING:
            alive.send_frame(PONG, payload)
        if opcode in (None, CLOSE):
            return time.monotonic() - begun
    alive.send({"type": "dance", "ref": 1})
    return alive.until_type("refused")["code"]


def drips(server):
    """A message in many fragments, one a second."""
    session = server.session(LISTS)
    slow = RawMember(server, session)
    begun = time.monotonic()
    slow.send_frame(TEXT, b'{"type":', final=False)
    hung_up = threading.Event()

    def drip():
        while not hung_up.wait(0.5):
            try:
                slow.send_frame(0, b" ", final=False)
            except OSError:
                return

    threading.Thread(target=drip, daemon=True).start()
    seconds = slow.hung_up_after(25)
    hung_up.set()
    return seconds if seconds is None else time.monotonic() - begun


def reads_nothing(server):
    """Does not read: it gets a snapshot in place of what waits, and after 10 s it is closed."""
    session = server.session(heavy())
    ana, bo = session.together("Ana", "Bo")
    ana.is_trusted = bo.is_trusted = True
    slow = RawMember(server, session, receive_buffer=4096)
    member = slow.welcome["member"]["id"]
    ana.until(lambda m: member in m.screen.members)
    begun = time.monotonic()
    while time.monotonic() - begun < 40:
        for n in range(20):
            ana.ask("select", column=0, row=(n + 1) % 2, generation=1)
        ana.until(lambda m: not m.pending, timeout=30)
        ana.drain(0.05)
        bo.drain()
        if not ana.screen.members[member]["online"]:
            slow.close()
            return time.monotonic() - begun
    return None


def test_who_never_joins_is_closed_after_10_seconds(outcomes):
    assert 9 <= outcomes["never_joins"] <= 13


def test_the_server_pings_every_20_seconds_and_hangs_up_30_after_the_last_pong(outcomes):
    pings, seconds = outcomes["never_pongs"]

    assert pings and 15 <= pings[0] <= 25
    assert seconds is not None and 25 <= seconds <= 55


def test_who_answers_pings_stays(outcomes):
    assert outcomes["pongs"] == "unknownType"


def test_a_message_arrives_within_10_seconds(outcomes):
    assert outcomes["drips"] is not None and 8 <= outcomes["drips"] <= 17


def test_who_reads_nothing_for_10_seconds_after_a_snapshot_is_closed(outcomes):
    assert outcomes["reads_nothing"] is not None and outcomes["reads_nothing"] >= 9
