"""Fixtures for servers: a few shared ones, and servers for single tests.

A server has one manual clock, so every pytest process starts servers of its own, and tests may
run in parallel processes. Within a process, creating a session sets the clock.
"""

import gc

import pytest

from harness.pickerd import Pickerd
from harness.postgres import Postgres

#: A rate limit that only tests of rates reach.
MANY = 100_000

#: Files whose tests have a browser, in groups of equal CPU time, the browsers' included. A process
#: runs one group: more browsers at a time would starve each other on two cores.
BROWSERS = [
    ["test_web_axe", "test_web_decide", "test_web_host", "test_web_tokens"],
    ["test_web_wheels", "test_web_calendar", "test_web_presence", "test_web_shop",
     "test_web_offline"],
    ["test_web_page", "test_web_connection", "test_web_notes", "test_web_accessibility",
     "test_web_all_clients", "test_web_restart", "test_web_share", "test_web_embedding", "test_web_finding",
     "test_web_layout"],
]
#: Files whose tests import jsonschema, which takes 2 s: one process does it.
SCHEMAS = ["test_api_documents", "test_kubernetes", "test_packaging"]
#: Tests that run in another group than their file.
APART = {
    "test_the_java_client_passes": "java",
    "test_more_connections_than_fit_a_batch_receive_everything_in_order": "batches",
    "test_the_browser_client_passes_as_a_running_client": "browser1",
    "test_a_react_page_uses_a_session_and_leaves_it": "browser0",
}
#: The slowest other groups, slowest first. A process runs whole groups, so slow ones start early.
LONGEST = [
    "test_rehearse", "test_tls_sockets", "test_cluster",
    "test_store_kill", "test_guide_shop", "test_deliver_faults", "java", "test_deliver",
    "test_cluster_nodes", "batches", "test_feed", "test_postgres", "test_postgres_faults",
    "schemas",
    "test_cluster_processes", "test_store_file", "test_creation_names", "test_proxies_cluster",
    "test_guessing", "test_store_restart", "test_join_lines", "test_token_renewal", "test_decide",
    "test_log_full", "test_socket_unix", "test_socket_loops", "test_socket_limits",
    "test_malformed", "test_proxies", "test_join_odd_servers", "test_tools_log", "test_typescript",
    "test_socket_memory", "test_event_streams", "test_store_growth", "test_keys",
    "test_loops_connections", "test_live_definitions_large", "test_feed_keys", "test_request_rates",
    "test_monitoring", "test_sessions", "test_tickets", "test_golden", "test_join_terminal",
    "test_socket_http", "test_process", "test_timeouts", "test_listeners", "test_loops",
    "test_guide", "test_service", "test_session_memory",
]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Orders the groups for `--dist=loadgroup`: one process runs a group."""
    groups = {name: f"browser{n}" for n, names in enumerate(BROWSERS) for name in names}
    groups |= dict.fromkeys(SCHEMAS, "schemas")
    order = [*(f"browser{n}" for n in range(len(BROWSERS))), *LONGEST]
    ranks = {name: rank for rank, name in enumerate(order)}

    def group(item):
        name = item.path.stem
        other = groups.get(name, "browser2" if name.startswith("test_web") else name)
        return APART.get(item.originalname, other)

    items.sort(key=lambda item: ranks.get(group(item), len(ranks)))
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group(item)))


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
