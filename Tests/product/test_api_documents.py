"""`/v1/openapi.json` and `/v1/asyncapi.json` describe the server as it is."""

import json
import re
import subprocess
from copy import deepcopy

import pytest
from jsonschema_rs import Draft202012Validator

from harness import contract
from harness.definitions import CALENDAR, LONG
from harness.host import Host
from harness.pickerd import REPOSITORY, binary

SOURCES = REPOSITORY / "Sources"


@pytest.fixture
def openapi(server):
    return server.get("/v1/openapi.json").json


@pytest.fixture
def published(server):
    """The AsyncAPI document, whose references lead to the OpenAPI document."""
    return server.get("/v1/asyncapi.json").json


@pytest.fixture
def asyncapi(openapi, published):
    return contract.bundled(openapi, published)


def validator(document, pointer):
    """A validator for one schema of a document that can resolve references to the others."""
    return Draft202012Validator({**document["components"], "$ref": pointer,
                                 "components": document["components"]})


def test_the_openapi_document_is_valid(openapi):
    from openapi_spec_validator import validate  # The import takes 3 s of CPU time.

    validate(openapi)
    assert openapi["openapi"].startswith("3.1")


def operations(openapi):
    """(method, path, operation) of every operation in the document."""
    return [(method, path, operation) for path, item in openapi["paths"].items()
            for method, operation in item.items() if method not in ("parameters", "servers")]


def test_the_openapi_document_has_the_routes_and_methods_of_the_sources(openapi):
    sources = "\n".join(path.read_text() for path in (SOURCES / "PickerServer").rglob("*.swift"))
    routes = re.findall(r'\bRoute\(\s*\.(\w+),\s*"([^"]+)"', sources)

    assert len(routes) > 20 and len(routes) == len(re.findall(r"\bRoute\(", sources))
    assert {(method, path) for method, path, _ in operations(openapi)} == set(routes)


#: The variables of paths, besides the session.
VARIABLES = {"link": "x", "member": "x", "external": "x", "name": "me", "month": "2018-11",
             "booking": "x"}


@pytest.fixture
def keyed(start, tmp_path):
    """A server with the same keys on both listeners, small bodies, and one wrong key a second."""
    host = Host(tmp_path)
    host.others = [host.add(scope, scope) for scope in ("feed", "decide", "metrics")]
    server = start(
        auth=f"keys:{host.file}", options=("--admin-keys", str(host.file)),
        limits={"bodyBytes": 1024, "messageBytes": 1024, "createsPerSecond": 10})
    server.host = host
    return server


def statuses(server, method, path, credentials, session="none", **rest):
    """The statuses of a request with each of the credentials."""
    # A stream of events does not end.
    method = "HEAD" if path.endswith("/events") else method.upper()
    path = path.format(**VARIABLES, id=session)
    return {server.request(method, path, token=token, **rest).status for token in credentials}


def test_the_openapi_document_has_the_statuses_of_refused_requests(keyed, openapi):
    missing, wrong = {}, []
    for method, path, operation in operations(openapi):
        session = keyed.post("/v1/sessions", {"definition": CALENDAR}, token=keyed.host.api)
        target = {"session": session.json["session"],
                  "port": keyed.admin_port if "servers" in openapi["paths"][path] else None}
        # The last one comes last in the last requests, because it may end the session.
        credentials = [None, *keyed.host.others, keyed.host.token(target["session"]),
                       keyed.host.api]
        seen = statuses(keyed, method, path, credentials,
                        headers={"Origin": "https://other.example"}, **target)
        if "requestBody" in operation:
            seen |= statuses(keyed, method, path, credentials, body=b" " * 2000, **target)
            assert 413 in seen, (method, path)
        seen |= statuses(keyed, method, path, credentials, **target)
        if undocumented := seen - set(map(int, operation["responses"])):
            missing[method, path] = undocumented
        if (401 in seen) != ({"token": []} in operation.get("security", [])):
            wrong.append((method, path))

    assert missing == {}
    assert wrong == [], "operations whose security does not say whether they need a credential"


def test_the_openapi_document_has_the_status_of_too_many_wrong_keys(keyed, openapi):
    missing = []
    for method, path, operation in operations(openapi):
        port = keyed.admin_port if "servers" in openapi["paths"][path] else None
        seen = statuses(keyed, method, path, ["pk_wrong.key"] * 5, port=port)
        assert 401 not in seen or 429 in seen, (method, path, seen)
        if 429 in seen and "429" not in operation["responses"]:
            missing.append((method, path))

    assert missing == []


def test_every_problem_code_is_in_the_openapi_document(openapi):
    codes = openapi["components"]["schemas"]["problem"]["properties"]["code"]["enum"]
    written = set()
    for source in (SOURCES / "PickerServer").rglob("*.swift"):
        written |= set(re.findall(r'code: "(\w+)"', source.read_text()))
    assert "methodNotAllowed" in written
    assert written <= set(codes)


def test_each_schema_is_in_one_document(openapi, published):
    schemas = openapi["components"]["schemas"]
    own = published["components"]["schemas"]
    said = [message["payload"]["schema"] for message in published["components"]["messages"].values()]
    assert not schemas.keys() & own.keys()
    for schema in [*own.values(), *said]:
        assert schema not in schemas.values(), schema


def test_every_message_the_server_accepts_is_in_the_asyncapi_document(asyncapi):
    decoder = (SOURCES / "PickerModel/Messages/MessageFields.swift").read_text()
    types = set(re.findall(r'\("(\w+)", \.\w+', decoder))
    messages = asyncapi["components"]["messages"]
    schemas = asyncapi["components"]["schemas"]
    client = {n.split(".")[1]: schemas.get(f"command.{n.split('.')[1]}") or m["payload"]["schema"]
              for n, m in messages.items() if n.startswith("client.")}
    find = (SOURCES / "PickerWire/Requests/FindRequest.swift").read_text()
    fields = set(re.findall(r'JSONName\("(\w+)"\)', decoder)) | set(
        re.findall(r'tree(?:\.integer\(|\[)"(\w+)"', find))
    named = set()
    for said in client.values():
        for name, what in said["properties"].items():
            named |= {name, *what.get("properties", {})}

    assert set(client) == types
    assert named == fields


def test_all_that_is_released_has_the_version_in_the_file(openapi, asyncapi):
    version = (REPOSITORY / "VERSION").read_text().strip()
    said = subprocess.run([str(binary()), "--version"], capture_output=True, text=True, check=True)
    assert openapi["info"]["version"] == asyncapi["info"]["version"] == said.stdout.strip() == version

    for path, pattern in {
            "deploy/kubernetes/pickerd.yaml": r"image: \S+/pickerd:(.*)",
            "deploy/kubernetes/pickerd-postgres.yaml": r"image: \S+/pickerd:(.*)",
            "deploy/Dockerfile": r"org\.opencontainers\.image\.version=(.*)",
            "web/guide/hotel.md": r"pickerd-server-(.*)\.tgz",
            "web/guide/tickets.md": r"pickerd-server-(.*)\.tgz"}.items():
        assert re.findall(pattern, (REPOSITORY / path).read_text()) == [version], path


def test_schemas_of_responses_allow_unknown_fields(openapi, published):
    def closed(part, at):
        if isinstance(part, dict):
            for key in ("additionalProperties", "unevaluatedProperties"):
                if part.get(key) is False:
                    yield at
            for key, value in part.items():
                yield from closed(value, f"{at}/{key}")
        elif isinstance(part, list):
            for value in part:
                yield from closed(value, at)

    requests, waiting = {"posted"}, ["newDefinition"]
    while waiting:
        name = waiting.pop()
        if name not in requests:
            requests.add(name)
            part = json.dumps(openapi["components"]["schemas"][name])
            waiting += re.findall(r'"#/components/schemas/(\w+)"', part)
    for name, what in openapi["components"]["schemas"].items():
        assert name in requests or not list(closed(what, name)), name
    for name, what in published["components"]["messages"].items():
        assert name.startswith("client.") or not list(closed(what, name)), name
    assert not list(closed(published["components"]["schemas"], "schemas"))


def limits(bound):
    """The limits in `welcome` with their least (0) or greatest (1) permitted values."""
    source = (SOURCES / "PickerServer/Configuration/ServerLimit.swift").read_text()
    ranges = re.findall(r"case \.(\w+):\s*\([\d_]+, ([\d_]+)\.\.\.([\d_]+),", source)
    sent = contract.document("openapi")["components"]["schemas"]["limits"]["required"]
    return {name: int(values[bound]) for name, *values in ranges if name in sent}


def test_responses_match_their_schemas_with_the_least_limits(start):
    server = start(limits=limits(0))
    session = server.session(LONG)

    # Over HTTP, because a connection would have to join within joinMilliseconds.
    welcome = contract.fits("welcome", server.post(f"{session.path}/members", {}).json)

    assert welcome["limits"] == limits(0)
    assert len(contract.fits("session", session.get())["snapshot"]["columns"][0]["rows"]) == 2


def test_messages_match_their_schemas_with_the_greatest_limits(start):
    server = start(limits=limits(1))
    session = server.session(LONG)
    ana = session.join("Ana")

    assert ana.welcome["limits"] == limits(1)
    assert len(ana.welcome["snapshot"]["columns"][0]["rows"]) == 10_000
    assert len(contract.fits("session", session.get())["snapshot"]["columns"][0]["rows"]) == (
        10_000)
    assert len(ana.rows(0, 0, 10_000)["rows"]) == 10_000
    changed = {**LONG, "columns": [["new", *LONG["columns"][0]]]}
    assert server.request("PUT", f"{session.path}/definition", changed).status == 200
    changes = ana.expect("delta")["changes"]
    assert [len(c["rows"]) for c in changes if c["change"] == "reload"] == [10_000]

    years = {**CALENDAR, "months": {"from": "2000-01", "through": "2030-12"}}
    assert len(server.session(years).join("Ana").look("2000-01", 300)["months"]) == 240


def test_every_reference_in_the_asyncapi_document_resolves(openapi, published):
    def follow(part):
        if isinstance(part, dict):
            if isinstance(part.get("$ref"), str):
                name, pointer = part["$ref"].split("#/")
                at = {"": published, "openapi.json": openapi}[name]
                for step in pointer.split("/"):
                    at = at[step]
            for value in part.values():
                follow(value)
        elif isinstance(part, list):
            for value in part:
                follow(value)

    follow(published)
    assert published["asyncapi"] == "3.0.0"


@pytest.mark.parametrize("title", ["Stay", {"en": "Stay", "de": "Aufenthalt"}])
def test_an_event_of_the_feed_matches_the_openapi_document(start, openapi, title):
    server = start()
    server.session(CALENDAR, title=title)
    (line,) = server.get("/v1/feed?after=0", port=server.admin_port).body.splitlines()
    event = contract.fits("feedEvent", json.loads(line))

    assert event["data"]["title"] == title
    validator(openapi, "#/components/schemas/feedEvent").validate(event)


MEANT = [
    {"type": "join", "name": "Ana", "months": {"from": "2018-11", "count": 2}},
    {"type": "tap", "ref": 1, "date": "2018-11-20"},
    {"type": "tap", "ref": 2, "month": "2018-11", "cell": 19},
    {"type": "tap", "ref": 3, "month": "2018-11", "x": 0.5, "y": 0.4},
    {"type": "select", "ref": 4, "column": 0, "row": 1, "generation": 1, "key": "x"},
    {"type": "clear", "ref": 5}, {"type": "undo", "ref": 6}, {"type": "redo", "ref": 7},
    {"type": "confirm", "ref": 8}, {"type": "reopen", "ref": 9}, {"type": "cancel", "ref": 10},
    {"type": "months", "from": "2018-11", "count": 1}, {"type": "rows", "column": 0, "from": 0,
                                                        "count": 1},
    {"type": "touch", "date": "2018-11-20"}, {"type": "touch"},
    {"type": "tap", "ref": 11, "hits": 1, "date": "2018-11-21"},
    *({"type": type, "ref": ref, "at": 4} for ref, type in enumerate(
        ["clear", "undo", "redo", "confirm", "reopen", "cancel"], 12)),
    {"type": "rename", "ref": 18, "name": "Mia"}, {"type": "rename", "ref": 19, "name": "ß" * 64},
    {"type": "touch", "date": "2018-11-20", "hover": True}, {"type": "leave"}]


def test_the_server_accepts_messages_that_the_asyncapi_document_allows(server, asyncapi):
    session = server.session(CALENDAR)
    ana = session.connect()
    for message in MEANT:
        name = f"client.{message['type']}"
        pointer = f"#/components/messages/{name}/payload/schema"
        validator(asyncapi, pointer).validate(message)
        ana.send(message)
    ana.closed(1000)


@pytest.mark.parametrize("broken", [
    {"type": "tap", "ref": 1}, {"type": "tap", "date": "2018-11-20"},
    {"type": "tap", "ref": 1, "month": "2018-11", "x": 0.5}, {"type": "undo"},
    {"type": "select", "ref": 1, "column": 0, "row": 1}, {"type": "months", "count": 1},
    {"type": "months", "from": "2018-11"}, {"type": "rows", "column": 0, "from": 0},
    {"type": "tap", "ref": 1, "date": "tomorrow"}, {"type": "touch", "column": 1},
    {"type": "tap", "ref": 1, "hits": "1", "date": "2018-11-20"},
    {"type": "clear", "ref": 1, "at": "4"}, {"type": "confirm", "ref": 1, "at": 1.5},
    {"type": "rename", "ref": 1}, {"type": "rename", "name": "Mia"},
    *({"type": "rename", "ref": 1, "name": name} for name in ("", " ", "x" * 65)),
    {"type": "touch", "date": "2018-11-20", "hover": 1}])
def test_the_server_rejects_messages_that_the_asyncapi_document_forbids(server, asyncapi, broken):
    pointer = f"#/components/messages/client.{broken['type']}/payload/schema"
    assert list(validator(asyncapi, pointer).iter_errors(broken))
    ana = server.session(CALENDAR).join("Ana")

    ana.send_text(json.dumps(broken))

    ana.closed(4400)


def test_command_bodies_match_the_openapi_document(server, openapi):
    session = server.session(CALENDAR)
    member = server.post(f"{session.path}/members", {}).json["member"]
    body = {"type": "tap", "ref": 1, "month": "2018-11", "x": 0.5, "y": 0.4,
            "member": member["id"], "secret": member["secret"]}
    check = validator(openapi, "#/components/schemas/posted")
    check.validate(body)
    assert server.post(f"{session.path}/commands", body).status == 200
    for name in ("type", "ref", "member", "secret", "x"):
        broken = deepcopy(body)
        del broken[name]
        assert list(check.iter_errors(broken)), name
        assert server.post(f"{session.path}/commands", broken).status == 400, name
