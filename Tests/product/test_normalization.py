"""Keys that differ only in Unicode normalization are distinct, on the wire and in the store."""

COMPOSED, DECOMPOSED = "\u00e9", "e\u0301"
ROWS = {"kind": "columns", "columns": [[COMPOSED, DECOMPOSED, "f"]]}
NODES = {"kind": "cascade", "nodes": [
    {"text": COMPOSED, "children": [{"text": COMPOSED}]},
    {"text": DECOMPOSED, "children": [{"text": DECOMPOSED}]}]}


def test_rows_that_differ_only_in_normalization_can_both_be_selected(server):
    session = server.session(ROWS)
    ana, bo = session.together("Ana", "Bo")

    assert ana.select(0, 1)["changes"][0]["key"] == DECOMPOSED
    assert session.result() == {"keys": [DECOMPOSED]}
    assert ana.select(0, 0)["changes"][0]["key"] == COMPOSED
    assert session.result() == {"keys": [COMPOSED]}
    bo.reach(2)
    session.agree()


def test_a_stale_select_finds_the_row_with_exactly_its_key(server):
    session = server.session(ROWS)
    ana = session.join("Ana")

    answer = ana.do("select", column=0, row=2, generation=7, key=DECOMPOSED)

    assert answer["changes"][0]["row"] == 1
    assert session.result() == {"keys": [DECOMPOSED]}


def test_nodes_that_differ_only_in_normalization_have_their_own_children(server):
    session = server.session(NODES)
    ana = session.join("Ana")

    delta = ana.select(0, 1)

    assert [change["change"] for change in delta["changes"]] == [
        "reload", "row", "row", "result"]
    assert session.result() == {"keys": [DECOMPOSED, DECOMPOSED]}


def test_field_names_are_duplicates_only_if_their_bytes_are_equal(server):
    session = server.session(ROWS)
    ana = session.join("Ana")

    answer = ana.do("select", column=0, row=1, generation=1, **{COMPOSED: 1, DECOMPOSED: 2})

    assert answer["type"] == "delta"
