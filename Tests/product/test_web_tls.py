"""A browser over https: and wss:, with a certificate authority of its own."""

import json
import os
import ssl
import subprocess
import urllib.request

import pytest
from playwright.sync_api import Error, expect

from harness.certificates import Authority
from harness.contexts import patient
from harness.definitions import LISTS
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY
from webpages import CHROMIUM, DESKTOP

pytest_plugins = ["webpages"]


@pytest.fixture
def authority(tmp_path):
    return Authority(tmp_path)


@pytest.fixture
def secure(start, authority):
    """A server with TLS and the URL of a session's page."""
    issued = authority.issue()
    server = start(clock=None, options=[
        "--tls-certificate", issued.certificate, "--tls-key", issued.key, "--loops", "2",
        "--web", str(REPOSITORY / "web")])
    origin = f"https://localhost:{server.port}"
    request = urllib.request.Request(
        f"{origin}/v1/sessions", json.dumps({"definition": LISTS}).encode(),
        {"Content-Type": "application/json"})
    context = ssl.create_default_context(cafile=authority.root)
    with urllib.request.urlopen(request, context=context, timeout=PATIENCE) as answer:
        session = json.load(answer)["session"]
    return f"{origin}/#/s/{session}"


@pytest.fixture
def browser(chromium, tmp_path):
    """Starts a browser that trusts the given authority, or none."""
    browsers = []

    def begin(authority=None):
        database = tmp_path / ".pki/nssdb"
        database.mkdir(parents=True, exist_ok=True)
        certutil = ["certutil", "-d", f"sql:{database}"]
        subprocess.run([*certutil, "-N", "--empty-password"], check=True, capture_output=True)
        if authority:
            subprocess.run([*certutil, "-A", "-n", "tests", "-t", "C,,", "-i", authority.root],
                           check=True, capture_output=True)
        browsers.append(chromium.browser_type.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], timeout=1000 * PATIENCE,
            env={**os.environ, "HOME": str(tmp_path)}))
        return browsers[-1]

    yield begin
    for each in browsers:
        each.close()


def test_two_members_choose_over_wss(browser, authority, secure):
    windows = browser(authority)
    sockets = []
    contexts = [patient(windows.new_context(viewport=DESKTOP, locale="en")) for _ in range(2)]
    pages = [context.new_page() for context in contexts]
    for page in pages:
        page.on("websocket", lambda socket: sockets.append(socket.url))
        page.goto(secure)
        page.wait_for_selector("pickerd-wheels .row:not([hidden])")
    pages[0].locator(".wheel").first.press("ArrowDown")

    expect(pages[1].locator("pickerd-wheels .chosen").first).to_contain_text("Windows")
    assert len(sockets) == 2 and all(url.startswith("wss://localhost:") for url in sockets)


def test_a_browser_refuses_an_unknown_authority(browser, secure):
    page = patient(browser().new_page())
    with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
        page.goto(secure)
