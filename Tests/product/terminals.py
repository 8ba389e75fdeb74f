"""Fixtures for `pickerd join` in terminals and with pipes, closed after the test."""

import pytest

from harness.terminal import Lines, Terminal


@pytest.fixture
def terminal(tmp_path):
    """Joins a session in a terminal: `terminal(session, name="Ana")`, and further arguments."""
    opened = []

    def opens(session, *arguments, name="Ana", **rest):
        url = session if isinstance(session, str) else session.url
        one = Terminal(tmp_path, url, "--name", name, *arguments, **rest)
        opened.append(one)
        return one

    yield opens
    for one in opened:
        one.close()


@pytest.fixture
def lines():
    """Joins a session with pipes: `lines(session, "--json", name="Ana")`."""
    started = []

    def starts(session, *arguments, name="Ana", **rest):
        url = session if isinstance(session, str) else session.url
        one = Lines(url, "--name", name, *arguments, **rest)
        started.append(one)
        return one

    yield starts
    for one in started:
        one.close()
