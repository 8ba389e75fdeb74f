"""Ports for servers that are started again, or by programs that do not print their port."""

import sys

from .pickerd import REPOSITORY

sys.path.append(str(REPOSITORY / "deploy/cluster"))
from ports import free_ports  # noqa: E402


def free_port():
    return free_ports(1)[0]
