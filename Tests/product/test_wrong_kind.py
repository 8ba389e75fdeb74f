"""Commands that do not fit the kind of picker are refused with `wrongKind`."""

import pytest

from harness.definitions import CALENDAR, LISTS


@pytest.mark.parametrize("command, fields", [
    ("tap", {"date": "2018-11-20"}), ("tap", {"month": "2018-11", "cell": 3}), ("clear", {})])
def test_columns_refuse_tap_and_clear(server, command, fields):
    ana = server.session(LISTS).join("Ana")

    refused = ana.do(command, **fields)

    assert (refused["code"], refused["changes"]) == ("wrongKind", [])


@pytest.mark.parametrize("message", [
    {"type": "months", "from": "2018-11", "count": 1}, {"type": "touch", "date": "2018-11-20"}],
    ids=lambda m: m["type"])
def test_columns_refuse_months_and_touched_dates(server, message):
    """The messages have no `ref`, so the `refused` has none either."""
    ana = server.session(LISTS).join("Ana")

    ana.send(message)

    refused = ana.expect("refused")
    assert (refused["code"], refused["changes"]) == ("wrongKind", [])
    assert "ref" not in refused


@pytest.mark.parametrize("message", [
    {"type": "rows", "column": 0, "from": 0, "count": 1},
    {"type": "touch", "column": 0, "row": 0}], ids=lambda m: m["type"])
def test_calendars_refuse_rows_and_touched_columns(server, message):
    ana = server.session(CALENDAR).join("Ana")

    ana.send(message)

    assert ana.expect("refused")["code"] == "wrongKind"


def test_calendars_refuse_select(server):
    ana = server.session(CALENDAR).join("Ana")

    refused = ana.do("select", column=0, row=0, generation=1)

    assert (refused["code"], refused["changes"]) == ("wrongKind", [])
