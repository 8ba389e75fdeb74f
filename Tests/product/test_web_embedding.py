"""Embedding the elements works as web/client/README.md documents."""

import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from conftest import MANY, for_one_test
from harness.definitions import CALENDAR, DATE, LISTS
from harness.pickerd import wait_until
from playwright.sync_api import expect

pytest_plugins = ["webpages"]

DAYS = {"kind": "availability", "dates": ["2018-11-26", "2018-11-27"]}
CLIENT = Path(__file__).resolve().parents[2] / "web" / "client"
README = (CLIENT / "README.md").read_text()
SOURCE = "\n".join(path.read_text() for path in sorted(CLIENT.rglob("*.js")))


def rows(heading):
    """The names in the first column of the table with a given heading."""
    table = README.split(f"\n| {heading} |")[1].split("\n\n")[0]
    return {name for line in table.splitlines()[2:] for name in re.findall(r"`([^`]+)`", line.split("|")[1])}


def documented(words):
    return {name for line in README.splitlines() if re.search(words, line)
            for name in re.findall(r"`(\w+)\(", line)}


def test_the_readme_lists_exactly_the_parts_and_properties():
    named = set(re.findall(r'part: [^\n]*?"([a-z -]+)"', SOURCE)) | {"button undo"}
    parts = {part for names in named for part in names.split()} | {"confirm", "cancel", "reopen", "redo", "clear"}
    table = README.split("| `::part(…)` |")[1].split("\n\n")[0]
    assert set(re.findall(r"`((?!data-)[a-z-]+)`", table)) == parts
    assert rows("custom property") == set(re.findall(r"--pickerd-[a-z-]+", SOURCE))


def embedded(server, session, element, attributes=""):
    base = f"http://127.0.0.1:{server.port}"
    return f"""<!doctype html><html lang="en"><head><title>Embedding</title><link rel="icon" href="data:,">
        <script type="module" src="{base}/client/elements.js"></script></head>
        <body><{element} session="{base}{session.path}" name="Ada" {attributes}></{element}></body></html>"""


def gives(one, element, session, port=None):
    """Gives an element of a page another session."""
    one.page.eval_on_selector(
        element, "(one, to) => one.setAttribute('session', to)",
        f"http://127.0.0.1:{port or session.server.port}{session.path}")


class Site:
    """A web site with an origin of its own."""

    def __init__(self):
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                is_style = self.path == "/style.css"
                # Only its page: a window loads another file of the site first, and would be a member twice.
                body = (site.style if is_style else site.html if self.path == "/page" else "").encode()
                self.send_response(200)
                type = "text/css" if is_style else "text/html; charset=utf-8"
                self.send_header("Content-Type", type)
                self.send_header("Content-Length", str(len(body)))
                if site.policy and self.path == "/page":
                    self.send_header("Content-Security-Policy", site.policy)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.html = self.style = self.policy = ""
        self.listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.listener.server_address[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def close(self):
        self.listener.shutdown()
        self.listener.server_close()


@pytest.fixture(scope="module")
def _site():
    """One for all tests: pages of one origin share a cache."""
    mine = Site()
    yield mine
    mine.close()


@pytest.fixture
def site(_site):
    _site.html = _site.style = _site.policy = ""
    return _site


@pytest.fixture
def silent():
    """The port of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture(scope="module")
def _allowing(_shared, _site):
    return _shared("allowing", origins=[_site.origin], limits=dict.fromkeys(
        ("messagesPerSecond", "createsPerSecond", "readsPerSecond", "joinsPerSecond"), MANY))


@pytest.fixture
def server(_allowing, request):
    """A server that allows the site's origin."""
    yield from for_one_test(_allowing, request)


@pytest.fixture
def embedding(window, site):
    def opens(html):
        site.html = html
        return window(site, path="page", name="Ada")
    return opens


def test_the_html_example_in_the_readme_works(embedding, server):
    session = server.session(CALENDAR)
    html = re.search(r"```html\n(.*?)```", README, re.S)[1]
    html = html.replace("http://127.0.0.1:7681", f"http://127.0.0.1:{server.port}").replace("SESSION", session.id)

    ada = embedding(html)

    ada.day("2018-11-14").click()
    ada.day("2018-11-16").click()
    expect(ada.chosen).to_have_text("Nov 14 – 16, 2018 · 3 days")
    expect(ada.chosen).to_have_css("font-style", "italic")
    expect(ada.day("2018-11-14").locator(".number")).to_have_css("background-color", "rgb(122, 46, 142)")
    assert session.get()["members"][0]["name"] == "Ada"


def test_the_six_lines_of_the_home_page_work(window, embedding, server):
    session = server.session(CALENDAR)
    code = window(server, path="#/").page.locator(".embed pre").first.text_content()
    assert code.count("\n") == 5

    ana = embedding(f'<!doctype html><html lang="en"><title>Ours</title>{code.replace("ID", session.id)}</html>')

    ana.day("2018-11-14").click()
    expect(ana.face("Ana (You)")).to_be_visible()
    assert session.get()["members"][0]["name"] == "Ana"


def test_months_are_beside_each_other_and_a_page_fills_the_slots(embedding, server):
    session = server.session(CALENDAR)
    bo = session.join("Bo")
    ada = embedding(embedded(server, session, "pickerd-calendar", 'presence="off"').replace(
        "></pickerd", """><span slot="people">Us</span><b slot="day-2018-11-24">Fair</b>
        <p slot="result">Yours</p></pickerd"""))
    ada.is_loaded()
    day, own = ada.day("2018-11-24").bounding_box(), ada.page.get_by_text("Fair").bounding_box()
    assert day["x"] <= own["x"] < day["x"] + day["width"] and day["y"] < own["y"] < day["y"] + day["height"]
    expect(ada.page.locator(".people")).to_be_hidden()
    expect(ada.chosen).to_be_hidden()
    expect(ada.page.get_by_text("Yours")).to_be_visible()
    places = [ada.month(month).bounding_box() for month in ("2018-11", "2018-12", "2019-01")]
    assert places[0]["y"] == places[1]["y"] < places[2]["y"] and places[0]["x"] + places[0]["width"] < places[1]["x"]
    ada.button("Next month").click()
    expect(ada.day("2019-02-10")).to_be_in_viewport()

    ada.day("2019-02-10").hover()
    ada.day("2019-02-10").click()
    ada.day("2019-02-12").click()
    expect(ada.page.locator("pickerd-calendar")).to_have_js_property("value", "2019-02-10/2019-02-12")
    bo.tap("2019-02-20")
    assert not [one for one in bo.record if one.get("touching")], "the pointer is not shown"

    ada.page.eval_on_selector("pickerd-calendar", "(one) => one.setAttribute('months', '1')")
    wait_until(lambda: ada.month("2019-01").bounding_box()["y"] < ada.month("2019-02").bounding_box()["y"], what="one column")


@pytest.mark.parametrize("element, definition, room", [
    ("pickerd-wheels", LISTS, 0), ("pickerd-calendar", CALENDAR, 1)])
def test_an_empty_people_element_takes_no_room(embedding, server, element, definition, room):
    """The tools of a calendar stay, in a row of their own."""
    page = embedded(server, server.session(definition), element)
    tag, = re.findall(f"<{element}.*</{element}>", page)
    tags = (tag.replace("></pickerd", f">{people}</pickerd")
            for people in ("", '<span slot="people"></span>', '<b slot="people">Us</b>'))
    ada = embedding(page.replace(tag, "".join(tags)))
    expect(ada.page.locator(f"{element} .stage:visible")).to_have_count(3)

    full, empty, own = ada.page.locator(element).evaluate_all("""(all) =>
        all.map(({ shadowRoot }) => [".stage", ".frame"]
          .map((name) => shadowRoot.querySelector(name).getBoundingClientRect().top))
          .map(([stage, frame]) => stage - frame)""")
    assert full > 60 and own > 30
    assert empty == full if room else 10 < empty < 20


FORM = """<form><label for="stay">Stay</label><fieldset>
    <pickerd-calendar id="stay" name="stay" required session="{url}" member-name="Ada"></pickerd-calendar>
    </fieldset><button>Book</button></form>"""


def test_a_calendar_is_a_control_of_a_form(embedding, server):
    session = server.session(CALENDAR)
    base = f"http://127.0.0.1:{server.port}"
    ada = embedding(f"""<!doctype html><html lang="en"><head><title>Form</title><link rel="icon" href="data:,">
        <script type="module" src="{base}/client/v1/define-calendar.js"></script></head>
        <body>{FORM.format(url=base + session.path)}</body></html>""")
    expect(ada.day("2018-11-14")).to_be_visible()

    def form(expression):
        return ada.page.eval_on_selector("form", f"(form) => {{ const one = form.elements.stay; return {expression}; }}")

    sent = "[...new FormData(form)].join()"
    assert form("[one.matches(':invalid'), form.checkValidity(), one.value, one.form === form]") == [True, False, "", True]
    assert form(sent) == ""
    assert session.get()["members"][0]["name"] == "Ada"

    form("(globalThis.seen = [], ['input', 'change'].forEach((name) => "
         "form.addEventListener(name, (event) => seen.push(name + ' ' + event.target.value))))")
    ada.day("2018-11-14").click()
    ada.day("2018-11-16").click()
    ada.is_idle()
    ada.page.wait_for_function("() => globalThis.seen.length === 2")
    assert form("seen") == ["input 2018-11-14/2018-11-16", "change 2018-11-14/2018-11-16"]
    assert form(sent) == "stay,2018-11-14/2018-11-16" and form("form.checkValidity()")
    assert form("one.matches(':state(open)')")

    form("form.reset()")
    assert form(sent) == "stay,2018-11-14/2018-11-16" and session.revision() == 2

    form("one.closest('fieldset').disabled = true")
    assert form(sent) == "" and form("one.matches(':disabled')")
    form("one.closest('fieldset').disabled = false")
    ada.page.get_by_text("Stay", exact=True).click()
    assert form("one.shadowRoot.activeElement?.getAttribute('role')") == "gridcell"

    form("one.setAttribute('member-name', 'Ada L.')")
    expect(ada.face("Ada L.")).to_be_visible()


def test_a_calendar_is_embedded_in_a_form_as_the_readme_says(embedding, server):
    session = server.session(CALENDAR)
    snippet = README.split("### Forms\n\n```html\n")[1].split("```")[0]
    ada = embedding("<!doctype html><title>Book</title>" + snippet.replace(
        "http://127.0.0.1:7681", f"http://127.0.0.1:{server.port}").replace("SESSION", session.id))
    ada.day("2018-11-14").click()
    ada.day("2018-11-16").click()
    with ada.page.expect_request("**/book") as request:
        ada.button("Book").click()
    assert request.value.post_data == "stay=2018-11-14%2F2018-11-16"


def policy_of(server):
    """The policy in the README, for a server without TLS."""
    policy = re.search(r"```http\nContent-Security-Policy: (.*)\n", README)[1]
    assert set(policy.split("; ")) == rows("directive") | {"default-src 'none'"}
    return policy.replace("https://pick.example.org", f"http://127.0.0.1:{server.port}").replace(
        "wss://pick.example.org", f"ws://127.0.0.1:{server.port}")


@pytest.fixture
def protected(embedding, server, site):
    """Opens a page with a policy and both elements, a picture of a month, and a style sheet."""
    calendar, date = server.session(CALENDAR), server.session(DATE)
    base = f"http://127.0.0.1:{server.port}"
    site.style = "pickerd-calendar { --pickerd-accent: #7a2e8e }"
    html = f"""<!doctype html><html lang="en"><head><title>Embedding</title>
        <link rel="stylesheet" href="/style.css"><link rel="icon" href="{base}/demo/icon.svg">
        <script type="module" src="{base}/client/elements.js"></script></head>
        <body><pickerd-calendar session="{base}{calendar.path}" name="Ada"></pickerd-calendar>
        <pickerd-wheels session="{base}{date.path}" name="Ada"></pickerd-wheels>
        <img alt="" src="{base}{calendar.path}/months/2018-11.svg"></body></html>"""

    def opens(policy):
        site.policy = policy
        return embedding(html)
    return opens


def test_a_page_with_the_policy_of_the_readme_shows_pickers_without_a_violation(protected, server):
    ada = protected(policy_of(server))

    ada.day("2018-11-14").click()
    ada.day("2018-11-16").click()
    ada.type_at(0, "ArrowUp")

    expect(ada.page.locator("pickerd-calendar .chosen")).to_have_text("Nov 14 – 16, 2018 · 3 days")
    expect(ada.page.locator("pickerd-wheels .chosen")).to_contain_text("2017")
    expect(ada.day("2018-11-14").locator(".number")).to_have_css("background-color", "rgb(122, 46, 142)")
    assert ada.page.eval_on_selector("img", "async (one) => { await one.decode(); return one.width; }")
    assert ada.page_errors == []


@pytest.mark.parametrize("directive", ["script-src", "connect-src", "img-src", "style-src"])
def test_each_source_in_the_policy_of_the_readme_is_needed(protected, server, directive):
    policy = [part for part in policy_of(server).split("; ") if not part.startswith(directive)]

    ada = protected("; ".join(policy))

    wait_until(lambda: ada.page.wait_for_timeout(20) or any(
        "Content Security Policy" in error for error in ada.page_errors), what="a violation")
    ada.page_errors.clear()
    ada.forget()


def test_the_javascript_example_in_the_readme_works(embedding, server):
    session = server.session(CALENDAR)
    ada = embedding('<!doctype html><html lang="en"><title>Code</title><link rel="icon" href="data:,">')
    printed = []
    ada.page.on("console", lambda message: printed.append(message.text))
    code = re.search(r"```js\n(.*?)```", README.split("\n## With code\n")[1], re.S)[1]
    code = code.replace("http://127.0.0.1:7681", f"http://127.0.0.1:{server.port}") \
        .replace("SESSION", session.id).replace("2026-11-20", "2018-11-20")

    ada.page.add_script_tag(content=code + "\nconsole.log('done', outcome.outcome);", type="module")

    wait_until(lambda: ada.page.wait_for_timeout(20) or "done done" in printed, what="the end")
    assert any(line.startswith("live") for line in printed)
    assert session.revision() == 1


def test_attributes_work(embedding, server):
    session = server.session(DATE)
    ada = embedding(embedded(
        server, session, "pickerd-wheels", 'locale="de" labels="Anno,Mese,Giorno"'))
    assert rows("attribute") == {"session", "member-name", "name", "required", "disabled", "locale", "token", "labels",
                                 "months", "frame", "actions", "presence", "time-zone", "zones"}
    expect(ada.selected(1)).to_have_text("November")
    expect(ada.page.get_by_role("listbox", name="Mese")).to_have_count(1)
    expect(ada.chosen).to_have_text("Freitag, 23. November 2018")


def test_an_element_without_a_frame_fills_its_room_and_one_without_actions_has_no_bar(
        embedding, server):
    session = server.session(CALENDAR)
    ada = embedding(embedded(server, session, "pickerd-calendar", 'frame="none"'))
    calendar = ada.page.locator("pickerd-calendar")
    ada.page.evaluate("""document.body.style.cssText = "margin: 0; height: 600px" """)
    expect(ada.page.locator(".frame")).to_have_css("border-top-width", "0px")
    bar, whole = ada.page.locator(".bar").bounding_box(), calendar.bounding_box()
    assert whole["height"] == 600 and bar["y"] + bar["height"] == 600
    expect(ada.face("Ada")).to_have_count(0)
    expect(ada.page.locator(".bar")).to_contain_text("Pick the first day.")
    calendar.evaluate("(one) => one.focus()")
    expect(ada.day("2018-11-23")).to_be_focused()

    calendar.evaluate("(one) => one.act('cancel')")
    expect(ada.button("Yes, cancel")).to_be_visible()
    calendar.evaluate("(one) => one.setAttribute('actions', 'none')")
    expect(ada.page.locator(".bar")).to_be_hidden()
    calendar.evaluate("(one) => one.removeAttribute('frame')")
    expect(ada.face("Ada")).to_be_visible()
    expect(ada.page.locator(".note-place .hint")).to_be_visible()


def test_a_page_shows_the_texts_of_an_element_itself(embedding, server):
    session = server.session(CALENDAR)
    ada = embedding(embedded(server, session, "pickerd-calendar", 'actions="none"'))
    ada.day("2018-11-23").click()
    ada.day("2018-11-25").click()
    ada.is_idle()
    base = f"http://127.0.0.1:{server.port}"
    assert ada.page.evaluate("""async (module) => {
        const { resultText, usability, connectionText, loadWords, wordsOf } = await import(module);
        await loadWords("de");
        const { picker } = document.querySelector("pickerd-calendar");
        return [resultText(picker, wordsOf("en")), usability("confirm", picker), connectionText(picker, wordsOf("en")),
          wordsOf("de").confirm];
      }""", f"{base}/client/texts.js") == [
        "Nov 23 – 25, 2018 · 3 days", {"isShown": True, "isUsable": True}, None, "Bestätigen"]


def test_elements_of_several_files_of_the_client_are_one_member(embedding, server):
    """Regression: each file had its own list of sessions."""
    session = server.session(CALENDAR)
    page = embedded(server, session, "pickerd-calendar")
    ada = embedding(page)
    expect(ada.day("2018-11-23")).to_be_visible()
    base = f"http://127.0.0.1:{server.port}"
    members = ada.page.evaluate("""async ([module, url]) => {
        const { acquire } = await import(`${module}?copy`);
        const picker = await acquire(url, {});
        return picker === document.querySelector("pickerd-calendar").picker;
      }""", [f"{base}/client/parts/shared.js", f"{base}{session.path}"])
    assert members is True
    assert len(session.get()["members"]) == 1


def test_a_calendar_that_gets_another_session_or_is_added_again_shows_its_months(embedding, server):
    first, second = server.session(CALENDAR), server.session(CALENDAR)
    ada = embedding(embedded(server, first, "pickerd-calendar"))
    expect(ada.day("2018-11-23")).to_have_attribute("aria-current", "date")

    gives(ada, "pickerd-calendar", second)

    ada.page.wait_for_function("(id) => document.querySelector('pickerd-calendar').picker?.url.endsWith(id)",
                               arg=second.id)
    ada.page.wait_for_function("document.querySelector('pickerd-calendar').picker.state.months.size > 0")
    expect(ada.month("2018-11")).not_to_have_attribute("data-loading", "")
    member = ada.picker("self.id")

    ada.page.eval_on_selector("pickerd-calendar", """async (one) => {
        const before = one.picker
        one.remove()
        while (before.connection !== "idle") await new Promise((resolve) => setTimeout(resolve, 10))
        document.body.append(one)
    }""")

    ada.page.wait_for_function("document.querySelector('pickerd-calendar').picker?.state.months.size > 0")
    expect(ada.month("2018-11")).not_to_have_attribute("data-loading", "")
    assert ada.picker("self.id") == member


def test_a_picker_that_gets_another_session_sends_nothing_of_the_one_to_the_other(
        embedding, server, silent):
    first, second = server.session(LISTS), server.session(LISTS)
    ada = embedding(embedded(server, first, "pickerd-wheels"))
    expect(ada.chosen).to_have_text("MacOS · Xcode")
    ada.page.evaluate("() => { window.requestAnimationFrame = () => 1; }")
    ada.type_at(0, "ArrowDown")

    gives(ada, "pickerd-wheels", second, port=silent)
    wait_until(lambda: first.revision() == 1, what="the row of the turning wheel")
    expect(ada.wheel(0)).to_be_hidden()
    expect(ada.face("Ada")).to_be_hidden()

    gives(ada, "pickerd-wheels", second)
    expect(ada.wheel(0)).to_be_visible()
    expect(ada.selected(0)).to_have_text("MacOS")
    assert (first.revision(), second.revision()) == (1, 0)

    ada.hold(0, rows=2)
    gives(ada, "pickerd-wheels", first)
    ada.let_go()
    expect(ada.selected(0)).to_have_text("Windows")
    ada.is_idle()
    assert (first.revision(), second.revision()) == (1, 0)


def test_a_range_that_is_being_dragged_does_not_end_in_another_session(embedding, server):
    first, second = server.session(CALENDAR), server.session(CALENDAR)
    ada = embedding(embedded(server, first, "pickerd-calendar"))
    ada.is_loaded()
    ada.day("2018-11-26").hover()
    ada.page.mouse.down()
    ada.day("2018-11-28").hover()
    wait_until(lambda: first.revision() == 1, what="the first day")

    gives(ada, "pickerd-calendar", second)
    ada.page.wait_for_function("(id) => document.querySelector('pickerd-calendar').drawn?.url.endsWith(id)",
                               arg=second.id)
    expect(ada.day("2018-11-29")).to_be_visible()
    ada.day("2018-11-29").hover()
    ada.page.mouse.up()

    ada.is_idle()
    assert (first.revision(), second.revision()) == (1, 0)


def test_undo_in_a_text_of_the_page_is_not_that_of_the_picker(embedding, server):
    session = server.session(CALENDAR)
    ada = embedding(embedded(server, session, "pickerd-calendar").replace(
        "></pickerd-calendar>", """><div slot="bar"><textarea aria-label="Remarks"></textarea>
        <p contenteditable aria-label="Wishes" role="textbox">x</p></div></pickerd-calendar>"""))
    ada.day("2018-11-26").click()
    wait_until(lambda: session.revision() == 1, what="the first day")

    for name in ("Remarks", "Wishes"):
        ada.page.get_by_role("textbox", name=name).focus()
        ada.page.keyboard.press("Control+z")
    ada.is_idle()
    assert session.revision() == 1

    ada.day("2018-11-26").focus()
    ada.page.keyboard.press("Control+z")
    wait_until(lambda: session.revision() == 2, what="the undo of a day")


def test_a_column_that_is_removed_while_its_button_is_held_turns_no_more(embedding, server):
    session = server.session({"kind": "columns", "columns": [["a"], [str(row) for row in range(200)]]})
    ada = embedding(embedded(server, session, "pickerd-wheels"))
    expect(ada.chosen).to_have_text("a · 0")
    ada.page.evaluate("() => { window.view = document.querySelector('pickerd-wheels').views[1]; }")
    ada.page.clock.install()
    ada.page.locator(".column").nth(1).locator(".step").nth(1).hover()
    ada.page.mouse.down()
    ada.page.clock.run_for(1_000)
    assert ada.page.evaluate("view.row") > 3

    session.patch("definition", {"columns": [["a"]]})
    wait_until(lambda: not ada.page.evaluate("view.element.isConnected"), what="the column is removed")
    before = ada.page.evaluate("view.motion.target")
    ada.page.clock.run_for(1_000)

    assert ada.page.evaluate("view.motion.target") == before


def test_a_picker_that_is_set_before_the_element_is_defined_is_shown(embedding, server):
    session, base = server.session(LISTS), f"http://127.0.0.1:{server.port}"
    ada = embedding(
        '<!doctype html><html lang="en"><link rel="icon" href="data:,"><pickerd-wheels>')

    ada.page.add_script_tag(type="module", content=f"""
        import {{ connect }} from "{base}/client/pickerd.js";
        document.querySelector("pickerd-wheels").picker = await connect("{base}{session.path}");
        await import("{base}/client/elements.js");""")

    expect(ada.chosen).to_have_text("MacOS · Xcode")


@pytest.mark.parametrize("element, other, definition", [
    ("pickerd-calendar", "pickerd-wheels", LISTS),
    ("pickerd-wheels", "pickerd-availability", DAYS)])
def test_an_element_of_the_wrong_kind_logs_once_which_one_to_use(
        embedding, server, element, other, definition):
    ada = embedding(embedded(server, server.session(definition), element))
    ada.page.wait_for_function(
        f"document.querySelector('{element}').picker?.connection === 'live'")

    ada.page.eval_on_selector(element, "(one) => { one.redraw(); one.redraw(); return one.speaking.then(() => {}); }")

    logged, kind = list(ada.page_errors), definition["kind"]
    ada.page_errors.clear()
    assert logged == [f"<{element}> cannot show a session of the kind {kind}: use <{other}>"]
    for part in ("bar", "hint", "stage"):
        expect(ada.page.locator(f"{element} [part={part}]")).to_be_hidden()
    assert ada.page.eval_on_selector(element, "(one) => one.value") == ""


def test_an_element_outside_of_the_page_does_not_listen_to_its_picker(embedding, server):
    session = server.session(LISTS)
    ada = embedding(embedded(server, session, "pickerd-wheels"))
    expect(ada.chosen).to_have_text("MacOS · Xcode")
    bo = session.join("Bo")
    ada.page.eval_on_selector("pickerd-wheels", """async (one) => {
        window.element = document.createElement("pickerd-wheels");
        element.picker = window.picker = one.picker;
        document.body.append(element);
        element.remove();
        const { redraw } = element;
        window.drawn = 0;
        element.redraw = () => { drawn += 1; redraw.call(element); };
    }""")

    bo.select(0, 2)

    expect(ada.chosen).to_have_text("Linux · Xcode")
    assert ada.page.evaluate("drawn") == 0

    ada.page.evaluate("document.body.append(element)")
    expect(ada.chosen.nth(1)).to_have_text("Linux · Xcode")
    bo.select(0, 1)
    expect(ada.chosen.nth(1)).to_have_text("Windows · Xcode")


def test_a_hidden_calendar_does_not_take_months_from_a_visible_one(embedding, server):
    calendar = embedded(server, server.session(CALENDAR), "pickerd-calendar")
    hidden = re.search(r"<pickerd-calendar.*</pickerd-calendar>", calendar)[0].replace(
        "name=", "hidden name=")

    ada = embedding(calendar.replace("</body>", f"{hidden}</body>"))

    ada.page.wait_for_function("""[...document.querySelectorAll("pickerd-calendar")].every(
        (one) => one.picker?.state.months.size > 0)""")
    visible = ada.page.locator("pickerd-calendar").first.locator('.month[data-month="2018-11"]')
    expect(visible).to_be_in_viewport()
    ada.page.wait_for_timeout(300)
    expect(visible).not_to_have_attribute("data-loading", "")


def test_texts_are_not_small_in_a_page_whose_root_has_62_percent(embedding, server):
    wheels = embedded(server, server.session(LISTS), "pickerd-wheels")

    ada = embedding(wheels.replace("<head>", "<head><style>html { font-size: 62.5% }</style>"))

    expect(ada.chosen).to_have_css("font-size", "18px")
    expect(ada.selected(0)).to_have_css("font-size", "18px")


def test_an_availability_has_a_script_and_zones_of_its_own(embedding, server):
    session = server.session({"kind": "availability", "timeZone": "Europe/Berlin", "stepMinutes": 60,
                              "dates": ["2018-11-26"]})
    page = embedded(server, session, "pickerd-availability",
                    'time-zone="America/New_York" zones="Asia/Tokyo, No/Where"')
    ada = embedding(page.replace("/client/elements.js", "/client/define-availability.js"))
    expect(ada.page.locator(".times").first).to_have_text(re.compile("^3\\sAM *5\\sPM$"))
    ada.cell(2).click()
    ada.page.wait_for_function(
        "document.querySelector('pickerd-availability').value === '2018-11-26T11:00'")
    ada.page.eval_on_selector("pickerd-availability", "(one) => one.setAttribute('time-zone', 'Asia/Shanghai')")
    expect(ada.page.locator(".times").first).to_have_text(re.compile("^4\\sPM *5\\sPM$"))
    assert ada.cell(2).get_attribute("data-own") == "yes"


def tag(server, session, more, version=""):
    return (f'<script type="module" src="http://127.0.0.1:{server.port}/client/v1/embed.js{version}"'
            f' data-session="http://127.0.0.1:{server.port}/s/{session.id}" data-member-name="Ada" {more}></script>')


def tagged(*tags):
    return f'<!doctype html><html lang="en"><title>Ours</title><body><p>Before</p>{"".join(tags)}<p>After</p></body></html>'


@pytest.mark.parametrize("definition, element", [
    (CALENDAR, "pickerd-calendar"), (LISTS, "pickerd-wheels"), (DAYS, "pickerd-availability")])
def test_a_tag_becomes_the_element_for_its_kind(embedding, server, definition, element):
    session = server.session(definition)
    ada = embedding("<!doctype html><title>Empty</title>")
    waiting = []
    ada.page.route("**/define-*.js", lambda route: waiting.append(route))
    with ada.page.expect_request("**/define-*.js"):
        ada.page.set_content(tagged(tag(
            server, session, f'data-kind="{definition["kind"]}" data-presence="off" data-onclick="alert(1)"')))
    place = ada.page.locator("p:text('Before') ~ .pickerd-loading:has(+ p)")
    expect(place).to_have_attribute("aria-busy", "true")
    before = place.bounding_box()["height"]
    assert before > 300
    assert "radial-gradient" in place.evaluate("one => getComputedStyle(one).backgroundImage")
    # What this file imports has a name that matches, too.
    ada.page.unroute("**/define-*.js")
    for route in waiting:
        route.fallback()

    shown = ada.page.locator(f"p:text('Before') ~ {element}")
    expect(shown).to_have_attribute("presence", "off")
    assert shown.get_attribute("onclick") is None
    expect(place).to_have_count(0)
    ada.is_loaded()
    assert session.get()["members"][0]["name"] == "Ada"
    # What follows a calendar stays where it was.
    assert element != "pickerd-calendar" or abs(shown.bounding_box()["height"] - before) < 40


def test_a_tag_opens_its_picker_in_a_dialog(embedding, server):
    session = server.session(CALENDAR)
    days, month, week = (
        f'data-kind="calendar" data-open="{way}" data-text="Choose the {what}"'
        for way, what in (("floating", "days"), ("floating", "month"), ("dialog", "week")))
    # The second one is another address of the same module.
    ada = embedding(tagged(
        tag(server, session, days), tag(server, session, month, "?v=2"), tag(server, session, week)))
    floating = ada.page.locator(".pickerd-floating .pickerd-button")
    expect(floating).to_have_text(["Choose the days", "Choose the month"])
    tops = [floating.nth(at).bounding_box() for at in range(2)]
    assert tops[0]["y"] + tops[0]["height"] <= tops[1]["y"] or tops[0]["x"] + tops[0]["width"] <= tops[1]["x"]
    in_place = ada.page.locator("p:text('Before') ~ .pickerd-button:has(+ p)")
    expect(in_place).to_have_text("Choose the week")
    assert ada.page.evaluate("customElements.get('pickerd-calendar') === undefined"), "nothing is loaded yet"

    button = ada.button("Choose the days")
    button.click()
    dialog = ada.page.get_by_role("dialog", name="Choose the days")
    ada.day("2018-11-14").click()
    ada.day("2018-11-16").click()
    expect(ada.chosen).to_contain_text("Nov 14 – 16, 2018")
    assert dialog.evaluate("one => getComputedStyle(one, '::backdrop').backgroundColor") == "rgba(0, 0, 0, 0.533)"
    ada.button("Close").click()
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()
    ada.page.keyboard.press("Enter")
    expect(ada.chosen).to_contain_text("Nov 14 – 16, 2018")
    ada.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert len(session.get()["members"]) == 1


def test_two_tags_of_a_session_are_one_member_that_leaves_with_them(embedding, server):
    session = server.session(CALENDAR)
    one = tag(server, session, 'data-kind="calendar"')
    ada = embedding(tagged(one, one))
    expect(ada.page.locator("pickerd-calendar .month:not([data-loading])").nth(1)).to_be_visible()
    assert len(session.get()["members"]) == 1
    ada.page.evaluate("for (const one of document.querySelectorAll('pickerd-calendar')) one.remove()")
    wait_until(lambda: not session.get()["members"][0]["online"], what="a member that is offline")


def test_a_tag_whose_server_cannot_be_reached_says_so_and_tries_again(embedding, server):
    ada = embedding("<!doctype html><title>Empty</title>")
    ada.page.route("**/define-calendar.js", lambda route: route.abort())
    with ada.page.expect_console_message(lambda message: "<pickerd-calendar> was not loaded" in message.text):
        more = 'data-kind="calendar" data-open="dialog" data-text="Days" data-locale="de"'
        ada.page.set_content(tagged(tag(server, server.session(CALENDAR), more)))
        ada.button("Days").click()
    again = ada.page.get_by_role("status").get_by_role("button")
    expect(again).to_have_text("Zurzeit nicht verfügbar. Erneut versuchen")
    again.click()
    expect(again).to_be_visible()

    ada.page.unroute("**/define-calendar.js")
    again.click()
    ada.day("2018-11-14").click()
    ada.day("2018-11-16").click()
    expect(ada.chosen).to_contain_text("14.–16. Nov. 2018")
    ada.page_errors.clear()


def test_a_tag_says_what_is_missing(embedding, server):
    session = server.session(CALENDAR)
    ada = embedding("<!doctype html><title>Empty</title>")
    no_text, no_kind = 'data-kind="calendar" data-open="floating"', 'data-kind="calender"'
    with ada.page.expect_console_message(lambda one: "data-text" in one.text), \
            ada.page.expect_console_message(lambda one: "data-kind is the kind" in one.text):
        ada.page.set_content(tagged(tag(server, session, no_text), tag(server, session, no_kind)))
    assert ada.page.locator("button, .pickerd-loading").count() == 0
    ada.page_errors.clear()


def test_a_calendar_in_a_closed_dialog_begins_at_today_when_it_is_shown(embedding, server):
    calendar = embedded(server, server.session(CALENDAR), "pickerd-calendar", 'style="width: 30rem"')
    ada = embedding(calendar.replace("<body>", "<body><dialog>"))
    ada.page.wait_for_function("document.querySelector('pickerd-calendar').picker?.state.months.size > 0")

    ada.page.eval_on_selector("dialog", "(dialog) => dialog.showModal()")

    expect(ada.day("2018-11-23")).to_be_in_viewport()
    expect(ada.month("2018-11")).not_to_have_attribute("data-loading", "")


def test_the_documented_methods_state_and_events_exist(embedding, server):
    session = server.session(CALENDAR)
    ada = embedding(embedded(server, session, "pickerd-calendar"))
    ada.page.wait_for_selector("pickerd-calendar .month:not([data-loading])")
    commands = documented("^\\| `(select|tap|clear|confirm|months|touch|setLocale)")
    assert len(commands) == 16
    table = README.split("| properties |")[1].split("\n\n")[0]
    named = [name for line in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", line)]
    missing = ada.picker(f"constructor && {sorted(commands) + named!r}"
                         ".filter((name) => !(name in document.querySelector('pickerd-calendar').picker)"
                         " && !(name in document.querySelector('pickerd-calendar').picker.state))")
    assert missing == []
    emitted = set(re.findall(r'name: "(\w+)"', SOURCE)) | set(re.findall(r'#emit\("(\w+)"', SOURCE))
    assert rows("event") <= emitted


def test_a_page_of_an_allowed_origin_can_use_the_http_api_and_events(embedding, server):
    ada = embedding('<!doctype html><html lang="en"><title>Fetch</title><link rel="icon" href="data:,">')
    asks = """async ([base, definition]) => {
        const headers = {"Content-Type": "application/json"}
        const made = await fetch(`${base}/v1/sessions`, {method: "POST", headers, body: JSON.stringify({definition})})
        const at = base + made.headers.get("Location")
        const events = new EventSource(`${at}/events`)
        const welcome = await new Promise((resolve, reject) => {
            events.addEventListener("welcome", event => resolve(JSON.parse(event.data)))
            events.onerror = reject
        })
        events.close()
        const read = await (await fetch(at)).json()
        const wrong = await (await fetch(`${base}/v1/definitions/check`, {method: "POST", headers, body: "{}"})).json()
        const gone = await fetch(at, {method: "DELETE", headers: {Authorization: "Bearer x.y"}})
        return [made.status, welcome.revision, read.status, wrong.code, gone.status]
    }"""

    answers = ada.page.evaluate(asks, [f"http://127.0.0.1:{server.port}", CALENDAR])

    assert answers == [201, 0, "open", "badRequest", 204]


def test_other_origins_get_no_cors_headers(server, site):
    session = server.session(CALENDAR)
    evil = {"Origin": "https://another.example"}

    answers = server.get(session.path, headers=evil)
    made = server.post("/v1/sessions", {"definition": CALENDAR}, headers=evil)
    asked = server.request("OPTIONS", "/v1/sessions", headers={**evil, "Access-Control-Request-Method": "POST"})

    assert [answers.status, made.status, asked.status] == [200, 403, 403]
    for answer in (answers, made, asked):
        assert "access-control-allow-origin" not in answer.headers
        assert answer.headers["vary"] == "Origin"


def test_without_allowed_origins_there_are_no_cors_headers(plain):
    own = {"Origin": f"http://127.0.0.1:{plain.port}"}

    checked = plain.post("/v1/definitions/check", {"definition": DATE}, headers=own)

    assert checked.status == 200
    assert not [name for name in checked.headers if name.startswith("access-control")]
    assert "Origin" not in checked.headers.get("vary", "")


@pytest.mark.parametrize("element, definition, drawn", [
    ("pickerd-wheels", DATE, ".row:not([hidden])"), ("pickerd-calendar", CALENDAR, ".month:not([data-loading])"),
    ("pickerd-availability", {"kind": "availability", "dates": {"from": "2018-11-01", "through": "2019-01-20"}}, ".cell")])
def test_the_first_drawing_of_an_element_scrolls_no_page_around_it(embedding, server, element, definition, drawn):
    page = embedded(server, server.session(definition), element)
    page = page.replace("/elements.js", "/define-availability.js") if element == "pickerd-availability" else page
    ada = embedding(page.replace("<body>", "<body><div style='height: 4000px'></div>"))
    ada.page.wait_for_selector(drawn)
    ada.draws()
    assert ada.page.evaluate("scrollY") == 0
    if element == "pickerd-availability":
        list_, first = ada.page.locator(".scroller").bounding_box(), ada.cell(22).bounding_box()
        assert list_["y"] < first["y"] and first["y"] + first["height"] <= list_["y"] + list_["height"] + 1
