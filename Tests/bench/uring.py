"""What io_uring saves: the same server with `--io-uring auto` and `off`, in turn within each round."""

from generator import measure
from report import middle, ratio, rounds_of, shown, table, value
from scenarios import SCENARIOS
from servers import Pickerd

NAME = "uring"
MODES = ("auto", "off")
FAN_OUTS = ("1x10", "1x100", "1x1000")
#: The least median gain that is worth a second way of writing.
GAIN_LEAST = 0.05
CPU = "closed.cpuPerDelivery"


def label(scenario):
    return f"{scenario.name} uring"


def measured(scenario, mode, seconds):
    server = Pickerd(options=["--io-uring", mode])
    try:
        return measure(server, scenario, seconds=seconds)
    finally:
        server.kill()


def one_round(number, watched, say, seconds):
    """By scenario and mode; the modes take turns in going first."""
    found = {}
    for scenario in (one for one in SCENARIOS if one.name in FAN_OUTS):
        of_scenario = found.setdefault(label(scenario), {})
        for mode in MODES[::-1] if number % 2 else MODES:
            one = watched(lambda: measured(scenario, mode, seconds))
            of_scenario[mode] = one
            say(f"  {label(scenario)} {mode}: {one['closed']['perSecond']:,.0f}/s, "
                f"{one['closed']['cpuPerDelivery']:.2f} µs, others {one['others']:.0%}")
    return found


def gains(results, name):
    """The share of CPU per delivery that io_uring saves, in each round in which both were quiet."""
    ring, plain = (rounds_of(results, name, mode) for mode in MODES)
    return sorted(1 - value(ring[number], CPU) / value(plain[number], CPU)
                  for number in ring.keys() & plain.keys())


def figures(results):
    """Medians of both modes, and the gain within a round: median, least and greatest."""
    lines = []
    for scenario in (one for one in SCENARIOS if one.name in FAN_OUTS):
        name = label(scenario)
        found = gains(results, name)
        if not found:
            continue
        gain = 1 - ratio(results, name, CPU, *MODES)
        verdict = "pass" if gain >= GAIN_LEAST else "MISS"
        lines.append(
            [scenario.name, *(shown(middle(results, name, mode, CPU), 2) for mode in MODES),
             f"{gain:+.1%}", f"{found[0]:+.1%} … {found[-1]:+.1%}", str(len(found)),
             f"≥ {GAIN_LEAST:.0%} {verdict}"])
    head = ["CPU µs/delivery", "io_uring", "send()", "median gain", "range", "rounds", "goal"]
    return table(head, lines) if lines else ""
