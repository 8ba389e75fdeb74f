"""Tests of the checker of histories: it accepts a correct one, and finds what a broken log does."""

from copy import deepcopy

import pytest

from harness.history import History, Traveller

LINES = [
    {"revision": number, "by": by, "ref": ref, "at": f"2018-11-23T02:00:0{number}.000Z",
     "changes": [{"change": "row", "column": 0, "row": number}]}
    for number, by, ref in ((1, "m_1", 1), (2, "m_2", 1), (3, "m_1", 2))]


def seen(member, lines):
    """What a member receives on one connection: a delta has the ref of its own commands only."""
    welcome = {"type": "welcome", "epoch": "e", "revision": 0}
    return [welcome, *({
        "type": "delta", **{name: value for name, value in line.items()
                            if name != "ref" or line["by"] == member}} for line in lines)]


def history(lines=None, **views):
    """Two members at two nodes; `m_1` and `m_2` are the lines that they have seen, if not all."""
    members = [Traveller(member, [seen(member, deepcopy(views.get(member, LINES)))], sent)
               for member, sent in (("m_1", {1, 2}), ("m_2", {1}))]
    return History("e", members, [deepcopy(LINES), deepcopy(lines or LINES)])


def renumbered(lines):
    return [{**line, "revision": number} for number, line in enumerate(lines, start=1)]


def test_a_correct_history_has_no_violations():
    assert history().violations() == []


ONE, TWO, THREE = LINES
BROKEN = {
    "a number given twice: each node sees its own first": (
        history(renumbered([TWO, ONE, THREE]), m_2=renumbered([TWO, ONE, THREE])), "a fork"),
    "an entry left out of a node's log": (
        history([ONE, {**TWO, "by": "m_1", "ref": 2}]), "differ: a fork"),
    "a gap in a node's log": (history([ONE, THREE]), "has a gap"),
    "a revision twice in a node's log": (history([ONE, TWO, TWO]), "has a gap, or a revision twice"),
    "a foreign entry skipped by a member": (history(m_2=[TWO, THREE]), "revision 2 after 0"),
    "a command done twice": (
        history(renumbered([ONE, TWO, THREE, THREE])), "is in the log of node 1 twice"),
    "an answered command lost": (
        history(m_1=[*LINES, {**THREE, "revision": 4, "ref": 3}]), "revision 4 is lost"),
    "a command without an answer": (history(m_1=[ONE, TWO]), "command 2 has no answer"),
    "another order at a member": (
        history(m_2=renumbered([TWO, ONE, THREE])), "the log m_1"),
    "an answer with another revision": (
        history(m_1=[{**ONE, "ref": 2}, TWO, {**THREE, "ref": 1}]), "but its answer is"),
}


@pytest.mark.parametrize("broken, sentence", BROKEN.values(), ids=BROKEN)
def test_a_broken_history_is_found(broken, sentence):
    found = broken.violations()

    assert any(sentence in each for each in found), found


def test_another_epoch_is_found():
    other = history()
    other.travellers[0].connections[0][0]["epoch"] = "f"

    assert other.violations() == ["m_1, connection 0: another epoch, f"]
