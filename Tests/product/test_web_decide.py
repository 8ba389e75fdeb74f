"""The demo's booking that the host grants, denies or does not answer."""

import json
import subprocess

import pytest
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = [pytest.mark.used_pages, pytest.mark.developers]
#: Collects what has been said about who decides.
SAID = """said = [];
new MutationObserver(() => said.push(document.querySelector(".who")?.textContent ?? ""))
  .observe(document, { subtree: true, childList: true, characterData: true });"""
SIZES = [{"width": 1100, "height": 900}, {"width": 420, "height": 900}]


def action(one, name):
    return one.page.locator(f".host-action.{name}")


def asks(window, server, size, locale="en"):
    """Ana opens the demo's card and confirms; Bo has joined by her link."""
    ana = window(server, name="Ana", viewport=size, locale=locale)
    ana.page.locator("[data-open=ask-0]").click()
    expect(ana.chip).to_have_attribute("data-connection", "live")
    path = "#" + ana.page.url.split("#")[1]
    bo = window(server, path=path, name="Bo", viewport=size, locale=locale)
    expect(bo.chip).to_have_attribute("data-connection", "live")
    expect(bo.chosen).not_to_be_empty()
    ana.page.locator("[part~=confirm]").click()
    for one in (ana, bo):
        expect(one.chosen).to_have_attribute("data-status", "confirming")
    return ana, bo


def fits(one):
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert one.page.evaluate(width) <= 0


@pytest.mark.parametrize("size", SIZES, ids=["1100", "420"])
def test_the_host_grants_a_booking_after_a_reload(window, plain, size):
    ana, bo = asks(window, plain, size)
    expect(ana.chosen).to_contain_text("Waiting for confirmation")
    ana.page.reload()
    expect(ana.chosen).to_have_attribute("data-status", "confirming")
    expect(ana.button("Confirm")).to_be_hidden()
    grant = action(ana, "host-grant")
    expect(grant).to_be_visible()
    fits(ana)

    grant.get_by_role("button", name="Grant").click()

    for one in (ana, bo):
        expect(one.chosen).to_contain_text("Confirmed.")
        expect(one.note).to_contain_text("Your choice has been confirmed.")
        expect(action(one, "host-grant")).to_be_hidden()


@pytest.mark.parametrize("size", SIZES, ids=["1100", "420"])
def test_the_host_denies_a_booking_with_a_reason(window, plain, size):
    ana, bo = asks(window, plain, size)
    deny = action(bo, "host-deny")
    deny.get_by_label("Reason").fill("It's closed")

    deny.get_by_role("button", name="Deny").click()

    for one in (ana, bo):
        expect(one.note).to_contain_text("Not confirmed: It's closed")
        expect(one.chosen).to_have_attribute("data-status", "open")
        expect(action(one, "host-deny")).to_be_hidden()
        fits(one)
    expect(ana.button("Confirm")).to_be_visible()
    ana.page.add_init_script(SAID)
    ana.page.reload()
    expect(ana.page.locator(".who")).to_have_text("The host decides after a confirmation.")
    assert not any("You decide" in text for text in ana.page.evaluate("said"))


@pytest.mark.parametrize("locale, word", [
    ("en", "Sold out"), ("de", "Ausgebucht"), ("zh-Hans", "售完"), ("ja", "空きなし"),
    ("ar", "نفدت الأماكن")])
def test_the_commands_decide_as_the_buttons_do(window, plain, locale, word):
    ana, bo = asks(window, plain, SIZES[0], locale)
    code = action(ana, "host-deny").locator(".command code")
    expect(code).to_contain_text('"granted":false')

    done = subprocess.run(["sh", "-c", code.text_content()], capture_output=True, text=True,
                          timeout=120, check=True)

    assert json.loads(done.stdout)["granted"] is False
    expect(bo.note).to_contain_text(word)
    expect(bo.chosen).to_have_attribute("data-status", "open")
    ana.page.locator("[part~=confirm]").click()
    granted = action(ana, "host-grant").locator(".command code")
    expect(granted).to_contain_text('"granted":true')
    subprocess.run(["sh", "-c", granted.text_content()], capture_output=True, timeout=120, check=True)
    expect(bo.chosen).to_have_attribute("data-status", "confirmed")


@pytest.mark.parametrize("size", SIZES, ids=["1100", "420"])
def test_without_an_answer_the_booking_is_open_again(window, server, size):
    ana, bo = asks(window, server, size)
    until = ana.picker("state.until")

    server.post("/v1/clock", {"now": until})

    for one in (ana, bo):
        expect(one.note).to_contain_text("There was no answer in time.")
        expect(one.chosen).to_have_attribute("data-status", "open")
        expect(action(one, "host-grant")).to_be_hidden()
