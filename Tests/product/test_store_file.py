"""The store's file: disk full, moved, locked, damaged, truncated, foreign or newer."""

import os
import random
import shutil
import signal
import stat
import subprocess

import pytest

from harness.definitions import LISTS
from harness.member import Hung
from harness.patience import PATIENCE
from harness.pickerd import binary, wait_until
from harness.store import again, back, log_lines


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite"


def refused(path):
    """Starts a server on `path`, which must fail; its error output."""
    ended = subprocess.run(
        [binary(), "serve", "--listen", "127.0.0.1:0", "--store", f"sqlite:{path}"],
        capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode not in (0, -6, -4, -11), ended
    assert "pickerd serve: " in ended.stderr and "Fatal" not in ended.stderr, ended
    return ended.stderr


def worked(server, count=20):
    """A session with a history, and a member that has received all of it."""
    session = server.session(LISTS)
    ana = session.join("Ana")
    for n in range(1, count + 1):
        assert ana.select(n % 2, n % 4)["type"] in ("delta", "reply")
    return session, ana


def fails_and_recovers(server, session, ana, harm, heal, why):
    """Asserts that a failing store acknowledges nothing and recovers without a restart."""
    harm()
    for _ in range(400):
        ref = ana.ask_select(0, (ana.screen.columns[0]["row"] + 1) % 4)
        try:
            ana.answer(ref)
        except Hung:
            break
    assert ana.hung.rcvd.code == 4503, ana.hung
    assert ana.record[-1]["code"] == "unavailable", ana.record[-1]
    answer = wait_until(
        lambda: (a := server.get("/readyz")).status == 503 and a, what="a failing /readyz")
    assert any(word in answer.json["detail"] for word in why), answer.json
    assert server.create(LISTS).status == 503
    revision = ana.screen.revision
    newcomer = session.connect()
    newcomer.send({"type": "join"})
    newcomer.closed(4503)

    heal()
    wait_until(lambda: server.get("/readyz").status == 200, what="a healthy /readyz")
    came = back(session, ana)
    assert came.welcome["resumed"] and session.revision() >= revision
    assert came.select(0, (came.screen.columns[0]["row"] + 1) % 4)["type"] == "delta"
    last = came.screen.revision
    again(server)
    assert came.screen.revision == last == max(log_lines(session))
    came = back(session, came)
    assert came.welcome["resumed"]
    session.agree()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a small disk")
def test_a_full_disk_is_reported_and_recovers_without_a_restart(serve, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=True)
    try:
        server = serve(f"sqlite:{disk}/store.sqlite")
        session, ana = worked(server)

        def fill():
            with (disk / "ballast").open("wb", buffering=0) as ballast:
                try:
                    while ballast.write(bytes(1024)):
                        pass
                except OSError:
                    return

        fails_and_recovers(
            server, session, ana, fill, (disk / "ballast").unlink, ["full", "disk I/O"])
        server.stop()
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


@pytest.mark.parametrize("suffix", ["", "-wal", ".lock"])
def test_a_moved_file_is_reported_and_nothing_is_acknowledged(serve, path, suffix):
    server = serve()
    session, ana = worked(server)
    file = path.with_name(path.name + suffix)
    away = path.with_name("away")

    fails_and_recovers(
        server, session, ana, lambda: file.rename(away), lambda: away.rename(file),
        ["moved, removed or replaced", "was removed while"])


def test_only_its_user_can_read_a_store_and_its_backup_whatever_the_umask(path, tmp_path):
    copy = tmp_path / "copy.sqlite"
    server = subprocess.Popen(
        [binary(), "serve", "--listen", "127.0.0.1:0", "--store", f"sqlite:{path}"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, umask=0)
    try:
        assert server.stdout.readline().startswith("pickerd serves")
        subprocess.run([binary(), "backup", f"sqlite:{path}", copy], check=True,
                       capture_output=True, umask=0, timeout=PATIENCE)
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    finally:
        server.terminate()
        assert server.wait(PATIENCE) == 0

    assert modes.keys() >= {"store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "copy.sqlite"}
    assert set(modes.values()) == {0o600}, modes


def test_a_store_with_two_names_is_refused(serve, path, tmp_path):
    server = serve()
    worked(server)
    os.link(path, tmp_path / "other.sqlite")

    assert "has another name (a hard link)" in refused(tmp_path / "other.sqlite")
    server.stop()
    assert "has another name (a hard link)" in refused(path)


def test_a_file_that_is_not_a_database_is_refused_and_not_changed(path):
    path.write_text("Dear diary, " * 500)
    before = path.read_bytes()

    assert "damaged" in refused(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_a_truncated_store_is_refused_complete_or_of_a_new_epoch(serve, tmp_path, suffix):
    server = serve()
    session, ana = worked(server, 60)
    # A clean shutdown would leave an empty journal.
    server.kill() if suffix else server.stop()
    names = [n for n in ("", "-wal", ".lock") if (tmp_path / f"store.sqlite{n}").exists()]
    originals = {n: (tmp_path / f"store.sqlite{n}").read_bytes() for n in names}
    rng = random.Random(4)
    length = len(originals[suffix])
    cuts = {0, 1, 31, 32, 33, 99, 100, 512, 4095, 4096, 4097, length - 1, length}
    cuts |= {rng.randrange(length) for _ in range(12)}
    outcomes = set()

    for cut in sorted(c for c in cuts if c <= length):
        folder = tmp_path / f"cut{cut}"
        folder.mkdir()
        for name, data in originals.items():
            (folder / f"store.sqlite{name}").write_bytes(data[:cut] if name == suffix else data)
        outcomes.add(served(serve, folder / "store.sqlite", session, ana, cut))
        shutil.rmtree(folder)

    assert "whole" in outcomes and len(outcomes) > 1, outcomes


def served(serve, path, session, ana, cut):
    """The state of a session after its store was cut; asserts no lost history in the same epoch."""
    try:
        server = serve(f"sqlite:{path}")
    except AssertionError:
        assert "damaged" in refused(path), cut
        return "refused"
    answer = server.get(session.path)
    server.kill()
    if answer.status in (404, 503):
        return "gone" if answer.status == 404 else "unreadable"
    if answer.json["epoch"] != session.epoch:
        return "new epoch"
    assert answer.json["revision"] == ana.screen.revision, f"cut at {cut}: lost history, same epoch"
    return "whole"


def test_an_older_copy_gets_a_new_epoch(serve, path):
    server = serve()
    session, ana = worked(server)
    server.stop()
    older = path.read_bytes()
    server.start()
    ana = back(session, ana)
    ana.select(0, (ana.screen.columns[0]["row"] + 1) % 4)
    server.stop()
    path.write_bytes(older)
    server.start()

    session.epoch = server.get(session.path).json["epoch"]
    assert session.epoch != ana.welcome["epoch"]
    ana.url = session.url
    came = session.back(ana)
    assert not came.welcome["resumed"] and came.id == ana.id
    session.agree()
    again(server)
    assert session.revision() == came.screen.revision, "the new epoch is stored"


def test_sigxfsz_does_not_end_the_server(serve):
    server = serve()
    server.process.send_signal(signal.SIGXFSZ)

    assert server.get("/healthz").status == 200
