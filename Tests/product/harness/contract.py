"""Validates every message and response against the published documents of the contract.

A client must accept unknown fields, so the documents' schemas allow them. The server sends none:
here each object has the fields of its schema only.
"""

import json
from functools import cache
from pathlib import Path

from jsonschema_rs import Draft202012Validator

API = Path(__file__).resolve().parents[3] / "web" / "client" / "api"
#: Objects whose schemas name only the fields that they must have.
OPEN = {"definition", "wholeValue", "command", "stands"}


def document(name):
    """`openapi` or `asyncapi`, as published."""
    return json.loads((API / f"{name}.json").read_text())


def bundled(openapi, asyncapi):
    """The AsyncAPI document with the schemas of the OpenAPI document that it refers to."""
    text = json.dumps(asyncapi).replace('"openapi.json#/', '"#/')
    whole = json.loads(text)
    whole["components"]["schemas"] = {
        **openapi["components"]["schemas"], **whole["components"]["schemas"]}
    return whole


def closed(part, name=None):
    """A copy of a schema, the value of `name`, whose objects have no unknown fields."""
    if isinstance(part, list):
        return [closed(value) for value in part]
    if not isinstance(part, dict):
        return part
    fields = {key: closed(value, key) for key, value in part.items()}
    if part.get("type") == "object" and "properties" in part and name not in OPEN:
        fields.setdefault("additionalProperties", False)
    return fields


@cache
def _components():
    return closed(bundled(document("openapi"), document("asyncapi"))["components"])


@cache
def _messages():
    """The schemas of the server's messages, by type."""
    return {name.removeprefix("server."): message["payload"]["schema"]
            for name, message in _components()["messages"].items() if name.startswith("server.")}


@cache
def _validator(name):
    schemas = _components()["schemas"]
    schema = _messages().get(name) or schemas[name]
    return Draft202012Validator({**schema, "components": {"schemas": schemas}})


def fits(name, value):
    """Asserts that `value` is valid against the schema of a message or of the HTTP API."""
    problems = sorted(_validator(name).iter_errors(value), key=_path)
    if problems:
        texts = "\n".join(f"  {_path(p)}: {p.message[:300]}" for p in problems[:5])
        raise AssertionError(f"invalid {name}:\n{texts}\n  in {_short(value)}")
    return value


def message_fits(message):
    """Asserts that `message` is a message of the server that the contract describes."""
    assert isinstance(message, dict), f"a message is a JSON object: {_short(message)}"
    assert message.get("type") in _messages(), f"unknown message type: {_short(message)}"
    return fits(message["type"], message)


def _path(problem):
    """Where a problem is in the message, such as `$.changes[0].row`."""
    return "$" + "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in problem.instance_path)


def _short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 1200 else text[:1200] + "…"
