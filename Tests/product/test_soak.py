"""The checks of `make soak` find what they are for: lost answers and growing resources."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from harness import contract
from harness.listener import Listener
from harness.pickerd import REPOSITORY, binary, wait_until
from harness.store import Crowd, stored

sys.path.insert(0, str(REPOSITORY / "Tests/soak"))

from attackers import Attackers  # noqa: E402
from report import program, written  # noqa: E402
from resources import Sample, growth  # noqa: E402


@pytest.fixture
def crowd(tmp_path, monkeypatch):
    """A crowd whose server has been killed under load, before the restart."""
    monkeypatch.setattr(Listener, "is_trusted", True)
    monkeypatch.setattr(contract, "fits", lambda name, value: value)
    server = stored(tmp_path / "log", tmp_path / "store.sqlite")
    crowd = Crowd(server, session_count=2, member_count=3)
    crowd.load(100, "soak")
    yield crowd
    server.stop()


def test_the_check_counts_the_answers_that_it_has_compared(crowd):
    crowd.server.start()
    crowd.check()

    assert crowd.checked > 10


def test_the_check_finds_acknowledged_changes_that_the_store_has_lost(crowd, tmp_path):
    """An older copy of the store takes its place."""
    copies = {path: path.read_bytes() for path in tmp_path.glob("store.sqlite*")}
    crowd.server.start()
    crowd.check()
    crowd.load(50, "later")
    for path in tmp_path.glob("store.sqlite*"):
        path.unlink()
    for path, copy in copies.items():
        path.write_bytes(copy)
    crowd.server.start()

    with pytest.raises(AssertionError, match="which is lost|was created, but is missing"):
        crowd.check()


def test_the_report_names_the_binary_that_ran():
    """And not the commit of the folder in which the soak was started."""
    nobody = SimpleNamespace(revisions={}, created=[], deleted=[], checked=0)
    soak = SimpleNamespace(
        program=program(binary()), seconds=60, seed=1, kills=0, rounds=0, worlds=0,
        killed_crowd=nobody, steady_crowd=nobody)

    text, _ = written(soak, SimpleNamespace(done={}), SimpleNamespace(samples=[]), [])

    version = subprocess.run([binary(), "--version"], capture_output=True, text=True).stdout.strip()
    digest = subprocess.run(
        ["sha256sum", binary()], capture_output=True, text=True).stdout.split()[0]
    assert f"\npickerd {version}, SHA-256 {digest}\n" in text and "commit" not in text


def samples(mib, descriptors):
    return [Sample(n, mib(n), descriptors(n), 0, 0) for n in range(40)]


def test_memory_and_descriptors_that_grow_are_reported():
    assert growth(samples(lambda n: 100 + n, lambda n: 50)) == []
    assert growth(samples(lambda n: 100 + n % 7, lambda n: 50 + n)) == []
    assert growth(samples(lambda n: 100 + 5 * n, lambda n: 50)) == [
        "memory grew from 175 to 275 MiB"]
    assert growth(samples(lambda n: 100, lambda n: 50 + 20 * n)) == [
        "file descriptors grew from 350 to 750"]
    assert growth(samples(lambda n: 100, lambda n: 50)[:5]) == ["only 5 samples were taken"]


def test_an_outcome_that_the_server_may_not_have_is_a_failure(start):
    server = start(limits={"joinMilliseconds": 6000, "messagesPerSecond": 100_000})
    attackers = Attackers(server, seed=1)
    wait_until(lambda: {name for name, _ in list(attackers.done)} >= {
        "bursts of creations", "garbage requests", "garbage messages", "idle connections"},
        what="all attacks")
    attackers.stop()
    assert attackers.failures == []

    server.kill()
    attackers = Attackers(server, seed=1)
    wait_until(lambda: any("Connection" in failure for failure in list(attackers.failures)),
               what="a failure")
    attackers.stop()
