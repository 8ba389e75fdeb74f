"""Taps on a calendar: targets, refusals and their order, clamping and reach."""

import pytest

from harness.definitions import CALENDAR

BOUNDED = {**CALENDAR, "min": "2018-11-05", "max": "2018-11-28",
           "blocked": [{"weekdays": [1]}, {"from": "2018-11-13"}], "minDays": 2, "maxDays": 10}


def change_of(delta):
    assert delta["type"] == "delta", delta
    return next(change for change in delta["changes"] if change["change"] == "range")


def test_two_taps_select_a_range_and_a_third_starts_a_new_one(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana", months={"from": "2018-10", "count": 3})

    ends = [change_of(ana.tap(day)) for day in ("2018-11-20", "2018-10-30", "2018-12-01")]

    assert [(c["start"], c["end"], c["hits"], c["cause"], c["by"]) for c in ends] == [
        ("2018-11-20", "2018-11-20", 1, "tap", ana.id),
        ("2018-10-30", "2018-11-20", 2, "tap", ana.id),
        ("2018-12-01", "2018-12-01", 3, "tap", ana.id)]


def test_taps_by_date_by_cell_and_by_point_are_equivalent(server):
    for where in ({"date": "2018-11-20"}, {"month": "2018-11", "cell": 23},
                  {"month": "2018-11", "x": 2.5 / 7, "y": 0.184 + 0.816 * 3.5 / 6}):
        session = server.session(CALENDAR)
        assert change_of(session.join("Ana").tap(**where))["start"] == "2018-11-20", where


@pytest.mark.parametrize("x, y, code", [
    (0.5, 0.0, "noSuchCell"), (0.5, 0.1, "noSuchCell"), (0.5, 0.18399, "noSuchCell"),
    (1.0, 0.5, "noSuchCell"), (0.5, 1.0, "noSuchCell"), (-0.01, 0.5, "noSuchCell"),
    (0.5, -1, "noSuchCell"), (2, 2, "noSuchCell"), (1e300, 0.5, "noSuchCell"),
    (0.0, 0.184, "otherMonth"), (0.99, 0.99, "otherMonth"), (0, 0.99999, "otherMonth")])
def test_a_tap_at_a_point_outside_the_months_cells_is_refused(server, x, y, code):
    ana = server.session(CALENDAR).join("Ana")

    assert ana.tap(month="2018-11", x=x, y=y)["code"] == code


def test_a_cell_includes_its_left_and_top_edges(server):
    ana = server.session(CALENDAR).join("Ana")

    first = change_of(ana.tap(month="2018-11", x=4 / 7, y=0.184))
    below = change_of(ana.tap(month="2018-11", x=4 / 7, y=0.184 + 0.816 / 6 + 1e-9))

    assert (first["start"], below["end"]) == ("2018-11-01", "2018-11-08")


def test_coordinates_may_be_integers(server):
    """0 means the same as 0.0."""
    ana = server.session({**CALENDAR, "firstWeekday": 5}).join("Ana")

    assert change_of(ana.tap(month="2018-11", x=0, y=0.2))["start"] == "2018-11-01"


def test_tap_refusals_have_the_documented_precedence(server):
    session = server.session(BOUNDED, openTap="opener")
    ana, bo = session.together("Ana", "Bo")
    codes = [bo.tap(**where)["code"] for where in (
        {"date": "2020-01-01"}, {"month": "2020-01", "cell": 99}, {"month": "2018-11", "cell": 42},
        {"month": "2018-11", "cell": 0}, {"date": "2018-11-04"}, {"date": "2018-12-02"},
        {"date": "2018-11-18"}, {"date": "2018-11-13"})]
    assert codes == ["outsideMonths", "outsideMonths", "noSuchCell", "otherMonth", "beforeMin",
                     "afterMax", "blocked", "blocked"]

    ana.tap("2018-11-15")
    bo.reach(1)

    assert bo.tap("2018-11-18")["code"] == "blocked"
    assert bo.tap("2018-11-15")["code"] == "tapClaimed"
    assert ana.tap("2018-11-15")["code"] == "minDays"


def test_outside_months_precedes_before_min_and_before_min_precedes_blocked(server):
    session = server.session({**CALENDAR, "min": "2018-11-10", "blocked": [{"from": "2018-11-01"}]})
    ana = session.join("Ana")

    assert ana.tap("2018-11-01")["code"] == "beforeMin"
    assert ana.tap("2017-12-31")["code"] == "outsideMonths"


def test_a_refused_tap_carries_the_current_range(server):
    session = server.session(BOUNDED)
    ana = session.join("Ana")

    before = ana.tap("2018-11-18")
    ana.tap("2018-11-20")
    after = ana.tap("2018-11-20")

    nothing, = before["changes"]
    assert nothing == {"change": "range", "start": None, "end": None, "hits": 0}
    change, = after["changes"]
    assert after["code"] == "minDays"
    assert change == {
        "change": "range", "start": "2018-11-20", "end": "2018-11-20", "hits": 1, "by": ana.id,
        "reach": {"from": "2018-11-19", "through": "2018-11-24"}}


def test_reach_ends_before_blocked_days(server):
    """The blocked Sundays are the 18th towards `min` and the 25th towards `max`."""
    session = server.session(BOUNDED)
    ana = session.join("Ana")

    reach = change_of(ana.tap("2018-11-20"))["reach"]

    assert reach == {"from": "2018-11-19", "through": "2018-11-24"}


def test_reach_ends_at_min_and_at_max_days(server):
    session = server.session({**CALENDAR, "min": "2018-11-18", "maxDays": 5})
    ana = session.join("Ana")

    reach = change_of(ana.tap("2018-11-20"))["reach"]

    assert reach == {"from": "2018-11-18", "through": "2018-11-24"}


def test_reach_without_limits_covers_all_months(server):
    ana = server.session(CALENDAR).join("Ana")

    reach = change_of(ana.tap("2018-11-20"))["reach"]

    assert reach == {"from": "2018-01-01", "through": "2019-12-31"}


def test_a_tap_beyond_max_days_is_clamped_and_carries_the_reason(server):
    session = server.session({**CALENDAR, "maxDays": 5})
    ana = session.join("Ana")
    ana.tap("2018-11-10")

    change = change_of(ana.tap("2018-11-20"))

    assert change == {
        "change": "range", "start": "2018-11-10", "end": "2018-11-14", "hits": 2, "by": ana.id,
        "cause": "clamp", "reason": "maxDays", "wanted": "2018-11-20"}
    assert session.result() == {"start": "2018-11-10", "end": "2018-11-14", "days": 5}


def test_a_range_is_clamped_before_a_blocked_day(server):
    session = server.session(
        {**CALENDAR, "blocked": [{"from": "2018-11-13", "through": "2018-11-14"}]})
    ana = session.join("Ana")

    ana.tap("2018-11-20")
    change = change_of(ana.tap("2018-11-10"))

    assert (change["start"], change["end"], change["reason"], change["wanted"]) == (
        "2018-11-15", "2018-11-20", "blocked", "2018-11-10")


def test_allow_blocked_inside_permits_ranges_over_blocked_days(server):
    session = server.session({**CALENDAR, "allowBlockedInside": True, "blocked": [
        {"from": "2018-11-13", "through": "2018-11-14"}]})
    ana = session.join("Ana")
    ana.tap("2018-11-10")

    assert change_of(ana.tap("2018-11-20"))["cause"] == "tap"
    assert ana.tap("2018-11-13")["code"] == "blocked"
    assert session.result()["days"] == 11


def test_a_clamped_range_below_min_days_is_refused_and_stays_open(server):
    session = server.session({**CALENDAR, "minDays": 5, "blocked": [{"from": "2018-11-13"}]})
    ana = session.join("Ana")
    ana.tap("2018-11-10")

    assert ana.tap("2018-11-20")["code"] == "minDays"
    assert session.get()["snapshot"]["calendar"]["range"]["hits"] == 1
    assert change_of(ana.tap("2018-11-06"))["hits"] == 2


def test_clear_resets_the_range_and_the_hits(server):
    session = server.session(CALENDAR)
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")
    bo.reach(1)

    change = change_of(bo.clear())

    assert (change["start"], change["end"], change["hits"], change["cause"]) == (
        None, None, 0, "clear")
    assert session.get()["snapshot"]["calendar"]["range"] is None
    assert change_of(bo.tap("2018-11-22"))["hits"] == 1


def test_a_single_selection_counts_a_hit_per_tap(server):
    session = server.session({**CALENDAR, "selection": "single", "minDays": 3, "maxDays": 4})
    ana = session.join("Ana")

    first = change_of(ana.tap("2018-11-20"))
    second = change_of(ana.tap("2018-11-22"))

    assert (first["start"], first["end"], first["hits"]) == ("2018-11-20", "2018-11-20", 1)
    assert (second["start"], second["end"], second["hits"]) == ("2018-11-22", "2018-11-22", 2)
    assert session.result() == {"date": "2018-11-22"}


def test_an_open_range_has_no_result(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    assert session.result() is None

    ana.tap("2018-11-20")
    assert session.result() is None

    ana.tap("2018-11-20")
    assert session.result() == {"start": "2018-11-20", "end": "2018-11-20", "days": 1}


def test_all_members_share_one_hit_counter(server):
    """`shared`: "the next accepted tap of anybody closes the range"."""
    session = server.session(CALENDAR)
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")
    bo.reach(1)

    change = change_of(bo.tap("2018-11-22"))

    assert (change["start"], change["end"], change["hits"], change["by"]) == (
        "2018-11-20", "2018-11-22", 2, bo.id)
