"""Servers with durable stores, and a crowd of members that sends commands while they are killed."""

import json
import random
import threading

from .definitions import CALENDAR, LISTS, TREE
from .member import Hung
from .patience import PATIENCE
from .pickerd import Pickerd, wait_until
from .ports import free_ports

KINDS = [{"kind": "date", "timeZone": "Asia/Shanghai"}, TREE, LISTS, CALENDAR]
#: A rate limit that only tests of rates reach.
MANY = {"messagesPerSecond": 100_000}


def stored(log, path, *, options=(), limits=None, **rest):
    """A server with an SQLite store at `path`."""
    return stored_at(log, f"sqlite:{path}", options=options, limits=limits, **rest)


def stored_at(log, store, *, options=(), limits=None, **rest):
    """A server with a store of any kind."""
    return Pickerd(
        log, options=("--store", store, *options), limits={**MANY, **(limits or {})}, **rest)


class Nodes(list):
    """Servers on one database, with addresses for each other unless they do not listen."""

    def __init__(self, folder, store, count, *options, listens=True, **limits):
        self.addresses = [f"127.0.0.1:{port}" for port in free_ports(count)]
        super().__init__(
            Pickerd(folder / f"node{n}.log", clock="system", limits={**MANY, **limits},
                    listen=f"127.0.0.1:{port}", options=(
                        "--store", store, *options,
                        *(("--node-listen", self.addresses[n]) if listens else ())))
            for n, port in enumerate(free_ports(count)))

    def stop(self):
        for node in self:
            node.stop()


def again(server, *, kill=True):
    """Restarts the server on the same store, after SIGKILL or SIGTERM."""
    if kill:
        server.kill()
    else:
        server.terminate()
        server.exited()
    server.start()


def back(session, member, **fields):
    """Resumes `member` at the server's current address and catches up."""
    member.url = session.url
    came = session.back(member, **fields)
    came.reach(session.revision())
    came.owed.clear()
    came.said = getattr(member, "said", {})
    return came


def log_lines(session, after=0):
    """The log by revision, without gaps; not validated, because it may be long."""
    answer = session.server.get(f"{session.path}/log?after={after}")
    assert answer.status == 200, answer
    lines = [json.loads(line) for line in answer.body.splitlines()]
    assert [line["revision"] for line in lines] == list(range(after + 1, after + 1 + len(lines)))
    return {line["revision"]: line for line in lines}


def random_command(member, rng):
    """A random command that fits the state of the member."""
    screen = member.screen
    if rng.random() < 0.15:
        return {"type": rng.choice(["undo", "redo"])}
    if screen.columns:
        column = rng.randrange(len(screen.columns))
        shown = screen.columns[column]
        row = rng.randrange(max(shown["count"], 1))
        return {"type": "select", "column": column, "row": row, "generation": shown["generation"],
                **({"key": "1"} if rng.random() < 0.2 else {})}
    if rng.random() < 0.05:
        return {"type": "clear"}
    return {"type": "tap", "date": f"2018-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"}


def work(member, seed, is_over, in_flight=3):
    """Sends commands, a few in flight, until the connection or the test ends."""
    rng = random.Random(seed)
    try:
        while not is_over.is_set():
            while len(member.pending) < in_flight:
                command = {**random_command(member, rng), "ref": member.next_ref()}
                member.said[command["ref"]] = command
                member.send(command)
            try:
                member.receive(0.05)
            except TimeoutError:
                pass
    except Hung:
        return
    # Answers that the server sent before it died count.
    member.drain(0.1)


def answered(member):
    """The member's last four answers; a `welcome` also has a ref."""
    return [message for message in member.record
            if "ref" in message and message["type"] != "welcome"][-4:]


class Crowd:
    """Sessions of several kinds, their members, and every command that was acknowledged."""

    def __init__(self, server, session_count=4, member_count=6):
        self.server = server
        self.sessions = [
            server.session(KINDS[n % len(KINDS)], title=f"number {n}") for n in range(session_count)]
        self.members = {s: [s.join(f"m{n}") for n in range(member_count)] for s in self.sessions}
        for member in self.everybody:
            member.said = {}
            member.is_trusted = True
        self.revisions = {s: 0 for s in self.sessions}
        self.created, self.deleted = [], []
        #: Answers of the server that were compared with its log after a restart.
        self.checked = 0

    @property
    def everybody(self):
        return [member for members in self.members.values() for member in members]

    def load(self, count, seed, is_killed=True):
        """Sends commands, creates and deletes sessions; kills the server when the members have
        received `count` more revisions of their sessions."""
        is_over = threading.Event()
        failures = []

        def guarded(body, *arguments):
            try:
                body(*arguments)
            except Exception as failure:  # noqa: BLE001 - raised again by the test's thread
                failures.append(failure)

        threads = [
            threading.Thread(target=guarded, args=(work, member, f"{seed}-{n}", is_over))
            for n, member in enumerate(self.everybody)]
        threads.append(threading.Thread(target=guarded, args=(self.come_and_go, is_over)))
        for thread in threads:
            thread.start()
        wanted = self.reached() + count
        wait_until(lambda: self.reached() >= wanted or failures, what="commands of the crowd")
        if is_killed:
            self.server.kill()
        is_over.set()
        for thread in threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a member hangs"
        assert not failures, failures

    def reached(self):
        """The revisions that members have received, one member of each session counted."""
        return sum(members[0].screen.revision for members in self.members.values())

    def come_and_go(self, is_over):
        """Creates and deletes sessions; records the acknowledged ones."""
        number = 0
        while not is_over.is_set():
            number += 1
            try:
                answer = self.server.create(LISTS, title=str(number))
                if answer.status == 429:
                    is_over.wait(0.2)
                    continue
                assert answer.status == 201, answer
                path = f"/v1/sessions/{answer.json['session']}"
                if number % 2:
                    self.created.append(path)
                    continue
                answer = self.server.delete(path)
                assert answer.status == 204, answer
                self.deleted.append(path)
            except (OSError, EOFError):
                return
            except Exception as failure:
                if type(failure).__module__ == "http.client":
                    return
                raise

    def check(self):
        """After a restart: no acknowledged command is missing, and all members resume."""
        assert self.server.get("/readyz").status == 200
        for path in self.created[-5:]:
            assert self.server.get(path).status == 200, f"{path} was created, but is missing"
        for path in self.deleted[-5:]:
            assert self.server.get(path).status == 404, f"{path} was deleted, but exists"
        for session in self.sessions:
            self.check_session(session)

    def check_session(self, session):
        lines = log_lines(session, self.revisions[session])
        for member in self.members[session]:
            for message in member.record:
                if message["type"] == "delta" and message["revision"] > self.revisions[session]:
                    self.checked += 1
                    self.check_delta(member, message, lines.get(message["revision"]))
        for member in self.members[session]:
            member.drop()
        came = [back(session, member) for member in self.members[session]]
        for member, before in zip(came, self.members[session]):
            member.is_trusted = True
            assert member.welcome["resumed"] and member.id == before.id, member.welcome
            self.repeat(member, before)
        for member, before in zip(came, self.members[session]):
            self.check_answers(member, before, lines)
        session.members = list(came)
        session.agree()
        self.members[session] = came
        self.revisions[session] = session.revision()

    @staticmethod
    def check_delta(member, received, line):
        """Asserts that a delta that a member received is in the log unchanged."""
        assert line, f"{member} received revision {received['revision']}, which is lost: {received}"
        for field in ("by", "at", "changes"):
            assert line.get(field) == received.get(field), f"log {line}, received {received}"
        if "ref" in received:
            assert line["ref"] == received["ref"], f"log {line}, received {received}"

    @staticmethod
    def repeat(member, before):
        """Sends the last answered commands and the pending ones again, without waiting."""
        for ref in [first["ref"] for first in answered(before)] + list(before.pending):
            member.send(member.said[ref])

    @staticmethod
    def check_answers(member, before, lines):
        """Asserts that repeated commands have their first answer and pending ones get an answer."""
        done = {line["ref"]: line["revision"] for line in lines.values()
                if line.get("by") == member.id}
        for first in answered(before):
            second = member.answer(first["ref"])
            if first["type"] == "refused":
                assert (second["type"], second["code"]) == ("refused", first["code"]), (first, second)
            else:
                assert second["type"] == "reply", (first, second)
                assert second["revision"] == first["revision"], (first, second)
        for ref in list(before.pending):
            answer = member.answer(ref)
            if ref in done:
                assert (answer["type"], answer["revision"]) == ("reply", done[ref]), answer
