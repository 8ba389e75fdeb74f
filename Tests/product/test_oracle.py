"""Random commands, compared with an independent implementation of `date` and `calendar`."""

import calendar as months_of_the_year
import random
from datetime import date, timedelta

import pytest

from harness.definitions import DATE

TODAY = date(2018, 7, 25)


def bounded(year, month, day, low, high):
    """The date with its day limited to the month's last, clamped to `low`…`high`."""
    day = min(day, months_of_the_year.monthrange(year, month)[1])
    return min(max(date(year, month, day), low), high)


def shown(value, low, high):
    """The keys of the three columns, limited to `low`…`high`."""
    years = range(low.year, high.year + 1)
    first = low.month if value.year == low.year else 1
    last = high.month if value.year == high.year else 12
    length = months_of_the_year.monthrange(value.year, value.month)[1]
    start, end = (value.year, value.month) == (low.year, low.month), (
        value.year, value.month) == (high.year, high.month)
    days = range(low.day if start else 1, (high.day if end else length) + 1)
    return [[f"{n:04}" for n in years], [f"{n:02}" for n in range(first, last + 1)],
            [f"{n:02}" for n in days]]


@pytest.mark.parametrize("low, high, seed", [
    ("1950-01-01", "today", 1), ("2015-05-10", "2018-03-03", 2), ("2016-02-28", "2016-03-01", 3),
    ("1895-11-30", "2104-02-29", 4)])
def test_random_selects_match_the_rules_of_date(server, low, high, seed):
    definition = {**DATE, "min": low, "max": high}
    session = server.session(definition, now="2018-07-25T12:00:00+08:00")
    ana = session.join("Ana")
    first, last = date.fromisoformat(low), TODAY if high == "today" else date.fromisoformat(high)
    rng = random.Random(seed)
    value = bounded(TODAY.year, TODAY.month, TODAY.day, first, last)

    for _ in range(250):
        columns = shown(value, first, last)
        column = rng.randrange(3)
        row = rng.choice([0, len(columns[column]) - 1, rng.randrange(len(columns[column]))])
        wanted = [value.year, value.month, value.day]
        wanted[column] = int(columns[column][row])
        ana.select(column, row)
        value = bounded(*wanted, first, last)

        screen = ana.screen.columns
        keys = "-".join(c["key"] for c in screen)
        assert keys == value.isoformat(), f"{wanted} is {value}, shown {keys}"
        whole = [[row["key"] for row in c["rows"]] for c in screen if c["count"] <= 200]
        assert whole == [c for c in shown(value, first, last) if len(c) <= 200]
    assert session.result() == {"date": value.isoformat()}


class Taps:
    """The rules of a range picked by two taps."""

    def __init__(self, low, high, blocked_weekdays, shortest, longest):
        self.low, self.high, self.weekdays = low, high, blocked_weekdays
        self.shortest, self.longest = shortest, longest
        self.start = self.end = None
        self.hits = 0

    def is_blocked(self, day):
        return day.isoweekday() % 7 + 1 in self.weekdays

    def tap(self, day):
        """The code of the refusal, or None if the tap is accepted."""
        if day < self.low:
            return "beforeMin"
        if day > self.high:
            return "afterMax"
        if self.is_blocked(day):
            return "blocked"
        if self.hits % 2 == 0:
            self.start = self.end = day
        else:
            at, step = self.start, timedelta(days=1 if day >= self.start else -1)
            while at != day and abs((at + step - self.start).days) < self.longest and (
                    not self.is_blocked(at + step)):
                at += step
            if abs((at - self.start).days) + 1 < self.shortest:
                return "minDays"
            self.start, self.end = min(self.start, at), max(self.start, at)
        self.hits += 1
        return None


@pytest.mark.parametrize("blocked, shortest, longest", [
    ([], 1, 400), ([1, 7], 1, 400), ([4], 2, 5), ([], 3, 10)])
def test_random_taps_match_the_rules_of_calendar(server, blocked, shortest, longest):
    low, high = date(2018, 3, 5), date(2018, 10, 20)
    definition = {
        "kind": "calendar", "months": {"from": "2018-01", "through": "2018-12"},
        "min": low.isoformat(), "max": high.isoformat(), "minDays": shortest, "maxDays": longest,
        **({"blocked": [{"weekdays": blocked}]} if blocked else {})}
    ana = server.session(definition).join("Ana", months={"from": "2018-01", "count": 12})
    rules = Taps(low, high, blocked, shortest, longest)
    rng = random.Random(len(blocked) * 100 + shortest)
    day = date(2018, 6, 1)

    for _ in range(200):
        day = min(max(day + timedelta(days=rng.randrange(-20, 21)), date(2018, 1, 1)),
                  date(2018, 12, 31))
        answer = ana.tap(day.isoformat())
        refused = rules.tap(day)

        assert answer.get("code") == refused, f"tap on {day}: {answer}"
        now = ana.screen.range or {"start": None, "end": None, "hits": 0}
        start, end = (day and day.isoformat() for day in (rules.start, rules.end))
        assert (now["start"], now["end"], now["hits"]) == (start, end, rules.hits)
