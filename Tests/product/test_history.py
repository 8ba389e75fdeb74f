"""The checker of clusters: it accepts what one killed server does, and finds every tampering.

The same checker runs with several nodes.
"""

from copy import deepcopy

import pytest

from harness.ports import free_ports
from harness.store import stored
from harness.travellers import Travel

ROUNDS = 3


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """The history of a session on a server that was killed under load, and started again."""
    folder = tmp_path_factory.mktemp("history")
    server = stored(folder / "log", folder / "store", clock=None,
                    listen=f"127.0.0.1:{free_ports(1)[0]}")
    travel = Travel([server], members=6)
    try:
        with travel.under_way():
            for _ in range(ROUNDS):
                server.kill()
                server.start()
                travel.wait_for_answers(20)
        history = travel.history()
    finally:
        travel.end()
        server.stop()
    assert all(len(each.connections) > ROUNDS for each in history.travellers)
    return history


@pytest.fixture
def tampered(history):
    return deepcopy(history)


def deltas(history, traveller=0):
    return [message for messages in history.travellers[traveller].connections
            for message in messages if message["type"] == "delta"]


def own(history):
    """A delta that answers a command of the first member."""
    return [delta for delta in deltas(history) if "ref" in delta][-1]


def found(history, text):
    assert any(text in violation for violation in history.violations()), history.violations()[:5]


def test_kill_9_of_one_server_is_without_violations(history):
    assert history.violations() == []
    assert len(history.logs[0]) > 50, "the members have worked"


def test_a_lost_command_is_found(tampered):
    last = max(delta["revision"] for delta in deltas(tampered))
    tampered.logs[0] = tampered.logs[0][:last - 1]

    found(tampered, f"revision {last} is lost")


def test_a_gap_in_the_log_is_found(tampered):
    del tampered.logs[0][10]

    found(tampered, "the log of node 0 has a gap")


def test_a_command_that_was_done_twice_is_found(tampered):
    line = next(line for line in reversed(tampered.logs[0]) if "ref" in line)
    tampered.logs[0].append({**line, "revision": len(tampered.logs[0]) + 1})

    found(tampered, "is in the log of node 0 twice")


def test_another_order_at_one_member_is_found(tampered):
    first, second = deltas(tampered, 1)[3:5]
    first["changes"], second["changes"] = second["changes"], first["changes"]
    first["by"], second["by"] = second["by"], first["by"] + "x"

    found(tampered, "has by")


def test_a_number_given_twice_is_found(tampered):
    """Two nodes give the same revision to different commands."""
    log = deepcopy(tampered.logs[0])
    log[20]["by"] = "m_other"
    tampered.logs.append(log)

    found(tampered, "a fork")


def test_an_entry_of_another_node_that_was_left_out_is_found(tampered):
    for messages in tampered.travellers[2].connections:
        *all_but_the_last, _ = [n for n, m in enumerate(messages) if m["type"] == "delta"] or [0]
        foreign = [n for n in all_but_the_last if "ref" not in messages[n]]
        if foreign[1:]:
            del messages[foreign[1]]
            break

    found(tampered, "after")


def test_another_epoch_is_found(tampered):
    tampered.travellers[0].connections[-1][0]["epoch"] = "fork"

    found(tampered, "another epoch")


def test_a_command_without_an_answer_is_found(tampered):
    tampered.travellers[0].sent.add(100_000)

    found(tampered, "command 100000 has no answer")


def test_a_second_answer_that_differs_is_found(tampered):
    tampered.travellers[0].connections[-1].append(
        {"type": "reply", "ref": own(tampered)["ref"], "revision": 1})

    found(tampered, "has several answers")


def test_an_answer_with_another_revision_than_the_log_is_found(tampered):
    ref = own(tampered)["ref"]
    for messages in tampered.travellers[0].connections:
        messages[:] = [message for message in messages if message.get("ref") != ref]
    messages.append({"type": "reply", "ref": ref, "revision": 1})

    found(tampered, "but its answer is")
