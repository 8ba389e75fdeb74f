"""`find`: rows of a column by their texts. FindTests of the model and the hub have the rules."""

import unicodedata

import pytest
from make_folding_table import FILE, source


def ask(member, text, column=0, **fields):
    member.send({"type": "find", "id": 1, "column": column, "text": text, **fields})
    return member.expect("found")


def test_the_table_is_what_its_script_writes():
    """With another version of Unicode than the table's, the characters of both are compared."""
    written, version = FILE.read_text(), unicodedata.unidata_version
    if f"Unicode {version};" not in written:
        pytest.skip(f"the table has another version of Unicode than {version}")
    assert written == source()


def test_a_row_found_in_the_members_language_is_selected(server):
    session = server.session({"kind": "date", "min": "1900-01-01", "max": "2099-12-31"})
    ana, ben = session.join("Ana", locale="en"), session.join("Ben", locale="zh-Hans")
    assert [row["text"] for row in ask(ana, "octo", column=1)["rows"]] == ["October"]
    assert [row["text"] for row in ask(ben, "10", column=1)["rows"]] == ["10月"]
    answer = ask(ana, "198", limit=2)
    assert answer["more"] and answer["rows"] == [
        {"row": 80, "key": "1980", "text": "1980", "at": [0, 3]},
        {"row": 81, "key": "1981", "text": "1981", "at": [0, 3]}]
    row = answer["rows"][1]
    ana.select(0, row["row"], generation=answer["generation"], key=row["key"])
    assert session.result()["date"].startswith("1981-")


def test_viewers_find_and_terms_are_in_the_definition_only(guarded):
    rows = [{"text": "Munich", "key": "muc", "terms": ["muenchen"]}, {"text": "Rome"}]
    session = guarded.session({"kind": "columns", "columns": [rows]})
    ana = session.join("Ana", token=session.tokens["viewer"])
    assert ask(ana, "MUEN")["rows"] == [{"row": 0, "key": "muc", "text": "Munich"}]
    assert ana.welcome["snapshot"]["columns"][0]["rows"] == [
        {"key": "muc", "text": "Munich"}, {"key": "Rome", "text": "Rome"}]
    whole = guarded.get(session.path + "/definition", token=session.tokens["viewer"]).json
    assert whole["columns"] == [rows]
