"""Attacks of a single client: each is prepared once and then runs in processes of its own until
it is stopped."""

import json
import time
from dataclasses import dataclass, field
from functools import partial

from scenarios import LISTS, RELOAD

from . import floods, hosts, members
from .answers import note, repeat
from .client import SOURCE, Client
from .lines import REF, Line, frame

LONG = b"x" * 60_000
#: A number of entries that is created in a few seconds.
LOG_ENTRIES, DELETED_ENTRIES = 20_000, 50_000
#: Definitions of 2 MB in a session that is deleted.
DEFINITIONS = 20
#: Quiet and attacked measurements of an attack in a round. An attack that uses up a session has one
#: for each.
PAIRS = 3


def fill(port, path, count):
    """Creates `count` entries, or as many as the server accepts."""
    line = Line(port, path, source=SOURCE)
    line.join()
    done = 0
    try:
        while done < count:
            batch = b"".join(
                frame_of_select(done + n + 1) for n in range(min(500, count - done)))
            line.socket.sendall(batch)
            wanted = done + min(500, count - done)
            while done < wanted:
                for message in line.messages():
                    if ref := REF.search(message):
                        done = int(ref[1])
    except OSError:
        pass
    line.close()
    return done


def frame_of_select(ref):
    return frame(b'{"type":"select","ref":%d,"column":0,"row":%d,"generation":1}'
                 % (ref, ref % 4))


def commands(state, stop, text):
    """A member sends the same large command as fast as it can and rejoins when it is closed."""
    while not stop.is_set():
        try:
            line = Line(state["port"], state["path"], source=SOURCE)
            line.join()
            ref = 0
            while not stop.is_set():
                ref += 1
                line.send(text % ref)
                line.drain()
        except OSError as failure:
            note(failure)
            time.sleep(0.01)


def unknown_types(state, stop):
    commands(state, stop, b'{"ref":%d,"type":"' + LONG + b'"}')


def long_keys(state, stop):
    commands(state, stop, b'{"type":"select","ref":%d,"column":0,"row":1,"generation":1,"key":"'
             + LONG + b'"}')


def large_checks(state, stop):
    body = json.dumps({"definition": hosts.large(0, hosts.ROWS, 195)}).encode()
    client = Client(state["port"])
    while not stop.is_set():
        client.request("POST", "/v1/definitions/check", body)


def whole_logs(state, stop):
    client = Client(state["port"])
    while not stop.is_set():
        client.request("GET", state["path"] + "/log")


def create_and_delete(state, stop):
    client = Client(state["port"])
    body = json.dumps({"definition": LISTS}).encode()
    while not stop.is_set():
        status, answer = client.request("POST", "/v1/sessions", body)
        if status == 201:
            client.request("DELETE", f"/v1/sessions/{json.loads(answer)['session']}")


def delete_one(state, stop):
    """Deletes the session of this measurement."""
    stop.wait(0.4)
    Client(state["port"]).request("DELETE", state["paths"][state["number"]])
    stop.wait()


def joins_and_leaves(state, stop):
    def join_and_leave():
        line = Line(state["port"], state["path"], source=SOURCE)
        line.join()
        note("welcome")
        line.send({"type": "leave"})
        line.close()

    repeat(stop, join_and_leave)


def slow_readers(state, stop):
    """Members that never read, in a session in which each tap reloads 200 rows."""
    lines = []
    for _ in range(state["readers"]):
        try:
            lines.append(Line(state["port"], state["path"], source=SOURCE, receive_buffer=4096))
            lines[-1].send({"type": "join", "name": "Slow"})
        except OSError:
            continue
    while not stop.is_set():
        try:
            line = Line(state["port"], state["path"], source=SOURCE)
            line.join()
            ref = 0
            while not stop.is_set():
                ref += 1
                line.send(b'{"type":"select","ref":%d,"column":0,"row":%d,"generation":1}'
                          % (ref, ref % 2))
                line.drain()
                stop.wait(1 / 45)
        except OSError as failure:
            note(failure)
            stop.wait(0.1)


def busy(_, stop):
    """Uses a processor, and no server."""
    while not stop.is_set():
        for _ in range(100_000):
            pass


def one_session(port):
    return {"port": port, "path": Client(port).create()}


def long_session(port):
    state = one_session(port)
    state["entries"] = fill(port, state["path"], LOG_ENTRIES)
    return state


def long_sessions(port):
    client = Client(port)
    paths = [client.create() for _ in range(PAIRS)]
    return {"port": port, "paths": paths, "entries": [fill(port, path, DELETED_ENTRIES)
                                                      for path in paths]}


def large_definitions(port):
    client = Client(port)
    paths = [client.create() for _ in range(PAIRS)]
    for path in paths:
        for version in range(DEFINITIONS):
            method, body, kind = hosts.put(hosts.large(version))
            while client.request(method, path + "/definition", body, kind)[0] != 200:
                time.sleep(0.1)
    return {"port": port, "paths": paths}


def reloading_session(port):
    return {"port": port, "path": Client(port).create(RELOAD), "readers": 50}


def renamed_session(port):
    return {"port": port, "path": Client(port).create(hosts.columns(0))}


def booked_session(port):
    return {"port": port, "path": Client(port).create(hosts.taken(0))}


def nothing(port):
    return {"port": port}


def sessions_of(count, each):
    """`count` sessions, each with `each` members who all tap."""
    return lambda port: {"port": port, "members": each, "source": SOURCE,
                         "paths": [Client(port).create() for _ in range(count)]}


def requested_session(definition, method, connections):
    return lambda port: {"port": port, "path": Client(port).create(definition),
                         "method": method, "connections": connections}


def sent_again(sent, connections):
    return lambda port: {"port": port, "sent": sent, "connections": connections}


def resumed_session(port):
    path = Client(port).create(floods.CASCADE)
    return {"port": port, "path": path, "resume": floods.missed(port, path)}


def viewed_session(port):
    path = Client(port).create(floods.CALENDAR)
    return {"port": port, "lines": floods.viewers(port, path)}


@dataclass(frozen=True)
class Attack:
    name: str
    prepare: object
    body: object
    processes: int
    #: An answer that the attacker gets in each measurement; without it there was no attack.
    proof: str
    #: Limits other than the defaults, without which the preparation would take too long.
    limits: dict = field(default_factory=dict)
    #: Whether the server has TLS at its public listener.
    is_tls: bool = False
    #: Whether this is no attack, but what any busy process on the machine does.
    is_reference: bool = False

    def has_worked(self, answers):
        return self.is_reference or self.proof in answers


#: The `nice` value of the server's background threads.
BACKGROUND_NICENESS = 10
FAST = {"messagesPerSecond": 1_000_000}
MANY_DEFINITIONS = {"readsPerSecond": 1_000_000}
ATTACKS = [
    Attack(f"(reference) a busy process, nice {BACKGROUND_NICENESS}", nothing, busy, 1, "",
           is_reference=True),
    Attack("commands with 60 KB type", one_session, unknown_types, 4, "unknownType"),
    Attack("select with 60 KB key", one_session, long_keys, 4, "reply"),
    Attack("4 MB definition checks", nothing, large_checks, 2, "200", MANY_DEFINITIONS),
    Attack("whole logs", long_session, whole_logs, 2, "200", FAST),
    Attack("create and delete", nothing, create_and_delete, 2, "204"),
    Attack("delete a long session", long_sessions, delete_one, 1, "204", FAST),
    Attack("delete a session with large definitions", large_definitions, delete_one, 1,
           "204", MANY_DEFINITIONS),
    Attack("joins and leaves", one_session, joins_and_leaves, 4, "welcome"),
    Attack("200 members of a session at their full rate", sessions_of(1, 200),
           members.full_rate, 1, "delta"),
    Attack("400 sessions with a member at its full rate", sessions_of(400, 1),
           members.full_rate, 1, "delta"),
    Attack("slow readers", reloading_session, slow_readers, 2, "delta"),
    Attack("HEAD of 1.3 MB of rows on 50 connections",
           requested_session(floods.COLUMNS, "HEAD", 50), floods.requests, 1, "200"),
    Attack("small GET on 1,000 connections",
           requested_session(LISTS, "GET", 1000), floods.requests, 1, "200"),
    Attack("heads of 2,800 lines on 400 connections",
           sent_again(floods.LINES.encode(), 400), floods.again, 1, "431"),
    Attack("paths of 5,500 segments on 400 connections",
           sent_again(floods.SEGMENTS.encode(), 400), floods.again, 1, "404"),
    Attack("heads with long lists in repeated headers on 400 connections",
           sent_again(floods.REPEATED.encode(), 400), floods.again, 1, "200"),
    Attack("RSA handshakes on 32 connections",
           sent_again(floods.client_hello(), 32), floods.again, 1, "hello", is_tls=True),
    Attack("resumes after 500 reloads", resumed_session, floods.resumes, 1, "welcome", FAST),
    Attack("500 members with different months in view", viewed_session, floods.views, 1,
           "bands"),
    Attack("20,000 rows renamed 20 times a second", renamed_session,
           partial(hosts.renames, Client), 1, "200"),
    Attack("JSON Patch of 4,000 moves in 20,000 rows", renamed_session,
           partial(hosts.moves, Client), 1, "413"),
    Attack("JSON Patch that doubles at each step", one_session,
           partial(hosts.doubling_patch, Client), 1, "422"),
    Attack("taken with 5,000 overlapping intervals", booked_session,
           partial(hosts.overlapping_bookings, Client), 1, "200"),
]
