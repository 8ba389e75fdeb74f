"""Lost connections, offline mode, restarts of the server, and deleted sessions in the browser."""

import pytest
from harness.definitions import CALENDAR, DATE, LISTS
from harness.pickerd import wait_until
from harness.ports import free_port
from playwright.sync_api import expect
from test_web_home import sessions
from webpages import Window, Wire

pytest_plugins = ["webpages"]


@pytest.mark.used_pages
def test_selections_made_while_disconnected_are_executed_once_and_undo_is_unavailable(
        window, server, wire):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana", port=wire.port)
    wire.cut()
    ana.has_connection("waiting")

    ana.type_at(0, "ArrowDown")
    expect(ana.selected(0)).to_have_text("Windows")
    expect(ana.page.locator(".banner")).to_contain_text("Offline. 1 change waits.")
    ana.type_at(1, "End")
    expect(ana.page.locator(".banner")).to_contain_text("Offline. 2 changes wait.")
    ana.button("Undo").click(force=True)
    expect(ana.note).to_contain_text("You cannot do that while offline.")
    wire.restore()

    # On a busy machine the page may already have reconnected and hidden the button.
    ana.page.locator("[part=retry]").dispatch_event("click")
    ana.has_connection("live")
    ana.is_idle()
    assert session.result() == {"keys": ["Windows", "Atom"]}
    assert session.revision() == 2


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


def test_a_link_to_a_missing_or_malformed_session_shows_a_message(window, server):
    ana = window(server, name="Ana")
    for id in ("nothing-here", "%E0%A4%A"):
        ana.page.goto(f"http://127.0.0.1:{server.port}/#/s/{id}")
        expect(ana.page.get_by_role("heading", name="There is no picker at this link.")).to_be_visible()
        expect(ana.page.locator(".share-button")).to_have_count(0)
        expect(ana.page.get_by_text("The link may be incomplete.")).to_be_visible()
        ana.has_connection("idle")
        ana.page.locator(".closed-page").get_by_role("link", name="All pickers").click()
        expect(ana.cards).to_have_count(11)


def test_a_member_for_whom_there_is_no_room_reads_why(window, start):
    server = start(limits={"members": 1})
    session = server.session(DATE)
    bo = session.join("Bo")

    ana = window(server, session, name="Ana", waits=False)

    expect(ana.title).to_contain_text("session or the server is full")
    bo.leave()
    expect(ana.title).not_to_contain_text("full")
    ana.has_connection("live")


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
    expect(home.cards).to_have_count(11)
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


@pytest.mark.used_pages
def test_a_command_without_an_answer_is_mentioned(window, server, wire):
    """Regression: for ten seconds it looked like one that is stored."""
    ana = window(server, server.session(LISTS), name="Ana", port=wire.port)
    wire.is_mute = True

    ana.type_at(0, "ArrowDown")

    expect(ana.page.locator(".banner")).to_contain_text("The server has not answered yet.")
    ana.reconnects(wire)
    expect(ana.page.locator(".banner")).to_be_hidden()
    expect(ana.chosen).to_have_text("Windows · Xcode")


# A server that is killed and started again with the same port and store.


@pytest.fixture
def lasting(start, tmp_path):
    """A server with a SQLite store and a fixed port, so that a test can restart it."""
    return start(listen=f"127.0.0.1:{free_port()}", options=["--store", f"sqlite:{tmp_path}/pickerd.sqlite"])


@pytest.fixture
def line(lasting):
    wire = Wire(lasting.port)
    yield wire
    wire.close()


def test_a_page_reconnects_after_kill_9(window, lasting):
    session = lasting.session(LISTS)
    ana = window(lasting, session, name="Ana")
    bo = window(lasting, session, name="Bo")
    ana.type_at(0, "ArrowDown")
    expect(bo.selected(0)).to_have_text("Windows")
    members = ana.picker("self.id"), bo.picker("self.id")

    lasting.kill()
    ana.has_connection("waiting")
    lasting.start()

    ana.has_connection("live")
    bo.has_connection("live")
    assert (ana.picker("self.id"), bo.picker("self.id")) == members
    expect(ana.button("Confirm")).to_be_visible()  # Ana is still the owner.
    bo.type_at(0, "ArrowDown")
    expect(ana.chosen).to_have_text("Linux · Xcode")
    assert session.revision() == 2
    ana.button("Undo").click()
    expect(bo.chosen).to_have_text("Windows · Xcode")


def test_a_tap_whose_answer_was_lost_is_executed_once(window, lasting, line):
    session = lasting.session(CALENDAR)
    ana = window(lasting, session, name="Ana", port=line.port)
    line.is_mute = True

    ana.day("2018-11-14").click()
    wait_until(lambda: session.revision() == 1, what="its execution")
    assert ana.picker("pendingCount") == 1, "the page has no answer yet"
    lasting.kill()
    lasting.start()
    line.is_mute = False

    ana.has_connection("live")
    ana.is_idle()
    assert session.revision() == 1
    expect(ana.page.locator(".hits")).to_have_text("1 tap")
    ana.day("2018-11-16").click()
    expect(ana.chosen).to_have_text("Nov 14 – 16, 2018 · 3 days")
