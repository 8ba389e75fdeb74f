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


# Months


def test_the_last_months_request_replaces_the_subscription(server):
    ana = server.session(CALENDAR).join("Ana", months={"from": "2018-11", "count": 1})
    ana.look("2019-01", 1)

    delta = ana.tap("2018-11-20")

    assert [c["change"] for c in delta["changes"]] == ["range"]
