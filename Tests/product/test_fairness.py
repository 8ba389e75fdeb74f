"""An address that sends more than its share of an event-loop iteration is answered later."""

import json

from harness.definitions import LISTS
from harness.rawmember import TEXT, RawMember

COUNT = 300


def test_all_commands_over_the_share_of_an_address_are_answered_in_order(start):
    # Loopback addresses are trusted by default, and have no share.
    server = start(
        options=("--trusted-proxy", "none"),
        limits={"messagesPerSecond": 100_000, "inboxBytes": 1_048_576})
    session = server.session(LISTS)
    other = RawMember(server, session, name="Ana")
    many = RawMember(server, session, name="Bo", source="127.0.0.2")

    for ref in range(1, COUNT + 1):
        many.send({"type": "select", "ref": ref, "column": 0, "row": ref % 3, "generation": 1})

    assert answered(many, COUNT) == list(range(1, COUNT + 1))
    other.send({"type": "select", "ref": 1, "column": 0, "row": 1, "generation": 1})
    assert answered(other, 1) == [1]


def answered(member, count):
    """The refs of the next `count` answers."""
    refs = []
    while len(refs) < count:
        opcode, payload = member.read()
        assert opcode is not None, "closed"
        if opcode == TEXT and "ref" in (message := json.loads(payload)):
            refs.append(message["ref"])
    return refs
