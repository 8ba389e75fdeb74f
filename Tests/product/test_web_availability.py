"""Finding a time together on the page: painting, counts, best times, zones, privacy, phones."""

import re

import pytest
from harness.fingers import swipe
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages

#: Monday and Tuesday, from 9 to 11: cells 0 to 3 and 4 to 7.
TIMES = {"kind": "availability", "timeZone": "Europe/Berlin", "length": 2,
         "dates": ["2018-11-26", "2018-11-27"], "stepMinutes": 30,
         "hours": [{"from": "09:00", "until": "11:00"}]}
#: Sixteen weekends and the days before them, from Friday, November 23.
WEEKENDS = {"kind": "availability", "length": 2, "firstWeekday": 2,
            "dates": {"from": "2018-11-23", "through": "2019-03-10"},
            "blocked": [{"weekdays": [2, 3, 4, 5]}]}


def middle(place):
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(one, first, last):
    """Drags the mouse from a cell to another one."""
    mouse = one.page.mouse
    mouse.move(*middle(one.cell(first)))
    mouse.down()
    mouse.move(*middle(one.cell(last)), steps=4)
    mouse.up()


def own(one):
    """The cells that a page shows as its own, by grade."""
    return one.page.evaluate("""() => {
        const { board } = document.querySelector("pickerd-availability");
        const found = {};
        board.cells.forEach(({ dataset }, cell) => { if (dataset.own) (found[dataset.own] ??= []).push(cell); });
        return found;
    }""")


def shows(one, **cells):
    """Waits until a page shows these own cells."""
    one.page.wait_for_function("""(cells) => {
        const { board } = document.querySelector("pickerd-availability");
        return board.cells.every(({ dataset }, cell) => (dataset.own ?? null)
          === (Object.keys(cells).find((grade) => cells[grade].includes(cell)) ?? null));
    }""", arg=cells)


def stored(session):
    """The marks of members by their names, as the server has them."""
    marks = session.get()["snapshot"]["availability"]["marks"]
    return {one["name"]: [tuple(run) for run in one["runs"]] for one in marks}


def windows(one):
    return one.page.locator(".window-text")


def test_two_members_paint_in_two_zones_and_the_owner_confirms(window, server):
    session = server.session(TIMES)
    ana = window(server, session, name="Ana", timezone_id="Europe/Berlin")
    bo = window(server, session, name="Bo", locale="de", timezone_id="America/New_York")
    # Times are those of the member; Berlin is beside New York.
    expect(ana.page.locator(".times .scale").first).to_have_text("9 AM")
    expect(bo.page.locator(".times").first).to_have_text(re.compile("^03:00 *09:00$"))
    expect(bo.page.locator(".zone-menu")).to_have_value("America/New_York")

    drag(ana, 1, 6)
    shows(ana, yes=[1, 2, 5, 6])
    expect(bo.cell(5)).to_have_attribute("data-level", "5")
    expect(windows(bo)).to_have_text(["Mo., 26. Nov., 03:30 – 04:30", "Di., 27. Nov., 03:30 – 04:30"])
    assert stored(session) == {"Ana": [(1, 3, "yes"), (5, 7, "yes")]}

    # By keys: Shift extends, a number chooses the grade, Space paints.
    bo.cell(0).focus()
    bo.type("2")
    expect(bo.page.locator(".grade[data-grade=maybe]")).to_have_attribute("aria-pressed", "true")
    bo.page.keyboard.press("ArrowDown")
    bo.page.keyboard.press("Shift+ArrowRight")
    bo.page.keyboard.press("Shift+ArrowDown")
    expect(bo.page.locator(".cell[data-preview]")).to_have_count(4)
    bo.type("Space")
    shows(bo, maybe=[1, 2, 5, 6])
    expect(bo.spoken.first).to_contain_text("Vielleicht: 4 Felder")
    expect(ana.cell(2)).to_have_attribute("aria-label", "Mon, Nov 26, 10 AM, you: Yes, 1 yes, 1 maybe")
    # Who can, by pointing.
    ana.cell(5).hover()
    expect(ana.page.locator(".details-title")).to_have_text("Tue, Nov 27, 9:30 AM")
    expect(ana.page.locator(".group[data-grade=yes]")).to_have_text(re.compile("Can 1.*You"))
    expect(ana.page.locator(".group[data-grade=maybe]")).to_have_text(re.compile("Maybe 1.*Bo"))
    bo.cell(6).focus()
    bo.type("Shift+ArrowUp")
    bo.type("Delete")
    shows(bo, maybe=[1, 2])
    # A rectangle that begins where the grade is already erases it.
    bo.cell(1).focus()
    bo.type("Space")
    shows(bo, maybe=[2])
    bo.is_idle()
    assert stored(session)["Bo"] == [(2, 3, "maybe")]

    # Another zone, with the same marks.
    bo.page.locator(".zone-menu").select_option("Asia/Tokyo")
    expect(bo.page.locator(".times .scale").first).to_have_text("17:00")
    shows(bo, maybe=[2])
    expect(windows(bo).first).to_have_text("Mo., 26. Nov., 17:30 – 18:30")
    bo.page.reload()
    expect(bo.page.locator(".zone-menu")).to_have_value("Asia/Tokyo")
    shows(bo, maybe=[2])

    # The list of the best jumps to its cells, and the owner takes another window.
    ana.page.locator(".window").first.click()
    expect(ana.cell(1)).to_be_focused()
    ana.cell(4).click()
    shows(ana, yes=[1, 2, 4, 5, 6])
    expect(ana.page.locator(".picker-page").locator(".primary:visible")).to_have_count(1)
    ana.page.locator(".confirm-here").click()
    expect(ana.chosen).to_contain_text("✓ Confirmed. Tue, Nov 27, 9 AM – 10 AM · 1 yes, 1 no")
    expect(ana.chosen).to_be_focused()
    expect(ana.page.locator(".cell[data-window=chosen]")).to_have_count(2)
    # The numbers in the confirmed cells can be read: nothing is drawn over them.
    expect(ana.cell(4)).to_have_css("color", ana.page.locator(".receipt .primary").evaluate("(one) => getComputedStyle(one).color"))
    expect(bo.cell(4)).to_have_attribute("data-window", "chosen")
    expect(bo.chosen).to_contain_text("Bestätigt")
    assert session.result()["local"] == "2018-11-27T09:00"
    drag(ana, 0, 3)
    assert own(ana) == {"yes": [1, 2, 4, 5, 6]}, "it is confirmed"


def test_marks_wait_for_the_connection_and_the_clock_closes(window, server, wire):
    session = server.session({**TIMES, "closes": "2018-11-26T09:45"})
    ana = window(server, session, name="Ana", port=wire.port)
    bo = session.join("Bo")
    bo.mark("yes", [0, 4])
    expect(ana.page.locator(".guide")).to_contain_text("Answers until Mon, Nov 26")
    expect(ana.cell(0)).to_have_attribute("data-level", "5")
    wire.cut()
    ana.lacks_connection("live")

    drag(ana, 2, 3)
    ana.page.locator(".grade[data-grade=no]").click()
    ana.cell(0).click()
    shows(ana, yes=[2, 3], no=[0])
    expect(ana.cell(0)).to_have_attribute("aria-label", re.compile("you: No, 1 yes, 1 no"))
    expect(ana.page.locator(".unstored")).to_have_text("Not stored yet")
    bo.mark("no", [1, 2])

    ana.reconnects(wire)
    expect(ana.page.locator(".unstored")).to_be_empty()
    assert stored(session)["Ana"] == [(0, 1, "no"), (2, 4, "yes")]
    expect(ana.cell(1)).to_have_attribute("aria-label", re.compile("0 yes, 1 no"))
    # What is past cannot be painted: the rest of a rectangle can.
    server.clock("2018-11-26T08:40:00Z")
    expect(ana.page.locator(".cell[data-past]")).to_have_count(2)
    ana.page.locator(".grade[data-grade=maybe]").click()
    drag(ana, 0, 3)
    shows(ana, no=[0], maybe=[2, 3])
    ana.is_idle()
    server.clock("2018-11-26T08:46:00Z")
    expect(ana.page.locator(".guide")).to_have_text("Answers are closed.")
    expect(ana.page.locator(".grades")).to_be_hidden()
    drag(ana, 4, 5)
    assert own(ana) == {"no": [0], "maybe": [2, 3]}


def test_cells_that_the_host_changes_keep_their_marks(window, server):
    session = server.session(TIMES)
    ana = window(server, session, name="Ana")
    drag(ana, 2, 7)
    shows(ana, yes=[2, 3, 6, 7])
    ana.is_idle()
    ana.cell(3).focus()
    hours = {"hours": [{"from": "10:00", "until": "12:00"}]}
    session.patch("definition", hours)
    shows(ana, yes=[0, 1, 4, 5])
    expect(ana.page.locator(".times .scale.beside").first).to_have_text("10 AM")
    expect(ana.cell(3)).to_be_focused()
    ana.page.get_by_role("button", name="Clear", exact=True).click()
    shows(ana)
    ana.is_idle()
    assert stored(session) == {}


def test_times_of_two_zones_do_not_overlap(window, server):
    """Regression: "10:30 AM" covered the time of the zone beside it."""
    session = server.session({**TIMES, "hours": [{"from": "10:30", "until": "12:30"}]})
    ana = window(server, session, name="Ana", phone=True, timezone_id="Europe/London")
    times = ana.page.locator(".line .times .scale")
    expect(times.first).to_have_text("9:30 AM")
    assert times.evaluate_all("(all) => all.filter((one) => one.scrollWidth > one.clientWidth).length") == 0


def test_a_cell_is_marked_before_the_gestures_are_loaded(window, server):
    """Regression: what was tapped in the first moments after the first paint was lost."""
    session = server.session(TIMES)
    ana = window(server, session, name="Ana")
    asked = []
    ana.page.route("**/painting*.js", lambda route: asked.append(route.abort()))
    ana.page.reload()
    ana.cell(2).click()
    shows(ana, yes=[2])
    ana.is_idle()
    assert asked and stored(session) == {"Ana": [(2, 3, "yes")]}
    # The next use of the page has the gestures.
    ana.page.unroute("**/painting*.js")
    ana.page.reload()
    ana.is_loaded()


def test_a_phone_taps_and_holds_days_and_scrolls_otherwise(window, server):
    session = server.session(WEEKENDS)
    ana = window(server, session, name="Ana", phone=True, viewport={"width": 320, "height": 700})
    assert ana.overflow() == 0
    expect(ana.page.locator(".month-place .title").first).to_have_text("November 2018")
    ana.cell(1).tap()
    shows(ana, yes=[1])
    expect(ana.cell(1).locator(".count")).to_have_text("1")
    expect(ana.page.locator(".details-title")).to_have_text("Saturday, November 24, 2018")

    # A finger that moves at once scrolls the list.
    scroller = ana.page.locator(".scroller")
    scroller.evaluate("""(one) => {
        window.isStill = false;
        one.addEventListener("scrollend", () => { window.isStill = true; }, { once: true });
    }""")
    swipe(ana.page, ana.cell(4).bounding_box(), up=140)
    ana.page.wait_for_function("() => window.isStill")
    assert scroller.evaluate("(one) => one.scrollTop") > 20
    shows(ana, yes=[1])
    # One that is held first paints.
    scroller.evaluate("(one) => one.scrollTo(0, 0)")
    browser = ana.page.context.new_cdp_session(ana.page)

    def touch(kind, *cells):
        points = [dict(zip("xy", middle(ana.cell(cell)))) for cell in cells]
        browser.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 3)
    expect(scroller).to_have_attribute("data-painting", "")
    touch("touchMove", 4)
    touch("touchMove", 7)
    expect(ana.page.locator(".cell[data-preview]")).to_have_count(4)
    touch("touchEnd")
    expect(scroller).not_to_have_attribute("data-painting", "")
    shows(ana, yes=[1, 3, 4, 6, 7])
    assert scroller.evaluate("(one) => one.scrollTop") == 0, "the list has not moved"
    ana.is_idle()
    assert stored(session) == {"Ana": [(1, 2, "yes"), (3, 5, "yes"), (6, 8, "yes")]}


def test_only_a_window_whose_days_touch_can_be_confirmed(window, server):
    ana = window(server, server.session(WEEKENDS), name="Ana")
    confirm = ana.page.locator(".confirm-here")
    # A Saturday with its Sunday, but no Sunday with the next Friday.
    ana.cell(1).click()
    expect(confirm).to_have_text("Confirm Nov 24 – 25")
    ana.cell(2).click()
    shows(ana, yes=[1, 2])
    expect(ana.page.locator(".details-title")).to_have_text("Sunday, November 25, 2018")
    expect(confirm).to_be_hidden()


def test_the_heat_of_thirty_respondents_uses_the_whole_scale_in_one_order(window, server):
    session = server.session(TIMES)
    members = session.together(*(f"P{number}" for number in range(30)))
    for number, member in enumerate(members):
        # Everybody can at 5 and 6, perhaps at 2; of the others, fewer and fewer.
        member.mark("yes", *((cell, cell + 1) for cell in (0, 1, 3, 4) if number < 25 - 5 * cell), [5, 7])
        member.mark("maybe", [2, 3])
    ana = window(server, session, name="Ana")
    expect(ana.page.locator(".legend")).to_have_text("030 of 30")
    expect(ana.cell(5).locator(".count")).to_have_text("30")

    for scheme in ("light", "dark"):
        ana.page.emulate_media(color_scheme=scheme)
        cells = ana.page.evaluate("""() => document.querySelector("pickerd-availability").board.cells.map((cell) => {
            const probe = document.createElement("canvas").getContext("2d");
            probe.fillStyle = getComputedStyle(cell).backgroundColor;
            probe.fillRect(0, 0, 1, 1);
            const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
            const count = Number(cell.querySelector(".count").textContent);
            return [count, Number(cell.dataset.level), 0.3 * red + 0.6 * green + 0.1 * blue];
          })""")
        counts, levels, lights = zip(*cells)
        assert counts == (25, 20, 30, 10, 5, 30, 30, 0)
        assert levels[7] == 0 and levels[5] == 5 and len(set(levels)) >= 5, levels
        # More that can are darker, or lighter in the dark; of as many, those with more certain ones.
        order = sorted(range(8), key=lambda cell: (counts[cell], cell in (5, 6)))
        shades = [lights[cell] for cell in order]
        assert shades == sorted(shades, reverse=scheme == "light"), (scheme, shades)
        assert abs(shades[0] - shades[-1]) > 50, (scheme, shades)

    # The two best windows, in the order of the list.
    assert ana.page.locator(".window").first.get_attribute("data-window") == "5"
    expect(ana.page.locator("[data-rank='1']")).to_have_count(1)
    for cell in (5, 6):
        expect(ana.cell(cell)).to_have_attribute("data-best", "1")
    expect(ana.cell(5).locator(".count")).to_have_attribute("data-rank", "1")


#: Of a cell: the contrast of its texts, and whether something is drawn over them.
READABLE = """(cell) => {
    const luminance = (color) => {
      const [red, green, blue] = color.match(/[\\d.]+/g).map((each) => each / 255)
        .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const below = luminance(getComputedStyle(cell).backgroundColor);
    const contrasts = [".number", ".count"].map((name) => {
      const text = luminance(getComputedStyle(cell.querySelector(name)).color);
      return (Math.max(text, below) + 0.05) / (Math.min(text, below) + 0.05);
    });
    const over = ["::before", "::after"].map((name) => getComputedStyle(cell, name))
      .filter(({ content, zIndex }) => content !== "none" && Number(zIndex) >= 0);
    return [Math.min(...contrasts), over.length];
  }"""


def test_the_texts_of_a_confirmed_day_are_readable(window, server):
    session = server.session({**WEEKENDS, "length": 1})
    member, = session.together("Bo")
    member.mark("yes", [1, 2])
    ana = window(server, session, name="Ana")
    ana.cell(1).click()
    shows(ana, yes=[1])
    ana.is_idle()
    member.confirm()
    expect(ana.cell(1)).to_have_attribute("data-window", "chosen")
    expect(ana.cell(1).locator(".count")).to_have_text("2")
    for theme in ({"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"}):
        ana.page.emulate_media(**theme)
        contrast, over = ana.cell(1).evaluate(READABLE)
        assert contrast >= 4.5, theme
        assert over == 0, theme


def test_the_line_below_today_is_not_in_the_count_of_the_day(window, server):
    ana = window(server, server.session(WEEKENDS), name="Ana")
    today = ana.page.locator(".cell[data-today]")
    expect(today).to_have_attribute("data-date", "2018-11-23")
    ana.cell(0).click()
    expect(today.locator(".count")).to_have_text("1")
    line, between = today.evaluate("""(cell) => {
        const [number, count] = [".number", ".count"].map((name) => cell.querySelector(name));
        return [parseFloat(getComputedStyle(number).borderBlockEndWidth),
                count.getBoundingClientRect().top - number.getBoundingClientRect().bottom];
      }""")
    assert line == 2
    assert between >= 1


@pytest.mark.parametrize("results", ["counts", "owner"])
def test_what_is_only_for_the_owner_is_not_shown_to_others(window, guarded, results):
    session = guarded.session({**TIMES, "results": results})
    tokens = session.tokens
    session.join("Cem", role="editor").mark("yes", [0, 4])
    ana = window(guarded, session, name="Ana", token=tokens["owner"])
    bo = window(guarded, session, name="Bo", token=tokens["editor"])
    hidden = bo.page.get_by_text("Only the owner sees the results.")
    expect(hidden).to_have_count(1 if results == "owner" else 0)
    drag(bo, 0, 1)
    shows(bo, yes=[0, 1])
    ana.cell(0).hover()
    expect(ana.page.locator(".group[data-grade=yes]")).to_have_text(re.compile("Can 2.*Cem.*Bo"))
    expect(windows(ana)).to_have_count(3)

    bo.cell(3).hover()
    details, best = bo.page.locator(".details"), bo.page.locator(".best")
    expect(details).not_to_contain_text("Cem")
    if results == "counts":
        expect(details).to_contain_text(re.compile("1 of 2.*Can 1.*Only the owner sees who."))
        expect(windows(bo)).to_have_count(3)
    else:
        expect(best).to_contain_text("Only the owner sees the results.")
        expect(bo.page.locator(".cell[data-level]")).to_have_count(0)
        expect(bo.chosen).to_be_empty()
    session.patch("definition", {"results": "everyone"})
    expect(details).to_contain_text("Cem")
    expect(windows(bo)).to_have_count(3)


@pytest.mark.developers
def test_the_cards_ask_for_days_and_hours_and_give_a_link(window, plain):
    ana = window(plain, name="Ana", timezone_id="America/New_York")
    ana.card("hour-0").click()
    dialog = ana.page.get_by_role("dialog")
    dialog.get_by_label("Title").fill("Planning")
    dialog.get_by_label("From", exact=True).fill("2030-06-03")
    dialog.get_by_label("To", exact=True).fill("2030-06-05")
    dialog.get_by_label("Not before").select_option("10:00")
    dialog.get_by_label("Not after").select_option("12:00")
    dialog.get_by_label("Length").select_option("90")
    dialog.get_by_role("button", name="Create the link").click()

    expect(ana.page.locator(".cell")).to_have_count(12)
    expect(dialog).to_have_count(0)
    ana.invite()
    assert ana.page.url == ana.link.input_value().replace("/s/", "/#/s/")
    ana.type("Escape")
    expect(ana.title).to_have_text("Planning")
    expect(ana.page.locator(".times").first).to_have_text(re.compile("^4\\sAM *10\\sAM$"))
    definition = ana.picker("state.definition")
    assert (definition["length"], definition["timeZone"]) == (3, "Europe/Berlin")
    # The host decides later who sees the answers.
    host = ana.page.locator(".host-results")
    host.get_by_label("Who sees the answers").select_option("owner")
    host.get_by_role("button", name="Set", exact=True).click()
    ana.page.wait_for_function("""() => document.querySelector("pickerd-availability")
        .picker.state.definition.results === "owner" """)

    ana.page.goto(ana.page.url.split("#")[0] + "#/")
    ana.card("weekend-0").click()
    dialog.get_by_role("button", name="Create the link").click()
    expect(ana.page.locator(".cell")).to_have_count(16)
    assert ana.picker("state.definition.length") == 2


def test_the_dialog_says_at_its_field_why_no_time_can_be_found(window, plain):
    ana = window(plain, name="Ana", locale="de", timezone_id="Europe/Berlin")
    dialog = ana.page.get_by_role("dialog")
    create = dialog.get_by_role("button", name="Link erstellen")

    def refused(field, text):
        create.click()
        expect(field).to_be_focused()
        message = "(field) => field.validity.valid ? '' : field.validationMessage"
        assert field.evaluate(message) == text

    ana.card("hour-0").click()
    expect(create).to_be_visible()
    title, first = dialog.get_by_label("Titel"), dialog.get_by_label("Von", exact=True)
    title.fill("  ")
    refused(title, "Geben Sie einen Titel ein.")
    title.fill("Planung")
    first.fill("2020-01-01")
    refused(first, "Das ist schon vorbei.")
    ana.page.keyboard.press("Escape")

    ana.card("weekend-0").click()
    last = dialog.get_by_label("Bis", exact=True)
    first.fill("2031-12-01")
    last.fill("2031-12-05")
    refused(last, "In diesem Zeitraum liegt kein solches Wochenende.")
    last.fill("2031-12-07")
    weekends = dialog.get_by_label("Nur Samstage und Sonntage")
    days = dialog.get_by_label("Tage am Stück")
    weekends.uncheck()
    days.fill("5")
    weekends.check()
    create.click()
    expect(days).to_be_focused()
    days.fill("2")
    create.click()
    expect(ana.page.locator(".cell").first).to_be_visible()


def test_the_fields_of_the_dialog_are_beside_each_other_on_a_phone(window, plain):
    ana = window(plain, name="Ana", path="#/", phone=True, locale="ar")
    dialog = ana.page.locator("dialog.find")
    for locale in ("en", "de", "ja"):
        ana.choose_language(locale)
        expect(ana.page.locator("html")).to_have_attribute("lang", locale)
        ana.card("hour-0").tap()
        fields = dialog.locator("input[type=date]")
        expect(fields).to_have_count(2)
        first, last = (field.bounding_box() for field in fields.all())
        form = dialog.locator("form").bounding_box()
        assert first["x"] + first["width"] < last["x"]
        assert last["x"] + last["width"] <= form["x"] + form["width"]
        # The whole date and the button of the calendar are in view.
        for field in fields.all():
            assert field.evaluate("(one) => one.scrollWidth <= one.clientWidth")
        ana.page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()


@pytest.mark.parametrize("options", [{"viewport": {"width": 1280, "height": 720}}, {"phone": True}], ids=["laptop", "phone"])
def test_a_receipt_shows_the_confirmed_times(window, server, options):
    session = server.session({"kind": "availability", "timeZone": "Asia/Shanghai", "dates": ["2018-11-26"],
                              "stepMinutes": 30, "length": 2, "hours": [{"from": "06:00", "until": "23:00"}]})
    ana = window(server, session, name="Ana", **options)
    for cell in (20, 21):
        ana.cell(cell).click()
    expect(ana.chosen).to_contain_text("Mon, Nov 26, 4 PM – 5 PM")
    ana.page.locator(".scroller").evaluate("(one) => one.scrollTo(0, 0)")
    ana.button("Confirm").click()
    expect(ana.page.locator(".receipt .primary")).to_be_visible()
    for cell in (20, 21):
        expect(ana.cell(cell)).to_be_in_viewport(ratio=0.95)
