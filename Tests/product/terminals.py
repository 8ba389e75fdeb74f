"""Fixtures for `pickerd join` with pipes, closed after the test."""

import pytest

from harness.terminal import Lines


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
