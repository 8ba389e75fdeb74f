"""References that are kept in several places: definitions (schemas, page, decoder) and refusals."""

import json
import re
import subprocess

import pytest
from jsonschema_rs import Draft202012Validator

from harness.pickerd import REPOSITORY

KINDS = ["date", "slot", "cascade", "columns", "calendar", "availability"]
SHARED = ["kind", "timeZone", "locale"]
OPENAPI = json.loads((REPOSITORY / "web/client/api/openapi.json").read_text())
PAGE = (REPOSITORY / "web/guide/definitions.md").read_text()
DEMO = json.loads((REPOSITORY / "web/demo/pickers.json").read_text())


def schema(kind):
    return OPENAPI["components"]["schemas"][f"{kind}Definition"]


def validator(name="newDefinition"):
    return Draft202012Validator(
        {"$ref": f"#/components/schemas/{name}", "components": OPENAPI["components"]})


def decoded(kind):
    """The fields that the decoder accepts, read from `static let shape` in the Swift source."""
    source = next((REPOSITORY / "Sources/PickerModel").rglob(f"{kind.capitalize()}Kind.swift")).read_text()
    rest = source[re.search(r"static let shape: \[String: FieldShape\] = ", source).end():]
    depths, depth = [], 0
    for character in rest:
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(character, 0)
        depths.append(depth)
        if depth == 0:
            break
    top = "".join(c for c, depth in zip(rest, depths) if depth == 1)
    return re.findall(r'"(\w+)":', top)


def listed(heading):
    """The table in a section of the guide page: name → (default, example)."""
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]
    rows = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in section.splitlines()
            if line.startswith("| `")]
    return {row[0].strip("`"): (row[3], row[5]) for row in rows}


def smallest(kind, name=None):
    """A definition of the kind with the required fields only, and the unit to which `name` belongs."""
    properties = schema(kind)["properties"]
    unit = {"unit": "nights"} if name in ("minNights", "maxNights", "stays") else {}
    return {"kind": kind} | unit | {
        name: properties[name]["examples"][0] for name in schema(kind)["required"][1:]}


@pytest.mark.parametrize("kind", KINDS)
def test_schema_page_and_decoder_have_the_same_fields(kind):
    own = list(schema(kind)["properties"])
    assert own[:3] == SHARED
    assert sorted(own[3:]) == sorted(decoded(kind))
    assert own[3:] == list(listed(f"`{kind}`"))
    assert list(listed("Fields of every kind")) == SHARED


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_has_a_description_and_a_valid_example(server, kind):
    server.clock("2026-11-20T10:00:00+08:00")
    for name, field in schema(kind)["properties"].items():
        definition = smallest(kind, name) | {name: field["examples"][0]}

        assert field["description"].endswith((".", "!")), name
        validator().validate(definition)
        answer = server.check(definition)
        assert answer.status == 200, (name, answer)
        shown = listed("Fields of every kind" if name in SHARED else f"`{kind}`")[name]
        if name != "kind":
            assert shown[1] == f"`{json.dumps(field['examples'][0], ensure_ascii=False)}`"


@pytest.mark.parametrize("kind", KINDS)
def test_documented_defaults_match_the_server(server, kind):
    for name, field in schema(kind)["properties"].items():
        if "default" not in field:
            continue
        filled = server.check(smallest(kind, name)).json["snapshot"]["definition"]
        assert filled[name] == field["default"], name
        shown = listed("Fields of every kind" if name in SHARED else f"`{kind}`")[name][0]
        assert shown == f"`{json.dumps(field['default'], ensure_ascii=False)}`", name


OUTSIDE = [(kind, name, value) for kind in KINDS
           for name, field in schema(kind)["properties"].items()
           for value in [field.get("minimum", 0) - 1] * ("minimum" in field)
           + [field.get("maximum", 0) + 1] * ("maximum" in field)
           + ["nonsense"] * ("enum" in field or "$ref" in field) + [[[]]] * ("const" not in field)]


@pytest.mark.parametrize("kind, name, value", OUTSIDE, ids=str)
def test_schema_and_server_reject_the_same_invalid_fields(server, kind, name, value):
    definition = smallest(kind, name) | {name: value}

    assert not validator().is_valid(definition)
    answer = server.check(definition)
    assert (answer.status, answer.code) == (422, "badDefinition"), answer
    assert answer.json["pointer"].startswith(f"/{name}")


@pytest.mark.parametrize("kind", KINDS)
def test_schema_and_server_reject_unknown_fields(server, kind):
    definition = smallest(kind) | {"colour": "red"}

    assert not validator().is_valid(definition)
    assert server.check(definition).json["pointer"] == "/colour"


@pytest.mark.parametrize("name", ["dateExpression", "monthExpression"])
def test_the_page_explains_every_form_of_an_expression(name):
    for example in OPENAPI["components"]["schemas"][name]["examples"]:
        validator(name).validate(example)
        word = re.match(r"today|this\w+?(?=[+-]|$)|\d{4}-\d{2}-\d{2}|\d{4}-\d{2}", example)[0]
        assert f"`{word}" in PAGE or word.replace("-", "").isdigit()


def test_the_commands_for_notes_work(server):
    commands = re.findall(r"^\$ (curl .*)$", PAGE, re.M)

    for command, kind in zip(commands, ("calendar", "date"), strict=True):
        session = server.session({"kind": kind})
        url = f"http://127.0.0.1:{server.port}{session.path}"
        subprocess.run(["bash", "-euc", f"exec {command} -sSf"], check=True,
                       env={"PATH": "/usr/bin:/bin", "SESSION": url})
        assert "tone" in server.get(f"{session.path}/notes").body.decode()


@pytest.mark.parametrize("picker", DEMO, ids=lambda picker: picker["id"])
def test_the_demo_definitions_are_valid(server, picker):
    # The dialog of a card that finds a time asks for the dates.
    asked = {"dates": {"from": "today", "through": "today+P2W"}} if "find" in picker else {}
    for definition in picker["definitions"]:
        definition = {**definition, **asked}
        validator().validate(definition)
        answer = server.create(definition)
        assert answer.status == 201, answer
        server.delete(f"/v1/sessions/{answer.json['session']}")


def test_the_guide_lists_every_refusal_in_order_with_its_params():
    guide = (REPOSITORY / "web/guide/README.md").read_text()
    table = re.search(r"^## Refusals\n(.*?)^## ", guide, re.M | re.S)[1]
    rows = [line.strip("| ").split("|") for line in table.splitlines() if line.startswith("| `")]
    schemas = OPENAPI["components"]["schemas"]
    source = (REPOSITORY / "Sources/PickerModel/Picker/Refusal.swift").read_text()
    codes = re.findall(r"\w+", " ".join(re.findall(r"^  case (.*)$", source, re.M)))

    assert [row[0].strip().strip("`") for row in rows] == codes == schemas["refusal"]["enum"]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row[1])}
    assert named == set(schemas["params"]["properties"])
