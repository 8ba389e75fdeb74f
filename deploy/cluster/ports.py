"""Ports that no other program of a cluster or a test takes."""

import random
import socket

#: Below those that the kernel gives to clients: a program that is started again finds its port
#: free.
PORTS = range(12_000, 32_000)
#: Held until this process ends.
reservations = []


def free_ports(count):
    """Ports of 127.0.0.1 that are free, each for this process alone: no later call returns one of
    them, in any process of this machine, as long as this one lives."""
    ports = []
    while len(ports) < count:
        port = random.choice(PORTS)
        reservation = socket.socket(socket.AF_UNIX)
        try:
            # A name in the abstract namespace: it vanishes with the process.
            reservation.bind(f"\0pickerd port {port}")
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            reservation.close()
            continue
        reservations.append(reservation)
        ports.append(port)
    return ports
