"""`--auth keys:FILE`: API keys and member tokens on every route, rotation, guessing."""

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time
from datetime import datetime, timezone

import pytest

from harness.definitions import CALENDAR
from harness.host import Host, pickerd
from harness.member import Member
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, Pickerd, binary, wait_until
from harness.ports import free_port

NOBODY = "0000000000000000000000"


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    host = Host(tmp_path_factory.mktemp("host"))
    host.feed = host.add("feed", "feed")
    host.decide = host.add("decide", "decide")
    host.past = host.add("past", "sessions", "--not-after", "2020-01-01T00:00:00Z")
    host.far = host.add("far", "sessions", "--network", "192.0.2.0/24")
    return host


@pytest.fixture(scope="module")
def keyed(host, tmp_path_factory):
    server = Pickerd(tmp_path_factory.mktemp("keyed") / "log", auth=f"keys:{host.file}",
                     clock=None, limits={"createsPerSecond": 1_000_000})
    yield server
    server.stop()


@pytest.fixture
def session(keyed, host):
    answer = keyed.post("/v1/sessions", {"definition": CALENDAR}, token=host.api)
    assert answer.status == 201 and "tokens" not in answer.json
    return answer.json["session"]


def routes():
    """(method, pattern, access) of the table, without the page, which everyone may read."""
    table = (REPOSITORY / "Sources/PickerServer/HTTP/Routes/RouteTable.swift").read_text()
    found = re.findall(r'Route\(\s*\.(\w+),\s*"([^"]+)",\s*(\.\w+(?:\(\.\w+\))?)', table)
    rows = sorted({row for row in found if row[1] not in ("/metrics", "/v1/clock", "/s/{link}")})
    assert len(rows) > 20
    return rows


def ask(server, method, pattern, session, token, **rest):
    path = pattern.replace("{id}", session).replace("{month}", "2018-11")
    headers = {"Accept": "text/event-stream"} if path.endswith("events") else None
    if path.endswith("events"):
        method = "head"
    body = None if method in ("get", "head", "delete") else {}
    if path.endswith("tickets"):
        body = {"for": "months"}
    return server.request(method.upper(), path, body, token=token, headers=headers, **rest)


def expected(access, credential, session_exists=True):
    """(status, code) that the credential gets; `None`: the route itself answers."""
    if access == ".everyone":
        return None
    scope = access.split("(.")[1][:-1] if "(" in access else None
    if credential == "none":
        return 401, "noToken"
    if credential in ("wrong", "past", "far", "expired"):
        return 401, "badToken"
    if credential in ("sessions", "feed", "decide"):
        readers = (".sessionReader", ".ticketReader", ".memberOrKey")
        needed = scope or ("sessions" if access in readers else None)
        return None if credential == needed else (403, "notAllowed")
    if access.startswith(".key("):
        return 403, "notAllowed"
    if credential == "foreign":
        return 404, "noSuchSession"
    if access.startswith(".sessionKey("):
        return 403, "notAllowed"
    return None


CREDENTIALS = ["none", "wrong", "past", "far", "sessions", "feed", "decide", "expired", "foreign",
               "viewer", "editor", "owner"]


@pytest.mark.parametrize("credential", CREDENTIALS)
def test_each_credential_may_do_on_each_route_what_the_table_says(keyed, host, session, credential):
    other = keyed.post("/v1/sessions", {"definition": CALENDAR}, token=host.api).json["session"]
    token = {
        "none": None, "wrong": "pk_api.wrong", "past": host.past, "far": host.far,
        "sessions": host.api, "feed": host.feed, "decide": host.decide,
        "expired": host.token(session, exp=1_000_000_000), "foreign": host.token(other, "owner"),
    }.get(credential, None)
    if credential in ("viewer", "editor", "owner"):
        token = host.token(session, credential)

    # Deleting comes last.
    for method, pattern, access in sorted(routes(), key=lambda row: row[0] == "delete"):
        answer = ask(keyed, method, pattern, session, token)
        wanted = expected(access, credential)
        if pattern.startswith("/v1/feed"):
            admin = ask(keyed, method, pattern, session, token, port=keyed.admin_port)
            assert admin.status == answer.status, (method, pattern)
            assert admin.status < 400 or admin.body == answer.body, (method, pattern)
        where = (method, pattern, access, answer.status, answer.body[:200])
        if wanted is None:
            missing = answer.status >= 400 and answer.code == "noSuchSession"
            # No session has the name in the pattern.
            assert answer.status not in (401, 403) and (not missing or "/by/" in pattern), where
        elif pattern.endswith("events"):
            assert answer.status == wanted[0], where
        else:
            assert (answer.status, answer.code) == wanted, where


@pytest.mark.parametrize("role", ["viewer", "editor", "owner"])
def test_another_session_and_one_that_does_not_exist_have_equal_bytes(keyed, host, session, role):
    other = keyed.post("/v1/sessions", {"definition": CALENDAR}, token=host.api).json["session"]
    for method, pattern, access in routes():
        if "{id}" not in pattern or pattern.endswith("events"):
            continue
        own = host.token([session, NOBODY], role)
        answers = [ask(keyed, method, pattern, NOBODY, own)]
        answers.append(ask(keyed, method, pattern, other, own))
        for answer in answers:
            answer.headers.pop("date", None)
        wanted = ("400",) if method == "post" and access == ".member" else ()
        if wanted:
            continue
        assert {a.status for a in answers} == {404}, (method, pattern, answers)
        assert len({a.body for a in answers}) == 1, (method, pattern, answers)
        assert all(a.headers == answers[0].headers for a in answers), (method, pattern, answers)


def test_a_member_learns_that_a_request_of_the_host_needs_a_key(keyed, host, session):
    for method, pattern, access in routes():
        scope = access.split("(.")[1][:-1] if "(" in access else None
        if scope is None:
            continue
        answer = ask(keyed, method, pattern, session, host.token(session, "owner"))
        assert (answer.status, answer.code) == (403, "notAllowed"), (method, pattern, answer)
        detail = answer.json["detail"]
        assert detail == f"this requires an API key with the scope {scope}", (method, pattern)


def test_a_member_of_a_session_that_has_ended_does_not_learn_that_it_needed_a_key(
        keyed, host, session):
    token = host.token(session, "owner")
    assert keyed.delete(f"/v1/sessions/{session}", token=token).status == 403
    assert keyed.delete(f"/v1/sessions/{session}", token=host.api).status == 204
    gone = keyed.delete(f"/v1/sessions/{session}", token=token)
    assert (gone.status, gone.code) == (404, "noSuchSession")


@pytest.mark.parametrize("kid", ["signing", "es", "ed"])
def test_a_token_of_pyjwt_admits_over_every_transport(keyed, host, session, kid):
    token = host.token(session, "editor", kid=kid, sub="17", name="Ada", info={"team": 3})

    ana = Member(keyed.socket(f"/v1/sessions/{session}"), "Eve", token=token)
    assert ana.tap("2018-11-23")["type"] == "delta"
    got = keyed.get(f"/v1/sessions/{session}", token=token)
    member = got.json["members"][0]
    assert (member["name"], member["subject"], member["info"]) == ("Ada", "17", {"team": 3})
    posted = keyed.post(f"/v1/sessions/{session}/members", {}, token=token)
    assert posted.status == 201
    member = posted.json["member"]
    command = {"member": member["id"], "secret": member["secret"], "type": "clear", "ref": 1}
    assert keyed.post(f"/v1/sessions/{session}/commands", command, token=token).status == 200
    other = host.token(session, sub="18", kid=kid)
    answer = keyed.post(f"/v1/sessions/{session}/commands", {**command, "ref": 2}, token=other)
    assert (answer.status, answer.code) == (404, "noSuchMember")
    by_header = Member(keyed.socket(f"/v1/sessions/{session}"),
                       headers={"Authorization": f"Bearer {token}"})
    for member in (ana, by_header):
        member.leave()


def test_texts_are_in_the_language_of_the_token_over_every_transport(keyed, host):
    """Regression: only a member that joined had it. A language in the query is meant for once."""
    made = keyed.post("/v1/sessions", {
        "definition": CALENDAR, "title": {"en": "Stay", "de": "Aufenthalt"}}, token=host.api).json
    path = f"/v1/sessions/{made['session']}"
    token = host.token(made["session"], "owner", locale="de")
    for date in ("2018-11-26", "2018-11-27"):
        tap = keyed.post(f"{path}/commands", {"type": "tap", "date": date}, token=host.api)
        assert tap.status == 200, tap
    assert keyed.post(f"{path}/commands", {"type": "confirm"}, token=host.api).status == 200

    def texts(query=""):
        got = keyed.get(path + query, token=token).json
        assert ("&locale=de" in got["links"]["ics"]) == (query == "")
        drawing = keyed.get(f"{path}/months/2018-12.svg{query}", token=token).body.decode()
        event = keyed.get(f"{path}/event.ics{query}", token=token).body.decode()
        return (got["title"], "Dezember 2018" in drawing, "SUMMARY:Aufenthalt" in event,
                first_event(keyed, path + "/events" + query, token)["locale"])

    assert texts() == ("Aufenthalt", True, True, "de")
    assert texts("?locale=en") == ("Stay", False, False, "en")


def first_event(server, path, token):
    connection = server.connection()
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    lines = connection.getresponse()
    found = next(line for line in lines if line.startswith(b"data: "))
    connection.close()
    return json.loads(found.removeprefix(b"data: "))


def joined_shortly(url, host, session):
    """A member with a token that expires soon, but not before the member has joined: tokens are
    accepted for 30 s after their `exp`."""
    for seconds in (-18, 30, PATIENCE):
        with contextlib.suppress(AssertionError):
            return Member(url, token=host.token(session, sub="19", exp=int(time.time()) + seconds))
    raise AssertionError("no member has joined")


def test_a_token_is_renewed_expires_and_is_revoked(keyed, host, session):
    url = keyed.socket(f"/v1/sessions/{session}")
    ana = Member(url, token=host.token(session, sub="17", exp=int(time.time()) + 3600))
    ana.send({"type": "token", "token": host.token(session, "viewer", sub="17")})
    before = int(time.time()) - 5
    bo = Member(url, token=host.token(session, sub="18", iat=before))
    cem = joined_shortly(url, host, session)
    assert ana.expect("token")["expires"].endswith("Z")
    ana.until(lambda m: m.role == "viewer", what="the new role")
    cem.closed(4302)

    revoked = revoke(keyed, host, session, subject="18", tokenIssuedBefore=rfc3339(before + 1))
    assert revoked == rfc3339(before + 1)
    bo.closed(4403)
    again = Member(url, join=False)
    again.send({"type": "join", "token": host.token(session, sub="18", iat=before)})
    again.closed(4403)
    later = Member(url, token=host.token(session, sub="18", iat=before + 1))
    for member in (ana, later):
        member.leave()


def rfc3339(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(
        timespec="milliseconds").replace("+00:00", "Z")


def revoke(server, host, session, **body):
    """Revokes tokens; the time before which they were issued."""
    answer = server.post(f"/v1/sessions/{session}/revoke", body, token=host.api)
    assert answer.status == 200, answer
    return answer.json["tokenIssuedBefore"]


def test_a_revocation_that_is_not_understood_is_refused(keyed, host, session):
    for body, pointer in (
            ({}, None), ({"subject": "a", "member": "b"}, None), ({"subject": 1}, None),
            ({"subject": "a", "tokenIssuedBefore": 1}, None),
            ({"subject": ""}, "/subject"), ({"sub": "a"}, "/sub"),
            ({"subject": "a", "tokenIssuedBefore": "now"}, "/tokenIssuedBefore"),
            ({"tokenIssuedBefore": "2099-01-01T00:00:00Z"}, "/tokenIssuedBefore")):
        answer = keyed.post(f"/v1/sessions/{session}/revoke", body, token=host.api)
        assert (answer.status, answer.code) == (400, "badRequest"), body
        assert answer.json.get("pointer") == pointer, body


def test_spaces_may_precede_a_token(keyed, host):
    path = "/v1/sessions?limit=1"
    assert keyed.get(path, headers={"Authorization": f"bearer   {host.api}"}).status == 200
    assert keyed.get(path, headers={"Authorization": "Bearer   "}).status == 401


def test_a_revocation_survives_a_restart(host, tmp_path):
    store = ["--store", f"sqlite:{tmp_path}/store"]
    server = Pickerd(tmp_path / "log", auth=f"keys:{host.file}", clock=None, options=store)
    try:
        made = server.post("/v1/sessions", {"definition": CALENDAR}, token=host.api)
        session = made.json["session"]
        token = host.token(session, sub="17", iat=int(time.time()) - 5)
        server.post(f"/v1/sessions/{session}/revoke", {"subject": "17"}, token=host.api)
        server.kill()
        server.start()
        answer = server.get(f"/v1/sessions/{session}", token=token)
        assert (answer.status, answer.code) == (404, "noSuchSession")
        replayed = pickerd("replay", store[1], session, "--verbose")
        assert replayed.returncode == 0 and "revokes tokens of sub 17" in replayed.stdout
    finally:
        server.stop()


def test_guessed_keys_are_limited_for_their_address_only(host, tmp_path):
    server = Pickerd(tmp_path / "log", auth=f"keys:{host.file}", clock=None)
    try:
        answers = []
        def guess():
            connection = server.connection()
            for _ in range(250):
                connection.request("POST", "/v1/sessions", b"{}", {
                    "Authorization": "Bearer pk_api.guess", "X-Forwarded-For": "198.51.100.7"})
                response = connection.getresponse()
                response.read()
                answers.append((response.status, response.getheader("Retry-After")))
        begin = time.monotonic()
        threads = [threading.Thread(target=guess) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        seconds = time.monotonic() - begin
        statuses = [status for status, _ in answers]
        assert len(statuses) == 1000 and set(statuses) == {401, 429}
        assert statuses.count(401) <= 10 + 10 * seconds + 1
        assert all(after and int(after) >= 1 for status, after in answers if status == 429)
        right = server.post("/v1/sessions", {"definition": CALENDAR}, token=host.api,
                            headers={"X-Forwarded-For": "198.51.100.8"})
        assert right.status == 201
        # A host behind the same address as the stranger.
        beside = server.post("/v1/sessions", {"definition": CALENDAR}, token=host.api,
                             headers={"X-Forwarded-For": "198.51.100.7"})
        assert beside.status == 201
    finally:
        server.stop()


@pytest.mark.parametrize("byte_count", [2, 20_000])
def test_strangers_do_not_lock_out_a_host(host, tmp_path, byte_count):
    """They use up the buckets of the host's own address; RequestRatesTests has the shared ones."""
    server = Pickerd(tmp_path / "log", auth=f"keys:{host.file}", clock=None, limits={
        f"{kind}PerSecond": 1 for kind in ("creates", "joins", "commands", "reads")})
    try:
        made = server.post("/v1/sessions", {"definition": CALENDAR}, token=host.api)
        path = f"/v1/sessions/{made.json['session']}"
        requests = [
            ("POST", "/v1/sessions", json.dumps({"definition": CALENDAR}).encode(), 201),
            ("POST", "/v1/definitions/check", json.dumps({"definition": CALENDAR}).encode(), 200),
            ("GET", f"{path}/log", None, 200), ("GET", "/v1/sessions", None, 200),
            ("GET", f"{path}/months/2018-11.svg", None, 200),
            ("POST", f"{path}/tickets", b'{"for": "months"}', 201)]

        def ask(number, request, token):
            method, target, body, _ = request
            body = body and body.ljust(byte_count if "tickets" not in target else 0)
            return server.request(method, target, body, token=token,
                                  headers={"X-Forwarded-For": f"198.51.100.{number}"})

        for request in requests:
            for number in [*range(8), *[5] * 12]:
                assert ask(number, request, "pk_api.wrong").status in (401, 429)
                assert ask(number, request, None).status in (401, 429)
        for _ in range(200):
            if ask(99, requests[0], "pk_api.wrong").status == 429:
                break
        else:
            raise AssertionError("the bucket of wrong keys is never empty")

        for request in requests:
            assert ask(5, request, host.api).status == request[3], request
    finally:
        server.stop()


def test_keys_rotate_under_load(tmp_path):
    (tmp_path / "host").mkdir()
    host = Host(tmp_path / "host")
    server = Pickerd(tmp_path / "log", auth=f"keys:{host.file}", clock=None,
                     limits={"createsPerSecond": 1_000_000})
    try:
        current, failures, turns, stop = [host.api], [], [], threading.Event()
        def load():
            while not stop.is_set():
                turns.append(len(turns))
                answer = server.post("/v1/sessions", {"definition": CALENDAR}, token=current[0])
                if answer.status != 201:
                    failures.append(answer)
                stop.wait(0.01)
        thread = threading.Thread(target=load)
        thread.start()
        second = host.add("second", "sessions")
        wait_until(lambda: server.post("/v1/sessions", {"definition": CALENDAR},
                                       token=second).status == 201, what="the second key")
        current[0] = second
        begun = len(turns)
        wait_until(lambda: len(turns) > begun + 1, what="requests with the second key only")
        host.revoke_key("api")
        wait_until(lambda: server.post("/v1/sessions", {"definition": CALENDAR},
                                       token=host.api).status == 401, what="the revocation")
        host.file.write_text("{")
        wait_until(lambda: "remain in effect" in server.log_tail(), what="the error in the log")
        begun = len(turns)
        wait_until(lambda: len(turns) > begun + 5, what="more requests")
        stop.set()
        thread.join()
        assert failures == []
        assert host.secret not in server.log_tail(10_000) and second not in server.log_tail(10_000)
    finally:
        server.stop()


def test_keys_beside_a_configuration_file_are_read_again_even_if_that_has_a_problem(tmp_path):
    keys, configuration = tmp_path / "keys.yaml", tmp_path / "pickerd.yaml"
    first = pickerd("key", "add", keys, "first", "--scope", "sessions").stdout.strip()
    configuration.write_text(f"auth: keys:{keys}\nlimit: {{members: 7}}\n")
    server = Pickerd(tmp_path / "log", auth=None, clock=None,
                     options=("--config", str(configuration)))
    try:
        def status(key):
            return server.post("/v1/sessions", {"definition": CALENDAR}, token=key).status

        assert status(first) == 201
        second = pickerd("key", "add", keys, "second", "--scope", "sessions").stdout.strip()
        configuration.write_text(f"auth: keys:{keys}\nlimit: {{joinsPerSecond: 9}}\n")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "joinsPerSecond is now 9" in server.log.read_text(), what="the reload")
        wait_until(lambda: status(second) == 201, what="the second key")

        assert pickerd("key", "revoke", keys, "first").returncode == 0
        configuration.write_text("auth: [nobody]\n")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "remains in effect" in server.log.read_text(), what="the problem")
        wait_until(lambda: status(first) == 401, what="the revocation")
        assert status(second) == 201
    finally:
        server.stop()


def test_pickerd_token_signs_a_token_that_admits(keyed, host, session):
    made = pickerd("token", host.file, "signing", "--session", session, "--role", "owner",
                   "--sub", "17", "--name", "Ada", "--info", json.dumps({"a": 1}))
    assert made.returncode == 0, made.stderr
    ana = Member(keyed.socket(f"/v1/sessions/{session}"), token=made.stdout.strip())
    assert ana.role == "owner"
    ana.leave()


@pytest.mark.parametrize("claim", ["info", "meta"])
@pytest.mark.parametrize("number", ["1e400", "-1e400", "9" * 30])
def test_pickerd_token_refuses_a_number_out_of_range(host, session, claim, number):
    made = pickerd("token", host.file, "signing", "--session", session,
                   f"--{claim}", '{"a":[{"b":%s}]}' % number)
    assert (made.returncode, made.stdout) == (64, "")
    assert f"--{claim} has a number that is too large to be signed" in made.stderr


def test_the_commands_of_the_guide_let_a_user_in(tmp_path):
    guide = (REPOSITORY / "web/guide/README.md").read_text()
    text = guide.split("## Let your users in")[1].split("\n## ")[0]
    setup, use = re.findall(r"```sh\n(.*?)```", text, re.S)
    port = free_port()
    (tmp_path / "pickerd").symlink_to(binary())
    ready = f"until curl -so /dev/null http://127.0.0.1:{port}/healthz; do sleep 0.1; done\n"
    script = (setup + ready + use).replace("127.0.0.1:7681", f"127.0.0.1:{port}")

    shell = subprocess.Popen(
        ["bash", "-euc", script + '\necho " $ID"'], cwd=tmp_path, stdout=subprocess.PIPE,
        text=True, start_new_session=True,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PICKERD_STORE": "memory:",
             "PICKERD_LISTEN": f"127.0.0.1:{port}"})
    output = [shell.stdout.readline() for _ in range(3)]
    os.killpg(shell.pid, signal.SIGKILL)
    shell.communicate()

    assert output[0].startswith("pk_signing.") and output[1].startswith("pickerd serves")
    read, revoked, session = re.fullmatch(r"(\{.*\})(\{.*?\}) (\S+)\n", output[2]).groups()
    assert json.loads(read)["session"] == session
    assert "tokenIssuedBefore" in json.loads(revoked)


def test_a_change_that_cannot_be_written_is_not_reported_as_done(tmp_path):
    """Regression: key add said what it had added, and then that the disk is full."""
    file = tmp_path / "keys.yaml"
    assert pickerd("key", "add", file, "first", "--scope", "feed").returncode == 0
    before = file.read_bytes()
    # Python ignores SIGXFSZ, and so does what it starts then: a write fails, as on a full disk.
    failed = subprocess.run(
        ["prlimit", "--fsize=0", str(binary()), "key", "add", str(file), "second", "--scope",
         "feed"], capture_output=True, text=True, restore_signals=False)
    assert failed.returncode == 65 and "cannot be written" in failed.stderr, failed.stderr
    assert "added" not in failed.stderr and failed.stdout == "" and file.read_bytes() == before
