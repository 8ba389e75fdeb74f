"""The scenarios: rooms, members, their joins and their taps."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

LISTS = {"kind": "columns", "columns": [["MacOS", "Windows", "Linux", "Ubuntu"],
                                        ["Xcode", "VSCode", "Sublime", "Atom"]]}
#: The second column has 200 rows, all of which change with each tap.
RELOAD = {"kind": "cascade", "nodes": [
    {"text": name, "children": [{"text": f"{name} {row:03}"} for row in range(200)]}
    for name in ("North", "South")]}
CALENDAR = {"kind": "calendar", "months": {"from": "2026-01", "through": "2027-12"}}
DATE = {"kind": "date", "min": "2000-01-01", "max": "2040-12-31"}

SLOT = {"kind": "slot", "leadMinutes": 0, "stepMinutes": 30, "days": 14,
        "hours": [{"from": "08:00", "until": "20:00"}]}

#: 2,016 cells, and windows of an hour.
HOUR = {"kind": "availability", "dates": {"from": "2040-01-02", "through": "2040-01-08"},
        "stepMinutes": 5, "hours": [{"from": "00:00", "until": "24:00"}], "length": 12}

JOIN = '{"type":"join","name":"Ana"}'
ALL_MONTHS = '{"type":"join","name":"Ana","months":{"from":"2026-01","count":24}}'
ENGLISH = '{"type":"join","name":"Ana","locale":"en"}'
CHINESE = '{"type":"join","name":"Ana","locale":"zh-Hans"}'


def selects(column, rows):
    return [f'{{"type":"select","ref":@,"column":{column},"row":{row},"generation":1}}'
            for row in rows]


def days_of_slot():
    """Selects days of ``SLOT`` by their keys, as clients do: the rows move at midnight."""
    today = datetime.now(timezone.utc).date()
    return [f'{{"type":"select","ref":@,"column":0,"row":{row},"generation":1,'
            f'"key":"{today + timedelta(row)}"}}' for row in (3, 4, 5, 2)]


def marks():
    """What a member paints, one after the other: each changes something."""
    return [f'{{"type":"mark","ref":@,"grade":{grade},"cells":[[{first},{end}]],"generation":1}}'
            for grade, first, end in (('"yes"', 100, 112), ('"maybe"', 700, 704),
                                      ('"no"', 100, 112), ("null", 700, 704))]


@dataclass(eq=False)
class Scenario:
    """`rooms` are (count, members, whether they tap); `rate` is taps per second, open loop."""

    name: str
    rooms: list
    rate: float
    definition: dict = field(default_factory=lambda: LISTS)
    joins: list = field(default_factory=lambda: [JOIN])
    taps: list = field(default_factory=lambda: selects(0, (1, 2, 3, 0)))
    #: Whether servers without picker logic can run it, too.
    has_peers: bool = True
    #: Taps in flight in a room, sent and received in bulk; 0: one by one.
    window: int = 0
    is_tls: bool = False
    #: Whether all members of a room tap, each its own taps; otherwise one does in the open loop.
    is_shared: bool = False
    #: Whether pickerd has what a site has: SQLite, clients of many addresses behind a proxy, and a
    #: kind whose rows change with time. The other servers relay as ever.
    is_deployed: bool = False
    #: Whether the rate is lowered until the server carries it.
    seeks_rate: bool = False

    @property
    def fan_out(self):
        return max(members for _, members, taps in self.rooms if taps)


SCENARIOS = [
    Scenario("1x1", [(1, 1, True)], 4000),
    Scenario("1x10", [(1, 10, True)], 3000),
    Scenario("1x100", [(1, 100, True)], 500),
    Scenario("1x1000", [(1, 1000, True)], 50),
    Scenario("100x10", [(100, 10, True)], 4000),
    Scenario("1000x5", [(1000, 5, True)], 5000),
    Scenario("idle", [(1000, 10, False), (1, 10, True)], 2000),
    Scenario("reload", [(1, 10, True)], 1000, RELOAD, taps=selects(0, (1, 0))),
    Scenario("months", [(1, 10, True)], 500, CALENDAR, [ALL_MONTHS], [
        '{"type":"tap","ref":@,"date":"2026-01-20"}', '{"type":"tap","ref":@,"date":"2027-12-11"}']),
    Scenario("1locale", [(1, 100, True)], 500, DATE, [ENGLISH], selects(2, (1, 2, 3, 0)),
             has_peers=False),
    Scenario("2locales", [(1, 100, True)], 500, DATE, [ENGLISH, CHINESE], selects(2, (1, 2, 3, 0)),
             has_peers=False),
    # 500 members who mark four times a second each.
    Scenario("painting", [(1, 500, True)], 2000, HOUR, taps=marks(), has_peers=False,
             is_shared=True, seeks_rate=True),
    Scenario("1x1tls", [(1, 1, True)], 4000, is_tls=True),
    Scenario("1x10tls", [(1, 10, True)], 3000, is_tls=True),
    Scenario("1x100tls", [(1, 100, True)], 500, is_tls=True),
    Scenario("deployed", [(100, 3, True)], 500, SLOT, taps=days_of_slot(), is_deployed=True),
    Scenario("deployedtls", [(100, 3, True)], 500, SLOT, taps=days_of_slot(), is_deployed=True,
             is_tls=True),
    Scenario("idletls", [(300, 10, False), (1, 10, True)], 2000, is_tls=True),
]

#: Fan-outs that are measured with TLS, too. The name `tls` stands for both scenarios of each.
WITH_TLS = ["1x1", "1x10", "1x100", "deployed"]
GROUPS = {"tls": [name + suffix for name in WITH_TLS for suffix in ("", "tls")]}
