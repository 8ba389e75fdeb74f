"""`find`: rows of a column by their texts, compared with a search in Python."""

import random
import unicodedata

import pytest
from make_folding_table import FILE, fold, source

LETTERS = "aAäÄeéßﬁsSiIİıσςΣ1²Ⅷカガｶﾞ한하🙂-. 'ØøĐđ"


def first_match(needle, text):
    """The rank of the first best match (0: equal … 3: inside), and where it is; None if there is none."""
    folded = fold(text)
    starts = [at for at in range(len(folded)) if folded.startswith(needle, at)]
    words = [at for at in starts if at and not is_word(folded[at - 1])]
    if not starts:
        return None
    if starts[0] == 0:
        return (0 if folded == needle else 1), 0
    return (2, words[0]) if words else (3, starts[0])


def is_word(character):
    return character.isalpha() or unicodedata.category(character) == "Nd"


def part(text, start, length):
    """The UTF-16 units of the characters that become part of the folded text, with their accents."""
    folded, units, ends = 0, 0, []
    for character in text:
        size = len(fold(character))
        wide = len(character.encode("utf-16-le")) // 2
        if size and folded >= start + length:
            break
        if folded <= start:
            begin = units
        folded, units = folded + size, units + wide
        ends.append(units)
    return [begin, ends[-1]]


def found(text, rows, limit=20):
    needle, all_ranks = fold(text), []
    for number, row in enumerate(rows):
        ranks = [match[0] for one in [row["text"], *row.get("terms", [])]
                 if needle and (match := first_match(needle, one))]
        if ranks:
            all_ranks.append((min(ranks), number))
    answer = []
    for _, number in sorted(all_ranks)[:limit]:
        row = rows[number]
        match = first_match(needle, row["text"])
        one = {"row": number, "key": row["key"], "text": row["text"]}
        answer.append(one | ({"at": part(row["text"], match[1], len(needle))} if match else {}))
    return answer, len(all_ranks) > limit


def ask(member, text, column=0, id=1, **fields):
    member.send({"type": "find", "id": id, "column": column, "text": text, **fields})
    return member.expect("found", "refused")


def test_the_table_is_what_its_script_writes():
    """With another version of Unicode than the table's, the characters of both are compared."""
    written, version = FILE.read_text(), unicodedata.unidata_version
    if f"Unicode {version};" not in written:
        pytest.skip(f"the table has another version of Unicode than {version}")
    assert written == source()


def test_rows_are_found_in_the_order_of_the_best_match(start):
    server = start(limits={"messagesPerSecond": 10_000})
    draw = random.Random(59)
    texts = ["".join(draw.choices(LETTERS, k=draw.randint(1, 9))) for _ in range(1500)]
    rows = [{"text": text, "key": str(number), **(
        {"terms": ["".join(draw.choices(LETTERS, k=3)) for _ in range(draw.randint(0, 8))]}
        if number % 3 == 0 else {})} for number, text in enumerate(texts)]
    session = server.session({"kind": "columns", "columns": [rows, ["x"]]})
    members = [session.join(f"Member {number}") for number in range(12)]
    for number in range(100):
        text = "".join(draw.choices(LETTERS, k=draw.choice([1, 1, 1, 2, 2, 3])))
        if fold(text) == "":
            continue
        limit = draw.choice([1, 5, 100])
        answer = ask(members[number % 12], text, id=number, limit=limit)
        expected, has_more = found(text, rows, limit)
        assert answer == {"type": "found", "id": number, "column": 0, "generation": 1,
                          "rows": expected, "more": has_more}, text
    assert ask(members[0], "\u0301")["rows"] == []


def test_texts_are_in_the_language_of_the_member(server):
    session = server.session({"kind": "date", "min": "1900-01-01", "max": "2099-12-31"})
    ana, ben = session.join("Ana", locale="en"), session.join("Ben", locale="zh-Hans")
    assert [row["text"] for row in ask(ana, "octo", column=1)["rows"]] == ["October"]
    assert [row["text"] for row in ask(ben, "10", column=1)["rows"]] == ["10月"]
    assert ask(ana, "198", limit=2)["rows"] == [
        {"row": 80, "key": "1980", "text": "1980", "at": [0, 3]},
        {"row": 81, "key": "1981", "text": "1981", "at": [0, 3]}]


def test_a_row_found_is_selected_with_its_generation_and_key(server):
    rows = [f"Row {number}" for number in range(5000)]
    session = server.session({"kind": "columns", "columns": [rows]})
    ana = session.join("Ana")
    answer = ask(ana, "row 4711")
    [row] = answer["rows"]
    ana.select(0, row["row"], generation=answer["generation"], key=row["key"])
    assert session.get()["snapshot"]["result"]["keys"] == ["Row 4711"]


def test_refusals_have_the_id(server):
    lists, days = server.session({"kind": "columns", "columns": [["a"]]}), server.session(
        {"kind": "calendar", "months": {"from": "2018-10", "through": "2018-12"}})
    refused = ask(lists.join("Ana"), "a", column=1, id=7)
    assert (refused["type"], refused["id"], refused["code"]) == ("refused", 7, "noSuchColumn")
    assert refused["changes"] == [] and "ref" not in refused
    refused = ask(days.join("Ben"), "a", id=8)
    assert (refused["id"], refused["code"]) == (8, "wrongKind")


@pytest.mark.parametrize("fields", [
    {"text": ""}, {"text": "é" * 65}, {"text": 7}, {}, {"text": "a", "limit": "1"},
    {"text": "a", "limit": None}, {"text": "a", "id": "1"}, {"text": "a", "column": None}])
def test_a_find_that_is_ill_typed_closes_the_connection(server, fields):
    ana = server.session({"kind": "columns", "columns": [["a"]]}).join("Ana")
    ana.send({"type": "find", "id": 1, "column": 0, **fields})
    ana.closed(4400)


def test_viewers_find_and_terms_are_in_the_definition_only(guarded):
    rows = [{"text": "Munich", "key": "muc", "terms": ["muenchen"]}, {"text": "Rome"}]
    session = guarded.session({"kind": "columns", "columns": [rows]})
    ana = session.join("Ana", token=session.tokens["viewer"])
    assert ask(ana, "MUEN")["rows"] == [{"row": 0, "key": "muc", "text": "Munich"}]
    assert ana.welcome["snapshot"]["columns"][0]["rows"] == [
        {"key": "muc", "text": "Munich"}, {"key": "Rome", "text": "Rome"}]
    whole = guarded.get(session.path + "/definition", token=session.tokens["viewer"]).json
    assert whole["columns"] == [rows]


def test_other_terms_reload_no_column_and_a_wrong_term_has_its_pointer(server):
    session = server.session({"kind": "columns", "columns": [[{"text": "a", "terms": ["one"]}]]})
    ana = session.join("Ana")
    answer = server.request(
        "PATCH", session.path + "/definition", {"columns": [[{"text": "a", "terms": ["two"]}]]},
        headers={"Content-Type": "application/merge-patch+json"})
    assert answer.status == 200, answer
    ana.reach(1)
    [delta] = [message for message in ana.record if message["type"] == "delta"]
    assert [change["change"] for change in delta["changes"]] == ["definition"]
    assert [len(ask(ana, text)["rows"]) for text in ("one", "two")] == [0, 1]
    wrong = server.request("POST", "/v1/definitions/check", {
        "definition": {"kind": "columns", "columns": [[{"text": "a", "terms": ["b", "é" * 65]}]]}})
    assert (wrong.status, wrong.json["pointer"]) == (422, "/columns/0/0/terms/1")


def test_a_newer_find_replaces_one_that_waits(start):
    """Eleven in a second: the eleventh waits, and so its successor is answered instead."""
    session = start().session({"kind": "columns", "columns": [[str(n) for n in range(300)]]})
    ana = session.join("Ana")
    for number in range(1, 31):
        ana.send({"type": "find", "id": number, "column": 0, "text": str(number)})
    ids = []
    while 30 not in ids:
        ids.append(ana.expect("found")["id"])
    assert ids == sorted(ids) and len(ids) <= 12, ids
