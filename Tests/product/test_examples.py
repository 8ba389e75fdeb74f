"""The examples: each is started with its command, and used. With PICTURES=1 they get their pictures."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from harness.contexts import patient
from harness.patience import PATIENCE
from playwright.sync_api import expect
from webpages import Window

pytest_plugins = ["webpages"]

EXAMPLES = Path(__file__).resolve().parents[2] / "web/examples"
PICKERD = os.environ.get("PICKERD", ".build/release/pickerd")
NAMES = ["table", "hotel", "clinic", "tickets", "lunch", "birthday", "delivery", "form"]


class Example:
    def __init__(self, chromium, name):
        self.chromium, self.name, self.contexts, self.wrong = chromium, name, [], []
        self.process = subprocess.Popen(
            [sys.executable, EXAMPLES / "run.py", name, "0"], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PICKERD": str(Path(PICKERD).resolve())})
        self.address = re.fullmatch(rf"{name}: (http://\S+)\n", self.process.stdout.readline())[1]

    def opened(self, address=None, **options):
        context = patient(self.chromium.new_context(
            locale="en-US", timezone_id="Europe/Berlin", reduced_motion="reduce",
            viewport={"width": 960, "height": 720}, **options))
        self.contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.goto(address or self.address)
        return Window(page)

    def picture(self, one):
        if os.environ.get("PICTURES"):
            one.page.mouse.move(0, 0)
            one.page.screenshot(path=EXAMPLES / self.name / "picture.png")

    def close(self):
        for context in self.contexts:
            context.close()
        self.process.terminate()
        self.process.wait(PATIENCE)


@pytest.fixture
def example(chromium):
    started = []

    def start(name):
        started.append(Example(chromium, name))
        return started[-1]

    yield start
    for one in started:
        one.close()
        assert not one.wrong


def test_every_example_is_small_and_has_a_picture_and_a_line_in_the_page():
    assert sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir() and path.name[0] not in "._") == sorted(NAMES)
    text = (EXAMPLES / "README.md").read_text()
    for name in NAMES:
        assert f"`python3 web/examples/run.py {name}`" in text
        assert (EXAMPLES / name / "picture.png").stat().st_size < 150_000
        files = [path for path in (EXAMPLES / name).iterdir() if path.suffix in (".html", ".py", ".json")]
        assert sum(len(path.read_text().splitlines()) for path in files) <= 80, name
    used = {found for path in EXAMPLES.rglob("*.html") for found in re.findall(r"\{\{pickerd\}\}(/[^\"]*)", path.read_text())}
    assert all(each.startswith("/client/v1/") for each in used), "public addresses"


def test_a_table_is_a_field_of_a_form(example):
    table = example("table")
    ana = table.opened()
    expect(ana.selected(0)).not_to_be_empty()
    ana.type_at(0, "ArrowDown")
    ana.is_idle()
    ana.button("Book").click()
    expect(ana.page.locator("form > output")).to_have_text(re.compile(r"Booked for \d{4}-\d\d-\d\d, \d\d:\d\d\."))
    expect(ana.selected(0)).not_to_be_empty()
    table.picture(ana)


def test_a_hotel_has_prices_and_takes_nights(example):
    hotel = example("hotel")
    ana = hotel.opened()
    free = ana.page.locator(".month:not([data-loading]) .day:not([aria-disabled=true]):has(.remark:visible)")
    expect(ana.page.locator(".day[data-unavailable=taken]").first).to_be_attached()
    expect(free.first).to_contain_text("€")
    for at in (2, 4):
        free.nth(at).click()
        ana.is_idle()
    expect(ana.page.locator("#total")).to_contain_text("nights from")
    hotel.picture(ana)


def test_a_clinic_gives_a_time_to_one_patient(example):
    clinic = example("clinic")
    page = clinic.opened().page
    ana, bo = page.locator("section").nth(0), page.locator("section").nth(1)
    wanted = ana.locator(".chosen")
    expect(wanted).not_to_be_empty()
    expect(bo.locator(".chosen")).to_have_text(wanted.text_content())
    first = wanted.text_content()
    ana.locator("[part~=confirm]").click()
    expect(wanted).to_have_attribute("data-status", "confirmed")
    expect(bo.locator(".chosen")).not_to_have_text(first)
    bo.locator("[part~=confirm]").click()
    expect(bo.locator(".chosen")).to_have_attribute("data-status", "confirmed")
    clinic.picture(Window(page))


def test_a_box_office_holds_the_last_places_and_has_a_waiting_list(example):
    tickets = example("tickets")
    ana = tickets.opened()
    stock = ana.page.locator(".stock-text")
    expect(stock).to_have_text("2 left")
    ana.button("More").click()
    ana.button("Hold").click()
    expect(stock).to_have_text("Held for you")
    tickets.picture(ana)
    bo = tickets.opened(ana.page.get_by_role("link").get_attribute("href"))
    expect(bo.page.locator(".stock-text")).to_contain_text("is held by somebody else. It may come back.")
    ana.button("Confirm").click()
    expect(ana.chosen).to_have_attribute("data-status", "confirmed")
    expect(bo.page.locator(".stock-text")).to_contain_text("is sold out")
    bo.button("Join the waiting list").click()
    bo.answers("Bo")
    expect(bo.page.locator(".stock-text")).to_contain_text("you are next")
    bo.type_at(0, "ArrowDown")
    expect(bo.chosen).to_contain_text("Saturday")
    bo.is_idle()
    bo.button("Confirm").click()
    expect(bo.chosen).to_have_attribute("data-status", "confirmed")


def test_a_team_finds_a_time_for_lunch(example):
    lunch = example("lunch")
    ana = lunch.opened()
    expect(ana.cell(0)).to_be_visible()
    bo = lunch.opened(ana.page.get_by_role("link").get_attribute("href"))
    bo.cell(7).click()
    bo.answers("Bo")
    for one, cells in ((bo, (8, 13)), (ana, (7, 8, 9))):
        for cell in cells:
            one.cell(cell).click()
            expect(one.cell(cell)).to_have_attribute("data-own", "yes")
    expect(ana.page.locator("[part~=window]").first).to_contain_text("2")
    lunch.picture(ana)


def test_a_kiosk_asks_for_a_birthday_and_begins_anew(example):
    kiosk = example("birthday")
    ana = kiosk.opened()
    expect(ana.selected(0)).to_have_text("2000")
    kiosk.picture(ana)
    ana.type_at(0, *"1990")
    expect(ana.selected(0)).to_have_text("1990")
    ana.is_idle()
    ana.button("Continue").click()
    expect(ana.page.locator("p output")).to_have_text("One ticket: €12")
    expect(ana.selected(0)).to_have_text("2000")


def test_an_address_decides_when_a_delivery_can_come(example):
    delivery = example("delivery")
    ana = delivery.opened()
    address, time = (ana.page.locator("pickerd-wheels").nth(at) for at in (0, 1))
    expect(time.locator(".row[aria-selected=true]").first).not_to_be_empty()
    session = time.get_attribute("session")
    address.locator(".wheel").nth(0).press("ArrowDown")
    expect(address.locator(".row[aria-selected=true]").nth(0)).to_have_text("Hills")
    expect(time).not_to_have_attribute("session", session)
    ana.page.wait_for_function("() => document.querySelectorAll('pickerd-wheels')[1].value")
    ana.button("Order").click()
    expect(ana.page.locator("p output")).to_contain_text("Hills, Chapel Lane: ")
    # The page is loaded again, with the hours of the address, a day from now.
    first = time.locator(".wheel").nth(1).locator(".row:not([hidden])").first
    expect(first).to_have_text(re.compile(r"^\s*((9|10|11)\sAM|12\sPM)\s*$"))
    delivery.picture(ana)


def test_a_stay_is_chosen_without_javascript(example):
    form = example("form")
    ana = form.opened(java_script_enabled=False)
    ana.page.get_by_role("link", name="Later").click()
    for x in (150, 290):
        expect(ana.page.locator("input[type=image]")).to_be_visible()
        ana.page.locator("input[type=image]").click(position={"x": x, "y": 300})
    status = ana.page.get_by_role("status")
    expect(status).to_have_text(re.compile(r"From \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\."))
    first, last = re.findall(r"\d{4}-\d\d-(\d\d)", status.text_content())
    assert int(last) == int(first) + 2
    form.picture(ana)
