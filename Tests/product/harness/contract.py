"""Validates every message and response against the JSON Schemas of the contract."""

import json
from functools import cache
from pathlib import Path

from jsonschema_rs import Draft202012Validator, Registry

SCHEMAS = Path(__file__).resolve().parent.parent / "schemas"
MESSAGES = {
    "welcome", "delta", "reply", "refused", "snapshot", "months", "rows", "presence",
    "draining", "error", "token",
}


@cache
def _registry():
    documents = (json.loads(path.read_text()) for path in SCHEMAS.glob("*.json"))
    return Registry([(document["$id"], document) for document in documents])


@cache
def _validator(name):
    document = json.loads((SCHEMAS / f"{name}.json").read_text())
    return Draft202012Validator(document, registry=_registry())


def fits(name, value):
    """Asserts that `value` is valid against `schemas/NAME.json`."""
    problems = sorted(_validator(name).iter_errors(value), key=_path)
    if problems:
        texts = "\n".join(f"  {_path(p)}: {p.message[:300]}" for p in problems[:5])
        raise AssertionError(f"invalid {name}:\n{texts}\n  in {_short(value)}")
    return value


def message_fits(message):
    """Asserts that `message` is a message of the server that the schemas describe."""
    assert isinstance(message, dict), f"a message is a JSON object: {_short(message)}"
    assert message.get("type") in MESSAGES, f"unknown message type: {_short(message)}"
    return fits(message["type"], message)


def _path(problem):
    """Where a problem is in the message, such as `$.changes[0].row`."""
    return "$" + "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in problem.instance_path)


def _short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 1200 else text[:1200] + "…"
