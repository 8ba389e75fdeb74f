"""What is refused, or not read, does not grow the store."""

import pytest

from harness.definitions import LISTS
from harness.store import stored


@pytest.fixture
def store(tmp_path):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite")
    server.folder = tmp_path
    yield server
    server.kill()


def size(server):
    return sum(path.stat().st_size for path in server.folder.glob("store.sqlite*"))


def test_commands_of_an_unknown_type_are_not_stored(store):
    ana = store.session(LISTS).join("Ana")
    before = size(store)

    codes = {ana.do("w" * 60_000)["code"] for _ in range(60)}

    assert codes == {"unknownType"}
    assert size(store) - before < 200_000


def test_keys_that_are_not_read_are_not_stored(store):
    ana = store.session(LISTS).join("Ana")
    before = size(store)

    for n in range(60):
        answer = ana.do("select", column=0, row=n % 2, generation=1, key="k" * 60_000)
        assert answer["type"] in ("delta", "reply")

    # 60 commits of a few pages each.
    assert size(store) - before < 1_800_000
