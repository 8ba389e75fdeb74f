"""The histograms in /metrics."""

import re

from harness.definitions import LISTS
from harness.pickerd import wait_until
from harness.proxies import traced

OF_LOOPS = ["pickerd_message_seconds", "pickerd_loop_iteration_seconds"]
OF_STORE = ["pickerd_store_wait_seconds", "pickerd_store_commit_seconds",
            "pickerd_store_batch_records"]


def histogram(server, name):
    """Buckets by upper bound, count and sum of a histogram; `None` if there is none."""
    text = server.metrics().body.decode()
    if f"# TYPE {name} histogram" not in text:
        return None
    buckets = {bound: int(count) for bound, count in re.findall(
        rf'^{name}_bucket{{le="([^"]+)"}} (\d+)$', text, re.M)}
    count = int(re.search(rf"^{name}_count (\d+)$", text, re.M)[1])
    total = float(re.search(rf"^{name}_sum (\S+)$", text, re.M)[1])
    return buckets, count, total


def tap(session, count=20):
    ana = session.join("Ana")
    for n in range(count):
        ana.select(0, n % 3)
    return ana


def test_messages_and_event_loop_iterations_are_recorded(start):
    server = start(options=("--loops", "2"))
    session = server.session(LISTS)
    assert histogram(server, "pickerd_message_seconds")[1] == 0

    tap(session, 20)

    wait_until(lambda: histogram(server, "pickerd_message_seconds")[1] >= 21)
    for name in OF_LOOPS:
        buckets, count, total = histogram(server, name)
        assert count >= 21, name
        assert buckets["+Inf"] == count
        assert list(buckets.values()) == sorted(buckets.values())
        assert 0 < total < 60, name
    assert histogram(server, "pickerd_message_seconds")[1] == 21


def test_an_idle_loop_waits_with_one_system_call_in_each_iteration(start, tmp_path):
    server = start()
    trace = tmp_path / "trace"
    with traced(server, "epoll_wait,epoll_pwait", trace):
        wait_until(lambda: trace.read_text().count("epoll_") > 20, what="waiting loops")

    assert re.findall(r"epoll_p?wait\(\d+, \[\], \d+, 0\b.*\) += 0", trace.read_text()) == []


def test_deliveries_and_batches_are_measured_with_the_time_that_the_store_takes(serve):
    server = serve()
    session = server.session(LISTS)
    ana, ben = session.join("Ana"), session.join("Ben")

    def spent():
        """In commits and in messages. Those before the commands may have taken any time."""
        return [histogram(server, name)[2] for name in (
            "pickerd_store_commit_seconds", "pickerd_message_seconds")]

    wait_until(lambda: histogram(server, "pickerd_message_seconds")[1] == 2)
    before = spent()
    for n in range(1, 11):
        ana.select(0, n % 3)
        ben.reach(n)

    wait_until(lambda: histogram(server, "pickerd_last_delivery_seconds")[1] >= 10)
    buckets, count, total = histogram(server, "pickerd_delivery_seconds")
    committing, handling = (now - then for now, then in zip(spent(), before))
    assert count == 10 and buckets["+Inf"] == 10, "one per command, however many listen"
    assert list(buckets.values()) == sorted(buckets.values())
    assert handling < total < 60 and committing / 2 < total
    _, last_count, last_total = histogram(server, "pickerd_last_delivery_seconds")
    assert last_count == 10 and total <= last_total < 60, "the last write follows the first"
    wait_until(lambda: len({histogram(server, name)[1] for name in OF_STORE}) == 1,
               what="one value per batch in every histogram")
    for name in OF_STORE:
        buckets, count, total = histogram(server, name)
        assert count >= 10 and total > 0 and buckets["+Inf"] == count, name


def test_time_spent_waiting_for_events_is_not_recorded(start):
    server = start(options=("--loops", "1"))
    tap(server.session(LISTS), 1)

    def recorded():
        _, _, before = histogram(server, "pickerd_loop_iteration_seconds")
        waited = server.get("/v1/feed?after=1&waitSeconds=1", port=server.admin_port)
        assert (waited.status, waited.body) == (200, b"")
        return histogram(server, "pickerd_loop_iteration_seconds")[2] - before

    # The loop may have to wait for a core in the middle of an iteration, but not always.
    assert any(recorded() < 0.5 for _ in range(10))
