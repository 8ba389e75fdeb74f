"""Windows into long columns and long lists of months."""

import pytest

from harness.definitions import CALENDAR, LISTS, LONG, TREE


def numbers(rows):
    return [int(row["key"].split()[1]) for row in rows]


def test_a_snapshot_has_200_rows_of_a_long_column(server):
    ana = server.session(LONG).join("Ana")

    column, = ana.welcome["snapshot"]["columns"]

    assert (column["count"], column["from"], column["row"]) == (10_000, 0, 0)
    assert numbers(column["rows"]) == list(range(200))


@pytest.mark.parametrize("row, start", [
    (0, 0), (99, 0), (100, 0), (101, 1), (5_000, 4_900), (9_899, 9_799), (9_900, 9_800),
    (9_901, 9_800), (9_999, 9_800)])
def test_the_window_is_centred_on_the_selected_row(server, row, start):
    session = server.session(LONG)
    session.join("Ana").select(0, row)

    column, = session.get()["snapshot"]["columns"]

    assert (column["from"], column["row"]) == (start, row)
    assert numbers(column["rows"]) == list(range(start, start + 200))


def test_a_snapshot_has_all_rows_of_a_column_of_up_to_200(server):
    for count, shown in ((200, 200), (201, 200)):
        definition = {"kind": "columns", "columns": [[f"row {n}" for n in range(count)]]}
        column, = server.check(definition).json["snapshot"]["columns"]
        assert (column["count"], len(column["rows"])) == (count, shown)


def test_a_row_outside_the_window_can_be_selected(server):
    session = server.session(LONG)
    ana, bo = session.together("Ana", "Bo")

    delta = ana.select(0, 9_000)

    assert delta["changes"] == [{"change": "row", "column": 0, "row": 9_000, "key": "row 9000",
                                 "text": "row 9000", "cause": "select"},
                                {"change": "result", "result": {"keys": ["row 9000"]}}]
    bo.reach(1)


def test_rows_outside_the_window_can_be_requested(server):
    ana = server.session(LONG).join("Ana")

    message = ana.rows(0, 400, 100)

    assert (message["column"], message["generation"], message["from"]) == (0, 1, 400)
    assert numbers(message["rows"]) == list(range(400, 500))


def test_a_request_returns_at_most_500_rows(server):
    ana = server.session(LONG).join("Ana")

    assert numbers(ana.rows(0, 400, 501)["rows"]) == list(range(400, 900))
    assert len(ana.rows(0, 0, 10_000)["rows"]) == 500
    assert len(ana.rows(0, 0, 2**62)["rows"]) == 500


def test_rows_outside_the_column_are_left_out(server):
    ana = server.session(LONG).join("Ana")

    assert numbers(ana.rows(0, 9_990, 100)["rows"]) == list(range(9_990, 10_000))
    before = ana.rows(0, -5, 10)
    assert (before["from"], numbers(before["rows"])) == (0, [0, 1, 2, 3, 4])
    assert ana.rows(0, 10_000, 10)["rows"] == []
    assert ana.rows(0, -50, 10)["rows"] == []
    assert ana.rows(0, 5, 0)["rows"] == []
    assert ana.rows(0, 5, -3)["rows"] == []


def test_an_empty_column_returns_no_rows(server):
    ana = server.session(TREE).join("Ana")
    ana.select(0, 1)
    ana.select(1, 1)

    assert ana.rows(2, 0, 10)["rows"] == []


def test_rows_of_an_unknown_column_are_refused(server):
    """`refused` with `noSuchColumn` and without a `ref`."""
    ana = server.session(LISTS).join("Ana")

    for column in (2, -1, 2**63):
        ana.send({"type": "rows", "column": column, "from": 0, "count": 1})
        assert ana.expect("refused")["code"] == "noSuchColumn"


def test_requested_rows_are_of_the_current_generation(server):
    session = server.session(TREE)
    ana = session.join("Ana")
    ana.select(0, 1)

    message = ana.rows(1, 0, 10)

    assert message["generation"] == 2
    assert [row["key"] for row in message["rows"]] == ["Chengdu", "Leshan"]


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


def test_cells_that_cannot_be_selected_are_disabled(server):
    definition = {**CALENDAR, "min": "2018-11-05", "max": "2018-11-28",
                  "blocked": [{"weekdays": [7]}, {"from": "2018-11-13", "through": "2018-11-14"}]}
    ana = server.session(definition).join("Ana")

    cells = [c for c in ana.look("2018-11")["months"][0]["cells"] if not c.get("outside")]

    assert [int(c["text"]) for c in cells if c.get("disabled")] == [
        1, 2, 3, 4, 10, 13, 14, 17, 24, 29, 30]


def test_months_outside_the_calendar_are_left_out(server):
    ana = server.session(CALENDAR).join("Ana")

    def looked(month, count):
        return [view["month"] for view in ana.look(month, count)["months"]]

    assert looked("2019-11", 5) == ["2019-11", "2019-12"]
    assert looked("2017-11", 3) == ["2018-01"]
    assert looked("2020-01", 3) == []
    assert looked("2018-11", 0) == []
    assert looked("2018-11", -3) == []


def test_a_request_returns_at_most_24_months(server):
    definition = {**CALENDAR, "months": {"from": "2000-01", "through": "2030-12"}}
    ana = server.session(definition).join("Ana")

    for count in (24, 25, 2**62):
        months = [view["month"] for view in ana.look("2018-01", count)["months"]]
        assert (len(months), months[0], months[-1]) == (24, "2018-01", "2019-12")


def test_the_number_of_months_per_request_is_configurable(small):
    ana = small.session(CALENDAR).join("Ana")

    assert len(ana.look("2018-01", 12)["months"]) == 3


def test_only_changed_bands_are_sent_and_only_to_subscribers_of_the_month(server):
    session = server.session(CALENDAR)
    ana, bo = session.together("Ana", "Bo")
    ana.look("2018-10", 3)
    bo.look("2018-12", 1)

    ana.tap("2018-11-20")
    bo.reach(1)
    delta = ana.tap("2018-12-02")
    theirs = bo.expect("delta")

    assert [c["month"] for c in delta["changes"] if c["change"] == "bands"] == [
        "2018-11", "2018-12"]
    assert [c["month"] for c in theirs["changes"] if c["change"] == "bands"] == ["2018-12"]
    first = next(m for m in bo.record if m["type"] == "delta")
    assert [c["change"] for c in first["changes"]] == ["range"]


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


def test_a_request_for_no_months_ends_the_subscription(server):
    ana = server.session(CALENDAR).join("Ana", months={"from": "2018-11", "count": 1})
    ana.look("2018-11", 0)

    assert [c["change"] for c in ana.tap("2018-11-20")["changes"]] == ["range"]


def test_bands_of_long_ranges_match_the_rules_in_every_month(server):
    """The fold compares every band with the rules; six grids, ranges across months and years."""
    for weeks in ("six", "fit"):
        for first in (1, 2, 7):
            definition = {**CALENDAR, "weeks": weeks, "firstWeekday": first}
            session = server.session(definition, now=None)
            ana = session.join("Ana", months={"from": "2018-01", "count": 24})
            for day in ("2018-02-28", "2019-11-02", "2018-05-31", "2018-05-31", "2019-01-01",
                        "2018-12-31"):
                ana.tap(day)
            ana.undo()
            ana.clear()
