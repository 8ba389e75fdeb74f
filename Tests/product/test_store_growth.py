"""Sessions that nobody uses are in the store only, and count against the limit of sessions."""

from harness.definitions import LISTS
from harness.loops import metric
from harness.pickerd import wait_until
from harness.store import again


def test_sessions_that_nobody_uses_take_little_memory(serve):
    """Each has 12 KB of rows. Without eviction they would take 12 MB."""
    store = serve(limits={"createsPerSecond": 100_000})
    definition = {"kind": "columns", "columns": [[f"{n:03}" + "x" * 117 for n in range(100)]]}

    def memory(count):
        """The server's memory in bytes when further sessions have been evicted."""
        for _ in range(count):
            assert store.create(definition).status == 201
        wait_until(lambda: metric(store, "pickerd_sessions_resident") == 0,
                   what="eviction")
        return store.resident_bytes()

    before = memory(500)
    assert memory(1000) - before < 1000 * 5000


def test_evicted_and_restored_sessions_count_against_the_limit_of_sessions(serve):
    store = serve(limits={"sessions": 2})
    sessions = [store.session(LISTS) for _ in range(2)]
    wait_until(lambda: metric(store, "pickerd_sessions_resident") == 0, what="eviction")

    for kill in (None, True, False):
        if kill is not None:
            again(store, kill=kill)
        answer = store.create(LISTS)
        assert (answer.status, answer.code) == (503, "full")

    assert sessions[0].get()["revision"] == 0
    assert sessions[1].delete().status == 204
    assert store.create(LISTS).status == 201
    assert store.create(LISTS).code == "full"
