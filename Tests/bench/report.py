"""Medians over rounds, ratios within rounds, and the table of goals."""

from statistics import median

#: The maximum of a ratio pickerd ÷ other, or the minimum of a ratio other ÷ pickerd.
CPU_ALONE, CPU_FAN_OUT, FASTER_THAN_NIO, TAIL, IDLE_BYTES = 1.30, 1.10, 1.20, 1.20, 4096
#: The minimum of connections with TLS and a join that a core does in a second.
JOINS_WITH_TLS = 1500


#: Measurements during which other processes used more of the machine are discarded if there are
#: others of the same scenario.
OTHERS_MAX = 0.1


def rounds_of(results, scenario, server):
    """The measurements of a scenario by round."""
    found = {number: measured[scenario][server] for number, measured in enumerate(results)
             if server in measured.get(scenario, {})}
    quiet = {number: one for number, one in found.items() if one.get("others", 0) <= OTHERS_MAX}
    return quiet or found


def left_out(results):
    return sum(one.get("others", 0) > OTHERS_MAX for measured in results
               for servers in measured.values() if isinstance(servers, dict)
               for one in servers.values())


def value(measured, path):
    for name in path.split("."):
        measured = measured[name]
    return measured


def middle(results, scenario, server, path):
    values = [value(one, path) for one in rounds_of(results, scenario, server).values()]
    return median(values) if values else None


def ratio(results, scenario, path, above, below):
    """The median of the ratios within rounds, so that slow phases of the machine affect both."""
    uppers = rounds_of(results, scenario, above)
    lowers = rounds_of(results, scenario, below)
    ratios = [value(uppers[number], path) / value(lowers[number], path)
              for number in uppers.keys() & lowers.keys() if value(lowers[number], path)]
    return median(ratios) if ratios else None


def table(head, lines):
    """A table with columns of minimal width; the first has text."""
    widths = [max(len(line[column]) for line in [head, *lines]) for column in range(len(head))]
    rows = [[cell.ljust(width) if column == 0 else cell.rjust(width)
             for column, (cell, width) in enumerate(zip(line, widths))] for line in [head, *lines]]
    return "\n".join("  ".join(row).rstrip() for row in rows)


def shown(number, digits=1):
    return "–" if number is None else f"{number:,.{digits}f}"


MEASURES = [
    ("deliveries/s", "closed.perSecond", 0), ("CPU µs/delivery", "closed.cpuPerDelivery", 2),
    ("p50 µs", "closed.p50", 0), ("p99 µs", "closed.p99", 0), ("p99.9 µs", "closed.p999", 0),
    ("open: p50 µs", "open.p50", 0), ("p99 µs", "open.p99", 0), ("p99.9 µs", "open.p999", 0),
    ("bytes/tap", "closed.bytesPerTap", 0), ("connects/s", "connectsPerSecond", 0),
    ("RSS/member", "memoryPerMember", 0), ("start ms", "startup", 0),
]


def figures(results, scenarios, servers):
    """All figures of all servers."""
    lines = []
    for scenario in scenarios:
        for server in servers:
            if not rounds_of(results, scenario.name, server):
                continue
            lines.append([f"{scenario.name} {server}"] + [
                shown(middle(results, scenario.name, server, path), digits)
                for _, path, digits in MEASURES])
    head = ["scenario, server"] + [name for name, _, _ in MEASURES]
    return table(head, lines) if lines else ""


def compared(number, goal, is_least=False):
    if number is None:
        return ["–", ""]
    passes = number >= goal if is_least else number <= goal
    sign = "≥" if is_least else "≤"
    return [f"{number:.2f}", f"{sign} {goal:.2f} {'pass' if passes else 'MISS'}"]


def goals(results, scenarios):
    """The ratios and their goals."""
    lines = []
    for scenario in scenarios:
        if scenario.is_deployed or not rounds_of(results, scenario.name, "bare"):
            continue
        cpu = "closed.cpuPerDelivery"
        lines.append(
            [scenario.name]
            + compared(ratio(results, scenario.name, cpu, "pickerd", "bare"),
                       CPU_FAN_OUT if scenario.fan_out >= 10 else CPU_ALONE)
            + compared(ratio(results, scenario.name, cpu, "nio", "pickerd"), FASTER_THAN_NIO, True)
            + compared(ratio(results, scenario.name, "closed.p99", "pickerd", "bare"), TAIL)
            + compared(ratio(results, scenario.name, "open.p99", "pickerd", "bare"), TAIL))
    head = ["scenario", "CPU of bare", "goal", "NIO's CPU", "goal", "p99 closed", "goal",
            "p99 open", "goal"]
    return table(head, lines) if lines else ""


def deployed(results, scenarios):
    """A site's server beside relays without a store: ratios, for which there is no goal."""
    lines, cpu = [], "closed.cpuPerDelivery"
    for scenario in scenarios:
        if scenario.is_deployed and rounds_of(results, scenario.name, "bare"):
            lines.append([scenario.name] + [
                shown(ratio(results, scenario.name, path, "pickerd", other), 2)
                for path in (cpu, "closed.p99", "open.p99") for other in ("bare", "nio")])
    head = ["pickerd as deployed ÷", "CPU bare", "nio", "p99 closed bare", "nio",
            "p99 open bare", "nio"]
    return table(head, lines) if lines else ""


def tls(results, names, servers):
    """The server's CPU for a delivery with TLS beside the same without, in µs."""
    lines, path = [], "closed.cpuPerDelivery"
    for name in names:
        for server in servers:
            plain = rounds_of(results, name, server.name)
            encrypted = rounds_of(results, name + "tls", server.name)
            both = [(value(plain[number], path), value(encrypted[number], path))
                    for number in plain.keys() & encrypted.keys()]
            if both:
                lines.append([f"{name} {server.name}", *(shown(median(one), 2) for one in (
                    [before for before, _ in both], [after for _, after in both],
                    [after - before for before, after in both],
                    [after / before for before, after in both]))])
    head = ["µs of CPU per delivery", "plain", "TLS", "TLS costs", "TLS ÷ plain"]
    return table(head, lines) if lines else ""


def memory(results):
    """The memory of an idle connection and of a session, with their goals."""
    lines = []
    for name, scenario, path in (
            ("an idle connection", "idle", "memoryPerConnection"),
            ("an idle member", "idle", "memoryPerMember"),
            ("a session", "idle", "memoryPerSession"),
            ("an idle connection with TLS", "idletls", "memoryPerConnection"),
            ("an idle member with TLS", "idletls", "memoryPerMember")):
        used = middle(results, scenario, "pickerd", path)
        if used is not None:
            verdict = "pass" if used <= IDLE_BYTES else "MISS"
            goal = f"≤ {IDLE_BYTES:,} {verdict}" if scenario == "idle" else ""
            lines.append([name, shown(used, 0), goal,
                          shown(middle(results, scenario, "bare", path), 0),
                          shown(middle(results, scenario, "nio", path), 0)])
    return table(["bytes of memory", "pickerd", "goal", "bare", "nio"], lines) if lines else ""


def joining(results, servers):
    """How many connections with a join a server's core does in a second."""
    lines = []
    for name, scenario in (("plain", "idle"), ("TLS", "idletls")):
        rates = []
        for server in servers:
            costs = [middle(results, scenario, server, path)
                     for path in ("cpuPerConnect", "cpuPerJoin")]
            rates.append(None if None in costs else 1e6 / sum(costs))
        if rates[0]:
            goal = compared(rates[0], JOINS_WITH_TLS, True)[1] if name == "TLS" else ""
            lines.append([name, shown(rates[0], 0), goal, *(shown(rate, 0) for rate in rates[1:])])
    head = ["connections with join a second and core", "pickerd", "goal", *servers[1:]]
    return table(head, lines) if lines else ""


def alone(results):
    """The measurements of pickerd only."""
    lines = []
    for name in ("storm", "departures", "inventory", "lastplace", "sale", "holds",
                 "sizing", "durable", "crowd", "large"):
        found = [one[name]["pickerd"] for one in results if name in one]
        for key in found[0] if found else ():
            lines.append([f"{name}: {key}", shown(median(one[key] for one in found), 2)])
    carried = middle(results, "painting", "pickerd", "carried")
    if carried:
        lines += [["painting: marks/s carried of 2,000", shown(carried, 0)],
                  ["painting: p99 ms from mark to delivery at that rate",
                   shown(middle(results, "painting", "pickerd", "open.p99") / 1000, 1)],
                  ["painting: deliveries/s at that rate", shown(carried * 500, 0)]]
    one, two = (middle(results, name, "pickerd", "closed.cpuPerDelivery")
                for name in ("1locale", "2locales"))
    if one and two:
        lines.append(["two locales: CPU of one", f"{two / one:.2f}"])
    return table(["pickerd alone", "median"], lines) if lines else ""
