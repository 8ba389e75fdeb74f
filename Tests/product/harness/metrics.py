"""The metrics of a server."""

import re


def samples(server, name):
    """The values of a metric by the values of its labels, a tuple."""
    text = server.metrics().body.decode()
    found = {}
    for labels, value in re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", text, re.M):
        found[tuple(re.findall(r'\w+="((?:[^"\\]|\\.)*)"', labels))] = float(value)
    return found
