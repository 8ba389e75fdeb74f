"""Machines with network interfaces of their own, and cuts between them. Needs root.

A machine is a network namespace, which lives as long as its processes. All are connected to a
router, another namespace, in which the test runs.
"""

import contextlib
import ctypes
import os
import subprocess

from .patience import PATIENCE
from .pickerd import wait_until

#: From sched.h.
CLONE_NEWNET = 0x40000000
NET = "10.77"


class Namespace:
    """A network namespace with a process that ends with this one."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "sleep", "infinity"])
        self.path = f"/proc/{self.process.pid}/ns/net"
        own = os.stat("/proc/self/ns/net").st_ino
        wait_until(lambda: self.is_apart(own), what="a network namespace")
        self.ip("link set lo up")

    def is_apart(self, own):
        assert self.process.poll() is None, "cannot make a network namespace"
        name = f"/proc/{self.process.pid}/comm"
        with open(name, encoding="utf-8") as comm:
            return comm.read() == "sleep\n" and os.stat(self.path).st_ino != own

    def ip(self, *commands):
        """Runs commands of ip(8) in the namespace."""
        subprocess.run(
            ["nsenter", f"--net={self.path}", "ip", "-batch", "-"], input="\n".join(commands),
            text=True, check=True, capture_output=True, timeout=PATIENCE)

    def end(self):
        self.process.kill()
        self.process.wait()


class Network:
    """The router and the machines `names`."""

    def __init__(self, *names):
        self.router = Namespace()
        self.machines = {name: Namespace() for name in names}
        self.addresses = {}
        for number, (name, machine) in enumerate(self.machines.items(), start=1):
            self.addresses[name] = f"{NET}.{number}.1"
            self.router.ip(
                f"link add {name} type veth peer name eth0 netns {machine.process.pid}",
                f"address add {NET}.{number}.254/24 dev {name}", f"link set {name} up")
            machine.ip(
                f"address add {NET}.{number}.1/24 dev eth0", "link set eth0 up",
                f"route add default via {NET}.{number}.254")
        subprocess.run(
            ["nsenter", f"--net={self.router.path}", "sysctl", "-qw", "net.ipv4.ip_forward=1"],
            check=True)

    def arguments(self):
        """The arguments of deploy/cluster/cluster.py."""
        return sum((["--machine", f"{name}={address}@{self.machines[name].path}"]
                    for name, address in self.addresses.items()), [])

    @contextlib.contextmanager
    def entered(self):
        """This thread, its new threads and its new processes are at the router."""
        with open("/proc/thread-self/ns/net", "rb") as before:
            with open(self.router.path, "rb") as router:
                enter(router)
            try:
                yield
            finally:
                enter(before)

    @contextlib.contextmanager
    def inside(self, name):
        """This thread is on a machine."""
        with open(self.machines[name].path, "rb") as machine:
            enter(machine)
        try:
            yield
        finally:
            with open(self.router.path, "rb") as router:
                enter(router)

    @contextlib.contextmanager
    def cut(self, some, others):
        """Drops, silently, all packets between machines of the two lists."""
        rules = [f"from {self.addresses[a]} to {self.addresses[b]} type blackhole pref 100"
                 for one in some for other in others for a, b in ((one, other), (other, one))]
        self.router.ip(*(f"rule add {rule}" for rule in rules))
        try:
            yield
        finally:
            self.router.ip(*(f"rule delete {rule}" for rule in rules))

    def stop(self):
        for namespace in (*self.machines.values(), self.router):
            namespace.end()


def enter(namespace):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")
