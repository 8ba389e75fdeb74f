"""Members of one session that send commands and go to another node when theirs fails."""

import contextlib
import json
import http.client
import random
import threading
import time
from copy import deepcopy

from websockets.exceptions import WebSocketException

from .definitions import LISTS
from .history import History, Traveller
from .member import Hung, Member, dial
from .patience import PATIENCE
from .pickerd import wait_until
from .store import random_command

#: Seconds without an answer after which a member gives a node up.
GIVE_UP_SECONDS = 4
#: The longest pause of a member between commands, of which it sends up to three at a time.
PAUSE = 0.2
#: Seconds between two requests of a reader.
READING = 0.1
#: The end of a connection, not of the test.
BROKEN = (OSError, EOFError, Hung, TimeoutError, WebSocketException)


class Visit(Member):
    """One connection of a member to one node. Assertions fail on a violation of the contract."""

    is_trusted = True

    def __init__(self, url, before):
        self.begin(before.name)
        self.is_trusted = True
        self.url, self.joined_with = url, {}
        #: Refs of earlier connections, whose answers may arrive late here.
        self.earlier = set()
        self.greatest = 0
        if before.visit:
            last = before.visit
            self.screen = deepcopy(last.screen)
            self.sent, self.greatest = set(last.sent), last.greatest
            self.earlier = set(last.sent)
        self.web = dial(url, patience=GIVE_UP_SECONDS)

    def enter(self, resume):
        """Joins or resumes; raises one of `BROKEN`."""
        self.send({"type": "join", "name": self.name, **({"resume": resume} if resume else {})})
        until = time.monotonic() + GIVE_UP_SECONDS
        while self.welcome is None:
            self.receive(until - time.monotonic())

    def _answered(self, ref):
        if self.pending and self.pending[0] == ref:
            self.pending.popleft()
        else:
            assert ref in self.earlier, f"{self}: commands are answered in order, not {ref}"


class Walker(threading.Thread):
    """A member with all its connections."""

    def __init__(self, name, urls, home, seed):
        super().__init__(name=name, daemon=True)
        self.urls, self.node = urls, home
        self.rng = random.Random(seed)
        self.is_over = threading.Event()
        self.visit = None
        self.visits = []
        self.commands = {}
        self.waiting = []
        #: When answers arrived.
        self.answered = []
        self.failure = None

    def run(self):
        try:
            while not self.is_over.is_set() or self.waiting:
                try:
                    self.enter()
                    self.work()
                except BROKEN:
                    if self.visit and self.visit.welcome:
                        self.keep_waiting()
                    self.node += 1
                    self.is_over.wait(0.05)
        except Exception as failure:  # noqa: BLE001 - raised by `Travel.history`
            self.failure = failure

    def enter(self):
        """Joins at the current node, and sends again what has no answer, and two that have."""
        visit = Visit(self.urls[self.node % len(self.urls)], self)
        last = self.visit
        visit.enter(last.resume() if last else None)
        self.visit = visit
        self.visits.append(visit)
        answered = [ref for ref in self.commands if ref not in self.waiting][-2:]
        for ref in [*answered, *self.waiting]:
            visit.send(self.commands[ref])

    def work(self):
        visit, received, resting = self.visit, time.monotonic(), 0
        while not self.is_over.is_set() or visit.pending:
            if time.monotonic() > resting and not self.is_over.is_set():
                while len(visit.pending) < 3:
                    command = {**random_command(visit, self.rng), "ref": visit.next_ref()}
                    self.commands[command["ref"]] = command
                    visit.send(command)
                resting = time.monotonic() + self.rng.uniform(0, PAUSE)
            self.keep_waiting()
            before = len(visit.pending)
            try:
                visit.receive(0.05)
            except TimeoutError:
                if visit.pending and time.monotonic() - received > GIVE_UP_SECONDS:
                    visit.drop()
                    raise
                continue
            received = time.monotonic()
            if len(visit.pending) < before:
                self.answered.append(received)
        self.keep_waiting()

    def keep_waiting(self):
        """The commands without an answer, for the next connection."""
        self.waiting = sorted(set(self.visit.pending))


class Reader(threading.Thread):
    """Reads the session at one node again and again: what a member has seen is never missing."""

    def __init__(self, travel, node):
        super().__init__(name=f"reader of {node}", daemon=True)
        self.travel, self.node = travel, node
        self.is_over = threading.Event()
        self.count = 0
        self.violations = []

    def run(self):
        while not self.is_over.wait(READING):
            known = self.travel.revision()
            answer = self.travel.read(self.node)
            if answer is None:
                continue
            if answer.status == 200:
                self.count += 1
                if answer.json["revision"] < known:
                    self.violations.append(
                        f"revision {answer.json['revision']} is read after {known} was seen")
            elif answer.status != 503:
                self.violations.append(f"{answer.status} is read: {answer.body}")


class Travel:
    """A session with members at all nodes. `nodes` are servers with fixed ports."""

    def __init__(self, nodes, *, members=9, definition=LISTS, seed=1):
        self.nodes = nodes
        self.session = nodes[0].session(definition, now=None)
        urls = [node.socket(self.session.path) for node in nodes]
        self.readers = [Reader(self, node) for node in nodes]
        self.walkers = [Walker(f"w{n}", urls, n, f"{seed}-{n}") for n in range(members)]

    @contextlib.contextmanager
    def under_way(self):
        """All members send commands until the end of the block; then they wait for all answers."""
        threads = [*self.walkers, *self.readers]
        for thread in threads:
            thread.start()
        try:
            self.wait_for_answers()
            yield self
        finally:
            for thread in threads:
                thread.is_over.set()
            for thread in threads:
                thread.join(PATIENCE)

    def revision(self):
        """The newest revision that a member has seen."""
        return max(walker.visit.screen.revision if walker.visit else 0 for walker in self.walkers)

    def answers(self):
        return [len(walker.answered) for walker in self.walkers]

    def wait_for_answers(self, count=5, timeout=PATIENCE):
        """Waits until every member has `count` more answers: the service works for all."""
        before = self.answers()

        def have_more():
            for walker in self.walkers:
                if walker.failure:
                    raise walker.failure
            return all(now >= then + count for now, then in zip(self.answers(), before))

        wait_until(have_more, timeout, what="answers for all members")

    def violations(self, may_renew=False):
        """What is wrong, after the load."""
        found = [f"{reader.name}: {what}" for reader in self.readers for what in reader.violations]
        assert any(reader.count for reader in self.readers), "nothing was read"
        return found + self.history(may_renew).violations()

    def history(self, may_renew=False):
        """After the load: all members have the state of all nodes, as soon as these agree."""
        for walker in self.walkers:
            if walker.failure:
                raise walker.failure
            assert not walker.is_alive(), f"{walker.name} waits for answers: {walker.waiting[:5]}"
        states = wait_until(self.states, what="the state at all nodes")
        for walker in self.walkers:
            walker.visit.reach(states[0]["revision"])
            for state in states:
                differs = walker.visit.screen.differs_from(state)
                assert differs is None, f"{walker.name}: {differs}"
        travellers = [Traveller(
            walker.visit.id, [visit.record for visit in walker.visits], set(walker.commands),
            [visit.hung.rcvd.code if visit.hung and visit.hung.rcvd else None
             for visit in walker.visits])
            for walker in self.walkers]
        bodies = [node.get(f"{self.session.path}/log").body for node in self.nodes]
        logs = [[json.loads(line) for line in body.splitlines()] for body in bodies]
        return History(self.session.epoch, travellers, logs, may_renew)

    def read(self, node):
        """What a node answers about the session; None if only HAProxy answers, or nobody."""
        try:
            return node.get(self.session.path)
        except (OSError, http.client.HTTPException, AssertionError):
            return None

    def states(self):
        """The state as each node answers it; None while one is connecting to the database, or
        HAProxy has not yet found that one is ready again."""
        answers = [self.read(node) for node in self.nodes]
        if any(answer is None or answer.status == 503 for answer in answers):
            return None
        assert all(answer.status == 200 for answer in answers), answers
        return [answer.json for answer in answers]

    def end(self):
        for walker in self.walkers:
            if walker.visit:
                walker.visit.drop()
