"""`messagesPerSecond`: `tooMany` over the rate, close code 4529 over ten times the rate."""

import time

import pytest

from conftest import for_one_test
from harness.definitions import LISTS

RATE = 10


@pytest.fixture(scope="module")
def _slow_paced(_shared):
    return _shared("rates", limits={"messagesPerSecond": RATE})


@pytest.fixture
def paced(_slow_paced, request):
    """A server that accepts ten messages a second per connection."""
    yield from for_one_test(_slow_paced, request)


def burst(member, count):
    """Sends `count` selects at once and returns the answers in order."""
    first = len(member.record)
    for n in range(count):
        member.ask("select", column=0, row=(n + 1) % 4, generation=1)
    member.until(lambda m: not m.pending, what="all answers")
    return [m for m in member.record[first:] if "ref" in m]


def too_many(answers):
    return [answer for answer in answers if answer.get("code") == "tooMany"]


def until_too_many(send):
    """Sends bursts until one exceeds the rate: a busy machine may send too slowly. All answers."""
    answers = []
    for _ in range(20):
        answers += send()
        if too_many(answers):
            return answers
    raise AssertionError("no burst has exceeded the rate")


def test_commands_over_the_rate_are_refused_with_too_many(paced):
    session = paced.session(LISTS)
    ana = session.join("Ana")

    begun = time.monotonic()
    answers = until_too_many(lambda: burst(ana, 4 * RATE))
    seconds = time.monotonic() - begun

    refused = [answer for answer in answers if answer["type"] == "refused"]
    assert {answer["code"] for answer in refused} == {"tooMany"}
    accepted = len(answers) - len(refused)
    assert RATE - 2 <= accepted <= RATE + RATE * seconds + 1
    done = [m["revision"] for m in answers if m["type"] == "delta"]
    assert len(done) == accepted and session.revision() == done[-1]


def test_touches_over_the_rate_are_dropped_except_the_last(paced):
    session = paced.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    for n in range(3 * RATE):
        ana.touch(column=0, row=n % 3)
    ana.touch(column=1, row=3)

    bo.until(lambda m: m.screen.touching.get(ana.id) == {"column": 1, "row": 3})
    assert not [m for m in ana.record if m["type"] == "refused"]


def test_ten_times_over_the_rate_closes_with_4529(paced):
    session = paced.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    for _ in range(300 * RATE):
        ana.touch(column=0, row=1)

    ana.closed(4529)
    assert bo.select(0, 1)["type"] == "delta"
