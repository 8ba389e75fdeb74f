"""`pickerd join` in a real terminal (tmux) and with pipes."""

import json
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
import uuid
from pathlib import Path

from .pickerd import binary, wait_until

PATIENCE = 60
#: The environment of the tests, without the machine's proxies and terminal settings.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not name.lower().endswith("_proxy") and name not in (
                   "NO_COLOR", "COLORTERM", "PICKERD_TOKEN", "LC_ALL", "LANG")}
UTF8 = {**ENVIRONMENT, "LANG": "C.UTF-8", "TERM": "xterm-256color"}


class Terminal:
    """A terminal of 80×24 in which a shell runs `pickerd join`, or another command."""

    def __init__(self, folder, *arguments, command="join", width=80, height=24,
                 environment=None):
        self.socket = f"pickerd-{uuid.uuid4().hex[:12]}"
        self.log = Path(folder) / f"{self.socket}.status"
        self.pid_file = Path(folder) / f"{self.socket}.pid"
        words = " ".join(shlex.quote(str(word)) for word in (binary(), command, *arguments))
        # The commands after it record its exit status and the settings of the terminal.
        script = (f"echo $$ > {self.pid_file}; exec {words}")
        shell = (f"sh -c {shlex.quote(script)}; status=$?; "
                 f"{{ echo $status; stty -a; }} > {self.log}.new; mv {self.log}.new {self.log}; "
                 "sleep 1000")
        self.environment = {**UTF8, **(environment or {})}
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", width, "-y", height, shell)

    def tmux(self, *arguments):
        done = subprocess.run(
            ["tmux", "-u", "-L", self.socket, *map(str, arguments)], env=self.environment,
            capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    # Output

    @property
    def lines(self):
        """The rows of the screen without trailing blanks."""
        return self.tmux("capture-pane", "-p").split("\n")[:-1]

    @property
    def text(self):
        return "\n".join(self.lines)

    @property
    def styled(self):
        """The screen with its escape sequences."""
        return self.tmux("capture-pane", "-p", "-e")

    def until(self, holds, what="the expected text"):
        """Polls the screen until `holds(text)`."""
        end = time.monotonic() + PATIENCE
        while True:
            text = self.text
            value = holds(text)
            if value:
                return value
            assert time.monotonic() < end, f"{what} did not appear:\n{text}"
            time.sleep(0.03)

    def sees(self, *words):
        """Waits until all of `words` are on the screen."""
        return self.until(lambda text: all(word in text for word in words), f"{words}")

    def sees_no(self, word):
        return self.until(lambda text: word not in text, f"the end of {word}")

    # Input

    def press(self, *keys):
        """Sends keys by their tmux names: `Down`, `Enter`, `Escape`, `PPage`, `C-c`, or letters."""
        self.tmux("send-keys", *keys)

    def resize(self, width, height):
        self.tmux("resize-window", "-x", width, "-y", height)

    @property
    def pid(self):
        return int(self.pid_file.read_text())

    def signal(self, number):
        os.kill(self.pid, number)

    # Exit

    def ended(self):
        """Waits for the exit of the program; its status as in `$?`."""
        end = time.monotonic() + PATIENCE
        while not self.log.exists():
            assert time.monotonic() < end, f"the program did not exit:\n{self.text}"
            time.sleep(0.03)
        return int(self.log.read_text().split()[0])

    def is_as_before(self):
        """Whether the terminal is restored: cooked mode, visible cursor, primary screen.

        tmux may draw the last output of the program later.
        """
        settings = self.log.read_text().split()
        return all(name in settings for name in ("icanon", "echo", "isig")) and wait_until(
            lambda: self.tmux("display-message", "-p", "#{cursor_flag} #{alternate_on}").split()
            == ["1", "0"], what="the primary screen with a cursor")

    def close(self):
        subprocess.run(["tmux", "-L", self.socket, "kill-server"], capture_output=True,
                       timeout=PATIENCE)


class Lines:
    """`pickerd join --json` or `--plain` as a process with pipes."""

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
        timeout=120, env={**UTF8, **(environment or {})})
    return done.returncode, done.stdout.decode(), done.stderr.decode()
