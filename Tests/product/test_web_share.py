"""The QR code of the link, read with an independent decoder, `zbarimg`."""

import subprocess

import pytest
from harness.definitions import LISTS
from harness.patience import PATIENCE
from harness.pickerd import wait_until
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages

#: The longest texts of versions 1 to 10, and the shortest of each but the first.
LENGTHS = [1, 14, 15, 26, 27, 42, 43, 62, 63, 84, 85, 106, 107, 122, 123, 152, 153, 180, 181, 213]


def read(image):
    """The text of the only code in an image."""
    answer = subprocess.run(["zbarimg", "--quiet", "--raw", "--nodbus", str(image)],
                            capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.removesuffix("\n")


def shown(one, image):
    """The text of the code on the page, when it is the link of the page."""
    def code():
        one.code.screenshot(path=image)
        text = read(image)
        return text == one.link.input_value() and text

    return wait_until(code, what="the code of the link")


def drawn(modules, scale=4, quiet=4):
    """The code as a portable graymap (PGM)."""
    size = (len(modules) + 2 * quiet) * scale
    rows = [[0] * len(modules)] * quiet + modules + [[0] * len(modules)] * quiet
    lines = []
    for row in rows:
        dots = [0] * quiet + row + [0] * quiet
        lines += [" ".join("0" if dot else "1" for dot in dots for _ in range(scale))] * scale
    return f"P2 {size} {size} 1\n" + "\n".join(lines) + "\n"


def test_the_code_on_the_page_contains_the_link(window, server, tmp_path):
    ana = window(server, server.session(LISTS), name="Ana")
    ana.invite()
    expect(ana.code).to_be_visible()
    for scheme in ("light", "dark"):
        ana.page.emulate_media(color_scheme=scheme)
        assert shown(ana, tmp_path / f"{scheme}.png") == ana.page.url.replace("/#/s/", "/s/")
    # How to listen for phones.
    expect(ana.invitation).to_contain_text(f"LISTEN=0.0.0.0:{server.port}")


def test_a_phone_shows_the_link_and_no_code_for_itself(window, server):
    ana = window(server, server.session(LISTS), name="Ana", phone=True)
    ana.invite()
    expect(ana.link).to_have_value(ana.page.url.replace("/#/s/", "/s/"))
    expect(ana.button("Copy link")).to_be_in_viewport()
    expect(ana.code).to_be_hidden()


@pytest.fixture
def about_to_share(window, server):
    """A new picker that would show its link by itself, but for its module; and what delivers that."""
    ana = window(server, path="#/examples")
    waiting = []
    ana.page.route("**/demo/share*.js", lambda route: waiting.append(route))
    # A page of an earlier test has the module.
    ana.page.reload()
    ana.card("date-0").click()
    wait_until(lambda: ana.page.wait_for_timeout(20) or waiting, what="the module")

    def deliver():
        for route in waiting:
            route.fallback()
        ana.page.evaluate("(address) => import(address)", waiting[0].request.url)

    yield ana, deliver
    ana.page.unroute("**/demo/share*.js")


def test_a_press_while_the_page_is_about_to_share_shows_the_link(about_to_share):
    """Regression: the page had shown it, too, and the press hid it."""
    ana, deliver = about_to_share
    ana.page.locator(".share-button").click()
    deliver()
    expect(ana.link).to_be_visible()
    ana.draws()
    expect(ana.link).to_be_visible()


def test_the_page_does_not_share_by_itself_while_the_menu_is_open(about_to_share):
    """Regression: it closed the menu."""
    ana, deliver = about_to_share
    with ana.menu() as menu:
        deliver()
        ana.draws()
        expect(menu).to_be_visible()
        expect(ana.link).to_be_hidden()


def test_the_code_changes_with_the_selected_role(window, guarded, tmp_path):
    ana = window(guarded, name="Ana")
    ana.card("date-0").click()
    role = ana.invite().get_by_role("combobox")
    expect(role).to_be_visible()
    image = tmp_path / "code.png"
    role.select_option("editor")
    before = shown(ana, image)
    role.select_option("viewer")
    wait_until(lambda: shown(ana, image) != before, what="the other code")


def test_codes_of_every_version_can_be_read_and_a_longer_text_has_none(window, server, tmp_path):
    ana = window(server, name="Ana")
    texts = [("https://pickerd.example/#/s/" + "aZ09-_?=%." * 20)[:length] for length in LENGTHS]
    codes = ana.page.evaluate("""async (texts) => {
        const { qrModules } = await import("/demo/qr.js");
        return texts.map((text) => qrModules(text).map((row) => [...row])); }""", texts)

    sizes = [len(code) for code in codes]
    assert sorted(set(sizes)) == [17 + 4 * version for version in range(1, 11)]
    for text, code in zip(texts, codes):
        image = tmp_path / "code.pgm"
        image.write_text(drawn(code))
        assert read(image) == text
    assert ana.page.evaluate("""async () =>
        (await import("/demo/qr.js")).qrModules("x".repeat(214))""") is None


def test_a_phone_shares_the_link_with_its_own_sheet(window, plain):
    ana = window(plain, name="Ana", path="#/", phone=True)
    ana.page.evaluate("navigator.share = async (shared) => { window.shared = shared; }")
    ana.card("range-0").click()
    expect(ana.page.locator(".share-button")).to_be_visible()
    expect(ana.title).to_have_text("A range in two taps")
    assert ana.link.count() == 0, "nothing covers the picker"

    ana.page.locator(".share-button").click()

    ana.page.wait_for_function("() => window.shared")
    assert ana.page.evaluate("shared") == {
        "title": "A range in two taps", "url": ana.page.url.replace("/#", ""),
        "text": "Ana invites you to “A range in two taps”"}
    assert ana.link.count() == 0
