"""Timeouts, set with `--limit`; ServerConfigurationTests checks the defaults.

Most are longer than the defaults: a busy machine can make a timeout late, but not early.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.definitions import LISTS, heavy
from harness.member import Member
from harness.rawmember import CLOSE, PING, PONG, TEXT, RawMember
from rawsocket import Raw


@pytest.fixture(scope="module")
def outcomes(_shared):
    """Runs all clients in parallel, so that the module waits only once."""
    server = _shared("timeouts", limits={
        "messagesPerSecond": 100_000, "joinMilliseconds": 14_000,
        "pingMilliseconds": 5000,
        "stalledMilliseconds": 12_000})
    with ThreadPoolExecutor(8) as pool:
        pending = {
            client.__name__: pool.submit(client, server) for client in (
                sends_half_a_header, never_joins, never_pongs, pongs, drips, reads_nothing)}
        outcome = {name: future.result() for name, future in pending.items()}
    for session in server.sessions:
        session.forget()
    return outcome


def sends_half_a_header(server):
    begun = time.monotonic()
    with Raw(("127.0.0.1", server.port), timeout=90) as raw:
        raw.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        raw.read_to_end()
        return time.monotonic() - begun


def never_joins(server):
    session = server.session(LISTS)
    begun = time.monotonic()
    member = session.track(Member(session.url, join=False))
    member.closed(4508, timeout=90)
    return time.monotonic() - begun


def never_pongs(server):
    session = server.session(LISTS)
    begun, pings = time.monotonic(), []
    silent = RawMember(server, session)
    while time.monotonic() - begun < 90:
        opcode, _ = silent.read(timeout=90)
        if opcode == PING:
            pings.append(time.monotonic() - begun)
        if opcode in (None, CLOSE):
            return pings, time.monotonic() - begun
    return pings, None


def pongs(server):
    session = server.session(LISTS)
    alive = RawMember(server, session)
    begun = time.monotonic()
    while time.monotonic() - begun < 20:
        try:
            opcode, payload = alive.read(timeout=max(0.1, begun + 20 - time.monotonic()))
        except TimeoutError:
            break
        if opcode == PING:
            alive.send_frame(PONG, payload)
        if opcode in (None, CLOSE):
            return time.monotonic() - begun
    alive.send({"type": "dance", "ref": 1})
    return alive.until_type("refused")["code"]


def drips(server):
    """Sends a message in fragments, 35 until its timeout; 64 are permitted."""
    session = server.session(LISTS)
    slow = RawMember(server, session)
    begun = time.monotonic()
    slow.send_frame(TEXT, b'{"type":', final=False)
    hung_up = threading.Event()

    def drip():
        while not hung_up.wait(0.4):
            try:
                slow.send_frame(0, b" ", final=False)
            except OSError:
                return

    threading.Thread(target=drip, daemon=True).start()
    seconds = slow.hung_up_after(90)
    hung_up.set()
    return seconds if seconds is None else time.monotonic() - begun


def reads_nothing(server):
    """Reads nothing: a snapshot replaces its pending deltas, then the server closes it."""
    session = server.session(heavy())
    ana, bo = session.together("Ana", "Bo")
    ana.is_trusted = bo.is_trusted = True
    slow = RawMember(server, session, receive_buffer=4096)
    member = slow.welcome["member"]["id"]
    ana.until(lambda m: member in m.screen.members)
    begun = time.monotonic()
    while time.monotonic() - begun < 120:
        for n in range(20):
            ana.ask("select", column=0, row=(n + 1) % 2, generation=1)
        ana.until(lambda m: not m.pending, timeout=90)
        ana.drain(0.5)
        bo.drain()
        if not ana.screen.members[member]["online"]:
            slow.close()
            return time.monotonic() - begun
    return None


def test_header_milliseconds_limits_the_time_for_a_request_header(outcomes):
    assert outcomes["sends_half_a_header"] > 13, "the default is 10 s"


def test_a_connection_that_does_not_join_in_time_is_closed(outcomes):
    assert outcomes["never_joins"] >= 13.9, "the default is 10 s"


def test_the_server_pings_and_drops_a_connection_without_pongs(outcomes):
    pings, seconds = outcomes["never_pongs"]

    assert len(pings) >= 2 and 4.8 <= pings[0] <= 19, "the default is 20 s"
    assert seconds is not None and 14.8 <= seconds <= 29, "the default is 30 s"


def test_a_connection_that_answers_pings_stays_open(outcomes):
    assert outcomes["pongs"] == "unknownType"


def test_a_message_that_does_not_arrive_in_time_is_closed(outcomes):
    # The client does not answer the close frame and is dropped 5 s later.
    assert outcomes["drips"] is not None and outcomes["drips"] >= 18.9, "the default is 10 s, and 5 s"


def test_a_reader_that_stalls_after_a_snapshot_is_closed(outcomes):
    assert outcomes["reads_nothing"] is not None and outcomes["reads_nothing"] >= 11.9
