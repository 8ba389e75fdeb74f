"""Selects from a stale column, and the changes in a refused select."""

from harness.definitions import TREE


def shown(ana, number):
    column = ana.screen.columns[number]
    return {"change": "row", "column": number,
            **{field: column[field] for field in ("row", "key", "text")}}


def test_with_an_older_generation_only_the_key_counts(server):
    """Bo selects another province and back: the column has the same rows, two generations later."""
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")
    bo.select(0, 1)
    bo.select(0, 0)

    ana.ask("select", column=1, row=0, generation=1, key="Chaozhou")
    ana.reach(3)

    assert session.result() == {"keys": ["Guangdong", "Chaozhou", "Xiangqiao"]}


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
