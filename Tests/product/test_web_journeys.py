"""Errands of somebody who sees the page for the first time, each at the first try."""

import re

from playwright.sync_api import expect

pytest_plugins = ["webpages"]

BERLIN, NEW_YORK = {"timezone_id": "Europe/Berlin"}, {"timezone_id": "America/New_York"}


def says_who(one, name):
    one.answers(name)
    expect(one.face(f"{name} (You)")).to_be_visible()
    expect(one.name_question).to_be_hidden()


def arrives(window, server, link, **options):
    """A guest opens the link."""
    return window(server, name="", path=link.split(f":{server.port}/", 1)[1], **options)


def test_two_friends_are_invited_to_choose_a_weekend_change_a_name_and_see_who_confirmed(
        window, plain):
    ana = window(plain, name="", path="#/examples")
    ana.page.get_by_label("What is it about?").fill("Weekend at the lake")
    ana.button("Plan days together").click()
    expect(ana.page.get_by_role("heading", level=1)).to_have_text("Weekend at the lake")
    expect(ana.decider).to_have_text("You confirm at the end.")
    expect(ana.button("Copy link")).to_be_in_viewport()
    link = ana.link.input_value()
    ana.type("Escape")
    ana.rename("Ana")
    expect(ana.face("Ana (You)")).to_be_visible()

    bo = arrives(window, plain, link, phone=True)
    expect(bo.inviter).to_have_text("You are invited to")
    expect(bo.page.get_by_role("heading", level=1)).to_have_text("Weekend at the lake")
    expect(bo.decider).to_have_text("Ana confirms at the end.")
    for panel in ("host", "definition", "wire"):
        expect(bo.page.locator(f".panel.{panel}")).to_have_count(0)
    cem = arrives(window, plain, link, locale="de")
    days = bo.page.locator(".month:not([data-loading]) .day[data-date]:not([aria-disabled=true])")
    first, last = (days.nth(at).get_attribute("data-date") for at in (1, 2))
    bo.day(first).first.tap()
    says_who(bo, "Bo")
    bo.day(last).first.tap()
    expect(cem.day(last).first).to_have_attribute("aria-selected", "true")

    member = bo.picker("self.id")
    bo.rename("Bo the Second")
    for one in (ana, cem):
        expect(one.face("Bo the Second")).to_be_visible()
    assert bo.picker("self.id") == member
    expect(bo.day(first).first).to_have_attribute("aria-selected", "true")

    ana.button("Confirm").click()
    expect(ana.page.locator(".receipt .by")).to_have_text("Confirmed by you.")
    expect(ana.page.get_by_text("Confirmed by you.").locator("visible=true")).to_have_count(1)
    expect(bo.decider).to_have_text("Confirmed by Ana.")
    cem.page.reload()
    expect(cem.decider).to_have_text("Bestätigt von: Ana")

    # And later back again.
    cem.back.click()
    cem.page.get_by_role("link", name="Weekend at the lake").click()
    expect(cem.decider).to_have_text("Bestätigt von: Ana")
    cem.back.click()
    cem.button("Liste leeren").click()
    expect(cem.page.get_by_role("link", name="Weekend at the lake")).to_have_count(0)


def test_a_table_is_booked_for_tomorrow_from_another_zone(window, plain):
    ana = window(plain, path="", **BERLIN)
    ana.card("table-0").click()
    expect(ana.page.get_by_role("heading", level=1)).to_have_text("Book a table")
    expect(ana.link).to_be_visible()
    link = ana.link.input_value()
    ana.type("Escape")
    bo = arrives(window, plain, link, **NEW_YORK)

    bo.type_at(0, "ArrowDown")
    says_who(bo, "Bo")
    bo.type_at(1, "End")
    bo.is_idle()
    # Where the zones differ, the zone follows.
    expect(ana.chosen).to_have_text(bo.chosen.text_content().split(" GMT")[0])
    ana.button("Confirm").click()

    expect(bo.decider).to_have_text("Confirmed by Ana.")
    session = plain.get(f"/v1/sessions/{link.split('/s/')[1]}").json
    with bo.page.expect_download() as download:
        bo.page.get_by_role("link", name="Calendar file (.ics)").click()
    start = re.search(r"DTSTART:(\w+)Z", download.value.path().read_text())[1]
    assert start == re.sub(r"\W", "", session["snapshot"]["result"]["instant"]).removesuffix("Z")
