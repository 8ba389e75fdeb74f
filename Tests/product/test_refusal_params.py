"""`params`: the values in a refusal, from which a client makes a localised message."""

import json
import re

import pytest

from harness.definitions import CALENDAR, LISTS
from harness.pickerd import REPOSITORY

BOUNDED = {**CALENDAR, "min": "today-P9D", "max": "2018-12-20", "minDays": 3, "weeks": "fit",
           "blocked": [{"weekdays": [1]}]}


def refused(answer, code):
    assert (answer["type"], answer["code"]) == ("refused", code), answer
    return answer["params"]


@pytest.mark.parametrize("code, where, params", [
    ("outsideMonths", {"date": "2020-01-01"}, {"first": "2018-01", "last": "2019-12"}),
    ("noSuchCell", {"month": "2018-11", "cell": 35}, {"count": 35}),
    ("noSuchCell", {"month": "2018-11", "x": 0.5, "y": 0.01}, {"count": 35}),
    ("otherMonth", {"month": "2018-11", "cell": 34}, {"date": "2018-12-01"}),
    ("beforeMin", {"date": "2018-11-13"}, {"date": "2018-11-13", "min": "2018-11-14"}),
    ("afterMax", {"date": "2018-12-21"}, {"date": "2018-12-21", "max": "2018-12-20"}),
    ("blocked", {"date": "2018-11-25"}, {"date": "2018-11-25"}),
])
def test_refused_taps_have_params(server, code, where, params):
    ana = server.session(BOUNDED).join("Ana")

    assert refused(ana.tap(**where), code) == params


def test_min_days_and_tap_claimed_have_params(server):
    session = server.session(BOUNDED, openTap="opener")
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")

    assert refused(bo.tap("2018-11-24"), "tapClaimed") == {"by": ana.id}
    assert refused(ana.tap("2018-11-21"), "minDays") == {"days": 2, "minDays": 3}
    single = ana.tap("2018-11-20")
    assert refused(single, "minDays") == {"days": 1, "minDays": 3}
    assert single["detail"] == "2018-11-20 to 2018-11-20 has 1 day; the minimum is 3"


def test_refused_selects_have_params(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    assert refused(ana.select(9, 0), "noSuchColumn") == {"count": 2}
    assert refused(ana.select(0, 9), "noSuchRow") == {"count": 4}
    assert refused(ana.select(0, 1, generation=9), "staleColumn") == {"generation": 1}
    assert refused(bo.confirm(), "notAllowed") == {"role": "owner"}
    assert refused(ana.undo(), "nothingToUndo") == {}
    ana.confirm()
    assert refused(ana.select(0, 1), "notOpen") == {"status": "confirmed"}


def test_a_repeated_refusal_has_its_original_params(server):
    """Even if the bounds have changed since."""
    session = server.session(BOUNDED)
    ana = session.join("Ana")
    first = ana.do("tap", date="2018-11-13", ref=7)
    server.clock("2018-11-27T10:00:00+08:00")
    ana.until(lambda m: not m.pending)

    again = ana.do("tap", date="2018-11-13", ref=7)

    assert again["params"] == first["params"] == {"date": "2018-11-13", "min": "2018-11-14"}
    assert refused(ana.tap("2018-11-13"), "beforeMin")["min"] == "2018-11-18"


def test_the_guide_lists_every_refusal_in_order_with_its_params():
    guide = (REPOSITORY / "web/guide/README.md").read_text()
    table = re.search(r"^## Refusals\n(.*?)^## ", guide, re.M | re.S)[1]
    rows = [line.strip("| ").split("|") for line in table.splitlines() if line.startswith("| `")]
    common = json.loads((REPOSITORY / "Tests/product/schemas/common.json").read_text())["$defs"]
    source = (REPOSITORY / "Sources/PickerModel/Picker/Refusal.swift").read_text()
    codes = re.findall(r"\w+", " ".join(re.findall(r"^  case (.*)$", source, re.M)))

    assert [row[0].strip().strip("`") for row in rows] == codes == common["refusal"]["enum"]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row[1])}
    assert named == set(common["params"]["properties"])


def test_the_guide_lists_every_close_code():
    guide = (REPOSITORY / "web/guide/README.md").read_text()
    codes = re.findall(r"= (\d{4})", (REPOSITORY / "Sources/PickerHub/Receiving.swift").read_text())

    table = re.search(r"^## Closing.*?^## ", guide, re.M | re.S)[0]
    assert len(codes) >= 10
    assert [code for code in codes if code not in table] == []
