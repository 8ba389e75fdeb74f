"""The links that people pass on: their page, what a preview shows, and addresses of nothing."""

import re

from harness.contexts import patient
from harness.definitions import CALENDAR, LISTS
from harness.host import Host
from harness.session import Session
from playwright.sync_api import expect

pytest_plugins = ["webpages"]

TITLE = """A <b>"week"</b> & 'more' """ + "湖" * 20


def previewed(server, path):
    """The properties of a preview."""
    answer = server.get(path)
    assert (answer.status, answer.type) == (200, "text/html"), answer
    return dict(re.findall(r'<meta property="([^"]*)" content="([^"]*)">', answer.body.decode()))


def test_a_preview_has_the_title_and_the_month_of_a_session_that_everyone_may_read(
        server, chromium):
    session = server.session(CALENDAR, title=TITLE)
    html = server.get(f"/s/{session.id}").body.decode()
    assert "<b>" not in html and html.count("<title>") == 1
    page = patient(chromium.new_page(java_script_enabled=False))
    try:
        page.goto(f"http://127.0.0.1:{server.port}/s/{session.id}")
        assert page.title() == TITLE
        preview = {one.get_attribute("property"): one.get_attribute("content")
                   for one in page.locator("meta[property]").all()}
    finally:
        page.close()
    assert preview["og:title"] == TITLE
    picture = server.get(re.sub(r"^http://[^/]+", "", preview["og:image"]))
    assert (picture.status, picture.type) == (200, "image/svg+xml")
    assert "/months/2018-11.svg" in preview["og:image"]


def test_a_preview_of_the_home_page_has_a_picture_at_an_absolute_address(server, start):
    home = previewed(server, "/")
    base = f"http://127.0.0.1:{server.port}"
    assert home["og:image"] == f"{base}/demo/screenshots/home.png"
    picture = server.get("/demo/screenshots/home.png")
    assert (picture.status, picture.type) == (200, "image/png") and len(picture.body) <= 150_000
    size = [str(int.from_bytes(picture.body[at:at + 4], "big")) for at in (16, 20)]
    assert size == [home["og:image:width"], home["og:image:height"]] == ["1200", "630"]
    assert home["og:title"] and home["og:description"]
    other = server.get("/s/nothing").body.decode()
    assert "home.png" not in other and "twitter:card" not in other

    public = start(options=("--public-url", "https://pick.example/below"))
    assert previewed(public, "/")["og:image"] == "https://pick.example/below/demo/screenshots/home.png"


def test_a_preview_shows_nothing_of_a_session_that_needs_a_token(guarded, start, tmp_path):
    nothing = previewed(guarded, "/s/nothing")
    assert nothing["og:title"] == "A shared picker" and "og:image" not in nothing
    session = guarded.session(CALENDAR, title="Secret")
    pages = [guarded.get(f"/s/{id}").body for id in (session.id, "0" * len(session.id))]
    assert pages[0] == pages[1] and b"Secret" not in pages[0]

    host = Host(tmp_path)
    keyed = start(auth=f"keys:{host.file}")
    answer = keyed.post("/v1/sessions", {"definition": CALENDAR, "title": "Secret"}, token=host.api)
    session = Session(keyed, answer.json)
    own = keyed.request("GET", f"/s/{session.id}", token=host.token(session.id, "owner"))
    assert own.body == keyed.get("/s/nothing").body and b"Secret" not in own.body


def test_a_link_opens_its_session_and_leaves_no_token_in_the_address(window, guarded):
    session = guarded.session(LISTS)
    ana = window(guarded, path=f"s/{session.id}#token={session.tokens['editor']}")
    expect(ana.chosen).to_have_text("MacOS · Xcode")
    assert ana.page.url == f"http://127.0.0.1:{guarded.port}/#/s/{session.id}"
    ana.page.reload()
    expect(ana.chosen).to_have_text("MacOS · Xcode")


def test_an_address_of_nothing_is_a_page_with_a_way_back(window, server):
    for path in ("nonsense", "a/b/c?d"):
        assert server.get(f"/{path}").type == "application/problem+json"
    assert server.get("/v1/nonsense", headers={"Accept": "text/html"}).status == 404
    home = f"http://127.0.0.1:{server.port}/"
    ana = window(server, path="", locale="de")
    # The last one is a link that was cut before its id.
    for path in ("nonsense", "a/b/c?d", "s/"):
        assert ana.page.goto(home + path).status == 404
        expect(ana.page.get_by_role("heading")).to_have_text(
            "Unter dieser Adresse gibt es keine Seite.")
        ana.page.locator("main").get_by_role("link", name="Alle Picker").click()
        expect(ana.start).to_be_visible()
        assert ana.page.url == home


def test_the_page_can_be_installed(window, server):
    ana = window(server, path="")
    manifest = ana.page.locator("link[rel=manifest]").get_attribute("href")
    said = server.get(f"/{manifest}")
    assert said.type == "application/manifest+json" and said.json["start_url"] == "../"
    for icon in said.json["icons"]:
        assert server.get(f"/demo/{icon['src']}").type == icon["type"]
    assert server.get("/demo/icon-180.png").status == 200
