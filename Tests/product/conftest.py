"""Fixtures for servers: a few shared ones, and servers for single tests.

A server has one manual clock, so every pytest process starts servers of its own, and tests may
run in parallel processes. Within a process, creating a session sets the clock.
"""

import gc
import json
import os
import re
import shlex
import signal
from pathlib import Path

import pytest

from harness.pickerd import Pickerd, binary
from harness.postgres import Postgres
from harness.release import shared_release

# A shell ignores it in its background jobs, such as `make test &`, and servers would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

#: A rate limit that only tests of rates reach.
MANY = 100_000

#: The seconds that each file takes; durations.py stores them.
SECONDS = json.loads((Path(__file__).parent / "durations.json").read_text())
#: Groups of files with a browser. More browsers at a time would starve each other on two cores.
BROWSERS = [f"browser{number}" for number in range(3)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Orders the groups for `--dist=loadgroup`, the longest first: one process runs a group.

    A group is a file. The files with a browser are in groups of about the same length.
    """
    seconds = {item.module: SECONDS.get(item.module.__name__, 1) for item in items}
    lengths, groups = dict.fromkeys(BROWSERS, 0), {}
    for module in sorted(seconds, key=seconds.get, reverse=True):
        has_browser = "webpages" in getattr(module, "pytest_plugins", ())
        group = min(BROWSERS, key=lengths.get) if has_browser else module.__name__
        groups[module] = group
        lengths[group] = lengths.get(group, 0) + seconds[module]
    items.sort(key=lambda item: lengths[groups[item.module]], reverse=True)
    for item in items:
        item.add_marker(pytest.mark.xdist_group(groups[item.module]))


def pytest_collection_finish():
    """The thousands of tests live until the end: garbage collections need not examine them."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(scope="session")
def _logs(tmp_path_factory):
    return tmp_path_factory.mktemp("pickerd")


@pytest.fixture(scope="session")
def _servers():
    """All running servers; a failure shows their logs."""
    return []


@pytest.fixture(scope="session")
def _shared(_logs, _servers):
    """Starts a server that runs until the end of the test session."""
    def begin(name, **rest):
        server = Pickerd(_logs / f"{name}.log", **rest)
        _servers.append(server)
        return server

    yield begin
    for server in list(_servers):
        server.stop()


@pytest.fixture(scope="session")
def _everyday(_shared):
    return _shared("server", limits={
        "messagesPerSecond": MANY, "createsPerSecond": MANY, "readsPerSecond": MANY,
        "joinsPerSecond": MANY})


@pytest.fixture(scope="session")
def _tokened(_shared):
    return _shared("guarded", auth="token", limits={"messagesPerSecond": MANY})


@pytest.fixture(scope="session")
def _tight(_shared):
    return _shared("small", limits={
        "messagesPerSecond": MANY, "members": 3, "history": 20, "refs": 8, "undo": 5, "months": 3,
        "rows": 10, "windowRows": 200, "joinMilliseconds": 60_000, "memberMilliseconds": 90_000,
        "messageBytes": 2048})


@pytest.fixture(scope="session")
def _forgetful(_shared):
    return _shared("forgetful", limits={"messagesPerSecond": MANY, "memberMilliseconds": 1000})


@pytest.fixture(scope="session")
def _untouched(_shared):
    return _shared("plain", auth=None, clock=None)


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server; tests create databases in it."""
    server = Postgres()
    yield server
    server.stop()


@pytest.fixture
def own_postgres():
    """A PostgreSQL server that the test may crash."""
    server = Postgres()
    yield server
    server.stop()


@pytest.fixture
def store(postgres):
    """The store of a new database."""
    return postgres.database()


def for_one_test(server, request):
    """Yields a shared server; then checks that members agree with it and deletes the sessions."""
    yield server
    sessions, server.sessions = server.sessions, []
    if not server.is_alive:
        tail = server.log_tail()
        server.start()
        raise AssertionError(f"the server has exited:\n{tail}")
    try:
        for session in sessions if getattr(request.node, "has_passed", False) else ():
            if server.get(session.path, token=session.tokens.get("owner")).status == 200:
                session.agree()
    finally:
        for session in sessions:
            session.forget()
            if server.is_alive:
                session.delete()


@pytest.fixture
def server(_everyday, request):
    """Manual clock, `--auth open`, default limits except for the rates of `_everyday`."""
    yield from for_one_test(_everyday, request)


@pytest.fixture
def guarded(_tokened, request):
    """Like `server`, with `--auth token`."""
    yield from for_one_test(_tokened, request)


@pytest.fixture
def small(_tight, request):
    """Like `server`, with the small limits of `_tight`."""
    yield from for_one_test(_tight, request)


@pytest.fixture
def forgetful(_forgetful, request):
    """Like `server`; absent members leave after a second."""
    yield from for_one_test(_forgetful, request)


@pytest.fixture
def plain(_untouched, request):
    """Default options and the system clock, with --listen, --admin-listen and --store only."""
    yield from for_one_test(_untouched, request)


@pytest.fixture
def start(_logs, _servers, request):
    """Starts a server for one test: `start(auth="token", limits={…})`."""
    mine = []

    def begin(**rest):
        log = _logs / f"{request.node.name[:60].replace('/', '-')}-{len(mine)}.log"
        server = Pickerd(log, **rest)
        mine.append(server)
        _servers.append(server)
        return server

    yield begin
    for server in mine:
        _servers.remove(server)
        server.stop()


@pytest.fixture
def serve(start, tmp_path):
    """Starts a server with a store: an SQLite file of this test, unless another one is given."""
    def begin(store=None, *, options=(), limits=None, **rest):
        store = store or f"sqlite:{tmp_path}/store.sqlite"
        return start(options=("--store", store, *options),
                     limits={"messagesPerSecond": MANY, **(limits or {})}, **rest)

    return begin


@pytest.fixture(scope="session")
def release(tmp_path_factory):
    """The folder of a release's files, which all processes share."""
    base = tmp_path_factory.getbasetemp()
    return shared_release(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Records whether the test passed; adds the servers' logs to the report of a failure."""
    report = yield
    if report.when == "call":
        item.has_passed = report.passed
    if report.failed:
        for server in item.funcargs.get("_servers", ()):
            report.sections.append((f"log of {server.log.name}", server.log_tail()))
    return report


def pytest_terminal_summary(terminalreporter, config):
    """Prints a command for each failed test, which repeats it alone."""
    reports = [report for kind in ("failed", "error") for report in terminalreporter.getreports(kind)]
    folder = os.path.relpath(config.rootpath)
    # xdist appends the group to a name.
    names = (re.sub(r"@\w+$", "", report.nodeid) for report in reports)
    for name in dict.fromkeys(names):
        terminalreporter.write_line(
            f"to repeat: PICKERD={os.path.relpath(binary())} .venv/bin/python -m pytest "
            + shlex.quote(f"{folder}/{name}"))
