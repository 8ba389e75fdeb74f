"""Lost connections, offline mode, reloads and deleted sessions in the browser."""

import pytest
from harness.definitions import CALENDAR, DATE, LISTS
from harness.pickerd import wait_until
from playwright.sync_api import expect
from webpages import Window

pytest_plugins = ["webpages"]


@pytest.mark.used_pages
def test_a_lost_connection_is_resumed_without_gaps(window, server, wire):
    session = server.session(DATE)
    ana = window(server, session, name="Ana", port=wire.port)
    bo = window(server, session, name="Bo")
    member = ana.picker("self.id")

    wire.cut()
    ana.has_connection("waiting")
    expect(bo.face("Ana (away)")).to_be_visible()
    bo.type_at(0, "2", "0", "0", "0")
    expect(bo.chosen).to_contain_text("2000")
    bo.type_at(1, "2")
    expect(bo.chosen).to_contain_text("February")
    wire.restore()

    expect(ana.chosen).to_have_text("Wednesday, February 23, 2000")
    ana.has_connection("live")
    assert ana.picker("self.id") == member
    assert ana.picker("state.revision") == session.revision() == 2


@pytest.mark.used_pages
def test_a_selection_made_while_disconnected_is_executed_once(window, server, wire):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana", port=wire.port)
    wire.cut()
    ana.has_connection("waiting")

    ana.type_at(0, "ArrowDown")
    expect(ana.selected(0)).to_have_text("Windows")
    expect(ana.page.locator(".banner")).to_contain_text("Offline. 1 change waits.")
    ana.button("Undo").click(force=True)
    wire.restore()

    # On a busy machine the page may already have reconnected and hidden the button.
    ana.page.locator("[part=retry]").dispatch_event("click")
    ana.has_connection("live")
    ana.is_idle()
    assert session.result() == {"keys": ["Windows", "Xcode"]}
    assert session.revision() == 1


@pytest.mark.used_pages
def test_undo_is_unavailable_offline_with_a_message(window, server):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana")

    ana.page.context.set_offline(True)
    expect(ana.page.locator(".banner")).to_contain_text("You are offline.")
    ana.button("Undo").click(force=True)

    expect(ana.note).to_contain_text("You cannot do that while offline.")


@pytest.mark.used_pages
def test_the_result_line_shows_the_range_that_is_drawn_while_disconnected(window, server, wire):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", port=wire.port)
    ana.day("2018-11-10").click()
    ana.day("2018-11-12").click()
    expect(ana.chosen).to_have_text("Nov 10 – 12, 2018 · 3 days")
    ana.is_idle()
    wire.cut()
    ana.has_connection("waiting")

    ana.day("2018-11-20").click()
    expect(ana.bands("2018-11")).to_have_count(1)
    expect(ana.chosen).to_have_text("")
    ana.day("2018-11-21").click()
    expect(ana.chosen).to_have_text("Nov 20 – 21, 2018 · 2 days")
    wire.restore()

    ana.has_connection("live")
    ana.is_idle()
    expect(ana.chosen).to_have_text("Nov 20 – 21, 2018 · 2 days")
    assert session.result() == {"start": "2018-11-20", "end": "2018-11-21", "days": 2}


def test_a_reload_resumes_the_same_member(window, server):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana")
    bo = window(server, session, name="Bo")
    ana.type_at(0, "ArrowDown")
    expect(bo.selected(0)).to_have_text("Windows")
    member = ana.picker("self.id")

    ana.page.reload()
    expect(ana.chosen).to_have_text("Windows · Xcode")

    assert ana.picker("self.id") == member
    assert len(session.get()["members"]) == 2
    ana.type_at(0, "ArrowDown")
    expect(bo.selected(0)).to_have_text("Linux")


def test_an_invalid_command_that_is_stored_is_sent_only_once(window, server):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana")
    member = ana.picker("self.id")
    ana.page.evaluate("""() => {
        const name = `pickerd ${document.querySelector("pickerd-calendar").picker.url} pending`;
        const memory = JSON.parse(sessionStorage.getItem(name));
        const message = { type: "tap", date: "2018-02-30", ref: 1 };
        const pending = [{ ref: 1, message, sent: true }];
        sessionStorage.setItem(name, JSON.stringify({ ...memory, ref: 1, pending }));
      }""")
    ana.page.reload()
    expect(ana.page.get_by_text("This page does not match the server.").first).to_be_visible()

    ana.page.reload()

    ana.has_connection("live")
    assert ana.picker("self.id") == member


def test_a_return_to_a_picker_within_the_page_resumes_the_same_member(window, server):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana")
    member = ana.picker("self.id")
    ana.back.click()
    expect(ana.start).to_be_visible()

    ana.page.go_back()

    expect(ana.chosen).to_have_text("MacOS · Xcode")
    assert ana.picker("self.id") == member
    assert len(session.get()["members"]) == 1


def test_a_duplicated_tab_takes_the_member_over_and_the_first_one_can_take_it_back(window, server):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana")
    member = ana.picker("self.id")
    copied = ana.page.evaluate("JSON.stringify({ ...sessionStorage })")

    twin = Window(ana.page.context.new_page())
    twin.page.add_init_script(f"for (const [name, value] of Object.entries({copied})) sessionStorage.setItem(name, value)")
    twin.page.goto(ana.page.url)
    twin.has_connection("live")

    assert twin.picker("self.id") == member
    elsewhere = "You have this picker open in another window."
    expect(ana.page.get_by_role("heading", name=elsewhere)).to_be_visible()
    ana.button("Use it here").click()
    ana.has_connection("live")
    expect(ana.selected(0)).to_have_text("MacOS")
    expect(twin.page.get_by_role("heading", name=elsewhere)).to_be_visible()
    assert ana.picker("self.id") == member
    assert len(session.get()["members"]) == 1


def test_a_deleted_session_shows_a_message_and_offers_a_new_one(window, server):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana")
    expect(ana.title).to_be_attached()

    session.delete()

    expect(ana.page.get_by_role("heading", name="This picker has ended.")).to_be_visible()
    ana.button("Open a new one like it").click()
    expect(ana.chosen).to_have_text("MacOS · Xcode")
    assert session.id not in ana.page.url


def test_a_session_that_ends_without_a_connection_has_ended_for_the_page(window, server, wire):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana", port=wire.port)
    expect(ana.title).to_be_attached()
    wire.cut()
    ana.has_connection("waiting")

    session.delete()
    wire.restore()

    expect(ana.page.get_by_role("heading", name="This picker has ended.")).to_be_visible()


def test_a_link_to_a_missing_or_malformed_session_shows_a_message(window, server):
    ana = window(server, name="Ana")
    for id in ("nothing-here", "%E0%A4%A"):
        ana.page.goto(f"http://127.0.0.1:{server.port}/#/s/{id}")
        expect(ana.page.get_by_role("heading", name="There is no picker at this link.")).to_be_visible()
        expect(ana.page.locator(".share-button")).to_have_count(0)
        expect(ana.page.get_by_text("The link may be incomplete.")).to_be_visible()
        ana.has_connection("idle")
        ana.has_connection("idle")
        ana.page.locator(".closed-page").get_by_role("link", name="All pickers").click()
        expect(ana.cards).to_have_count(10)


def test_a_link_without_its_token_asks_for_a_complete_link(window, guarded):
    session = guarded.session(LISTS)
    ana = window(guarded, session, name="Ana", waits=False)
    expect(ana.page.get_by_role("heading", name="This link does not give you access.")).to_be_visible()

    field = ana.page.get_by_label("Link", exact=True)
    field.fill(f"http://127.0.0.1/#/s/{session.id}?token={session.tokens['editor']}")
    ana.button("Enter").click()

    expect(ana.chosen).to_have_text("MacOS · Xcode")


def test_a_member_for_whom_there_is_no_room_reads_why(window, start):
    server = start(limits={"members": 1})
    session = server.session(DATE)
    bo = session.join("Bo")

    ana = window(server, session, name="Ana", waits=False)

    expect(ana.title).to_contain_text("session or the server is full")
    bo.leave()
    expect(ana.title).not_to_contain_text("full")
    ana.has_connection("live")


def test_tokens_are_never_sent_in_urls(window, guarded):
    session = guarded.session(LISTS)
    token = session.tokens["editor"]
    ana = window(guarded, waits=False, name="Ana")
    urls = []
    ana.page.on("request", lambda request: urls.append(request.url))
    ana.page.on("websocket", lambda socket: urls.append(socket.url))

    ana.page.goto(f"http://127.0.0.1:{guarded.port}/#/s/{session.id}?token={token}")
    ana.page.reload()
    expect(ana.chosen).to_have_text("MacOS · Xcode")

    sent = [url.split("#")[0] for url in urls]
    assert sent and not [url for url in sent if token in url]


def test_a_page_that_has_lost_one_of_its_files_is_loaded_again(window, server):
    """Regression: it stayed an empty card."""
    ana = window(server, server.session(LISTS), name="Ana")
    asked = []
    ana.page.on("request", lambda request: request.method == "HEAD" and asked.append(request))
    ana.page.route("**/demo/recent.js", lambda route: route.fallback() if asked else route.abort())

    ana.page.reload()

    expect(ana.chosen).to_have_text("MacOS · Xcode")
    assert asked


def test_the_title_is_asked_for_again(window, server):
    """Regression: when the answer was lost, the page had no title until the version changed."""
    ana = window(server, server.session(LISTS, title="Our trip"), name="Ana")
    lost = []

    def lose(route):
        if lost:
            return route.fallback()
        lost.append(route)
        return route.abort()

    ana.page.route("**/v1/sessions/*?definition=full*", lose)
    ana.page.reload()

    expect(ana.title).to_have_text("Our trip")
    assert lost


def test_a_session_is_created_once_when_the_answer_is_lost(window, server):
    """Regression: the page asked without a key, and did not ask again."""
    home = window(server, name="Ana", path="#/examples")
    expect(home.cards).to_have_count(10)
    count = len(sessions(server))
    lost = []

    def lose(route):
        if lost:
            return route.fallback()
        lost.append(route.fetch().status)
        return route.abort()

    home.page.route("**/v1/sessions", lose)
    home.card("date-0").click()

    home.has_connection("live")
    assert lost == [201] and len(sessions(server)) == count + 1


def test_a_button_that_creates_a_session_shows_that_it_works(window, server):
    home = window(server)
    assert home.tour, "it creates a session, too"
    waiting = []
    home.page.route("**/v1/sessions", lambda route: waiting.append(route))
    button = home.start

    button.click()

    expect(button).to_have_attribute("aria-busy", "true")
    assert button.evaluate("one => getComputedStyle(one, '::after').content") == '""'
    wait_until(lambda: home.page.wait_for_timeout(20) or waiting)
    waiting[0].continue_()
    home.has_connection("live")


def sessions(server):
    return server.get("/v1/sessions?limit=500", port=server.admin_port).json["sessions"]


@pytest.mark.used_pages
def test_a_command_without_an_answer_is_mentioned(window, server, wire):
    """Regression: for ten seconds it looked like one that is stored."""
    ana = window(server, server.session(LISTS), name="Ana", port=wire.port)
    wire.is_mute = True

    ana.type_at(0, "ArrowDown")

    expect(ana.page.locator(".banner")).to_contain_text("The server has not answered yet.")
    wire.is_mute = False
    wire.cut()
    wire.restore()
    expect(ana.page.locator(".banner")).to_be_hidden()
    expect(ana.chosen).to_have_text("Windows · Xcode")


@pytest.mark.used_pages
def test_an_idle_page_says_within_20_s_that_the_connection_is_dead(window, server, wire):
    """30 s, as the machine may be busy. Regression: the page checked after 45 s of silence only."""
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", port=wire.port)
    ana.has_connection("live")

    wire.is_dead = True

    ana.lacks_connection("live")
