"""Listening sockets that outlive servers, passed to them as systemd does (sd_listen_fds(3)).

As a program: `activation.py NAMES DESCRIPTORS BINARY ARGUMENTS...` runs a server with the sockets.
"""

import fcntl
import os
import socket
import sys

from pathlib import Path


class Sockets:
    """Listening sockets by their names, `FileDescriptorName=` in a socket unit."""

    def __init__(self, **sockets):
        self.sockets = sockets

    def passed_to(self, binary, folder):
        """A program that runs `binary` with the sockets, and arguments of Popen for it."""
        numbers = [str(each.fileno()) for each in self.sockets.values()]
        program = Path(folder) / "activated"
        program.write_text(
            f"#!/bin/sh\nexec {sys.executable} {__file__} {':'.join(self.sockets)} "
            f"{':'.join(numbers)} {binary} \"$@\"\n")
        program.chmod(0o755)
        return str(program), {"pass_fds": list(map(int, numbers))}

    def close(self):
        for each in self.sockets.values():
            each.close()


def tcp():
    return socket.create_server(("127.0.0.1", 0), backlog=1000)


def unix(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(100)
    return listener


def main(names, numbers, binary, *arguments):
    copies = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 100) for number in numbers.split(":")]
    for place, copy in enumerate(copies):
        os.dup2(copy, 3 + place)
        os.close(copy)
    os.environ.update(
        LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(copies)), LISTEN_FDNAMES=names)
    os.execv(binary, [binary, *arguments])


if __name__ == "__main__":
    main(*sys.argv[1:])
