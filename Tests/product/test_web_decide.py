"""The demo's booking that the host grants, denies or does not answer."""

import json
import subprocess

import pytest
from playwright.sync_api import expect

from harness.patience import PATIENCE

pytest_plugins = ["webpages"]
pytestmark = [pytest.mark.used_pages, pytest.mark.developers]
#: Collects what has been said about who decides.
SAID = """said = [];
new MutationObserver(() => said.push(document.querySelector(".who")?.textContent ?? ""))
  .observe(document, { subtree: true, childList: true, characterData: true });"""
LAPTOP, PHONE = {"width": 1100, "height": 900}, {"width": 420, "height": 900}


def action(one, name):
    return one.page.locator(f".host-action.{name}")


def asks(window, server, locale="en"):
    """Ana opens the demo's card and confirms; Bo has joined by her link."""
    ana = window(server, name="Ana", viewport=LAPTOP, locale=locale)
    ana.card("ask-0").click()
    ana.has_connection("live")
    path = "#" + ana.page.url.split("#")[1]
    bo = window(server, path=path, name="Bo", viewport=LAPTOP, locale=locale)
    bo.has_connection("live")
    expect(bo.chosen).not_to_be_empty()
    confirm(ana, bo)
    return ana, bo


def fits(one):
    """Nothing is wider than the page, on a phone neither."""
    for size in (PHONE, LAPTOP):
        one.page.set_viewport_size(size)
        assert one.overflow() <= 0


def confirm(ana, bo):
    ana.page.locator("[part~=confirm]").click()
    for one in (ana, bo):
        expect(one.chosen).to_have_attribute("data-status", "confirming")


def test_the_host_denies_a_booking_with_a_reason_and_does_not_answer(window, server):
    ana, bo = asks(window, server)
    expect(ana.chosen).to_contain_text("Asked for ")
    expect(action(bo, "host-deny")).to_have_count(0)
    deny = action(ana, "host-deny")
    deny.get_by_label("Reason").fill("It's closed")
    deny.get_by_label("Reason").press("Enter")
    for one in (ana, bo):
        expect(one.note).to_contain_text("The host says no: It's closed")
        expect(one.chosen).to_have_attribute("data-status", "open")
        expect(action(one, "host-deny")).to_be_hidden()
        fits(one)
    expect(ana.host_panel.locator("summary")).to_be_focused()

    confirm(ana, bo)
    server.post("/v1/clock", {"now": ana.picker("state.until")})
    for one in (ana, bo):
        expect(one.note).to_contain_text("The host did not answer in time.")
        expect(one.chosen).to_have_attribute("data-status", "open")
        expect(action(one, "host-grant")).to_be_hidden()

    expect(ana.button("Confirm")).to_be_visible()
    ana.page.add_init_script(SAID)
    ana.page.reload()
    expect(ana.decider).to_have_text("The host confirms at the end.")
    assert not any("You confirm" in text for text in ana.page.evaluate("said"))


def test_the_host_grants_a_booking_after_a_reload(window, plain):
    ana, bo = asks(window, plain)
    bo.wheel(0).hover()
    for step in bo.page.locator(".step").all():
        expect(step).to_be_disabled()
        expect(step).to_have_css("opacity", "0")
    ana.page.reload()
    expect(ana.chosen).to_have_attribute("data-status", "confirming")
    expect(ana.button("Confirm")).to_be_hidden()
    grant = action(ana, "host-grant")
    expect(grant).to_be_visible()
    fits(ana)
    grant.get_by_role("button", name="Grant").press("Enter")
    for one in (ana, bo):
        expect(one.chosen).to_contain_text("Confirmed.")
        expect(one.note).to_contain_text("The host has confirmed it.")
        expect(one.decider).to_have_text("The host has confirmed it.")
        expect(action(one, "host-grant")).to_be_hidden()
    expect(ana.host_panel.locator("summary")).to_be_focused()
    assert bo.page.evaluate("document.activeElement === document.body"), "Bo has decided nothing"


def test_the_commands_decide_as_the_buttons_do(window, plain):
    ana, bo = asks(window, plain, "de")
    code = action(ana, "host-deny").locator(".command code")
    expect(code).to_contain_text("Ausgebucht")
    expect(code).to_contain_text('"granted":false')

    done = subprocess.run(["sh", "-c", code.text_content()], capture_output=True, text=True,
                          timeout=PATIENCE, check=True)

    assert json.loads(done.stdout)["granted"] is False
    expect(bo.note).to_contain_text("Ausgebucht")
    expect(bo.chosen).to_have_attribute("data-status", "open")
    ana.page.locator("[part~=confirm]").click()
    granted = action(ana, "host-grant").locator(".command code")
    expect(granted).to_contain_text('"granted":true')
    subprocess.run(
        ["sh", "-c", granted.text_content()], capture_output=True, timeout=PATIENCE, check=True)
    expect(bo.chosen).to_have_attribute("data-status", "confirmed")


def test_on_a_phone_the_drawer_makes_way_for_what_the_host_has_decided(window, plain):
    ana, _ = asks(window, plain)
    ana.page.set_viewport_size(PHONE)
    deny = action(ana, "host-deny").get_by_role("button", name="Deny")
    deny.click()
    expect(ana.note).to_contain_text("The host says no: Sold out")
    expect(ana.page.locator(".drawer")).to_be_hidden()
    expect(ana.note).to_be_in_viewport()
    # A later test may use the page.
    ana.page.set_viewport_size(LAPTOP)
