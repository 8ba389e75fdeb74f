"""Links with a token: the page takes it out of the address and sends it in no URL."""

import re

import pytest
from harness.definitions import LISTS, TREE
from harness.host import Host
from harness.session import Session
from playwright.sync_api import expect

pytest_plugins = ["webpages"]


@pytest.fixture(params=["token", "keys"])
def guest(request, start, tmp_path):
    """A server, a session, and a token for it: one of `--auth token`, or one that a host signed."""
    if request.param == "token":
        server = request.getfixturevalue("guarded")
        session = server.session(LISTS)
        return server, session, session.tokens["editor"]
    host = Host(tmp_path)
    server = start(auth=f"keys:{host.file}")
    created = server.post("/v1/sessions", {"definition": LISTS}, token=host.api)
    session = Session(server, created.json)
    return server, session, host.token(session.id, "owner", sub="17", name="Ada Lovelace")


def assert_joined(one, session):
    expect(one.chosen).to_have_text("MacOS · Xcode")
    expect(one.page).to_have_url(f"http://127.0.0.1:{session.server.port}/#/s/{session.id}")


def assert_shared(one, server, token):
    """The link to share has a role's token; a token of a user is shared with nobody."""
    if server.auth == "token":
        one.invite()
        expect(one.link).to_have_value(re.compile(token))
        one.type("Escape")
    else:
        expect(one.page.locator(".menu-button")).to_be_visible()
        expect(one.page.locator(".share-button")).to_have_count(0)


def test_the_page_takes_the_token_out_of_the_address_which_admits_nobody_else_then(window, guest):
    server, session, token = guest
    ana = window(server, name="Ana")
    urls = []
    ana.page.on("request", lambda request: urls.append(request.url))
    ana.page.on("websocket", lambda socket: urls.append(socket.url))

    ana.page.goto(f"http://127.0.0.1:{server.port}/#/s/{session.id}?token={token}")

    assert_joined(ana, session)
    ana.page.reload()
    assert_joined(ana, session)
    ana.page.go_back()
    expect(ana.start).to_be_visible()
    ana.page.go_forward()
    assert_joined(ana, session)
    assert urls and not [url for url in urls if token in url.partition("#")[0]]
    assert_shared(ana, server, token)

    bo = window(server, name="Bo", path="#" + ana.page.url.partition("#")[2])

    expect(bo.page.get_by_role("heading", name="This link does not give you access.")).to_be_visible()


def test_a_pasted_text_is_answered_and_one_that_gives_access_lasts_for_a_reload(window, guest):
    server, session, token = guest
    ana = window(server, session, name="Ana", waits=False)
    field = ana.page.get_by_label("Link", exact=True)
    verdict = ana.page.locator("#token-verdict")

    for pasted in ["hello", "see you at eight", "你好", f"http://any/#/s/{session.id}",
                   ("y" if token[0] == "x" else "x") + token[1:]]:
        expect(verdict).to_be_empty()
        field.fill(pasted)
        ana.button("Enter").click()
        expect(verdict).to_have_text("This is not a link or a token that gives access.")
        expect(field).to_have_value(pasted)
        expect(field).to_be_focused()
        field.fill("")

    expect(ana.page).to_have_url(f"http://127.0.0.1:{server.port}/#/s/{session.id}")
    is_link = server.auth.startswith("keys")
    field.fill(f"https://any/#/s/{session.id}?token={token}" if is_link else token)
    ana.button("Enter").click()
    assert_joined(ana, session)
    assert_shared(ana, server, token)
    expect(ana.host_panel).to_have_count(0)

    ana.page.reload()

    assert_joined(ana, session)


def test_a_pasted_link_of_another_session_opens_that_one(window, guarded):
    session, other = guarded.session(LISTS), guarded.session(TREE)
    ana = window(guarded, session, name="Ana", waits=False)

    ana.page.get_by_label("Link", exact=True).fill(
        f"https://any/#/s/{other.id}?token={other.tokens['editor']}")
    ana.button("Enter").click()

    expect(ana.chosen).to_have_text("Guangdong · Guangzhou · Haizhu")
    expect(ana.page).to_have_url(f"http://127.0.0.1:{guarded.port}/#/s/{other.id}")


def test_the_page_works_without_storage(window, guarded):
    session = guarded.session(LISTS)
    ana = window(guarded, name="Ana")
    ana.page.add_init_script("""for (const area of ["localStorage", "sessionStorage"]) Object.defineProperty(
        window, area, { get() { throw new DOMException("denied", "SecurityError"); } })""")
    ana.page.goto(f"http://127.0.0.1:{guarded.port}/?#/s/{session.id}?token={session.tokens['editor']}")
    expect(ana.chosen).to_have_text("MacOS · Xcode")

    ana.rename("Zoe")
    expect(ana.face("Zoe")).to_be_visible()
    ana.back.click()
    ana.page.go_back()

    expect(ana.chosen).to_have_text("MacOS · Xcode")
    expect(ana.face("Zoe (you)")).to_be_visible()
    ana.page.close()


def test_a_member_whose_access_is_revoked_reads_so(window, start, tmp_path):
    host = Host(tmp_path)
    server = start(auth=f"keys:{host.file}")
    session = Session(server, server.post("/v1/sessions", {"definition": LISTS}, token=host.api).json)
    token = host.token(session.id, "editor", sub="17", name="Ada")
    ada = window(server, path=f"#/s/{session.id}?token={token}")
    expect(ada.chosen).to_have_text("MacOS · Xcode")

    answer = server.post(f"/v1/sessions/{session.id}/revoke", {"subject": "17"}, token=host.api)

    assert answer.status == 200, answer
    expect(ada.page.get_by_role("heading", name="This link does not give you access.")).to_be_visible()


def test_a_guest_who_confirms_sees_no_panels_for_developers(window, start, tmp_path):
    """Regression: they were opened for the decision, which only the host can send."""
    host = Host(tmp_path)
    server = start(auth=f"keys:{host.file}")
    made = server.post("/v1/sessions", {
        "definition": LISTS, "decide": {"by": "host", "seconds": 300}}, token=host.api)
    session = Session(server, made.json)
    ada = window(server, path=f"#/s/{session.id}?token={host.token(session.id, 'owner', sub='17')}")
    with ada.page.expect_response(lambda one: '"op"' in one.text() if session.id in one.url else False):
        ada.button("Confirm").click()
    ada.page.reload()

    expect(ada.chosen).to_contain_text("Asked for ")
    expect(ada.page.locator(".drawer")).to_be_hidden()
