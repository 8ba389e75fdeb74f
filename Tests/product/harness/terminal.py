"""`pickerd join` with pipes."""

import json
import os
import queue
import signal
import subprocess
import threading

from .patience import PATIENCE
from .pickerd import binary

#: The environment of the tests, without the machine's proxies and terminal settings.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not name.lower().endswith("_proxy") and name not in (
                   "NO_COLOR", "COLORTERM", "PICKERD_TOKEN", "LC_ALL", "LANG")}
UTF8 = {**ENVIRONMENT, "LANG": "C.UTF-8", "TERM": "xterm-256color"}


class Lines:
    """`pickerd join` as a process with pipes."""

    def __init__(self, *arguments, environment=None):
        self.process = subprocess.Popen(
            [str(binary()), "join", *map(str, arguments)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
            env={**UTF8, **(environment or {})})
        self.lines = queue.Queue()
        self.received = []
        #: The newest object of each `event`.
        self.newest = {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            for line in self.process.stdout:
                self.lines.put(line.rstrip("\n"))
        except ValueError:
            pass  # `close` was faster.
        self.lines.put(None)

    def next(self, timeout=PATIENCE):
        """The next line of output; None at its end."""
        line = self.lines.get(timeout=timeout)
        if line is None:
            return None
        self.received.append(line)
        if line.startswith("{"):
            event = json.loads(line)
            self.newest[event["event"]] = event
            return event
        return line

    def until(self, holds):
        """Reads until `holds(line)` and returns the line."""
        while True:
            line = self.next()
            assert line is not None, (
                f"the output ended: {self.received}\n{self.process.stderr.read()}")
            if holds(line):
                return line

    def event(self, name, **fields):
        """Reads until an event with this name and these fields."""
        return self.until(lambda event: event["event"] == name and all(
            event.get(key) == value for key, value in fields.items()))

    def say(self, line):
        """Sends a command: a line of words, or an object."""
        text = line if isinstance(line, str) else json.dumps(line)
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def ask(self, line):
        """Sends a command and returns its answer."""
        self.say(line)
        return self.event("answer")

    def reach(self, revision):
        """Reads until the state of `revision`."""
        if self.newest.get("state", {}).get("revision") != revision:
            self.event("state", revision=revision)
        return self.newest["state"]

    def signal(self, number=signal.SIGINT):
        self.process.send_signal(number)

    def end(self):
        """Closes the input; the exit status."""
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except OSError:
                pass


def run(*arguments, stdin="", environment=None):
    """Runs `pickerd join` with `stdin` as its input; exit status, stdout and stderr."""
    done = subprocess.run(
        [str(binary()), "join", *map(str, arguments)], input=stdin.encode(), capture_output=True,
        timeout=PATIENCE, env={**UTF8, **(environment or {})})
    return done.returncode, done.stdout.decode(), done.stderr.decode()
