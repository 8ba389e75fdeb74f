"""`rename`: a member changes its name without joining again."""

from harness.definitions import CALENDAR, LISTS
from harness.host import Host
from harness.member import Member
from harness.pickerd import Pickerd
from harness.store import again, back, stored
from test_http_commands import Poster


def test_a_name_outlives_kill_9_and_compaction(tmp_path):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite")
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.do("rename", name="Mia")
    again(server)
    ana = back(session, ana)
    assert ana.welcome["member"]["name"] == "Mia"

    again(server, kill=False)
    ana = back(session, ana)
    assert ana.welcome["member"]["name"] == "Mia"
    server.stop()


def test_a_member_over_http_can_be_renamed(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    cem = Poster(session)

    assert cem.do("rename", name="Kit")["type"] == "reply"

    ana.until(lambda m: m.screen.members.get(cem.id, {}).get("name") == "Kit")
    answer = cem.post("rename", ref=9, name="")
    assert (answer.status, answer.json["pointer"]) == (400, "/name")


def test_a_viewer_can_rename_itself_but_not_a_member_whose_token_has_a_name(tmp_path):
    host = Host(tmp_path)
    server = Pickerd(tmp_path / "log", auth=f"keys:{host.file}", clock=None)
    id = server.post("/v1/sessions", {"definition": CALENDAR}, token=host.api).json["session"]
    url = server.socket(f"/v1/sessions/{id}")
    ana = Member(url, "Ana", token=host.token(id, "viewer"))
    ada = Member(url, token=host.token(id, "owner", name="Ada"))

    assert ana.do("rename", name="Mia")["type"] == "reply"
    ada.until(lambda m: m.screen.members[ana.id]["name"] == "Mia")
    answer = ada.do("rename", name="Eve")

    assert (answer["type"], answer["code"]) == ("refused", "notAllowed")
    assert ada.do("rename", name="Eve", ref=1)["code"] == "notAllowed"
    assert Member(url, token=host.token(id)).screen.members[ada.id]["name"] == "Ada"
    server.stop()
