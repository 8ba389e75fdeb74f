"""Tokens that expire in each client, with a keys file and a real server.

A token signed with `seconds=-20` is closed 5 s later: the server tolerates 25 s after `exp`. If a
busy machine needs longer to join, the connection is closed for the same reason.
"""

import json
import subprocess
import sys
import threading
import time

import pytest
from harness.contexts import patient
from harness.definitions import CALENDAR
from harness.host import Host
from harness.member import Member
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, Pickerd, binary, wait_until
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
#: `token` is the page's backend.
PAGE = """async (session) => {
  await import("/client/elements.js");
  const { connect } = await import("/client/pickerd.js");
  window.calls = 0;
  window.codes = [];
  const picker = await connect(`/v1/sessions/${session}`, {
    name: "Ana", locale: "en",
    getToken: async () => {
      window.calls += 1;
      const token = await window.token(window.calls, window.codes.includes(4302));
      if (token === "error") throw new Error("no backend");
      return token;
    },
  });
  picker.addEventListener("connection", () => window.codes.push(picker.closeCode ?? picker.connection));
  document.body.innerHTML = "<pickerd-calendar></pickerd-calendar>";
  document.querySelector("pickerd-calendar").picker = picker;
}"""


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    return Host(tmp_path_factory.mktemp("host"))


@pytest.fixture(scope="module")
def keyed(host, tmp_path_factory):
    server = Pickerd(tmp_path_factory.mktemp("keyed") / "log", auth=f"keys:{host.file}", clock=None)
    yield server
    server.stop()


@pytest.fixture
def session(keyed, host):
    made = keyed.post("/v1/sessions", {"definition": CALENDAR}, token=host.api)
    return made.json["session"]


def signed(host, session, seconds, role="editor", **more):
    return host.token(session, role, sub="17", exp=int(time.time()) + seconds, **more)


def words(name):
    """A text about the connection."""
    text = (REPOSITORY / "web/client/words/en-later.js").read_text()
    return text.split(f'{name}: "')[1].split('"')[0]


@pytest.fixture
def page(chromium, keyed, host, session):
    """Opens a page whose token is `pick(call, was_closed)`, or valid for so many seconds."""
    contexts = []

    def token(picked):
        return signed(host, session, picked) if isinstance(picked, int) else picked

    def opens(pick):
        context = patient(chromium.new_context(locale="en"))
        contexts.append(context)
        page = context.new_page()
        page.expose_function("token", lambda *call: token(pick(*call)))
        page.goto(f"http://127.0.0.1:{keyed.port}/")
        page.evaluate(PAGE, session)
        return page

    yield opens
    for context in contexts:
        context.close()


def picker(page, expression):
    return page.evaluate(f"document.querySelector('pickerd-calendar').picker?.{expression}")


def reaches(page, connection):
    page.wait_for_function(
        "(one) => document.querySelector('pickerd-calendar').picker?.connection === one",
        arg=connection)


def test_a_page_renews_its_token_inside_the_connection(page):
    def joined(seconds):
        """A page that has joined with its first token, unless a busy machine needs longer."""
        ana = page(lambda call, _: seconds if call == 1 else 3600)
        reaches(ana, "live")
        return ana.evaluate("window.calls") == 1 and ana

    ana = next(filter(None, map(joined, (-10, 30, PATIENCE))))
    first = picker(ana, "tokenExpires")

    ana.wait_for_function("(first) => document.querySelector('pickerd-calendar')"
                          ".picker.tokenExpires > first", arg=first)

    assert ana.evaluate("window.calls") == 2
    assert ana.evaluate("window.codes").count("live") == 1, "it has not reconnected"


def test_a_person_without_a_new_token_reads_a_sentence_and_can_retry(page):
    may = {"yes": False}
    ana = page(lambda call, _: 3600 if may["yes"] else (-24 if call == 1 else None))

    banner = ana.locator("[part=connection]")
    expect(banner).to_contain_text(words("expired"))
    retry = ana.locator("[part=retry]")
    expect(retry).to_be_visible()
    may["yes"] = True
    retry.click()

    reaches(ana, "live")
    expect(banner).to_be_hidden()


def test_a_new_token_attribute_renews_the_token_of_an_element(page, keyed, host, session):
    ana = page(lambda *_: None)
    html = ('<pickerd-calendar session="/v1/sessions/%s" token="%s"></pickerd-calendar>'
            % (session, signed(host, session, 600)))
    ana.evaluate("(html) => { document.body.innerHTML = html }", html)
    reaches(ana, "live")
    first = picker(ana, "tokenExpires")

    ana.evaluate("(token) => document.querySelector('pickerd-calendar').setAttribute('token', token)",
                 signed(host, session, 3600, "viewer"))

    ana.wait_for_function("(first) => document.querySelector('pickerd-calendar')"
                          ".picker.tokenExpires > first", arg=first)
    ana.wait_for_function("() => document.querySelector('pickerd-calendar').picker.self.role === 'viewer'")


class Python:
    """The guide's client on a thread, with a list of the tokens that it has got."""

    def __init__(self, url, token, file=None):
        sys.path.insert(0, str(REPOSITORY / "web/guide"))
        import client
        self.denial = client.NoToken
        self.picker = client.Picker(url, token=token, file=file)
        self.isOver = self.isDenied = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.isOver and not self.isDenied:
            try:
                self.picker.next(timeout=0.1)
            except self.denial:
                self.isDenied = True


def test_the_guides_client_renews_its_token_and_resumes_after_4302_and_4403(keyed, host, session):
    given, late, revocation = [], [], int(time.time()) - 60
    is_revoked = threading.Event()

    def token():
        """After the revocation the second one is issued later than that."""
        given.append([-10, -20, 3600][min(len(given), 2)])
        if is_revoked.is_set():
            late.append(given[-1])
        return signed(host, session, given[-1], iat=revocation + (10 if len(late) > 1 else -10))

    ana = Python(keyed.socket(f"/v1/sessions/{session}"), token)
    wait_until(lambda: ana.picker.state)
    member = ana.picker.me["id"]
    # The first token is renewed inside the connection by one that ends before the next renewal.
    wait_until(lambda: len(given) == 2)
    assert ana.picker.socket is not None
    wait_until(lambda: len(given) == 3)
    bo = Member(keyed.socket(f"/v1/sessions/{session}"), token=host.token(session, sub="18"))
    bo.tap("2018-11-20")
    wait_until(lambda: ana.picker.revision == 1)
    bo.leave()

    ana.picker.epoch = "another"
    is_revoked.set()
    before = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(revocation))
    answer = keyed.post(
        f"/v1/sessions/{session}/revoke", {"tokenIssuedBefore": before}, token=host.api)
    assert answer.status == 200, answer

    wait_until(lambda: ana.picker.epoch != "another")
    assert len(late) == 2 and ana.picker.me["id"] == member
    ana.isOver = True
    ana.thread.join(PATIENCE)


class Join:
    """`pickerd join --json` with a token file."""

    def __init__(self, url, file):
        self.file = file
        self.run = subprocess.Popen(
            [binary(), "join", "--json", "--token-file", file, url],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = []
        threading.Thread(
            target=lambda: self.lines.extend(map(json.loads, self.run.stdout)), daemon=True).start()

    @property
    def connections(self):
        return [line["connection"] for line in list(self.lines) if line["event"] == "connection"]

    def replace_token(self, token):
        new = self.file.with_name("new")
        new.write_text(token)
        new.rename(self.file)

    def quit(self):
        self.run.stdin.write("show\nquit\n")
        self.run.stdin.flush()
        assert self.run.wait(PATIENCE) == 0


@pytest.fixture
def join(keyed, session, tmp_path):
    runs = []

    def starts(token):
        file = tmp_path / "token"
        file.write_text(token + "\n")
        runs.append(Join(keyed.socket(f"/v1/sessions/{session}"), file))
        return runs[-1]

    yield starts
    for run in runs:
        run.run.kill()


def test_join_reads_its_token_file_again(join, keyed, host, session):
    ana = join(signed(host, session, -20))
    wait_until(lambda: "live" in ana.connections)
    wait_until(lambda: len(ana.connections) > ana.connections.index("live") + 1)

    ana.replace_token(signed(host, session, 3600))

    wait_until(lambda: ana.connections[-1] == "live")
    ana.quit()
    members = keyed.get(f"/v1/sessions/{session}", token=host.api).json["members"]
    assert len(members) <= 1, "it is the same member"


def test_join_refuses_a_token_file_that_is_missing_or_empty(tmp_path):
    empty = tmp_path / "empty"
    empty.write_text("\n")
    for arguments, word in ((["--token-file", tmp_path / "none"], "cannot be read"),
                            (["--token-file", empty], "no token"),
                            (["--token-file", empty, "--token", "x"], "cannot be combined")):
        run = subprocess.run([binary(), "join", *arguments, "ws://127.0.0.1:1/v1/sessions/a"],
                             capture_output=True, text=True, timeout=PATIENCE)
        assert run.returncode == 64 and word in run.stderr
