"""The documentation as a site (web/docs): complete, whole, and true of the client's API."""

import html
import json
import re
import shutil
import subprocess

import pytest

from harness.pickerd import REPOSITORY

DOCS = REPOSITORY / "web/docs"
OWN = sorted((DOCS / "pages").rglob("*.md"))
API = REPOSITORY / "web/client/api"
README = REPOSITORY / "README.md"
PICTURE = REPOSITORY / "web/demo/screenshots/two-devices.png"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site, as `make docs` makes it."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    assert shutil.which("mkdocs"), "mkdocs is missing: apt-get install mkdocs python3-pygments"
    done = subprocess.run(["mkdocs", "build", "--quiet", "-f", DOCS / "mkdocs.yml", "-d", folder],
                          capture_output=True, text=True)
    # It is strict: a link to a page that does not exist is an error.
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """The pages of the site by their addresses."""
    return {path.relative_to(site).as_posix(): path.read_text() for path in site.rglob("*.html")}


def plain(page):
    """The text of a page without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", page)).split())


def test_every_link_and_anchor_leads_somewhere(site, pages):
    ids = {name: set(re.findall(r'\bid="([^"]+)"', page)) for name, page in pages.items()}
    lost, count = [], 0
    for name, page in pages.items():
        for link in map(html.unescape, re.findall(r'(?:href|src)="([^"]+)"', page)):
            assert not link.startswith("/"), f"{name}: {link} works at the root of a host only"
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            path, _, anchor = link.partition("#")
            target = (site / name).parent / path if path else site / name
            if not target.is_file():
                lost.append((name, link))
            elif anchor and anchor not in ids[target.resolve().relative_to(site.resolve()).as_posix()]:
                lost.append((name, link))
    assert lost == [] and count > 5000


def test_a_page_has_no_inline_styles_and_scripts(pages):
    """pickerd's policy would block them."""
    assert [name for name, page in pages.items()
            if re.search(r"<style|<[a-z][^<>]*\s(?:style|on\w+)=|<script(?![^>]*\ssrc=)", page)] == []


def test_every_page_is_there_as_markdown_and_listed_for_programs(site, pages):
    listed = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", (site / "llms.txt").read_text(), re.M)
    assert sorted(listed) == sorted(name.removesuffix("html") + "md" for name in pages)
    for name in listed:
        text = (site / name).read_text()
        assert re.search(r"^# ", text, re.M), name
        for link in re.findall(r"\]\(([^)\s#]+)", re.sub(r"(?ms)^ *```.*?^ *```$|`[^`]*`", "", text)):
            assert "://" in link or (site / name).parent.joinpath(link).is_file(), f"{name}: {link}"


def test_markdown_is_understood_as_on_the_pages_of_a_repository(site, pages):
    for name, page in pages.items():
        text = re.sub(r"(?s)<pre.*?</pre>|<code.*?</code>", "", page)
        assert not re.search(r"```|\]\(|\*\*\w|^\|", text, re.M), name
        markdown = (site / name.replace(".html", ".md")).read_text()
        assert page.count("<pre") == len(re.findall(r"^ *```", markdown, re.M)) // 2, name


@pytest.mark.parametrize("source, without", [
    ("web/guide/README.md", {"EventSource and <img>: tickets"}), ("web/guide/definitions.md", ()),
    ("deploy/README.md", ()), ("web/client/README.md", {"Files"}), ("web/packages/server/README.md", ()),
    ("web/guide/feed.md", ()), ("web/guide/inventory.md", ()), ("web/guide/decide.md", ()),
    ("web/guide/holds.md", ()), ("web/guide/tickets.md", ()),
    ("web/guide/shop.md", ()), ("web/guide/hotel.md", ()), ("web/guide/appointments.md", ()),
    ("web/guide/availability.md", ()), ("web/guide/rehearse.md", ()), ("web/guide/java.md", ()),
    ("web/react/README.md", ()), ("SECURITY.md", ()), ("ARCHITECTURE.md", ())])
def test_every_section_of_every_document_is_on_a_page(pages, source, without):
    headings = {plain(re.sub(r"</?(?:h\d)[^>]*>", "", found))
                for page in pages.values() for found in re.findall(r"<h\d[^>]*>.*?</h\d>", page, re.S)}
    text = re.sub(r"(?ms)^ *```.*?^ *```$", "", (REPOSITORY / source).read_text())
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        heading = heading.replace("`", "").strip()
        assert heading in headings or heading in without, heading


def test_every_request_and_every_message_is_on_a_page(pages):
    http = "".join(plain(page) for name, page in pages.items() if name.startswith("http/"))
    for path, item in json.loads((API / "openapi.json").read_text())["paths"].items():
        for method in set(item) & {"get", "post", "put", "patch", "delete"}:
            assert f"{method.upper()} {path}" in http
            for field in re.findall(r'"name": "(\w+)"', json.dumps(item[method].get("parameters", ()))):
                assert field in http

    document, other = (json.loads((API / name).read_text()) for name in ("asyncapi.json", "openapi.json"))
    for name, message in document["components"]["messages"].items():
        page = pages[f"websocket/{name.split('.')[0]}.html"]
        assert f'<h2 id="{message["name"].lower()}">' in page, name
        schema = message["payload"]["schema"]
        while "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            schema = {**other["components"]["schemas"], **document["components"]["schemas"]}[name]
        for field in schema["properties"]:
            assert f"<code>{field}</code>" in page, (name, field)
    for code in document["x-closeCodes"]:
        assert f"<td>{code}</td>" in pages["websocket/index.html"]


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_the_page_of_a_task_has_at_most_400_words(path):
    assert len(path.read_text().split()) <= 400


def test_the_first_page_about_each_task_has_at_most_400_words(site):
    """Without its code; what is not needed on the first day is reference, on pages of its own."""
    backend = list(site.glob("backend/*/index.md"))
    assert len(backend) >= 9
    embed, start = list(site.glob("embed/*.md")), list(site.glob("start/*.md"))
    assert len(embed) == 7 and len(start) == 4
    others = [site / f"{name}.md" for name in (
        "index", "backend/users/index", "definitions/index", "elements/index", "elements/without-code", "elements/one-tag",
        "elements/forms", "elements/with-code", "operate/index", "operate/install", "operate/first-configuration")]
    for path in backend + embed + start + others:
        text = re.sub(r"(?ms)^ *```.*?^ *```$", "", path.read_text())
        assert len(text.split()) <= 400, path


def test_the_figures_of_the_readme_are_those_of_the_page_of_peers():
    section = re.search(r"(?ms)^## How fast$(.*?)^## ", README.read_text())[1]
    table = "".join(re.findall(r"(?m)^\|.*\n", section))
    page = (REPOSITORY / "Tests/bench/PEERS.md").read_text()
    assert "|pickerd|" in table and f"\n\n{table}\n" in page


def test_the_readme_has_at_most_900_words_and_a_moving_picture():
    assert len(README.read_text().split()) <= 900
    assert README.read_text().count(f"({PICTURE.relative_to(REPOSITORY)})") == 1
    data = PICTURE.read_bytes()
    assert len(data) <= 1.5 * 2**20
    # The number of frames of an animated PNG, which is shown again and again.
    control = data.index(b"acTL") + 4
    assert int.from_bytes(data[control:control + 4], "big") >= 20
    assert data[control + 4:control + 8] == bytes(4)


# The code of the pages for frameworks, as far as it can be checked without them


def code(path, *languages):
    return "".join(re.findall(rf"(?ms)^```(?:{'|'.join(languages)})\n(.*?)^```$", path.read_text()))


@pytest.mark.parametrize("name", ["html", "react", "preact", "vue", "svelte", "angular"])
def test_elements_modules_and_methods_in_the_pages_exist(name):
    text = code(DOCS / f"pages/embed/{name}.md", "html", "jsx", "vue", "svelte", "ts", "js")
    client = (REPOSITORY / "web/client/README.md").read_text()
    packages = {f"@pickerd/{folder}": json.loads((REPOSITORY / f"web/{folder}/package.json").read_text())
                for folder in ("client", "react")}

    modules = re.findall(r'"(@pickerd/\w+)(/[\w/-]+)?"', text)
    assert modules or name == "html"
    for package, module in modules:
        assert f".{module}" in packages[package]["exports"], module
    for imported in re.findall(r'import \{([^}]+)\} from "@pickerd/react"', text):
        index = (REPOSITORY / "web/react/index.js").read_text()
        assert all(one.strip() in index for one in imported.split(","))

    elements = re.findall(r"<(pickerd-\w+)(.*?)/?>(?:</|\s)", text, re.S)
    assert elements or name == "react"
    for element, attributes in elements:
        assert f"`<{element}>`" in client
        # Vue sets what has the modifier `prop` as a property, Preact what an element has.
        attributes = re.sub(r":picker\.prop=|\[picker\]=|\bpicker=", "", attributes)
        for attribute in re.findall(r"(?<![\w-])(?:\[attr\.)?:?([a-z][a-z-]+)\]?=", re.sub(r'"[^"]*"|\{[^}]*\}', "", attributes)):
            known = attribute in ("change", "onchange", "onChange", "bind", "this")
            assert known or re.search(rf"^\|.*`{attribute}`.*\|", client, re.M), attribute
    for method in re.findall(r"\b(?:picker|one)(?:\.value|\(\))?\??\.(\w+)\(", text):
        assert method in ("set", "addEventListener") or re.search(rf"`[^`]*\b{method}\(", client), method


def test_the_types_in_the_page_for_swiftui_exist():
    text = code(DOCS / "pages/embed/swiftui.md", "swift")
    library = "".join(path.read_text() for path in (REPOSITORY / "Sources/PickerClient").rglob("*.swift"))

    names = set(re.findall(r"\b(LivePicker|SessionAddress|ClientProfile|PickerDay|PickerClient)\b", text))
    assert len(names) == 5
    for name in names - {"PickerClient"}:
        assert re.search(rf"public (?:final )?(?:class|struct|actor|enum) {name}\b", library), name
    for name in re.findall(r"picker\.(?:state|connection)?\.?(\w+)", text):
        assert re.search(rf"public [^\n]*\b{name}\b", library), name
    assert 'name: "PickerClient"' in text and '.library(name: "PickerClient"' in (REPOSITORY / "Package.swift").read_text()


def test_the_commands_of_a_first_exchange_work_as_shown(server):
    text = (DOCS / "pages/start/first-exchange.md").read_text()
    for command, answer in re.findall(r"(?ms)^\$ (curl .*?'\}?.*?)\n(\{\".*?)^```$", text):
        command = command.replace("http://127.0.0.1:7681", f"http://127.0.0.1:{server.port}")
        given = json.loads(subprocess.run(["bash", "-c", command], capture_output=True, check=True).stdout)
        shown = json.loads(answer)
        assert list(given) == list(shown)
        if "detail" in shown:
            assert given == shown
        else:
            server.delete(f"/v1/sessions/{given['session']}")


def test_the_definitions_on_the_pages_are_valid(server):
    text = (REPOSITORY / "web/guide/definitions.md").read_text()
    found = [json.loads(one) for one in re.findall(r"(?ms)^```json\n(.*?)^```$", text)]

    assert {one["kind"] for one in found} == {"date", "slot", "cascade", "columns", "calendar", "availability"}
    server.clock("2026-11-20T10:00:00+08:00")
    for definition in found:
        assert server.check(definition).status == 200, definition
