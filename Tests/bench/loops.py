"""Measures the gain of `--loops 2`: the same work with one and with two loops, on free cores.

Nothing is pinned and all processes have the same niceness: the generator needs little CPU time
(load/bulk.c), and the server gets the rest.
"""

from generator import measure
from report import compared, middle, ratio, shown, table
from scenarios import Scenario
from servers import Pickerd

NAME = "loops"
COUNTS = (1, 2)
#: The minimum ratio of deliveries per second, two loops to one. A single hot session uses one
#: thread in both cases; a repeated measurement of one loop varies from 0.92 to 1.06.
MANY_LEAST, HOT_LEAST = 1.7, 0.97

#: Enough taps in flight to keep a server busy while the generator sleeps.
MANY = Scenario("1000x5 many", [(1000, 5, True)], 0, window=64)
#: The first session is on the first loop, which accepts connections; the hot one on the second.
HOT = Scenario("1x1000 hot", [(1, 1, False), (1, 1000, True)], 0, window=48)
SCENARIOS = {MANY: MANY_LEAST, HOT: HOT_LEAST}

MEASURES = [
    ("CPU µs/delivery", "bulk.cpuPerDelivery", 2), ("server's cores", "bulk.serverLoad", 2),
    ("generator's cores", "bulk.ownLoad", 2), ("connects/s", "connectsPerSecond", 0),
    ("CPU µs/connect", "cpuPerConnect", 0), ("joins/s", "joinsPerSecond", 0),
]


def named(count):
    return "1 loop" if count == 1 else f"{count} loops"


def measured(scenario, count, seconds):
    server = Pickerd(loops=count, is_pinned=False)
    try:
        return measure(server, scenario, seconds=seconds)
    finally:
        server.kill()


def one_round(number, watched, say, seconds):
    """Measures each scenario with each number of loops, alternating which goes first."""
    found = {}
    for scenario in SCENARIOS:
        of_scenario = found.setdefault(scenario.name, {})
        for count in COUNTS[::-1] if number % 2 else COUNTS:
            one = watched(lambda: measured(scenario, count, seconds))
            of_scenario[named(count)] = one
            say(f"  {scenario.name}, {named(count)}: {one['bulk']['perSecond']:,.0f}/s, "
                f"{one['bulk']['cpuPerDelivery']:.2f} µs, others {one['others']:.0%}")
    return found


def figures(results):
    """Medians for both numbers of loops, and of the ratios within rounds."""
    one, two = (named(count) for count in COUNTS)
    lines = []
    for scenario, least in SCENARIOS.items():
        name = scenario.name
        if middle(results, name, one, "bulk.perSecond") is None:
            continue
        for what, path, digits in [("deliveries/s", "bulk.perSecond", 0), *MEASURES]:
            times = ratio(results, name, path, two, one)
            lines.append([f"{name}: {what}", *(shown(middle(results, name, count, path), digits)
                                               for count in (one, two)),
                          *(compared(times, least, True) if path == "bulk.perSecond"
                            else [shown(times, 2), ""])])
    return table(["loops", one, two, "times", "goal"], lines) if lines else ""
