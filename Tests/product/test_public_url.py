"""`--public-url`: a server below a path, behind each proxy and without one."""

import http.client
import json
import ssl
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from harness.contexts import patient
from harness.definitions import CALENDAR
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY
from harness.ports import free_port
from harness.proxies import ProxiedPickerd
from harness.terminal import run

pytest_plugins = ["webpages"]

PREFIX = "/shared"
#: Each proxy, and whether it removes the path from the requests.
STYLES = [("nginx", True), ("haproxy", False), ("caddy", False)]


@pytest.fixture(scope="module", params=STYLES,
                ids=lambda style: f"{style[0]} {'removes' if style[1] else 'forwards'} the path")
def below(request, tmp_path_factory):
    """A server below a path of a proxy, with --public-url and without --host."""
    kind, removes = request.param
    folder = tmp_path_factory.mktemp(kind)
    server = ProxiedPickerd(
        folder / "pickerd.log", kind, folder, prefix=PREFIX, removes=removes, auth="token",
        clock=None, options=("--loops", "2", "--web", str(REPOSITORY / "web")))
    server.base = f"https://localhost:{server.proxy.port}{PREFIX}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", lambda: server.proxy.member_context)
        yield server
    server.stop()


def raw(server, method, path, **headers):
    """Status, Location and body of a request without the prefix of the server's paths."""
    connection = server.connection()
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    answer = response.status, response.getheader("Location"), response.read()
    connection.close()
    return answer


def test_urls_begin_with_the_public_url(below):
    created = below.create(CALENDAR)
    path = f"/v1/sessions/{created.json['session']}"

    assert (created.status, created.headers["location"]) == (201, below.base + path)
    assert created.json["socket"] == below.base.replace("https", "wss") + path
    documents = [below.get(f"/v1/{name}.json").json for name in ("openapi", "asyncapi")]
    assert documents[0]["servers"] == [{"url": below.base}]
    server = documents[1]["servers"]["here"]
    assert f"{server['protocol']}://{server['host']}{server['pathname']}{path}" == created.json["socket"]


def test_members_join_below_the_path_and_links_lead_there(below):
    session = below.session(CALENDAR)
    ana, bo = session.join("Ana"), session.join("Bo", role="editor")
    bo.tap("2018-11-26")
    ana.tap("2018-11-28")
    ana.confirm()
    link = session.get()["links"]["ics"]
    session.agree()
    session.forget()

    assert link.startswith(f"{below.base}{session.path}/event.ics?ticket=")
    status, _, body = raw(below, "GET", link.removeprefix(below.base.removesuffix(PREFIX)))
    assert (status, body[:17]) == (200, b"BEGIN:VCALENDAR\r\n")


class Windows:
    """Windows of a browser, which record requests that fail or leave the path."""

    def __init__(self, chromium, base):
        self.chromium, self.base = chromium, base
        self.contexts, self.wrong = [], []

    def open(self, url, **options):
        context = patient(self.chromium.new_context(
            ignore_https_errors=True, locale="en", timezone_id="Asia/Shanghai", **options))
        self.contexts.append(context)
        page = context.new_page()
        page.add_init_script("localStorage.setItem('pickerd name', 'Ana')")
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("response", self._note)
        page.on("websocket", lambda socket: self._check(socket.url.replace("ws", "http", 1)))
        page.goto(url)
        return page

    def _note(self, response):
        # The page asks a server with tokens whether it has `ownership`.
        is_question = response.status == 400 and response.url.endswith("/v1/sessions")
        if response.status >= 400 and not is_question:
            self.wrong.append(f"{response.status} {response.url}")
        self._check(response.url)

    def _check(self, url):
        if not url.startswith((self.base + "/", "data:")):
            self.wrong.append(url)

    def close(self):
        for context in self.contexts:
            context.close()


@pytest.fixture
def windows(chromium):
    opened = []

    def begin(base):
        opened.append(Windows(chromium, base))
        return opened[-1]

    yield begin
    for each in opened:
        each.close()


def plan_together(windows, base):
    """Ana creates a session on the page, Bo opens its link, and both tap; the pages."""
    ana = windows.open(base + "/#/examples")
    ana.locator("[data-open=month-0]").click()
    link = ana.locator("#share-link")
    expect(link).to_be_visible()
    assert link.input_value().startswith(f"{base}/s/"), link.input_value()
    assert ana.url.startswith(f"{base}/#/s/")
    bo = windows.open(link.input_value())
    day = "pickerd-calendar .month:not([data-loading]) [data-date]:not([aria-disabled=true])"
    date = bo.locator(day).nth(9).get_attribute("data-date")
    bo.locator(f"[data-date='{date}']").first.click()
    for page in (ana, bo):
        expect(page.locator(f"[data-date='{date}'][aria-selected=true]").first).to_be_visible()
    return ana, bo


@pytest.mark.parametrize("below", STYLES[:1], indirect=True, ids=["removed"])
def test_the_page_works_below_the_path(below, windows):
    opened = windows(below.base)

    ana, _ = plan_together(opened, below.base)

    ana.get_by_role("button", name="Confirm", exact=True).click()
    with ana.expect_download() as download:
        ana.get_by_role("link", name="Calendar file (.ics)").click()
    assert download.value.path().read_bytes().startswith(b"BEGIN:VCALENDAR\r\n")
    ana.reload()
    expect(ana.locator("pickerd-calendar")).to_be_visible()
    assert not opened.wrong


@pytest.fixture
def direct(start):
    """A server below a path without a proxy."""
    port = free_port()
    server = start(
        listen=f"127.0.0.1:{port}", options=("--loops", "2", "--web", str(REPOSITORY / "web")),
        environment={"PICKERD_PUBLIC_URL": f"http://127.0.0.1:{port}{PREFIX}/"})
    server.base = f"http://127.0.0.1:{port}{PREFIX}"
    return server


def test_the_page_and_its_commands_work_below_the_path_without_a_proxy(direct, windows):
    opened = windows(direct.base)

    ana, _ = plan_together(opened, direct.base)

    session = ana.url.split("/")[-1]
    ana.locator(".menu-button").click()
    ana.get_by_role("button", name="For developers").click()
    command = f"curl -sS -X PATCH '{direct.base}/v1/sessions/{session}/definition'"
    expect(ana.locator(".command code").filter(has_text=command).first).to_be_attached()
    # An address that older links may have.
    demo = opened.open(f"{direct.base}/demo/#/s/{session}")
    expect(demo.locator("pickerd-calendar")).to_be_visible()
    assert demo.url == f"{direct.base}/#/s/{session}"
    assert not opened.wrong


EMBEDDING = """async (session) => {
  const client = session.split("/v1/")[0] + "/client/elements.js";
  const { connect } = await import(client);
  const picker = await connect(session);
  const element = document.createElement("pickerd-calendar");
  element.setAttribute("session", session);
  document.body.append(element);
}"""


def test_clients_accept_urls_with_the_path(direct, windows):
    session = direct.session(CALENDAR)
    url = f"{direct.base}{session.path}"
    socket = url.replace("http", "ws", 1)
    opened = windows(direct.base)
    page = opened.open(direct.base + "/#/examples")

    for link in (f"{direct.base}/#/s/{session.id}", url, socket):
        status, output, complaint = run(link, stdin="tap 2018-11-20\n")
        assert (status, complaint) == (0, ""), link
        assert "2018-11-20" in output
    client = [sys.executable, REPOSITORY / "web/guide/client.py", socket]
    shown = subprocess.run([*client, "tap", "2018-11-21"], capture_output=True, text=True,
                           timeout=PATIENCE, check=True).stdout
    assert "2018-11-21" in shown
    page.evaluate(EMBEDDING, url)
    expect(page.locator("body > pickerd-calendar .month:not([data-loading])").first).to_be_visible()
    assert not opened.wrong


def test_the_public_name_and_origin_are_accepted(start):
    server = start(options=("--public-url", "https://picker.example/shared/",
                            "--origin", "https://shop.example"))
    body = json.dumps({"definition": CALENDAR})

    def create(origin, host=None, path="/v1/sessions"):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        headers = {"Content-Type": "application/json", "Origin": origin}
        connection.request("POST", path, body, {**headers, **({"Host": host} if host else {})})
        response = connection.getresponse()
        answer = response.status, json.loads(response.read()).get("socket")
        connection.close()
        return answer

    for host in ("picker.example", "picker.example:8443", None):
        for path in ("/v1/sessions", "/shared/v1/sessions"):
            status, socket = create("https://picker.example", host, path)
            assert status == 201 and socket.startswith("wss://picker.example/shared/v1/sessions/")
    assert create("https://shop.example")[0] == 201
    assert create("https://evil.example")[0] == 403
    assert create("https://picker.example", "evil.example")[0] == 421
    assert create("https://picker.example", path="/other/v1/sessions")[0] in (404, 405)
    session = server.session(CALENDAR)
    session.connect(origin="https://picker.example").join()
