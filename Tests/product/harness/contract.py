"""Validates every message and response against the JSON Schemas of the contract."""

import json
from functools import cache
from pathlib import Path

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

SCHEMAS = Path(__file__).resolve().parent.parent / "schemas"
MESSAGES = {
    "welcome", "delta", "reply", "refused", "snapshot", "months", "rows", "presence",
    "draining", "error",
}


@cache
def _registry():
    documents = (json.loads(path.read_text()) for path in SCHEMAS.glob("*.json"))
    return Registry().with_resources((d["$id"], Resource.from_contents(d)) for d in documents)


@cache
def _validator(name):
    document = json.loads((SCHEMAS / f"{name}.json").read_text())
    return Draft202012Validator(document, registry=_registry())


def fits(name, value):
    """Asserts that `value` is valid against `schemas/NAME.json`."""
    problems = sorted(_validator(name).iter_errors(value), key=lambda problem: problem.json_path)
    if problems:
        said = "\n".join(f"  {p.json_path}: {p.message[:300]}" for p in problems[:5])
        raise AssertionError(f"invalid {name}:\n{said}\n  in {_short(value)}")
    return value


def message_fits(message):
    """Asserts that `message` is one of the server's messages in protocol.md."""
    assert isinstance(message, dict), f"a message is a JSON object: {_short(message)}"
    assert message.get("type") in MESSAGES, f"unknown message type: {_short(message)}"
    return fits(message["type"], message)


def _short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 1200 else text[:1200] + "…"
