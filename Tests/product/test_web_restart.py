"""An open page while the server is killed and restarted with the same port and store."""

import signal

import pytest
from harness.definitions import CALENDAR, LISTS
from harness.pickerd import wait_until
from harness.ports import free_port
from playwright.sync_api import expect

pytest_plugins = ["webpages"]


@pytest.fixture
def lasting(start, tmp_path):
    """A server with a SQLite store and a fixed port, so that a test can restart it."""
    return start(listen=f"127.0.0.1:{free_port()}", options=["--store", f"sqlite:{tmp_path}/pickerd.sqlite"])


@pytest.fixture
def line(lasting):
    from webpages import Wire  # imported here: pytest has to import the plugin first
    wire = Wire(lasting.port)
    yield wire
    wire.close()


def revive(server):
    server.kill()
    server.start()


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


def test_a_tap_that_did_not_reach_the_server_is_repeated(window, lasting):
    session = lasting.session(CALENDAR)
    ana = window(lasting, session, name="Ana")
    ana.day("2018-11-14").click()
    ana.is_idle()
    lasting.process.send_signal(signal.SIGSTOP)

    ana.day("2018-11-20").click()
    expect(ana.bands("2018-11")).to_have_count(2)
    assert ana.picker("pendingCount") == 1
    revive(lasting)

    expect(ana.chosen).to_have_text("Nov 14 – 20, 2018 · 7 days")
    ana.is_idle()
    assert session.revision() == 2


def test_a_tap_whose_answer_was_lost_is_executed_once(window, lasting, line):
    session = lasting.session(CALENDAR)
    ana = window(lasting, session, name="Ana", port=line.port)
    line.is_mute = True

    ana.day("2018-11-14").click()
    wait_until(lambda: session.revision() == 1, what="its execution")
    assert ana.picker("pendingCount") == 1, "the page has no answer yet"
    revive(lasting)
    line.is_mute = False

    ana.has_connection("live")
    ana.is_idle()
    assert session.revision() == 1
    expect(ana.page.locator(".hits")).to_have_text("1 tap")
    ana.day("2018-11-16").click()
    expect(ana.chosen).to_have_text("Nov 14 – 16, 2018 · 3 days")


def test_selections_made_while_the_server_is_down_are_sent_after_its_restart(window, lasting):
    session = lasting.session(LISTS)
    ana = window(lasting, session, name="Ana")
    lasting.kill()
    ana.has_connection("waiting")

    ana.type_at(0, "ArrowDown")
    ana.type_at(1, "End")
    expect(ana.page.locator(".banner")).to_contain_text("Offline. 2 changes wait.")
    lasting.start()

    expect(ana.chosen).to_have_text("Windows · Atom")
    ana.is_idle()
    assert session.result() == {"keys": ["Windows", "Atom"]}
    assert session.revision() == 2
