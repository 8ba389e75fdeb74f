"""HTTP resources without a file of their own: check, clock, health, methods."""

import time
from datetime import datetime, timezone

import pytest

from harness import contract
from harness.definitions import CALENDAR, DATE, LISTS, LONG, SLOT, TREE
from harness.pickerd import wait_until


# Definitions


@pytest.mark.parametrize("definition", [DATE, SLOT, TREE, LISTS, CALENDAR, LONG],
                         ids=["date", "slot", "cascade", "columns", "calendar", "long"])
def test_check_returns_the_snapshot_of_a_new_session(server, definition):
    answer = server.check(definition)

    assert (answer.status, answer.type) == (200, "application/json")
    checked = contract.fits("checked", answer.json)
    assert checked["snapshot"] == server.session(definition, now=None).get()["snapshot"]


# The clock


@pytest.mark.parametrize("body", [
    {}, {"now": 5}, {"now": "2018-11-23T10:00:00"}, {"now": None},
    {"now": "2018-11-23T10:00:00Z", "then": 1}, [], "now"], ids=str)
def test_an_invalid_clock_time_is_rejected(server, body):
    answer = server.post("/v1/clock", body)

    assert (answer.status, answer.code) == (400, "badRequest")


def test_the_clock_accepts_any_utc_offset(server):
    for now in ("2018-07-25T23:00:00-11:00", "2018-07-26T10:00:00.5Z", "2018-07-26t10:00:01z"):
        server.clock(now)

    assert server.session(DATE, now=None).join("Bo").welcome["now"] == "2018-07-26T10:00:01.000Z"


def test_the_system_clock_cannot_be_set(plain):
    """"only with `--clock manual`": otherwise the resource does not exist."""
    answer = plain.post("/v1/clock", {"now": "2018-11-23T10:00:00Z"})

    assert answer.status == 404


def test_a_manual_clock_is_frozen_at_the_start_time(start):
    server = start()
    session = server.session(DATE, now=None)

    first, began = session.join("Ana").welcome["now"], time.time()
    wait_until(lambda: time.time() > began + 0.001, what="a later millisecond")
    second = session.join("Bo").welcome["now"]

    assert first == second
    age = datetime.now(timezone.utc) - datetime.fromisoformat(first)
    assert 0 <= age.total_seconds() < 300


def test_the_system_clock_advances(plain):
    session = plain.session(DATE, now=None)

    first = session.join("Ana").welcome["now"]

    wait_until(lambda: session.join("Bo").welcome["now"] > first, what="a later time")


# Health


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_healthy_server_is_live_and_ready(server, path):
    assert server.get(path).status == 200
    head = server.request("HEAD", path)
    assert (head.status, head.body) == (200, b"")


# Methods and connections


@pytest.mark.parametrize("method, path", [
    ("PATCH", "/v1/sessions"), ("PUT", "/v1/sessions"), ("DELETE", "/v1/sessions"),
    ("POST", "/v1/sessions/by/x"), ("DELETE", "/v1/sessions/by/x"),
    ("GET", "/v1/definitions/check"), ("GET", "/v1/clock"), ("PUT", "/v1/clock"),
    ("POST", "/healthz"), ("DELETE", "/readyz"), ("POST", "/"),
    ("PUT", "SESSION"), ("PATCH", "SESSION"), ("POST", "SESSION"), ("DELETE", "SESSION/log"),
    ("POST", "SESSION/log")])
def test_an_unsupported_method_is_rejected_with_405(server, method, path):
    session = server.session(LISTS)

    answer = server.request(method, path.replace("SESSION", session.path), body=b"{}")

    assert (answer.status, answer.code) == (405, "methodNotAllowed")
    assert session.get()["revision"] == 0


def test_creation_over_the_session_limit_is_rejected_with_503(start):
    """"`503 full`": the limit is `--limit sessions=N`."""
    server = start(limits={"sessions": 2})
    first = server.session(LISTS)
    server.session(LISTS)

    full = server.create(LISTS)
    first.delete()
    again = server.create(LISTS)

    assert (full.status, full.code) == (503, "full")
    assert again.status == 201


@pytest.mark.parametrize("forwarded, scheme", [("https, http", "wss"), ("http, https", "ws")])
def test_x_forwarded_proto_selects_the_scheme_of_the_socket_url(server, forwarded, scheme):
    made = server.post(
        "/v1/sessions", {"definition": LISTS}, headers={"X-Forwarded-Proto": forwarded})

    assert made.json["socket"].startswith(f"{scheme}://127.0.0.1:{server.port}/v1/sessions/")
    server.delete(made.headers["location"])
