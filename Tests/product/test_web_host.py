"""The Host panel changes the picker for all members and shows the equivalent shell commands."""

import json
import subprocess

import pytest
from harness.definitions import CALENDAR, LISTS
from harness.patience import PATIENCE
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = [pytest.mark.used_pages, pytest.mark.developers]

SLOT = {"kind": "slot", "timeZone": "Asia/Shanghai", "minutes": 60, "stepMinutes": 30,
        "hours": [{"from": "10:00", "until": "18:00"}], "onParentChange": "keep"}


def action(one, name):
    return one.page.locator(f".host-action.{name}")


def command(one, name):
    """The shell command that an action shows."""
    code = action(one, name).locator(".command code")
    expect(code).not_to_be_empty()
    return code.text_content()


def run(text):
    """Runs a copied command in a shell; the server's response."""
    done = subprocess.run(
        ["sh", "-c", text], capture_output=True, text=True, timeout=PATIENCE, check=True)
    return json.loads(done.stdout)


def picks(one, first, last):
    one.day(first).click()
    one.day(last).click()
    one.is_idle()


def test_a_day_that_the_host_sells_out_shortens_a_stay_for_all_members(window, server):
    session = server.session(CALENDAR)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo", locale="de")
    picks(bo, "2018-12-20", "2018-12-27")

    host = ana.host_panel
    expect(host).to_be_visible()
    host.get_by_role("button", name="Host: Next month").click()
    host.get_by_role("button", name="Monday, December 24, 2018", exact=True).click()

    expect(ana.note).to_contain_text("The choices have changed: your stay now ends on Dec 23")
    expect(bo.note).to_contain_text(
        "Die Auswahl hat sich geändert: Ihr Aufenthalt endet jetzt am 23. Dez.")
    expect(bo.page.locator('[aria-live="polite"].unseen')).to_contain_text("endet jetzt am 23. Dez.")
    expect(bo.chosen).to_contain_text("20.–23. Dez. 2018")
    expect(bo.day("2018-12-24")).to_have_attribute("data-unavailable", "taken")
    day = host.locator('[data-date="2018-12-24"]')
    expect(day).to_have_attribute("aria-pressed", "true")
    day.click()
    expect(bo.day("2018-12-24")).not_to_have_attribute("data-unavailable", "taken")
    expect(bo.note).to_contain_text("Die Auswahl hat sich geändert")
    expect(day).to_have_attribute("aria-pressed", "false")
    assert session.get()["version"] == 3


def test_the_host_can_select_days_by_keyboard(window, server):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana")
    today = ana.page.locator('.host-day[tabindex="0"]')
    expect(today).to_have_attribute("data-date", "2018-11-23")

    today.focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        ana.page.keyboard.press(key)

    expect(ana.day("2018-12-01")).to_have_attribute("aria-disabled", "true")
    assert '"host-2018-12-01"' in command(ana, "host-days")


def test_the_host_can_take_and_free_times_and_close_for_lunch(window, server):
    session = server.session(SLOT)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo")
    expect(bo.chosen).to_contain_text("10:30")

    ana.button("Take Nov 23, 10:30").click()
    expect(bo.note).to_contain_text(
        "10:30 AM has just been booked: your choice is now Today, Nov 23 11:30 AM")
    ana.button("Free Nov 23, 10:30").click()
    expect(ana.button("Free Nov 23, 10:30")).to_be_hidden()
    ana.button("Close on Nov 23 from 12 to 2 pm").click()
    expect(bo.note).to_contain_text(
        "11:30 AM is outside the opening hours: your choice is now Today, Nov 23 2:00 PM")
    ana.button("Open on Nov 23 as usual").click()
    expect(ana.button("Close on Nov 23 from 12 to 2 pm")).to_be_visible()
    assert server.get(session.path + "/definition").json.get("dates", {}) == {}


def test_the_host_cancels_with_a_reason_and_no_owner_has_a_button_for_it(window, server):
    session = server.session(SLOT, cancel="host", ownership="creator")
    token = session.owner_token
    ana = window(server, session, name="Ana", token=token)
    bo = window(server, session, name="Bo", locale="de")
    expect(ana.button("Confirm")).to_be_visible()
    expect(ana.button("Cancel")).to_be_hidden()

    answer = server.post(session.path + "/commands", {
        "type": "cancel", "reason": {"en": "Dr. Weber is ill", "de": "Dr. Weber ist krank"}}, token=token)

    assert answer.status == 200, answer
    expect(ana.note).to_contain_text("Cancelled. Dr. Weber is ill")
    expect(bo.note).to_contain_text("Abgesagt. Dr. Weber ist krank")
    ana.page.reload()
    expect(ana.chosen).to_contain_text("Cancelled. Dr. Weber is ill · Today, Nov 23 10:30 AM")
    expect(bo.chosen).to_contain_text("Abgesagt. Dr. Weber ist krank")
    assert server.post(session.path + "/commands", {"type": "reopen"}, token=token).status == 200
    expect(ana.chosen).not_to_contain_text("Weber")


def test_the_host_renames_and_removes_rows_but_not_while_the_definition_is_loaded_again(
        window, server):
    session = server.session(LISTS)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo")
    for name in ("host-rename", "host-remove"):
        action(ana, name).locator("select").select_option("1")
    remove = action(ana, "host-remove").locator("button.secondary")
    expect(remove).to_be_enabled()
    held = []

    def hold(route):
        held.append(route) if route.request.method == "GET" else route.continue_()

    ana.page.route("**/definition", hold)

    action(ana, "host-rename").get_by_label("New name").fill("Vim")
    ana.button("Rename").click()
    expect(bo.selected(1)).to_have_text("Vim")
    expect(bo.note).to_contain_text("Xcode is now called Vim")
    expect(remove).to_have_text("Remove Vim")
    expect(remove).to_be_disabled()
    for route in held:
        route.continue_()
    ana.page.unroute("**/definition")
    remove.click()

    expect(bo.note).to_contain_text("Vim removed: your choice is now VSCode")
    expect(bo.selected(1)).to_have_text("VSCode")


@pytest.mark.parametrize("card, names", [
    ("linked-1", ["host-rename", "host-remove"]), ("linked-0", ["host-remove", "host-rename"]),
    ("range-0", ["host-days", "host-longest"]), ("slot-0", ["host-take", "host-free", "host-lunch"]),
    ("date-0", ["host-latest"])])
def test_the_shown_commands_work_in_a_shell_with_the_owners_token(window, guarded, card, names):
    ana = window(guarded, name="Ana O'Neill")
    ana.card(card).click()
    ana.has_connection("live")

    for revision, name in enumerate(names, start=1):
        if name == "host-rename":
            action(ana, name).get_by_label("New name").fill("Ana's “$HOME” \\ `x`")
        if name == "host-latest":
            action(ana, name).get_by_label("Date").fill("2010-05-17")
        if name == "host-longest":
            action(ana, name).get_by_label("Days").fill("7")
        if name == "host-days":
            ana.page.locator(".host-day").nth(20).hover()
        answer = run(command(ana, name))
        assert answer.get("revision") and answer["changes"], answer
        ana.page.wait_for_function(
            "version => document.querySelector('pickerd-wheels, pickerd-calendar').picker.state.version === version",
            arg=revision + 1)
    assert "Authorization: Bearer " in command(ana, name)


def test_a_rejected_change_shows_an_error(window, server):
    session = server.session({"kind": "columns", "columns": [["one"]]})
    ana = window(server, session, name="Ana")

    ana.button("Remove one").click()

    expect(ana.host_panel.get_by_role("alert")).to_contain_text("The server has not changed it")
    assert session.revision() == 0


def test_only_the_owner_sees_the_host_panel(window, guarded):
    session = guarded.session(LISTS)
    bo = window(guarded, session, name="Bo", token=session.tokens["editor"])

    bo.has_connection("live")
    expect(bo.host_panel).to_have_count(0)
