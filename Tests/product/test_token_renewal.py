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
from harness.definitions import CALENDAR
from harness.host import Host
from harness.member import Member
from harness.pickerd import REPOSITORY, Pickerd, binary, wait_until
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
LANGUAGES = ["en", "de", "zh-Hans", "ja", "ar"]
#: `signed` is the page's backend; `pick` chooses the seconds until the next token expires.
PAGE = """async ([session, language]) => {
  await import("/client/elements.js");
  const { connect } = await import("/client/pickerd.js");
  window.calls = 0;
  window.codes = [];
  const picker = await connect(`/v1/sessions/${session}`, {
    name: "Ana", locale: language,
    getToken: async () => {
      window.calls += 1;
      const seconds = await window.pick(window.calls, window.codes.includes(4302));
      if (seconds === "error") throw new Error("no backend");
      return seconds === null ? null : window.signed(seconds);
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


def signed(host, session, seconds, role="editor"):
    return host.token(session, role, sub="17", exp=int(time.time()) + seconds)


@pytest.fixture
def page(chromium, keyed, host, session):
    """Opens a page whose tokens are valid for `pick(call, was_closed)` seconds."""
    contexts = []

    def opens(pick, language="en"):
        context = chromium.new_context(locale="en")
        context.set_default_timeout(90_000)
        contexts.append(context)
        page = context.new_page()
        page.expose_function("pick", pick)
        page.expose_function("signed", lambda seconds: signed(host, session, seconds))
        page.goto(f"http://127.0.0.1:{keyed.port}/")
        page.evaluate(PAGE, [session, language])
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
    ana = page(lambda call, _: -10 if call == 1 else 3600)
    reaches(ana, "live")
    first = picker(ana, "tokenExpires")

    ana.wait_for_function("(first) => document.querySelector('pickerd-calendar')"
                          ".picker.tokenExpires > first", arg=first)

    assert ana.evaluate("window.calls") == 2
    assert ana.evaluate("window.codes").count("live") == 1, "it has not reconnected"


def test_a_page_whose_token_expires_resumes_with_a_new_one(page, keyed, host, session):
    ana = page(lambda call, closed: 3600 if closed else (-20 if call == 1 else "error"))
    reaches(ana, "live")
    member = picker(ana, "self.id")
    bo = Member(keyed.socket(f"/v1/sessions/{session}"), token=host.token(session, sub="18"))
    bo.tap("2018-11-20")

    ana.wait_for_function("() => window.codes.includes(4302)")
    bo.tap("2018-11-22")
    reaches(ana, "live")

    ana.wait_for_function("() => document.querySelector('pickerd-calendar').picker.result")
    assert picker(ana, "result") == {"start": "2018-11-20", "end": "2018-11-22", "days": 3}
    assert picker(ana, "self.id") == member
    bo.leave()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_person_without_a_new_token_reads_a_sentence_and_can_retry(page, language):
    words = (REPOSITORY / f"web/client/words/{language}.js").read_text()
    sentence = words.split('expired: "')[1].split('"')[0]
    may = {"yes": False}
    ana = page(lambda call, _: 3600 if may["yes"] else (-24 if call == 1 else None), language)

    banner = ana.locator("[part=connection]")
    expect(banner).to_contain_text(sentence)
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

    def __init__(self, url, token):
        sys.path.insert(0, str(REPOSITORY / "web/guide"))
        from client import Picker
        self.picker = Picker(url, token=token)
        self.isOver = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.isOver:
            self.picker.next(timeout=0.1)


def test_the_guides_client_renews_its_token_and_resumes_after_4302(keyed, host, session):
    given = []

    def token():
        given.append([-10, -20, 3600][min(len(given), 2)])
        return signed(host, session, given[-1])

    ana = Python(keyed.socket(f"/v1/sessions/{session}"), token)
    wait_until(lambda: ana.picker.state, 60)
    member = ana.picker.me["id"]
    # The first token is renewed inside the connection by one that ends before the next renewal.
    wait_until(lambda: len(given) == 2, 60)
    assert ana.picker.socket is not None
    wait_until(lambda: len(given) == 3, 60)
    bo = Member(keyed.socket(f"/v1/sessions/{session}"), token=host.token(session, sub="18"))
    bo.tap("2018-11-20")

    wait_until(lambda: ana.picker.revision == 1, 60)
    assert ana.picker.me["id"] == member
    ana.isOver = True
    ana.thread.join(30)
    bo.leave()


def test_join_reads_its_token_file_again(keyed, host, session, tmp_path):
    file = tmp_path / "token"
    file.write_text(signed(host, session, -20) + "\n")
    run = subprocess.Popen(
        [binary(), "join", "--json", "--token-file", file, keyed.socket(f"/v1/sessions/{session}")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    lines = []
    threading.Thread(target=lambda: lines.extend(map(json.loads, run.stdout)), daemon=True).start()
    live = lambda: [line["connection"] for line in list(lines) if line["event"] == "connection"]
    try:
        wait_until(lambda: "live" in live(), 60)
        wait_until(lambda: len(live()) > live().index("live") + 1, 60)
        (tmp_path / "new").write_text(signed(host, session, 3600))
        (tmp_path / "new").rename(file)

        wait_until(lambda: live()[-1] == "live", 60)
        run.stdin.write("show\nquit\n")
        run.stdin.flush()
        assert run.wait(60) == 0
        members = keyed.get(f"/v1/sessions/{session}", token=host.api).json["members"]
        assert len(members) <= 1, "it is the same member"
    finally:
        run.kill()


def test_join_refuses_a_token_file_that_is_missing_or_empty(tmp_path):
    empty = tmp_path / "empty"
    empty.write_text("\n")
    for arguments, word in ((["--token-file", tmp_path / "none"], "cannot be read"),
                            (["--token-file", empty], "no token"),
                            (["--token-file", empty, "--token", "x"], "cannot be combined")):
        run = subprocess.run([binary(), "join", *arguments, "ws://127.0.0.1:1/v1/sessions/a"],
                             capture_output=True, text=True, timeout=120)
        assert run.returncode == 64 and word in run.stderr
