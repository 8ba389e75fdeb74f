"""Ports for servers that are started again, or by programs that do not print their port."""

import itertools
import os
import random
import socket

#: Above the ports that the kernel gives to clients, which could take one while a server is
#: restarted, and apart from those of deploy/cluster. Test processes that run at the same time have
#: ranges of their own.
FIRST, COUNT, PROCESSES = 61_000, 4_500, 9


def _range():
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        start = random.randrange(COUNT)
        return [FIRST + (start + n) % COUNT for n in range(COUNT)]
    size = COUNT // PROCESSES
    first = FIRST + int(worker[2:]) % PROCESSES * size
    return list(range(first, first + size))


_PORTS = _range()
_NEXT = itertools.cycle(_PORTS)


def free_ports(count):
    """Ports of 127.0.0.1 that nobody uses; each call returns others."""
    ports = []
    for port in itertools.islice(_NEXT, len(_PORTS)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        ports.append(port)
        if len(ports) == count:
            return ports
    raise OSError("no free port")


def free_port():
    return free_ports(1)[0]
