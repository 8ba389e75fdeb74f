"""`GET …/log`: one line per revision, without gaps."""

from harness.definitions import TREE


def test_the_log_has_every_revision(server):
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")
    ana.select(0, 1, ref=3)
    bo.reach(1)
    bo.select(1, 1, ref=9)
    bo.select(1, 7)
    bo.undo()
    ana.reach(3)
    ana.confirm()

    log = session.log()

    actual = [(l["revision"], l["by"], l["ref"], l["command"]["type"]) for l in log]
    assert actual == [
        (1, ana.id, 3, "select"), (2, bo.id, 9, "select"), (3, bo.id, 11, "undo"),
        (4, ana.id, 4, "confirm")]
    deltas = [m["changes"] for m in ana.record if m["type"] == "delta"]
    assert [line["changes"] for line in log] == deltas
