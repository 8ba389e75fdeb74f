"""Browser windows (Debian's Chromium). Members have a context each, which tests use in turn.

Fixtures: `window` opens the demo page in a session; `wire` is a proxy to the server whose
connections can be cut.
"""

import asyncio
import functools
import http.server
import json
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest
from harness.contexts import Contexts, patient
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY
from playwright.sync_api import expect, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell")
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True,
         "device_scale_factor": 2}
#: Console messages of the browser when a connection is cut; not errors of the page.
EXPECTED = re.compile(r"WebSocket connection to|net::ERR_|Failed to load resource"
                      # On a busy machine the page uses its preloaded modules too late.
                      "|was preloaded using link preload but not used")

#: Without the windows of the home page.
ELEMENTS = "pickerd-wheels, pickerd-calendar:not(.device *), pickerd-availability"

expect.set_options(timeout=1000 * PATIENCE)


@pytest.fixture(scope="session")
def chromium():
    # Pages of a context share a process, which lives as long as one of them. Without a GPU,
    # drawing as if there was one takes a tenth of the CPU time.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, timeout=1000 * PATIENCE, args=[
            "--no-sandbox", "--process-per-site", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def contexts(chromium):
    return Contexts(chromium)


def bundled(folder, **environment):
    """Makes a bundle of the pages."""
    return subprocess.run(
        [sys.executable, REPOSITORY / "web/bundle.py", folder], env={**os.environ, **environment},
        check=True, capture_output=True, text=True)


@pytest.fixture(scope="session")
def bundle(tmp_path_factory):
    """The folder of a bundle."""
    folder = tmp_path_factory.mktemp("bundle") / "web"
    bundled(folder)
    return folder


class Window:
    """The window of one member."""

    def __init__(self, page):
        self.page = page
        self.page_errors = []
        page.on("pageerror", self._record_error)
        page.on("console", self._record_message)

    def sent(self):
        """Loads the page again; the list of the messages that it sends from now on."""
        messages = []
        self.page.on("websocket", lambda socket: socket.on(
            "framesent", lambda text: messages.append(json.loads(text))))
        self.page.reload()
        self.is_loaded()
        return messages

    def forget(self):
        """Ends the recording of errors."""
        self.page.remove_listener("pageerror", self._record_error)
        self.page.remove_listener("console", self._record_message)

    def _record_error(self, error):
        self.page_errors.append(str(error))

    def _record_message(self, message):
        if message.type in ("error", "warning") and not EXPECTED.search(message.text):
            self.page_errors.append(message.text)

    # Output

    def cell(self, number):
        """A cell of an availability."""
        return self.page.locator(f'.cell[data-cell="{number}"]')

    @property
    def chosen(self):
        return self.page.locator(f":is({ELEMENTS}) .chosen")

    @property
    def note(self):
        return self.page.locator(".note[data-shown]")

    @property
    def tip(self):
        """Why the server has selected another row than was wanted, at its wheel."""
        return self.page.locator(".tip")

    @property
    def spoken(self):
        return self.page.locator("[aria-live]")

    def has_connection(self, name):
        """Waits until the page shows its connection in a state: `live`, `waiting`, `offline`, …"""
        expect(self.connection).to_have_attribute("data-connection", name)

    def lacks_connection(self, name):
        """Waits until the page shows its connection in another state."""
        expect(self.connection).not_to_have_attribute("data-connection", name)

    def reconnects(self, wire):
        """The network works again, after the page has noticed that it did not."""
        wire.cut()
        self.lacks_connection("live")
        wire.restore()
        self.page.evaluate("dispatchEvent(new Event('online'))")
        self.has_connection("live")

    def wheel(self, column):
        return self.page.locator(f".wheel[data-column='{column}']")

    def selected(self, column):
        """The row in the middle of a wheel."""
        return self.wheel(column).locator('.row[aria-selected="true"]')

    def row(self, column, text):
        return self.wheel(column).locator(".row:not([hidden])").get_by_text(text, exact=True)

    def day(self, date):
        return self.page.locator(f'.day[data-date="{date}"]')

    def month(self, month):
        return self.page.locator(f'.month[data-month="{month}"]')

    def bands(self, month):
        return self.month(month).locator(".bands:not(.preview) .band")

    def face(self, name):
        return self.page.locator(".face", has_text=name)

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def reopens(self):
        """Reopens the picker, which asks first."""
        self.button("Reopen").click()
        self.button("Yes, reopen").click()

    # The page around the picker

    @property
    def connection(self):
        """The element whose `data-connection` is the state of the connection."""
        return self.page.locator("#main")

    @property
    def title(self):
        return self.page.locator(".picker-title")

    @property
    def inviter(self):
        """The sentence about who invites the user."""
        return self.page.locator(".rail .from")

    @property
    def decider(self):
        """The sentence about who decides, or has decided."""
        return self.page.locator(".rail .who")

    @property
    def back(self):
        """The link to the home page."""
        return self.page.locator(".back")

    @property
    def cards(self):
        """The cards of the examples, to which the home page leads."""
        door, cards = self.page.locator("[data-door=any]"), self.page.locator(".cards")
        expect(door.or_(cards)).to_be_visible()
        # Not by a click, which would wait for a door that has just been opened.
        door.evaluate_all("(doors) => doors[0]?.click()")
        return cards.locator(".card")

    def card(self, name):
        """The button of a card: `date-0`, `linked-1`."""
        return self.cards.locator(f"[data-open={name}]")

    @property
    def start(self):
        """The first button of the home page, and of the examples."""
        return self.page.locator("[data-start]")

    @property
    def tour(self):
        """The two windows of the home page: Ana's and Bo's, once they are live."""
        expect(self.page.locator("[data-tour=live]")).to_be_attached()
        return self.page.locator(".phone"), self.page.locator(".laptop")

    @property
    def invitation(self):
        """What has the link to share."""
        return self.page.locator("#share")

    def invite(self):
        """Shows the link to share, if it is not in view; returns what has it."""
        if not self.link.is_visible():
            self.page.locator(".share-button").click()
            expect(self.link).to_be_visible()
        return self.invitation

    @property
    def link(self):
        """The field with the link to share."""
        return self.page.locator("#share-link")

    @property
    def code(self):
        """The QR code of the link."""
        return self.page.locator(".qr svg")

    @property
    def name_question(self):
        """The field that asks a guest for a name."""
        return self.page.locator("#own-name")

    def answers(self, name):
        """Answers the question for the name."""
        self.name_question.fill(name)
        self.page.locator(".name-sheet .primary").click()

    @contextmanager
    def menu(self):
        """Opens the menu, and closes it after that."""
        button, menu = self.page.locator(".menu-button"), self.page.locator("#menu")
        expect(menu.locator("#name")).to_be_attached()
        button.click()
        expect(menu).to_be_visible()
        yield menu
        # Not by a click, which would open a menu that has just closed by itself.
        menu.evaluate("(menu) => menu.hidePopover()")
        expect(menu).to_be_hidden()

    def rename(self, name):
        """Changes the name in the settings."""
        with self.menu() as menu:
            menu.locator("#name").fill(name)
            self.page.keyboard.press("Enter")

    def choose_language(self, locale):
        with self.menu() as menu:
            menu.locator("#language").select_option(locale)

    def choose_theme(self, theme):
        with self.menu() as menu:
            menu.locator("#theme").select_option(theme)

    @property
    def host_panel(self):
        return self.page.locator(".panel.host")

    @property
    def message_panel(self):
        return self.page.locator(".panel.wire")

    # Input

    def middle(self, column):
        box = self.wheel(column).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def hold(self, column, rows=0):
        """Drags a wheel by rows without releasing the mouse button."""
        x, y = self.middle(column)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        if rows:
            self.page.mouse.move(x, y - (rows * 44 + (7 if rows > 0 else -7)), steps=8)
            self.page.wait_for_timeout(120)

    def let_go(self):
        self.page.mouse.up()

    def type_at(self, column, *keys):
        self.wheel(column).focus()
        self.type(*keys)

    def type(self, *keys):
        """Presses a key, or several at once: a busy machine would end the type-ahead between."""
        if len(keys) == 1:
            self.page.keyboard.press(keys[0])
            return
        self.page.evaluate("""(keys) => {
            let on = document.activeElement;
            while (on.shadowRoot?.activeElement) on = on.shadowRoot.activeElement;
            for (const key of keys) {
              on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
            }
          }""", list(keys))

    def is_loaded(self):
        """Waits until the page shows the picker, and has what it loads after the first paint: what
        notes, banners and painting need, and what it could not load without a connection."""
        self.page.wait_for_selector(
            "pickerd-wheels .row:not([hidden]), pickerd-calendar .month:not([data-loading]), "
            "pickerd-availability .cell")
        self.page.wait_for_function(f"""() => {{
            const element = document.querySelector("{ELEMENTS}");
            return element?.speaker && element.later !== null && element.painting !== null;
          }}""", polling=20)

    def overflow(self):
        """By how many pixels the page is wider than the window."""
        return self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def doubles_texts(self):
        """Doubles the size of texts, as the reader sets it in the browser."""
        self.page.context.new_cdp_session(self.page).send(
            "Page.setFontSizes", {"fontSizes": {"standard": 32}})

    def draws(self):
        """Waits until the page has drawn two frames."""
        self.page.evaluate("""() => new Promise((drawn) =>
            requestAnimationFrame(() => requestAnimationFrame(drawn)))""")

    def is_idle(self):
        """Waits until none of the member's commands is pending."""
        # Without an interval Playwright asks once per frame, and some tests stop the frames.
        self.page.wait_for_function(
            f"() => document.querySelector('{ELEMENTS}')?.picker.pendingCount === 0", polling=20)

    def picker(self, expression):
        """Evaluates a property of the page's session: `picker("state.revision")`."""
        self.page.wait_for_selector(ELEMENTS, state="attached")
        return self.page.evaluate(
            f"document.querySelector('{ELEMENTS}').picker.{expression}")


@pytest.fixture
def window(contexts, request):
    """Opens a window: `window(server, session, name="Bo", locale="de")`."""
    used, windows = [], []
    shares = request.node.get_closest_marker("used_pages") is not None
    # Drawing animations takes a third of a browser's CPU time.
    motion = "no-preference" if request.node.get_closest_marker("motion") else "reduce"

    def opens(server, session=None, *, name="Ana", locale="en", port=None, path=None, token=None,
              waits=True, phone=False, **options):
        options = {**PHONE, **options} if phone else options
        options.setdefault("viewport", DESKTOP)
        options.setdefault("timezone_id", "Asia/Shanghai")
        options.setdefault("reduced_motion", motion)
        origin = f"http://127.0.0.1:{port or server.port}"
        context = contexts.take(
            f"{origin}/demo/icon.svg", name, locale=locale, **options)
        used.append((context, origin if shares else None))
        page, is_loaded = contexts.page(context, origin)
        if request.node.get_closest_marker("developers"):
            opened = "localStorage.setItem('pickerd developers', 'open')"
            page.evaluate(opened) if is_loaded else page.add_init_script(opened)
        one = Window(page)
        windows.append(one)
        query = f"?token={token}" if token else ""
        hash_ = path if path is not None else (f"#/s/{session.id}{query}" if session else "")
        one.page.goto(f"{origin}/{hash_ or '#/'}" if is_loaded else f"{origin}/{hash_}")
        if session and waits:
            one.is_loaded()
        return one

    yield opens
    for one in windows:
        one.forget()
    for context, origin in used:
        if getattr(request.node, "has_passed", False):
            contexts.give_back(context, origin)
        else:
            contexts.close(context)
    page_errors = [fault for one in windows for fault in one.page_errors]
    assert not page_errors, f"the page logged errors: {page_errors}"


@contextmanager
def static_host(folder):
    """Serves the files of a folder; the address."""
    class Files(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Files, directory=folder)
    host = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=host.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{host.server_port}"
    finally:
        host.shutdown()
        host.server_close()


@pytest.fixture
def opened(chromium):
    """Opens an address in a browser of its own."""
    contexts, windows = [], []

    def opens(address, **options):
        context = patient(chromium.new_context(**{"locale": "en", **options}))
        contexts.append(context)
        windows.append(Window(context.new_page()))
        windows[-1].page.goto(address)
        return windows[-1]

    yield opens
    for context in contexts:
        context.close()
    page_errors = [error for one in windows for error in one.page_errors]
    assert not page_errors, f"the page logged errors: {page_errors}"


class Wire:
    """A TCP proxy between browsers and a server that can cut connections and accept new ones."""

    def __init__(self, target):
        self.target = target
        self.is_cut = False
        #: Discards what the server sends.
        self.is_mute = False
        #: Discards everything: a dead network of which neither side knows.
        self.is_dead = False
        self.writers = set()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.listener = self._run(asyncio.start_server(self._joined, "127.0.0.1", 0))
        self.port = self.listener.sockets[0].getsockname()[1]

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    async def _joined(self, reader, writer):
        if self.is_cut:
            writer.transport.abort()
            return
        try:
            other_reader, other = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        if self.is_cut:
            writer.transport.abort()
            other.transport.abort()
            return
        ends = {writer, other}
        self.writers |= ends

        async def carry(source, sink, is_answer):
            try:
                while data := await source.read(65536):
                    if self.is_dead or (is_answer and self.is_mute):
                        continue
                    sink.write(data)
                    await sink.drain()
            except OSError:
                pass
            finally:
                sink.close()

        await asyncio.gather(carry(reader, other, False), carry(other_reader, writer, True))
        self.writers -= ends

    def cut(self):
        self.is_cut = True
        self._run(self._abort())

    async def _abort(self):
        for writer in list(self.writers):
            writer.transport.abort()

    def restore(self):
        self.is_cut = self.is_mute = self.is_dead = False

    def renew(self):
        """Ends all connections; new ones work."""
        self.cut()
        self.restore()

    def close(self):
        self.cut()
        self.loop.call_soon_threadsafe(self.listener.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE)


@pytest.fixture(scope="session")
def _line(_everyday):
    line = Wire(_everyday.port)
    yield line
    line.close()


@pytest.fixture
def wire(server, _line):
    """One proxy for all tests: pages of one origin share a cache."""
    yield _line
    _line.renew()
