"""`result` in deltas: the server sends it, clients never compute it."""

from harness.definitions import CALENDAR
from test_event_streams import Watcher


def results(delta):
    """The results in a delta, none or one; `result` must be the last change."""
    changes = delta["changes"]
    assert all(change["change"] != "result" for change in changes[:-1]), changes
    return [change["result"] for change in changes if change["change"] == "result"]


def test_resumed_deltas_log_lines_and_events_have_the_result(server):
    session = server.session(CALENDAR)
    ana, bo = session.together("Ana", "Bo")
    watcher = Watcher(session)
    ana.drop()
    bo.tap("2018-11-20")
    bo.tap("2018-11-22")
    whole = [{"start": "2018-11-20", "end": "2018-11-22", "days": 3}]

    again = session.back(ana).reach(2)

    assert [results(m) for m in again.record if m["type"] == "delta"] == [[], whole]
    assert [results(line) for line in session.log()] == [[], whole]
    watcher.next("delta")
    assert results(watcher.next("delta")) == whole
    watcher.close()
