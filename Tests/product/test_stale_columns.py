"""Selects from a stale column, and the changes in a refused select."""

from harness.definitions import LISTS, TREE


def shown(ana, number):
    column = ana.screen.columns[number]
    return {"change": "row", "column": number,
            **{field: column[field] for field in ("row", "key", "text")}}


def test_with_the_current_generation_only_the_row_counts(server):
    session = server.session(TREE)
    ana = session.join("Ana")

    ana.select(1, 1, generation=1, key="Guangzhou")

    assert session.result() == {"keys": ["Guangdong", "Chaozhou", "Xiangqiao"]}


def test_an_unknown_key_is_ignored_with_the_current_generation(server):
    ana = server.session(TREE).join("Ana")

    assert ana.select(1, 1, generation=1, key="Atlantis")["type"] == "delta"


def test_with_an_older_generation_only_the_key_counts(server):
    """Bo selects another province and back: the column has the same rows, two generations later."""
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")
    bo.select(0, 1)
    bo.select(0, 0)

    ana.ask("select", column=1, row=0, generation=1, key="Chaozhou")
    ana.reach(3)

    assert session.result() == {"keys": ["Guangdong", "Chaozhou", "Xiangqiao"]}


def test_with_another_generation_the_row_is_ignored(server):
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")
    bo.select(0, 1)

    answer = ana.do("select", column=1, row=4711, generation=1, key="Leshan")

    assert answer["type"] == "delta"
    assert session.result() == {"keys": ["Sichuan", "Leshan"]}


def test_a_future_generation_is_treated_as_stale(server):
    session = server.session(TREE)
    ana = session.join("Ana")

    with_key = ana.do("select", column=1, row=0, generation=5, key="Chaozhou")
    without = ana.do("select", column=1, row=0, generation=5)

    assert with_key["type"] == "delta"
    assert without["code"] == "staleColumn"


def test_generation_zero_is_treated_as_stale(server):
    ana = server.session(TREE).join("Ana")

    assert ana.do("select", column=1, row=0, generation=0)["code"] == "staleColumn"


def test_a_stale_generation_without_a_key_is_refused_with_stale_column(server):
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")
    bo.select(0, 1)

    refused = ana.do("select", column=1, row=1, generation=1)

    assert (refused["code"], refused["revision"]) == ("staleColumn", 1)
    reload, row = refused["changes"]
    assert reload == {
        "change": "reload", "column": 1, "generation": 2, "count": 2, "from": 0, "row": 0,
        "rows": [{"key": "Chengdu", "text": "Chengdu"}, {"key": "Leshan", "text": "Leshan"}]}
    assert row == {"change": "row", "column": 1, "row": 0, "key": "Chengdu", "text": "Chengdu"}
    assert session.revision() == 1


def test_a_stale_select_of_a_removed_key_is_refused_with_no_such_row(server):
    """"If it is any other …: the row with that `key` is meant": here no row has the key."""
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")
    bo.select(0, 1)

    refused = ana.do("select", column=1, row=1, generation=1, key="Chaozhou")

    assert refused["code"] == "noSuchRow"
    assert refused["changes"] == [shown(ana, 1)]
    assert session.revision() == 1


def test_a_stale_select_of_the_selected_key_gets_a_reply(server):
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")
    bo.select(0, 1)

    answer = ana.do("select", column=1, row=1, generation=1, key="Chengdu")

    assert (answer["type"], answer["revision"]) == ("reply", 1)


def test_independent_columns_never_become_stale(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    for row in (1, 2, 3):
        bo.select(0, row)

    assert ana.do("select", column=0, row=1, generation=1)["type"] == "delta"


def test_a_refused_select_carries_the_row_of_its_column(server):
    ana = server.session(TREE).join("Ana")
    ana.select(1, 1)

    refused = ana.select(1, 2)

    assert refused["code"] == "noSuchRow"
    assert refused["changes"] == [{
        "change": "row", "column": 1, "row": 1, "key": "Chaozhou", "text": "Chaozhou"}]
    assert refused["detail"]


def test_a_select_in_an_unknown_column_carries_no_changes(server):
    ana = server.session(TREE).join("Ana")

    refused = ana.do("select", column=3, row=0, generation=1)

    assert (refused["code"], refused["changes"]) == ("noSuchColumn", [])


def test_a_select_in_an_empty_column_is_refused_with_no_such_row(server):
    """The contract leaves the `row` of an empty column open: absent or null."""
    ana = server.session(TREE).join("Ana")
    ana.select(0, 1)
    ana.select(1, 1)

    refused = ana.select(2, 0)

    assert refused["code"] == "noSuchRow"
    assert all(change["row"] is None for change in refused["changes"])


def test_the_generation_is_checked_before_the_row(server):
    ana = server.session(TREE).join("Ana")

    assert ana.do("select", column=1, row=99, generation=7)["code"] == "staleColumn"
    assert ana.do("select", column=9, row=99, generation=7)["code"] == "noSuchColumn"


def test_every_refused_select_carries_the_row_of_its_column(server):
    session = server.session(TREE)
    ana = session.join("Ana")
    ana.select(1, 1, ref=10)
    old = ana.select(1, 0, ref=9)
    ana.confirm()

    closed = ana.select(1, 0)

    assert (old["code"], old["changes"]) == ("oldRef", [shown(ana, 1)])
    assert (closed["code"], closed["changes"]) == ("notOpen", [shown(ana, 1)])


def test_a_select_concurrent_with_a_reload_is_matched_by_key(server):
    """Ana selects from the column that she saw; Bo's select has replaced it in the meantime."""
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")

    bo.select(0, 1)
    answer = ana.do("select", column=2, row=1, generation=1, key="Yuexiu")

    assert answer["code"] == "noSuchRow"
    assert session.result() == {"keys": ["Sichuan", "Chengdu", "Pixian"]}
