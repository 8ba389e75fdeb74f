"""A session whose log has reached `--limit logBytes=` refuses commands and loses nothing."""

from harness.definitions import LISTS
from harness.store import again, back, log_lines

LIMIT = {"logBytes": 65_536, "messagesPerSecond": 100_000}


def fill(member):
    """Selects until the log is full; the number of accepted selects, and the refusal."""
    member.is_trusted = True
    for count in range(5000):
        answer = member.do("select", column=0, row=(count + 1) % 4, generation=1)
        if answer["type"] == "refused":
            return count, answer
        assert answer["type"] == "delta", answer
    raise AssertionError("5,000 commands of 100 bytes and more fit into 64 KiB")


def test_a_full_log_refuses_commands_and_loses_no_accepted_ones_also_after_a_restart(
        start, tmp_path):
    server = start(limits=LIMIT, options=["--store", f"sqlite:{tmp_path}/store.sqlite"])
    session = server.session(LISTS)
    ana = session.join("Ana")
    count, refused = fill(ana)

    assert (refused["code"], refused["revision"]) == ("full", count)
    assert "logBytes" in refused["detail"]
    assert ana.do("undo")["code"] == "full"
    assert ana.do("select", ref=count, column=0, row=1, generation=1)["type"] == "reply"
    assert len(log_lines(session)) == count
    again(server)
    ana = back(session, ana)

    assert ana.do("undo")["code"] == "full"
    assert session.revision() == count
