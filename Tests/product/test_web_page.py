"""The demo page: languages, themes, the definition and message panels, names, small screens."""

import re

import pytest
from harness.definitions import CALENDAR, DATE, LISTS
from harness.host import Host
from harness.pickerd import Pickerd
from playwright.sync_api import expect

pytest_plugins = ["webpages"]


@pytest.mark.used_pages
def test_the_language_of_an_open_picker_can_be_changed(window, server):
    ana = window(server, name="Ana", locale="de")
    ana.card("date-0").click()
    expect(ana.chosen).not_to_be_empty()
    member = ana.picker("self.id")

    for locale, title, direction in [
            ("zh-Hans", "不晚于今天的日期", "ltr"), ("ar", "تاريخ أقصاه اليوم", "rtl"),
            ("de", "Ein Datum, spätestens heute", "ltr")]:
        ana.choose_language(locale)

        expect(ana.title).to_have_text(title)
        expect(ana.page.locator("html")).to_have_attribute("dir", direction)
        expect(ana.page.locator("pickerd-wheels .frame")).to_have_attribute("lang", locale)
        assert ana.picker("self.id") == member
        ana.page.wait_for_function(
            "() => document.querySelector('pickerd-wheels').picker.connection === 'live'")
        if locale == "zh-Hans":
            expect(ana.selected(1)).to_have_text(re.compile(r"^\d\d月$"))


@pytest.mark.used_pages
def test_notes_that_are_shown_are_translated_with_the_page(window, server):
    session = server.session({**CALENDAR, "maxDays": 5, "max": "2018-11-28"})
    ana, bo = (window(server, session, name=name) for name in ("Ana", "Bo"))
    ana.day("2018-11-05").click()
    bo.day("2018-11-20").click()
    expect(ana.note).to_contain_text("Bo ends on Nov 9, 2018: you can pick at most 5 days")
    bo.day("2018-11-30").click(force=True)
    expect(bo.note).to_contain_text("the latest day you can pick is Nov 28, 2018")

    for one in (ana, bo):
        one.choose_language("de")

    expect(ana.note).to_contain_text("Bo endet am 9. Nov. 2018: ")
    expect(ana.note).to_contain_text("höchstens 5 Tage")
    expect(ana.note.get_by_role("button", name="Rückgängig")).to_be_visible()
    expect(bo.note).to_contain_text("28. Nov. 2018")


@pytest.mark.parametrize("locale,language,weekday", [("en-GB", "en", 2), ("ar", "ar", 7)])
def test_a_card_opens_a_picker_with_the_language_and_the_weeks_of_the_browser(
        window, plain, locale, language, weekday):
    ana = window(plain, name="Ana", locale=locale)
    ana.card("range-0").click()
    ana.has_connection("live")
    expect(ana.page.locator("pickerd-calendar")).to_be_visible()

    definition = plain.get(f"/v1/sessions/{ana.page.url.split('/s/')[1]}").json["snapshot"]["definition"]
    assert (definition["locale"], definition["firstWeekday"]) == (language, weekday)


def test_the_theme_can_be_selected_and_is_stored(window, server):
    session = server.session(DATE)
    ana = window(server, session, name="Ana", color_scheme="light")
    ground = "getComputedStyle(document.querySelector('pickerd-wheels').shadowRoot.querySelector('.frame')).backgroundColor"
    light = ana.page.evaluate(ground)

    ana.choose_theme("dark")

    assert ana.page.evaluate(ground) != light
    ana.page.reload()
    ana.page.wait_for_selector("pickerd-wheels .row:not([hidden])")
    assert ana.page.evaluate(ground) != light


@pytest.mark.developers
def test_an_error_in_the_definition_is_marked_at_its_position(window, server):
    session = server.session({"kind": "slot", "timeZone": "Asia/Shanghai"})
    ana = window(server, session, name="Ana")
    source = ana.page.locator("#definition-source")
    expect(source).to_have_value(re.compile('"kind": "slot"'))

    source.fill('{\n  "kind": "slot",\n  "stepMinutes": 7\n}')

    verdict = ana.page.locator("#definition-verdict")
    expect(verdict).to_contain_text("line 3, /stepMinutes")
    expect(ana.page.locator(".marks mark")).to_have_text("7")
    source.fill('{\n  "kind": "slot",\n  "stepMinutes": 15,,\n}')
    expect(verdict).to_contain_text("Not valid JSON")
    source.fill('{"kind": "slot", "stepMinutes": 15}')
    expect(verdict).to_have_text("This definition is valid.")
    ana.button("Open as new picker").click()
    ana.page.wait_for_url(lambda url: session.id not in url)
    ana.has_connection("live")


@pytest.mark.developers
def test_the_message_panel_shows_the_latency_and_hides_secrets(window, server):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana")
    expect(ana.page.locator(".latency")).to_have_text("")
    ana.message_panel.locator("summary").click()

    ana.type_at(0, "ArrowDown")

    messages = ana.page.locator(".messages")
    expect(messages).to_contain_text('"type":"select","column":0,"row":1,"generation":1,"key":"Windows","ref":1')
    expect(messages).to_contain_text('"type":"delta","revision":1')
    expect(ana.page.locator(".latency")).to_contain_text("ms")
    secret = ana.page.evaluate(
        "JSON.parse(Object.entries(localStorage).find(([name]) => name.startsWith('pickerd ws'))[1]).secret")
    assert secret and secret not in messages.text_content()


@pytest.mark.used_pages
def test_a_name_of_blanks_is_asked_for_again(window, server):
    ana = window(server, server.session(LISTS), name="")
    expect(ana.name_question).to_have_count(0)
    ana.type_at(0, "ArrowDown")
    field = ana.name_question
    field.fill("  ")
    field.evaluate("(one) => one.addEventListener('invalid', () => { window.isAsked = true; })")
    ana.button("Save").click()
    ana.page.wait_for_function("() => window.isAsked")
    expect(field).to_be_focused()
    assert field.evaluate("(one) => one.validationMessage") == "Please fill out this field."
    field.fill(" Ana ")
    ana.button("Save").click()
    expect(ana.face("Ana (You)")).to_be_visible()


def go_home(one):
    one.back.click()
    expect(one.start).to_be_visible()


@pytest.mark.used_pages
def test_a_name_that_is_typed_on_the_home_page_reaches_a_session_that_is_opened_again(
        window, server):
    """Regression: the member had its former name."""
    session = server.session(LISTS)
    bo = window(server, session, name="Bo")
    ana = window(server, session, name="Ana")
    member = ana.picker("self.id")
    go_home(ana)
    expect(bo.face("Ana (away)")).to_be_visible()

    ana.rename("Zoe")
    ana.page.go_back()

    expect(bo.face("Zoe")).to_be_visible()
    expect(bo.face("Ana")).to_have_count(0)
    expect(ana.face("Zoe (You)")).to_be_visible()
    assert ana.picker("self.id") == member


def test_a_name_that_a_token_forbids_is_tried_once(window, tmp_path):
    host = Host(tmp_path)
    server = Pickerd(tmp_path / "log", auth=f"keys:{host.file}", clock=None)
    id = server.post("/v1/sessions", {"definition": LISTS}, token=host.api).json["session"]
    path = f"#/s/{id}?token={host.token(id, 'editor', name='Mia')}"
    ana = window(server, path=path, name="Ana")
    expect(ana.face("Mia (You)")).to_be_visible()
    go_home(ana)
    ana.rename("Zoe")
    ana.page.go_back()
    expect(ana.note).to_contain_text("Your name comes with your access")

    go_home(ana)
    ana.page.go_back()
    expect(ana.face("Mia (You)")).to_be_visible()
    ana.has_connection("live")
    ana.is_idle()

    expect(ana.note).to_have_count(0)
    server.stop()


@pytest.mark.used_pages
def test_the_buttons_of_a_range_are_on_one_line_in_german_and_in_view_on_a_phone(window, server):
    session = server.session({**CALENDAR, "maxDays": 14})
    ana = window(server, session, locale="de", phone=True, viewport={"width": 360, "height": 800})
    for date in ("2018-11-26", "2018-12-12"):
        ana.day(date).tap()
    ana.is_idle()
    expect(ana.note).to_contain_text("höchstens 14 Tage")
    expect(ana.button("Rückgängig").last).to_be_visible()
    middles = {box["y"] + box["height"] / 2 for box in (each.bounding_box() for each in ana.page.locator(
        ".acts .act:visible").all())}
    assert len(middles) == 1, "they are on one line"
    assert ana.note.bounding_box()["height"] < 60, "the sentence has two lines"
    assert ana.button("Bestätigen").bounding_box()["y"] + 44 <= 800


@pytest.mark.used_pages
def test_long_names_of_weekdays_do_not_move_the_days_on_a_narrow_screen(window, server):
    session = server.session({**CALENDAR, "selection": "single"})
    ana = window(server, session, name="Ana", locale="ar", viewport={"width": 320, "height": 568})

    ana.day("2018-11-14").click()

    band = ana.bands("2018-11").bounding_box()
    number = ana.day("2018-11-14").locator(".number").bounding_box()
    assert abs(band["y"] - number["y"]) < 1


@pytest.mark.used_pages
def test_touch_input_selects_rows(window, server):
    wheels = server.session(LISTS)
    ana = window(server, wheels, name="Ana", phone=True, viewport={"width": 390, "height": 500})
    ana.row(0, "Windows").tap()
    expect(ana.chosen).to_have_text("Windows · Xcode")
    ana.row(0, "Linux").tap()
    expect(ana.chosen).to_have_text("Linux · Xcode")
    ana.is_idle()
    assert wheels.revision() == 2
    # Buttons that turn a wheel are for a mouse; a finger would lose their room.
    ana.page.wait_for_selector(".step", state="attached")
    assert ana.page.locator(".step").first.bounding_box()["height"] < 5


def test_the_page_runs_no_inline_script_and_no_inline_style(window, server):
    answer = server.get("/")
    policy = answer.headers["content-security-policy"]
    assert "unsafe-inline" not in policy and "script-src 'self'" in policy
    ana = window(server, name="Ana")
    ana.card("range-0").click()
    ana.has_connection("live")
