"""What the members of a session have sent and received, and whether that is possible.

The checker uses messages and logs only: members may have been at several nodes, nodes and databases
may have been killed, stopped and cut off. If `violations` returns nothing, no answered command is
lost, none is done twice, all members have seen one order, revisions have no gaps, times do not go
back, no newer connection of a member was closed for an older one, and there was no fork.
"""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Traveller:
    """One member: the messages that it received, by connection, and the commands that it sent."""

    id: str
    connections: list = field(default_factory=list)
    sent: set = field(default_factory=set)
    #: The close code of each connection; None for those that the member has closed itself.
    codes: list = field(default_factory=list)


@dataclass
class History:
    """All members of a session, and each node's log (its lines, as parsed JSON) at the end."""

    epoch: str
    travellers: list
    logs: list
    #: Whether a new epoch is permitted: acknowledged history may be missing, as far as pickerd can
    #: know.
    may_renew: bool = False

    def violations(self):
        """Sentences, one for each contradiction."""
        found = list(self._of_logs())
        lines = {line["revision"]: line for line in self.logs[0]}
        for traveller in self.travellers:
            for number, messages in enumerate(traveller.connections):
                name = f"{traveller.id}, connection {number}"
                found += [f"{name}: {what}" for what in self._of_order(messages, lines)]
            found += [f"{traveller.id}: {what}" for what in self._of_answers(traveller, lines)]
            if 4409 in traveller.codes:
                found.append(f"{traveller.id}: its newest connection was closed for an older one")
        return found

    def _of_logs(self):
        for number, log in enumerate(self.logs):
            if [line["revision"] for line in log] != list(range(1, len(log) + 1)):
                yield f"the log of node {number} has a gap, or a revision twice"
            if log != self.logs[0]:
                yield f"the logs of nodes 0 and {number} differ: a fork"
            times = [line["at"] for line in log]
            if times != sorted(times):
                yield f"the times in the log of node {number} go back"
            commands = Counter((line["by"], line["ref"]) for line in log if "ref" in line)
            for command in sorted(each for each, count in commands.items() if count > 1):
                yield f"{command} is in the log of node {number} twice"

    def _of_order(self, messages, lines):
        """A connection shows the revisions of the log, one after the other."""
        revision = 0
        for message in messages:
            match message["type"]:
                case "welcome":
                    revision = message["revision"]
                    if message["epoch"] != self.epoch and not self.may_renew:
                        yield f"another epoch, {message['epoch']}"
                case "snapshot":
                    if message["revision"] < revision:
                        yield f"a snapshot of revision {message['revision']} after {revision}"
                    revision = message["revision"]
                case "delta":
                    if message["revision"] != revision + 1:
                        yield f"revision {message['revision']} after {revision}"
                    revision = message["revision"]
                    yield from differences(message, lines.get(revision))

    @staticmethod
    def _of_answers(traveller, lines):
        """Each command has an answer; repeated ones have the same; the log has what they say."""
        done = {line["ref"]: line["revision"] for line in lines.values()
                if line.get("by") == traveller.id and "ref" in line}
        answers = {}
        for messages in traveller.connections:
            for message in messages:
                if message["type"] in ("delta", "reply", "refused") and "ref" in message:
                    answers.setdefault(message["ref"], set()).add(
                        message.get("code") or message["revision"])
        for ref, said in sorted(answers.items()):
            if len(said) > 1:
                yield f"command {ref} has several answers: {said}"
            elif ref in done and said != {done[ref]}:
                yield f"command {ref} is revision {done[ref]}, but its answer is {said}"
        for ref in sorted(traveller.sent - answers.keys()):
            yield f"command {ref} has no answer"


def differences(delta, line):
    """What a delta says that its line of the log does not."""
    if line is None:
        yield f"revision {delta['revision']} is lost"
        return
    for name in ("by", "at", "changes"):
        if delta.get(name) != line.get(name):
            yield (f"revision {line['revision']} has {name} {delta.get(name)}, "
                   f"the log {line.get(name)}")
    if "ref" in delta and delta["ref"] != line.get("ref"):
        yield f"revision {line['revision']} has ref {delta['ref']}, the log {line.get('ref')}"
