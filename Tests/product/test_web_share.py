"""The QR code of the link, read with an independent decoder, `zbarimg`."""

import subprocess

import pytest
from harness.definitions import LISTS
from harness.pickerd import wait_until
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages

#: The longest texts of versions 1 to 10, and the shortest of each but the first.
LENGTHS = [1, 14, 15, 26, 27, 42, 43, 62, 63, 84, 85, 106, 107, 122, 123, 152, 153, 180, 181, 213]


def read(image):
    """The text of the only code in an image."""
    answer = subprocess.run(["zbarimg", "--quiet", "--raw", "--nodbus", str(image)],
                            capture_output=True, text=True, timeout=120, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.removesuffix("\n")


def shown(one, image):
    """The text of the code on the page, when it is the link of the page."""
    def code():
        one.page.locator(".qr svg").screenshot(path=image)
        text = read(image)
        return text == one.page.locator("#share-link").input_value() and text

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


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_the_code_on_the_page_contains_the_link(window, server, tmp_path, phone):
    ana = window(server, server.session(LISTS), name="Ana", phone=phone)
    code = ana.page.locator(".qr svg")
    expect(code).to_be_visible()
    for scheme in ("light", "dark"):
        ana.page.emulate_media(color_scheme=scheme)
        assert shown(ana, tmp_path / f"{scheme}.png") == ana.page.url.replace("/#/s/", "/s/")
    # How to listen for phones.
    expect(ana.page.locator(".share .remark").last).to_contain_text(f"LISTEN=0.0.0.0:{server.port}")


def test_the_code_changes_with_the_selected_role(window, guarded, tmp_path):
    ana = window(guarded, name="Ana")
    ana.page.locator("[data-open=date-0]").click()
    role = ana.page.locator(".share select")
    expect(role).to_be_visible()
    image = tmp_path / "code.png"
    role.select_option("editor")
    before = shown(ana, image)
    role.select_option("viewer")
    wait_until(lambda: shown(ana, image) != before, what="the other code")


def test_codes_of_every_version_can_be_read(window, server, tmp_path):
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


def test_a_link_that_is_too_long_has_no_code(window, server):
    ana = window(server, name="Ana")
    assert ana.page.evaluate("""async () =>
        (await import("/demo/qr.js")).qrModules("x".repeat(214))""") is None


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_done_folds_the_panel_below_the_picker_and_is_gone(window, plain, phone):
    options = {"phone": True} if phone else {"viewport": {"width": 1180, "height": 900}}
    ana = window(plain, name="Ana", path="#/", locale="de", **options)
    ana.page.locator("[data-open=range-0]").click()
    panel = ana.page.locator(".panel.share")
    expect(panel.locator(".qr svg")).to_be_visible()

    ana.button("Fertig").click()

    expect(panel.locator("#share-link")).to_be_hidden()
    assert panel.evaluate("""(panel) => Boolean(document.querySelector(".picker-column")
        .compareDocumentPosition(panel) & Node.DOCUMENT_POSITION_FOLLOWING)""")
    panel.locator("summary").click()
    expect(panel.locator("#share-link")).to_be_visible()
    expect(ana.button("Fertig")).to_be_hidden()
