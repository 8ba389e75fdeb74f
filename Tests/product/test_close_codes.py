"""Every close code that the documents name is sent, and every one that is sent is documented."""

import json
import re
import sqlite3

from harness.definitions import LISTS
from harness.loops import metric
from harness.pickerd import REPOSITORY, wait_until

SOURCES = REPOSITORY / "Sources"

#: Close code of the transport: the source that sends it. libwebsockets itself sends 1002, too.
SENT_BY_TRANSPORT = {
    1002: ("websocket.c", r'"\\x03\\xEA"'),
    1003: ("websocket.c", r"\bfail\(loop, slot, 1003,"),
    1007: ("websocket.c", r"\bfail\(loop, slot, 1007,"),
    1009: ("websocket.c", r"\bfail\(loop, slot, 1009,"),
}


def hub_codes():
    """Case names of `CloseCode` by their codes."""
    text = (SOURCES / "PickerHub/Connections/CloseCode.swift").read_text()
    found = {int(code): name for name, code in re.findall(r"case (\w+) = (\d{4})\n", text)}
    assert len(found) > 10
    return found


def test_the_documents_name_exactly_the_codes_that_are_sent():
    guide = (REPOSITORY / "web/guide/README.md").read_text()
    table = guide.split("| close code | meaning | the client |")[1].split("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.count("|") > 2]
    in_guide = {int(code) for cell in cells for code in re.findall(r"\b[14]\d{3}\b", cell)}
    asyncapi = json.loads((REPOSITORY / "web/client/api/asyncapi.json").read_text())
    sent = set(hub_codes()) | set(SENT_BY_TRANSPORT)

    assert in_guide - {1005, 1006} == sent  # these two are never on the wire (RFC 6455, 7.4.1)
    assert {int(code) for code in asyncapi["x-closeCodes"]} == sent


def test_the_sources_close_with_every_code():
    hub = "".join(path.read_text() for path in (SOURCES / "PickerHub").rglob("*.swift"))
    for name in hub_codes().values():
        assert re.search(rf"\bclose\(\s*[\w.]+,\s*\.{name}\b", hub), name
    for path, call in SENT_BY_TRANSPORT.values():
        assert re.search(call, (SOURCES / "CWebSocketLoop" / path).read_text()), call


def test_a_stored_session_that_cannot_be_read_closes_with_4500(serve, tmp_path):
    server = serve()
    session, other = server.session(LISTS), server.session(LISTS)
    ana, bo = session.join("Ana"), other.join("Bo")
    for member in (ana, bo):
        assert member.select(0, 1)["type"] in ("delta", "reply")
    server.stop()
    with sqlite3.connect(tmp_path / "store.sqlite") as store:
        number, = store.execute("SELECT number FROM session WHERE id = ?",
                                (session.id,)).fetchone()
        store.execute("UPDATE entry SET body = 'damaged' WHERE session = ?", (number,))
        store.execute("DELETE FROM snapshot WHERE session = ?", (number,))
    server.start()

    ana.url, bo.url = session.url, other.url
    newcomer = session.connect()
    newcomer.send({"type": "join"})
    error = newcomer.closed(4500)

    assert error["code"] == "internal" and "cannot be read" in error["detail"]
    assert server.get(session.path).status == 503
    listed = server.get("/v1/sessions", port=server.admin_port).json["sessions"]
    assert listed == [{"session": session.id}, {"session": other.id, "status": "open"}]
    listed = server.get("/v1/sessions?status=open", port=server.admin_port).json["sessions"]
    assert [one["session"] for one in listed] == [other.id]
    assert other.back(bo).welcome["resumed"], "other sessions are not affected"
    wait_until(lambda: metric(server, "pickerd_closes_total").get("4500") == 1)
    log = server.logged(f"session {session.id[:8]}… cannot be read")
    assert session.id not in log
