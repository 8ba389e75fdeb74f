"""Presence, touches, roles and sharing in several browser windows."""

import re
from urllib.parse import urlsplit

import pytest
from harness.definitions import CALENDAR, DATE, LISTS
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages


def test_touches_on_wheels_are_shown_to_the_others(window, server):
    session = server.session(DATE)
    ana, bo, cem = (window(server, session, name=name) for name in ("Ana", "Bo", "Cem"))
    ana.row(0, "2017").hover()
    expect(bo.row(0, "2017")).to_have_attribute("data-hover", "")

    ana.hold(0, rows=-2)
    ghost = bo.wheel(0).locator(".row[data-ghost]")
    expect(ghost).to_have_text("2016")
    expect(ghost).to_have_attribute("data-ghost", "A")
    expect(bo.face("Ana")).to_have_attribute("data-touching", "")
    expect(ana.wheel(0).locator(".row[data-ghost]")).to_have_count(0)
    cem.hold(0, rows=-2)
    expect(bo.row(0, "2016")).to_have_attribute("data-ghost", re.compile("^(A C|C A)$"))
    ana.let_go()
    expect(bo.wheel(0).locator('.row[data-ghost="C"]')).to_have_text("2016")
    cem.let_go()
    expect(ghost).to_have_count(0)

    # A hidden row is shown at the edge.
    bo.type_at(0, "Home")
    expect(ana.selected(0)).to_have_text("1950")
    ana.type_at(0, "End")
    expect(bo.selected(0)).to_have_text("2018")
    ana.hold(0, rows=-5)
    expect(bo.wheel(0).locator(".edge.above")).to_have_text("A")
    ana.let_go()
    expect(bo.wheel(0).locator(".edge.above")).to_be_hidden()


def test_a_mouse_pointer_over_a_day_is_shown_to_the_others_lighter_than_fingers(window, server):
    session = server.session(CALENDAR)
    ana, bo, cem = (window(server, session, name=name) for name in ("Ana", "Bo", "Cem"))
    day = bo.day("2018-11-14")

    ana.day("2018-11-14").hover()

    expect(day).to_have_attribute("data-hover", "")
    expect(day).not_to_have_attribute("data-ghost", "A")
    expect(bo.face("Ana")).not_to_have_attribute("data-touching", "")
    ana.page.mouse.down()
    expect(day).to_have_attribute("data-ghost", "A")
    expect(day).not_to_have_attribute("data-hover", "")
    box = cem.day("2018-11-14").bounding_box()
    cem.page.mouse.move(box["x"] + 10, box["y"] + 10)
    cem.page.mouse.down()
    expect(day).to_have_attribute("data-ghost", re.compile("^(A C|C A)$"))
    ana.page.mouse.up()
    expect(day).to_have_attribute("data-ghost", "C")
    cem.page.mouse.up()
    cem.button("Today").hover()
    ana.button("Today").hover()
    expect(day).not_to_have_attribute("data-ghost", re.compile("."))
    ana.day("2018-11-15").hover()
    expect(bo.page.locator("[data-hover]")).to_have_attribute("data-date", "2018-11-15")
    ana.button("Today").hover()
    expect(bo.page.locator("[data-hover]")).to_have_count(0)


def test_only_the_owners_page_can_confirm_and_reopen_which_asks_first(window, server):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana")
    bo = window(server, session, name="Bo")
    expect(ana.button("Confirm")).to_be_visible()
    expect(bo.button("Confirm")).to_be_hidden()

    ana.button("Confirm").click()

    expect(bo.chosen).to_have_text("✓ Confirmed. MacOS · Xcode")
    expect(ana.page.locator(".calendar-links")).to_be_hidden()  # It is no event.
    expect(bo.note).to_contain_text("Ana confirmed")
    bo.type_at(0, "ArrowDown")
    expect(bo.selected(0)).to_have_text("MacOS")

    ana.button("Reopen").press("Enter")
    expect(ana.page.get_by_role("group", name="Reopen for everybody?")).to_be_visible()
    expect(ana.button("No")).to_be_focused()
    ana.page.keyboard.press("Escape")
    expect(ana.button("Reopen")).to_be_focused()
    assert ana.picker("state.status") == "confirmed"
    ana.reopens()
    expect(bo.chosen).to_have_text("MacOS · Xcode")
    bo.type_at(0, "ArrowDown")
    expect(ana.selected(0)).to_have_text("Windows")


def test_selections_of_others_are_announced_together_and_the_focus_stays(window, server):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana")
    bo = window(server, session, name="Bo")
    bo.wheel(1).focus()

    ana.type_at(0, "ArrowDown")
    expect(bo.selected(0)).to_have_text("Windows")
    ana.type_at(0, "ArrowDown")

    expect(bo.spoken).to_have_text("Ana set Column 1 to Linux")
    assert bo.page.evaluate("""() => document.activeElement.shadowRoot.activeElement
        === document.activeElement.shadowRoot.querySelectorAll('.wheel')[1]""")


def test_a_viewer_sees_changes_but_cannot_select(window, guarded):
    session = guarded.session(LISTS)
    ana = window(guarded, session, name="Ana", token=session.tokens["editor"])
    vi = window(guarded, session, name="Vi", token=session.tokens["viewer"])
    expect(vi.page.locator(".banner")).to_contain_text("View only")

    vi.type_at(0, "ArrowDown")
    ana.type_at(0, "End")

    expect(vi.selected(0)).to_have_text("Ubuntu")
    expect(vi.button("Undo")).to_be_hidden()
    assert session.revision() == 1


def test_with_tokens_the_pages_link_does_not_grant_ownership(window, guarded):
    ana = window(guarded, name="Ana")
    ana.card("linked-1").click()
    expect(ana.button("Confirm")).to_be_visible()

    expect(ana.link).to_be_visible()
    link = ana.link.input_value()
    bo = window(guarded, name="Bo", path=urlsplit(link)._replace(scheme="", netloc="").geturl()[1:])

    expect(bo.face("Ana")).to_be_visible()
    expect(bo.inviter).to_have_text("Ana invites you to")
    expect(bo.button("Confirm")).to_be_hidden()
    bo.type_at(0, "ArrowDown")
    expect(ana.selected(0)).to_have_text("Windows")


def test_a_guest_who_has_become_the_owner_has_invited_nobody(window, server):
    session = server.session(LISTS)
    ana, _ = session.join("Ana"), session.join("Bo")
    ana.leave()
    cem = window(server, session, name="Cem")
    expect(cem.decider).to_have_text("Bo confirms at the end.")
    expect(cem.inviter).to_have_text("You are invited to")


def test_a_name_is_beside_its_picture_in_an_arabic_page_too(window, server):
    bo = window(server, server.session(LISTS), name="Bo", locale="ar", path="#/", waits=False)
    bo.page.goto(f"http://127.0.0.1:{server.port}/#/s/{server.sessions[-1].id}")
    bo.is_loaded()
    bo.page.eval_on_selector("pickerd-wheels", "(one) => one.removeAttribute('frame')")
    face = bo.page.locator("pickerd-wheels .face")
    name, picture = face.locator(".called").bounding_box(), face.locator(".picture").bounding_box()
    assert name["x"] + name["width"] <= picture["x"] - 4
