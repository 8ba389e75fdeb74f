"""Windows into long columns and long lists of months."""

from harness.definitions import CALENDAR, LISTS, LONG


def numbers(rows):
    return [int(row["key"].split()[1]) for row in rows]


def test_rows_outside_the_window_can_be_requested(server):
    ana = server.session(LONG).join("Ana")

    message = ana.rows(0, 400, 100)

    assert (message["column"], message["generation"], message["from"]) == (0, 1, 400)
    assert numbers(message["rows"]) == list(range(400, 500))


def test_rows_of_an_unknown_column_are_refused(server):
    """`refused` with `noSuchColumn` and without a `ref`."""
    ana = server.session(LISTS).join("Ana")

    for column in (2, -1, 2**63):
        ana.send({"type": "rows", "column": column, "from": 0, "count": 1})
        assert ana.expect("refused")["code"] == "noSuchColumn"


def test_the_number_of_rows_per_request_is_configurable(small):
    ana = small.session(LISTS | {"columns": [[f"row {n}" for n in range(50)]]}).join("Ana")

    assert len(ana.rows(0, 0, 20)["rows"]) == 10


# Months


def test_months_has_a_view_of_each_requested_month(server):
    ana = server.session(CALENDAR).join("Ana")

    message = ana.look("2018-11", 3)

    assert [view["month"] for view in message["months"]] == ["2018-11", "2018-12", "2019-01"]
    view = message["months"][0]
    assert len(view["cells"]) == 42 and view["bands"] == []
    assert view["cells"][0] | {"disabled": True} == {
        "date": "2018-10-28", "text": "28", "outside": True, "disabled": True}
    assert view["cells"][4] == {"date": "2018-11-01", "text": "1"}
    assert [cell["date"] for cell in view["cells"] if cell.get("today")] == ["2018-11-23"]


def test_the_number_of_months_per_request_is_configurable(small):
    ana = small.session(CALENDAR).join("Ana")

    assert len(ana.look("2018-01", 12)["months"]) == 3


def test_deltas_differ_only_in_ref_texts_and_bands(server):
    session = server.session(CALENDAR)
    ana, bo = session.join("Ana"), session.join("Bo", months={"from": "2018-11", "count": 1})

    mine = ana.tap("2018-11-20")
    theirs = bo.expect("delta")

    plain = {**theirs, "changes": [c for c in theirs["changes"] if c["change"] != "bands"]}
    assert plain == {k: v for k, v in mine.items() if k != "ref"}


def test_the_last_months_request_replaces_the_subscription(server):
    ana = server.session(CALENDAR).join("Ana", months={"from": "2018-11", "count": 1})
    ana.look("2019-01", 1)

    delta = ana.tap("2018-11-20")

    assert [c["change"] for c in delta["changes"]] == ["range"]
