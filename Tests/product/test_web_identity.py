"""People stay who they are: a closed tab, two days, a second window, a shared computer."""

import pytest
from harness.definitions import LISTS
from playwright.sync_api import expect
from webpages import Window

pytest_plugins = ["webpages"]

DAYS = {"kind": "availability", "dates": {"from": "2018-11-24", "through": "2018-11-30"}}


def closes(one):
    """Closes the tab; returns a function that opens its address in a new one of the browser."""
    address, context = one.page.url, one.page.context
    one.page.close()

    def again():
        other = Window(context.new_page())
        other.page.goto(address)
        other.has_connection("live")
        return other

    return again


def create(one, card="range-0"):
    """Opens a card of the home page; the link of its session."""
    one.card(card).click()
    expect(one.link).to_be_visible()
    link = one.link.input_value()
    one.type("Escape")
    one.has_connection("live")
    return link


@pytest.mark.parametrize("auth", ["open", "token"])
def test_the_creator_is_the_owner_again_after_the_tab_is_closed(window, plain, guarded, auth):
    """Regression: the creator was a stranger, and the first guest who came owned the picker."""
    server = plain if auth == "open" else guarded
    ana = window(server, name="Ana", path="#/")
    link = create(ana)
    member = ana.picker("self.id")
    again = closes(ana)

    bo = window(server, name="Bo", path=link.split(f":{server.port}/", 1)[1])
    bo.has_connection("live")
    assert bo.picker("self.role") == "editor"
    invites = {"open": "You are invited to", "token": "Ana invites you to"}
    expect(bo.inviter).to_have_text(invites[auth])
    expect(bo.button("Confirm")).to_be_hidden()

    ana = again()
    assert (ana.picker("self.id"), ana.picker("self.role")) == (member, "owner")
    expect(ana.decider).to_have_text("You confirm at the end.")
    expect(ana.face("Ana (You)")).to_be_visible()
    expect(ana.page.locator(".member")).to_have_count(2)
    expect(bo.decider).to_have_text("Ana confirms at the end.")
    expect(ana.link).to_have_count(0)
    ana.back.click()
    ana.page.get_by_role("link", name="A range in two taps").click()
    ana.has_connection("live")
    assert ana.picker("self.id") == member


def test_who_has_answered_is_the_same_two_days_later(window, server):
    session = server.session(DAYS, ttlSeconds=30 * 86_400)
    session.join("Ana")
    bo = window(server, session, name="Bo")
    bo.cell(2).click()
    bo.is_idle()
    member = bo.picker("self.id")
    again = closes(bo)
    server.clock("2018-11-25T10:00:00+08:00")

    bo = again()

    assert bo.picker("self.id") == member
    expect(bo.cell(2)).to_have_attribute("data-own", "yes")
    bo.cell(3).click()
    bo.is_idle()
    assert bo.picker("state.availability.respondents") == 1


def test_a_second_window_is_a_guest_also_after_a_reload(window, plain):
    ana = window(plain, name="Ana", path="#/")
    create(ana)
    ana.invite()
    with ana.page.context.expect_page() as opened:
        ana.invitation.get_by_role("link", name="Open in a second window").click()
    guest = Window(opened.value)
    guest.has_connection("live")

    member = guest.picker("self.id")
    assert member != ana.picker("self.id")
    assert guest.picker("self.role") == "editor"
    ana.has_connection("live")
    expect(ana.page.locator(".member")).to_have_count(2)
    guest.page.reload()
    guest.has_connection("live")
    assert guest.picker("self.id") == member
    expect(ana.page.locator(".member")).to_have_count(2)


def test_without_what_was_stored_the_user_is_a_new_member(window, server):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana")
    member = ana.picker("self.id")
    ana.page.evaluate("localStorage.clear()")

    ana.page.reload()

    ana.has_connection("live")
    assert ana.picker("self.id") != member
    assert ana.picker("state.members.size") == 2


def test_a_picker_is_forgotten_on_a_shared_computer(window, guarded):
    ana = window(guarded, name="Ana", path="#/")
    link = create(ana)
    path = link.split(f":{guarded.port}/", 1)[1]
    session = path.split("#")[0].removeprefix("s/")
    bo = window(guarded, name="Bo", path=path)
    expect(bo.face("Ana")).to_be_visible()

    with ana.menu() as menu:
        menu.get_by_role("button", name="Forget this picker on this device").click()

    expect(ana.start).to_be_visible()
    expect(bo.face("Ana")).to_have_count(0)
    expect(ana.page.get_by_role("link", name="A range in two taps")).to_have_count(0)
    left = ana.page.evaluate("Object.keys(localStorage)")
    assert not [name for name in left if session in name], left
    ana.page.goto(f"http://127.0.0.1:{guarded.port}/#/s/{session}")
    expect(ana.page.get_by_role("heading", name="This link does not give you access.")).to_be_visible()
