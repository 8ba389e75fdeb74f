"""The backend kit in Python, with vectors and a scripted server, and both kits with the real one.

Tests/web/backend-kit.test.mjs has that in JavaScript.
"""

import base64
import http.server
import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.parse

import jwt
import pytest
from cryptography.hazmat.primitives import serialization

from harness.definitions import LISTS
from harness.delivery import OTHER, SECRET, Deliver, Endpoint, cursor
from harness.host import Host
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, Pickerd, wait_until

KIT = REPOSITORY / "web/packages/server"
README = (KIT / "README.md").read_text()
VECTORS = REPOSITORY / "Tests/golden/backend-kit"
PRIVATE = "whsk_" + base64.b64encode(bytes(range(32))).decode()


def load(name="backend_kit"):
    """The Python kit, which is not called pickerd here, because the harness has a module pickerd."""
    spec = importlib.util.spec_from_file_location(name, KIT / "pickerd.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


kit = load()


def vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text())


def node(folder, text, **environment):
    """The output of a program that has the JavaScript kit."""
    package = folder / "node_modules/@pickerd/server"
    if not package.exists():
        package.parent.mkdir(parents=True, exist_ok=True)
        package.symlink_to(KIT)
    (folder / "program.mjs").write_text(text)
    done = subprocess.run(["node", "program.mjs"], cwd=folder, env={**os.environ, **environment},
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def blocks(label):
    return re.findall(rf"^```{label}\n(.*?)^```$", README, re.M | re.S)


# Tokens


@pytest.mark.parametrize("vector", [
    pytest.param(one, id=f"{one['algorithm']}-{one['claims']['role']}") for one in vectors("tokens")])
def test_a_token_is_that_of_the_vector(vector):
    made = kit.sign_token(vector["key"], kid=vector["kid"], **vector["claims"])
    if vector["algorithm"] != "ES256":
        assert made == vector["token"]
    assert made.rpartition(".")[0] == vector["token"].rpartition(".")[0]
    key = vector["publicKey"] or vector["key"].partition(".")[2]
    for token in (made, vector["token"]):
        jwt.decode(token, key, [vector["algorithm"]], audience=vector["claims"].get("aud", "pickerd"),
                   options={"verify_exp": False, "verify_nbf": False, "verify_iat": False})


@pytest.mark.parametrize("claims, reason", [
    *(pytest.param(one["claims"], one["reason"], id=one["case"])
      for one in vectors("claims") if not one["isValid"]),
    ({"rights": 1}, "rights"), ({"seconds": 86_401}, "86,400"), ({"name": "x" * 9000}, "8 KiB")])
def test_what_pickerd_would_refuse_is_not_signed(claims, reason):
    with pytest.raises((TypeError, ValueError), match=reason):
        kit.sign_token(vectors("tokens")[0]["key"], **{"session": "a", "role": "owner", **claims})


def test_the_server_refuses_the_claims_that_the_kit_refuses_and_no_others(tmp_path):
    host = Host(tmp_path)
    server = Pickerd(tmp_path / "log", auth=f"keys:{host.file}", clock=None)
    try:
        made = server.post("/v1/sessions", {"definition": LISTS}, token=host.api).json["session"]
        for vector in vectors("claims"):
            claims = {"session": made, "role": "owner", **vector["claims"]}
            if vector["isValid"]:
                token = kit.sign_token(f"pk_signing.{host.secret}", **claims)
            else:
                payload = {**host.claims(made), **claims}
                token = jwt.api_jws.encode(json.dumps(payload).encode(), host.secret, "HS256",
                                           headers={"kid": "signing"})
            status = server.get(f"/v1/sessions/{made}", token=token).status
            assert status == (200 if vector["isValid"] else 401), vector["case"]
    finally:
        server.stop()


def test_without_cryptography_private_keys_are_refused_with_the_reason(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    hs256, _, es256, *_ = vectors("tokens")

    assert load("alone").sign_token(hs256["key"], **hs256["claims"]) == hs256["token"]
    with pytest.raises(ImportError, match="pip install cryptography"):
        kit.sign_token(es256["key"], kid="x", session="a", role="owner")
    with pytest.raises(ImportError, match="pip install cryptography"):
        kit.verify_webhook("whpk_" + "A" * 44, {}, b"")


def test_the_server_accepts_the_tokens_of_both_kits_with_each_algorithm(tmp_path):
    host = Host(tmp_path)
    keys = {"signing": f"pk_signing.{host.secret}"} | {
        kid: key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                               serialization.NoEncryption()).decode()
        for kid, key in host.private.items()}
    server = Pickerd(tmp_path / "log", auth=f"keys:{host.file}", clock=None)
    try:
        made = server.post("/v1/sessions", {"definition": LISTS}, token=host.api).json["session"]
        claims = {"session": made, "role": "viewer", "sub": "17", "name": "Ädä", "info": [1],
                  "meta": {"a": 1}, "locale": "de", "seconds": 86_400}
        signed = [kit.sign_token(key, kid=kid, **claims) for kid, key in keys.items()]
        signed += json.loads(node(tmp_path, """import { signToken } from "@pickerd/server";
            const { keys, claims } = JSON.parse(process.env.GIVEN);
            console.log(JSON.stringify(Object.entries(keys).map(([kid, key]) => signToken(key, { kid, ...claims }))));
            """, GIVEN=json.dumps({"keys": keys, "claims": claims})))

        assert len(signed) == 6
        for token in signed:
            answer = server.get(f"/v1/sessions/{made}", token=token)
            assert answer.status == 200, answer
            changed = token[:-6] + ("A" if token[-6] != "A" else "B") + token[-5:]
            assert server.get(f"/v1/sessions/{made}", token=changed).status == 401
    finally:
        server.stop()


# Webhooks


def webhook(vector, **rest):
    headers = {f"webhook-{name}": vector[name] for name in ("id", "timestamp", "signature")}
    return kit.verify_webhook(vector["secrets"], headers, vector["body"].encode(), now=vector["now"])


@pytest.mark.parametrize("vector", [
    pytest.param(one, id=one["case"]) for one in vectors("webhooks")])
def test_a_webhook_is_accepted_as_the_vector_says(vector):
    if vector["isValid"]:
        assert webhook(vector) == {**json.loads(vector["body"]), "id": vector["id"]}
    else:
        with pytest.raises(kit.WebhookError):
            webhook(vector)


def test_webhooks_of_pickerd_deliver_are_those_of_both_kits(tmp_path):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    public = "whpk_" + base64.b64encode(private.public_key().public_bytes_raw()).decode()
    received = []
    server = Pickerd(tmp_path / "log", clock=None)
    endpoint = Endpoint(verify=lambda body, headers: received.append((body, headers)))
    deliver = Deliver(server, tmp_path, endpoint.url, secrets=[SECRET, PRIVATE])
    try:
        server.session(LISTS, title="Größe")
        wait_until(lambda: cursor(server) == 1)
    finally:
        deliver.kill(), endpoint.close(), server.stop()
    body, headers = received[0]
    now = int(headers["webhook-timestamp"])

    def is_valid(secrets, body, now):
        """What both kits say, and the title if they accept it."""
        try:
            mine = kit.verify_webhook(secrets, headers, body, now=now)["data"]["title"]
        except kit.WebhookError:
            mine = None
        given = {"secrets": secrets, "headers": headers, "body": body.decode(), "now": now}
        other = json.loads(node(tmp_path, """import { verifyWebhook } from "@pickerd/server";
            const { secrets, headers, body, now } = JSON.parse(process.env.GIVEN);
            let title = null;
            try { title = verifyWebhook(secrets, headers, body, { now }).data.title; } catch {}
            console.log(JSON.stringify(title));""", GIVEN=json.dumps(given)))
        assert mine == other
        return mine

    assert is_valid(SECRET, body, now) == is_valid(public, body, now + 300) == "Größe"
    assert is_valid(OTHER, body, now) is is_valid(public, body, now + 301) is None
    assert is_valid([SECRET, public], body.replace(b"session", b"Session"), now) is None


# Requests


class Scripted(http.server.ThreadingHTTPServer):
    """Answers with `answers` in order, each (status, body, headers); None closes the connection."""

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []
        super().__init__(("127.0.0.1", 0), ScriptedAnswer)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def asked(self, *names):
        """The parameters of each request."""
        queries = (dict(urllib.parse.parse_qsl(path.partition("?")[2])) for _, path, _, _ in self.requests)
        return [tuple(query.get(name) for name in names) for query in queries]


class ScriptedAnswer(http.server.BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        script = self.server.answers
        self.server.requests.append((self.command, self.path, self.headers, body))
        found = script.pop(0) if len(script) > 1 else script[0]
        if found is None:
            self.close_connection = True
            return
        status, content, *headers = found
        text = (content if isinstance(content, str) else json.dumps(content)).encode()
        kind = "application/json" if status < 400 else "application/problem+json"
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(text), **dict(*headers)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, *_):
        pass


def test_a_creation_without_an_answer_is_sent_again_with_its_key():
    answers = None, (503, {"code": "unavailable"}), (201, {"session": "a"})
    with Scripted(*answers) as server:
        made = kit.Pickerd(server.url, "pk_a.b").create({"definition": {"kind": "date"}})

    assert made == {"session": "a"}
    keys = [headers["Idempotency-Key"] for _, _, headers, _ in server.requests]
    assert len(keys) == 3 and len(set(keys)) == 1 and keys[0]
    assert server.requests[2][2]["Authorization"] == "Bearer pk_a.b"


def test_what_could_be_done_twice_is_sent_again_only_if_it_was_not_done():
    with Scripted(None) as server:
        pickerd = kit.Pickerd(f"{server.url}/pick/")
        with pytest.raises(kit.PickerdError) as lost:
            pickerd.command("a", {"type": "clear", "at": 1})
        with pytest.raises(kit.PickerdError):
            pickerd.patch_definition("a", [{"op": "remove", "path": "/taken/1"}])
    assert (lost.value.status, lost.value.code) == (0, "noAnswer")
    assert [path for _, path, _, _ in server.requests] == [
        "/pick/v1/sessions/a/commands", "/pick/v1/sessions/a/definition"]

    began = time.monotonic()
    with Scripted((429, {"code": "tooMany"}, {"Retry-After": 1}), (200, {"type": "reply"})) as server:
        assert kit.Pickerd(server.url).command("a", {"type": "clear"}) == {"type": "reply"}
    assert len(server.requests) == 2 and time.monotonic() - began >= 1

    with pytest.raises(kit.PickerdError) as refused:
        kit.Pickerd(server.url, retry_seconds=2).command("a", {"type": "clear"})
    assert not refused.value.is_sent


def test_refusals_are_final_and_have_their_problem():
    answers = [(503, {"code": "full"}, {"Retry-After": 60}), (412, {"code": "versionMismatch"}),
               (409, {"code": "externalTaken", "session": "b"}),
               (502, "<h1>Bad Gateway</h1>", {"Content-Type": "text/html"}), (200, {"changes": []})]
    with Scripted(*answers) as server:
        pickerd = kit.Pickerd(server.url)
        with pytest.raises(kit.PickerdError, match=f"GET {server.url}/v1/sessions/a: 503 .*full"):
            pickerd.session("a")
        with pytest.raises(kit.PickerdError) as mismatch:
            pickerd.patch_shared("room", {"definition": {}}, if_match=7)
        with pytest.raises(kit.PickerdError) as taken:
            pickerd.create({"external": "x"})
        assert pickerd.patch_notes("a", {"days": {}}) == {"changes": []}
    assert (mismatch.value.status, mismatch.value.code) == (412, "versionMismatch")
    assert taken.value.problem["session"] == "b"
    headers = server.requests[1][2]
    assert (headers["If-Match"], headers["Content-Type"]) == ('"7"', "application/merge-patch+json")


def test_an_answer_that_is_not_json_is_its_text_and_an_id_is_one_segment_of_the_path():
    unread = vectors("answers")
    answers = [(200, one["text"], {"Content-Type": one["type"]}) for one in unread]
    with Scripted(*answers, (200, {})) as server:
        pickerd = kit.Pickerd(server.url, retry_seconds=0)
        for one in unread:
            if "code" in one:
                with pytest.raises(kit.PickerdError, match=one["code"]):
                    pickerd.request("GET", "/v1/x y?ä=%20")
            else:
                answer = pickerd.request("GET", "/v1/x y?ä=%20")
                assert answer == one.get("value", one["text"]), one["type"]
        pickerd.session("a b/ä?")
        pickerd.patch_notes("a#", {"days": {}})
        pickerd.put_shared("ä", {"definition": {}})
    paths = [path for _, path, _, _ in server.requests]
    assert paths[0] == "/v1/x%20y?%C3%A4=%20"
    assert paths[-3:] == [
        "/v1/sessions/a%20b%2F%C3%A4%3F", "/v1/sessions/a%23/notes", "/v1/definitions/%C3%A4"]

    with Scripted((200, {"definition": {}, "notes": {}}, {"ETag": 'W/"7"'})) as server:
        assert kit.Pickerd(server.url).shared("a")["version"] == 7


def test_what_cannot_be_sent_is_refused_at_once_with_a_pickerd_error():
    with Scripted((200, {})) as server:
        pickerd = kit.Pickerd(server.url)
        for act in [
                lambda: pickerd.session("\ud800"), lambda: pickerd.create_by("\ud800", {}),
                lambda: pickerd.create({}, idempotency_key="a\nb"),
                lambda: pickerd.create({}, idempotency_key="李"),
                lambda: pickerd.create({"meta": float("nan")}),
                lambda: pickerd.create({"meta": object()})]:
            with pytest.raises(kit.PickerdError) as refused:
                act()
            assert refused.value.code == "badMessage"
    assert server.requests == []


def test_an_address_or_a_key_that_is_missing_is_refused_at_once():
    for url in (None, "", "nowhere", "pick.example.org", "https://", "ws://pick", b"https://pick"):
        with pytest.raises(ValueError) as refused:
            kit.Pickerd(url, "pk_a.b")
        assert str(refused.value) == (
            "url must be the address of pickerd, such as https://pick.example.org")
    for key in (None, "", 7):
        with pytest.raises(ValueError, match="key must be an API key"):
            kit.Pickerd("https://pick.example.org", key)
    kit.Pickerd("http://127.0.0.1:7681/pick/")


def test_what_stands_after_a_settle_is_one_word():
    late = [(409, {"code": "tooLate", "stands": {"granted": True}}),
            (409, {"code": "tooLate", "stands": {"granted": False}}), (409, {"code": "tooLate"}),
            (404, {"code": "noSuchOp"}), (404, {"code": "noSuchSession"})]
    with Scripted((200, {}), (200, {}), *late, (403, {"code": "notAllowed"})) as server:
        pickerd = kit.Pickerd(server.url)
        outcomes = [pickerd.settle("a", "cf", False, reason="sold out")]
        outcomes += [pickerd.settle("a", "cf", True) for _ in range(6)]
        with pytest.raises(kit.PickerdError):
            pickerd.settle("a", "cf", True)
    assert outcomes == ["denied", "granted", "granted", "late", "late", "late", "ended"]
    assert json.loads(server.requests[0][3]) == {"op": "cf", "granted": False, "reason": "sold out"}


def test_all_pages_of_the_list_are_read():
    pages = [(200, {"sessions": [{"session": "a"}], "next": "7"}), (200, {"sessions": [{"session": "b"}]})]
    with Scripted(*pages) as server:
        found = [one["session"] for one in kit.Pickerd(server.url).sessions(status="open")]
    assert found == ["a", "b"] and server.asked("after", "status") == [("0", "open"), ("7", "open")]


# Inventories


@pytest.mark.parametrize("vector", [
    pytest.param(one, id=one["case"]) for one in vectors("inventory")])
def test_a_call_of_the_inventory_sends_and_returns_what_the_vector_says(vector):
    call = re.sub("[A-Z]", lambda found: "_" + found[0].lower(), vector["call"])
    options = {{"from": "from_"}.get(name, name): value for name, value in vector["options"].items()}
    with Scripted(*vector["answers"]) as server:
        def result():
            found = getattr(kit.Pickerd(server.url), call)(*vector["arguments"], **options)
            return list(found) if hasattr(found, "__next__") else found
        if "error" in vector:
            with pytest.raises(kit.PickerdError) as refused:
                result()
            assert {name: getattr(refused.value, name) for name in vector["error"]} == vector["error"]
        else:
            assert result() == vector["result"]
    assert asked(server) == [(method, *query(path), body) for method, path, body in vector["requests"]]


def asked(server):
    return [(method, *query(path), json.loads(body) if body else None)
            for method, path, _, body in server.requests]


def query(path):
    """The path, and its parameters in any order."""
    path, _, text = path.partition("?")
    return path, sorted(urllib.parse.parse_qsl(text))


# The feed


def page(epoch, position, *positions):
    text = "".join(json.dumps({"position": one, "type": "session.ended", "data": {"t": "\u2028"}},
                              ensure_ascii=False) + "\n" for one in positions)
    return 200, text, {"Feed-Epoch": epoch, "Feed-Position": position}


def test_the_feed_goes_on_after_its_cursor_and_says_that_events_were_missed():
    answers = [page("e", 5, 4, 5), None, page("e", 9), (410, {"code": "gone", "epoch": "f", "oldest": 2}),
               page("f", 2, 2), page("f", 3, 3), (401, {"code": "badToken"})]
    seen = []
    with Scripted(*answers) as server, pytest.raises(kit.PickerdError, match="badToken"):
        for event in kit.Pickerd(server.url).feed("e:3", types=["session.ended"]):
            seen.append((event["type"], event["cursor"]))
    assert seen == [("session.ended", "e:4"), ("session.ended", "e:5"), ("restarted", "f:1"),
                    ("session.ended", "f:2"), ("session.ended", "f:3")]
    assert server.asked("epoch", "after", "waitSeconds") == [
        ("e", "3", "25"), ("e", "5", "25"), ("e", "5", "25"), ("e", "9", "25"), ("f", "1", "0"),
        ("f", "2", "25"), ("f", "3", "25")]


# The page


def keyed(tmp_path, commands, environment):
    """The environment after the shell commands, as `export NAME=…` sets it."""
    script = f"{commands}\nenv -0"
    done = subprocess.run(["bash", "-euc", script], cwd=tmp_path, env=environment, check=True,
                          stdout=subprocess.PIPE, text=True)
    return dict(line.split("=", 1) for line in done.stdout.split("\0") if line)


@pytest.mark.parametrize("language", ["js", "python"])
def test_the_tour_of_the_page_runs_as_it_is(tmp_path, language):
    from harness.pickerd import binary
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/pickerd").symlink_to(binary())
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    environment = keyed(tmp_path, blocks("sh")[0], {**os.environ, "PATH": path})
    server = Pickerd(tmp_path / "log", auth=f"keys:{tmp_path / 'keys.yaml'}", clock=None)
    environment["PICKERD"] = f"http://127.0.0.1:{server.port}"
    try:
        if language == "js":
            output = node(tmp_path, blocks("js")[0], **environment)
        else:
            (tmp_path / "pickerd.py").symlink_to(KIT / "pickerd.py")
            output = subprocess.run([sys.executable, "-c", blocks("python")[0]], cwd=tmp_path, text=True,
                                    env=environment, check=True, stdout=subprocess.PIPE).stdout
    finally:
        server.stop()
    token, *lines = output.lower().splitlines()
    assert re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+", token)
    event = [line for line in lines if ":" in line]
    assert event[0] == "begin:vcalendar" and event[-1] == "end:vcalendar"
    assert [line for line in lines if line and line not in event and line[0] != " "] == [
        "granted true 2", "true confirmed", "409 soldout true", "phone-7", "true 1 0", "true", "0"]


@pytest.mark.parametrize("language", ["js", "python"])
def test_the_webhook_of_the_page_answers_as_it_says(tmp_path, language):
    one = next(each for each in vectors("webhooks") if each["case"] == "one secret")
    headers = {f"webhook-{name}": one[name] for name in ("id", "timestamp", "signature")}
    environment = {"WEBHOOK": one["secrets"]}
    program = blocks(f"{language}-webhook")[0]
    if language == "js":
        program += f"console.log(receive({json.dumps(headers)}, {json.dumps(one['body'])}));"
        assert node(tmp_path, program, **environment).strip() == "null"  # It is old.
    else:
        (tmp_path / "pickerd.py").symlink_to(KIT / "pickerd.py")
        program += f"\nprint(receive({headers!r}, {one['body'].encode()!r}))"
        done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, text=True,
                              env={**os.environ, **environment}, stdout=subprocess.PIPE)
        assert done.stdout.strip() == "None"


def test_both_kits_have_the_same_functions_and_the_page_has_all():
    methods = {name for name in vars(kit.Pickerd) if not name.startswith("_")}
    source = (KIT / "index.js").read_text()
    types = (KIT / "index.d.ts").read_text()
    other = set(re.findall(r"^  (?:async )?\*?(\w+)\(.*\{$", source.partition("class Pickerd {")[2], re.M))
    other -= {"constructor"}
    snake = {re.sub("[A-Z]", lambda found: "_" + found[0].lower(), name): name for name in other}
    assert set(snake) == methods
    for name in other:
        assert re.search(rf"^  {name}\(", types.partition("class Pickerd {")[2], re.M), name
        assert f"pickerd.{name}(" in blocks("js")[0] and f"`{name}(" in README, name
    for name in methods:
        assert f"pickerd.{name}(" in blocks("python")[0] and f"`{name}" in README, name
