"""Members of one session that send commands and go to another node when theirs fails."""

import contextlib
import json
import random
import threading
import time
from copy import deepcopy
from itertools import pairwise

from websockets.exceptions import WebSocketException

from .definitions import LISTS
from .history import History, Traveller
from .member import Hung, Member, dial
from .pickerd import wait_until
from .store import random_command

#: Seconds without an answer after which a member gives a node up.
PATIENCE = 4
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
        self.web = dial(url, patience=PATIENCE)

    def enter(self, resume):
        """Joins or resumes; raises one of `BROKEN`."""
        self.send({"type": "join", "name": self.name, **({"resume": resume} if resume else {})})
        until = time.monotonic() + PATIENCE
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
                    time.sleep(0.05)
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
        visit, received = self.visit, time.monotonic()
        while not self.is_over.is_set() or visit.pending:
            while not self.is_over.is_set() and len(visit.pending) < 3:
                command = {**random_command(visit, self.rng), "ref": visit.next_ref()}
                self.commands[command["ref"]] = command
                visit.send(command)
            self.keep_waiting()
            before = len(visit.pending)
            try:
                visit.receive(0.05)
            except TimeoutError:
                if time.monotonic() - received > PATIENCE:
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


class Travel:
    """A session with members at all nodes. `nodes` are servers with fixed ports."""

    def __init__(self, nodes, *, members=9, definition=LISTS, seed=1):
        self.nodes = nodes
        self.session = nodes[0].session(definition, now=None)
        urls = [node.socket(self.session.path) for node in nodes]
        self.walkers = [Walker(f"w{n}", urls, n, f"{seed}-{n}") for n in range(members)]

    @contextlib.contextmanager
    def under_way(self):
        """All members send commands until the end of the block; then they wait for all answers."""
        for walker in self.walkers:
            walker.start()
        try:
            self.wait_for_answers()
            yield self
        finally:
            for walker in self.walkers:
                walker.is_over.set()
            for walker in self.walkers:
                walker.join(120)

    def answers(self):
        return [len(walker.answered) for walker in self.walkers]

    def wait_for_answers(self, count=5, timeout=120):
        """Waits until every member has `count` more answers: the service works for all."""
        before, until = self.answers(), time.monotonic() + timeout
        while any(now < then + count for now, then in zip(self.answers(), before)):
            for walker in self.walkers:
                if walker.failure:
                    raise walker.failure
            assert time.monotonic() < until, f"no answers: {before}, now {self.answers()}"
            time.sleep(0.05)

    def silences(self):
        """Each member's longest time without an answer, in seconds."""
        return [max(later - earlier for earlier, later in pairwise(walker.answered))
                for walker in self.walkers]

    def history(self):
        """After the load: all members have the state of all nodes, as soon as these agree."""
        for walker in self.walkers:
            if walker.failure:
                raise walker.failure
            assert not walker.is_alive(), f"{walker.name} waits for answers: {walker.waiting[:5]}"
        states = wait_until(self.equal_states, timeout=120, what="the last command at all nodes")
        for walker in self.walkers:
            walker.visit.reach(states[0]["revision"])
            for state in states:
                differs = walker.visit.screen.differs_from(state)
                assert differs is None, f"{walker.name}: {differs}"
        travellers = [Traveller(
            walker.visit.id, [visit.record for visit in walker.visits], set(walker.commands))
            for walker in self.walkers]
        bodies = [node.get(f"{self.session.path}/log").body for node in self.nodes]
        logs = [[json.loads(line) for line in body.splitlines()] for body in bodies]
        return History(self.session.epoch, travellers, logs)

    def equal_states(self):
        """The states of all nodes; None while some do not have the last entries of others, or are
        connecting to the database."""
        answers = [node.get(self.session.path) for node in self.nodes]
        if any(answer.status == 503 for answer in answers):
            return None
        assert all(answer.status == 200 for answer in answers), answers
        states = [answer.json for answer in answers]
        return states if len({state["revision"] for state in states}) == 1 else None

    def end(self):
        for walker in self.walkers:
            if walker.visit:
                walker.visit.drop()
