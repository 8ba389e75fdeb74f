"""The page and the plot of `make bench-peers`, and its table for README.md."""

import re
from statistics import median
from textwrap import fill

from report import middle, ratio, shown

NAMES = {"pickerd": "pickerd", "bare": "bare libwebsockets", "nio": "SwiftNIO",
         "uwebsockets": "uWebSockets (C)", "socketify": "socketify (Python)", "ws": "ws (Node.js)",
         "centrifuge": "centrifuge (Go)", "websockets": "websockets (Python)",
         "picows": "picows (Python)", "sqlite": "SQLite alone"}
RATE, CPU = "closed.perSecond", "closed.cpuPerDelivery"
#: The columns of the table: heading, title of the plot, job, figure, divisor and digits.
COLUMNS = [("echo", "echo, thousands a second", "echo", RATE, 1000, 1),
           ("1 → 100", "1 → 100, thousand deliveries a second", "100", RATE, 1000, 0),
           ("1 → 1,000", "1 → 1,000, thousand deliveries a second", "1000", RATE, 1000, 0),
           ("idle", "KB per idle member", "idle", "memoryPerMember", 1000, 1),
           ("with TLS", "KB per idle member with TLS", "idletls", "memoryPerMember", 1000, 1),
           ("durable", "thousand durable commands a second", "durable", RATE, 1000, 1)]
TAPPED = [column for column in COLUMNS if column[2] in ("echo", "100", "1000")]

METHOD = """\
One server at a time has core 0, and a generator in C, which polls, core 1; loopback. A room server
receives a small JSON message, a tap, and sends a JSON message of {delta}
bytes to every member of the room; the next tap is sent when all members have the answer to the one
before. pickerd has one event loop, and a store in memory except in the last column; it executes the
rules of a picker. The others only forward: they have no rules, and nothing to resume from. Each
round runs each job for {seconds:g} s on each server, one after the other, in rotated order. Figures
are medians of {rounds} rounds; ratios are taken within a round. Other programs used at most
{others:.0%} of the machine in half of the measurements.

- **echo**: one room with one member. **1 → 100**, **1 → 1,000**: one room, deliveries.
- **idle**, **with TLS**: growth of the resident memory by 5,000 members, or 2,000 with TLS 1.3, in
  rooms of ten, divided by their number. pickerd's includes the sessions.
- **durable**: 100 sessions of one member, SQLite; a command is answered after the commit. "SQLite
  alone" is one transaction for each command, with as many bytes ({entry}), the same journal and the
  same flush. No peer has a durable command: the history of centrifuge is a cache of limited size
  and age, and the others store nothing.

All servers are in [peers](peers), [nio](nio) and [bare](bare), written as the documentation of the
library says, with permessage-deflate off:

- uWebSockets: a topic for each room. PyPI has it as the library of socketify, used here from C.
  socketify: the same with handlers in Python, which block in libuv instead of polling.
- SwiftNIO, libwebsockets: a frame is encoded once for all members and written at once.
- ws: a message is encoded once. Debian's bufferutil needs Debian's Node.js.
- centrifuge: its own protocol, whose deliveries have an envelope; server-side subscriptions, a tap
  is a remote procedure call, and pooled write buffers.
- websockets: uvloop and `broadcast()`. Its documentation advises TLS in a proxy; here it has TLS.
- picows: uvloop, buffers that are sent without a copy, and read buffers of 512 bytes.

The versions are the newest that Debian 12 and PyPI have, and for SwiftNIO that of its manifest."""


def cell(results, column, server):
    _, _, job, path, divisor, digits = column
    found = middle(results["rounds"], job, server, path)
    if found is None:
        return "none" if job == "durable" else "" if server == "sqlite" else "–"
    return shown(found / divisor, digits)


def rows(results):
    """The servers that were measured, with pickerd first."""
    return [name for name in NAMES if name in results["versions"]]


def amounts(results, column):
    """The medians of a column by server, and for durable commands that of SQLite."""
    names = [*rows(results), "sqlite"] if column[2] == "durable" else rows(results)
    return {name: middle(results["rounds"], column[2], name, column[3]) for name in names}


def table(results):
    """All servers and jobs; README.md has the same lines."""
    lines = ["|one core|" + "|".join(column[0] for column in COLUMNS) + "|",
             "|---|" + "---|" * len(COLUMNS)]
    for name in [*rows(results), "sqlite"]:
        cells = [cell(results, column, name) for column in COLUMNS]
        lines.append("|" + "|".join([NAMES[name], *cells]) + "|")
    return "\n".join(lines)


def details(results, column):
    """Rates, CPU and latencies of a job in which members tap."""
    title, _, job, *_ = column
    lines = [f"| {title} | deliveries/s | ÷ pickerd's | CPU µs | ÷ pickerd's | p50 µs | p99 µs |",
             "|---|" + "---|" * 6]
    every = results["rounds"]
    for name in rows(results):
        cells = [shown(middle(every, job, name, RATE), 0),
                 shown(ratio(every, job, RATE, name, "pickerd"), 2),
                 shown(middle(every, job, name, CPU), 2),
                 shown(ratio(every, job, CPU, name, "pickerd"), 2),
                 shown(middle(every, job, name, "closed.p50"), 0),
                 shown(middle(every, job, name, "closed.p99"), 0)]
        lines.append(f"| {' | '.join([NAMES[name], *cells])} |")
    return "\n".join(lines)


def losses(results):
    """What is better than pickerd, with ratios; less memory and CPU are better."""
    lines = []
    for what, job, path, is_more_better in [
            *((f"{column[0]}, rate", column[2], RATE, True) for column in TAPPED),
            *((f"{column[0]}, CPU", column[2], CPU, False) for column in TAPPED),
            *((column[1], column[2], column[3], False) for column in COLUMNS[3:5])]:
        ratios = {name: ratio(results["rounds"], job, path, name, "pickerd")
                  for name in rows(results) if name != "pickerd"}
        better = {name: found for name, found in ratios.items() if found is not None
                  and (found > 1.005 if is_more_better else found < 0.995)}
        order = sorted(better, key=better.get, reverse=is_more_better)
        named = ", ".join(f"{NAMES[name]} {better[name]:.2f}" for name in order)
        lines.append(fill(f"- {what}: {named or 'none'}.", 100, subsequent_indent="  "))
    return "\n".join(lines)


def durable(results):
    times = ratio(results["rounds"], "durable", RATE, "pickerd", "sqlite")
    p50, p99 = (middle(results["rounds"], "durable", "pickerd", path)
                for path in ("closed.p50", "closed.p99"))
    if None in (times, p50):
        return "Durable commands were not measured."
    return fill(f"Durable commands: {times:.1f} times as many as SQLite alone has commits, "
                f"p50 {p50 / 1000:.1f} ms, p99 {p99 / 1000:.1f} ms.", 100)


def method(results):
    sizes = [one["durable"]["pickerd"]["entryBytes"] for one in results["rounds"]
             if "pickerd" in one["durable"]]
    others = median(one["others"] for found in results["rounds"] for servers in found.values()
                    for one in servers.values())
    return METHOD.format(delta=results["deltaBytes"], seconds=results["seconds"], others=others,
                         rounds=len(results["rounds"]), entry=sizes[0] if sizes else "–")


def page(results):
    versions = "\n".join(
        f"- {NAMES[name]}: {results['versions'][name]}" for name in rows(results))
    missing = "".join(fill(f"- {NAMES[name]}: not installed: {reason}", 100,
                           subsequent_indent="  ") + "\n"
                      for name, reason in results["missing"].items())
    where = fill(f"`make bench-peers`, {results['commit']}, {results['begun']} to "
                 f"{results['ended']} UTC, {results['machine']}. Thousands a second, and KB per "
                 "member.", 100)
    return f"""\
# pickerd beside what one would pick instead

{where}

{table(results)}

![The table as bars](PEERS.svg)

## What is better than pickerd

The figure ÷ pickerd's:

{losses(results)}

## In detail

{(chr(10) * 2).join(details(results, column) for column in TAPPED)}

{durable(results)}

## Method

{method(results)}

Versions:

{versions}
{missing}"""


def into_readme(results, path):
    """Replaces the table that begins with the same heading."""
    text = path.read_text()
    head = re.escape(table(results).split("|")[1])
    text, count = re.subn(rf"(?m)^\|{head}\|.*\n(\|.*\n)+", table(results) + "\n", text)
    if count != 1:
        raise SystemExit(f"{path.name} has {count} tables of peers")
    path.write_text(text)


def panel(results, column, left, top):
    """The bars of a job, the longest 130 wide."""
    title, found = column[1], amounts(results, column)
    most = max([amount for amount in found.values() if amount] or [1])
    parts = [f'<text x="{left}" y="{top}" font-weight="bold">{title}</text>']
    for number, (name, amount) in enumerate(found.items()):
        y, width = top + 10 + 18 * number, 130 * (amount or 0) / most
        color = "#0b6e4f" if name == "pickerd" else "#9aa7b0"
        parts.append(
            f'<text x="{left + 140}" y="{y + 11}" text-anchor="end">{NAMES[name]}</text>'
            f'<rect x="{left + 146}" y="{y}" width="{width:.1f}" height="14" fill="{color}"/>'
            f'<text x="{left + 150 + width:.1f}" y="{y + 11}">'
            f'{cell(results, column, name)}</text>')
    return "\n".join(parts)


def plot(results):
    height = 58 + 18 * len(rows(results))
    panels = "\n".join(panel(results, column, 10 + 330 * (number % 3), 22 + height * (number // 3))
                       for number, column in enumerate(COLUMNS))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 {2 * height}" '
            'font-family="sans-serif" font-size="11">\n'
            f'<title>pickerd beside what one would pick instead</title>\n'
            f'<rect width="1000" height="{2 * height}" fill="#fff"/>\n{panels}\n</svg>\n')
