"""`params`: the values in a refusal, from which a client makes a localised message."""

import re

import pytest

from harness import contract
from harness.definitions import CALENDAR
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


def test_the_guide_lists_every_refusal_in_order_with_its_params():
    guide = (REPOSITORY / "web/guide/README.md").read_text()
    table = re.search(r"^## Refusals\n(.*?)^## ", guide, re.M | re.S)[1]
    rows = [line.strip("| ").split("|") for line in table.splitlines() if line.startswith("| `")]
    schemas = contract.document("openapi")["components"]["schemas"]
    source = (REPOSITORY / "Sources/PickerModel/Picker/Refusal.swift").read_text()
    codes = re.findall(r"\w+", " ".join(re.findall(r"^  case (.*)$", source, re.M)))

    assert [row[0].strip().strip("`") for row in rows] == codes == schemas["refusal"]["enum"]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row[1])}
    assert named == set(schemas["params"]["properties"])
