"""Hooks of MkDocs: gather the documents of the repository as pages, and make what the theme needs."""

import html
import json
import posixpath
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from api import http_pages, socket_pages  # noqa: E402
from documents import REPOSITORY, Document, Links, Page, section, section_split, slug, split, whole  # noqa: E402

OWN = "web/docs/pages"
KINDS = ("date", "slot", "cascade", "columns", "calendar", "availability")
README, GUIDE, SWIFT = "README.md", "web/guide/README.md", "Sources/PickerClient/PickerClient.docc"


def own(name, title):
    return whole(f"{OWN}/{name}.md", f"{name}.md", title)


def parts():
    """The pages of the site, by the part of its navigation."""
    return {
        "Start": [
            Page("index.md", "What it is", Document(README).beginning, README),
            *section(README, "Run it", "start/run.md"),
            *section(README, "Pick something", "start/pick.md"), *own("start/first-exchange", "A first exchange"),
            *whole("web/examples/README.md", "start/examples.md")],
        "In your page or app": [
            *own("embed/html", "Plain HTML"), *own("embed/react", "React"), *own("embed/preact", "Preact"),
            *own("embed/vue", "Vue"), *own("embed/svelte", "Svelte"), *own("embed/angular", "Angular"),
            *own("embed/swiftui", "SwiftUI")],
        "Definitions": split("web/guide/definitions.md", "definitions", "All kinds"),
        "Your backend": [
            *section_split(GUIDE, "Let your users in", "backend/users"),
            *split("web/guide/inventory.md", "backend/inventory", deep=True),
            *split("web/guide/holds.md", "backend/holds"),
            *split("web/guide/decide.md", "backend/decide"),
            *split("web/guide/feed.md", "backend/feed", deep=True),
            *split("web/guide/availability.md", "backend/availability"),
            *split("web/packages/server/README.md", "backend/kit"),
            *split("web/guide/tickets.md", "backend/tickets"),
            *split("web/guide/shop.md", "backend/shop"),
            *split("web/guide/hotel.md", "backend/hotel"),
            *split("web/guide/appointments.md", "backend/appointments")],
        "Elements": [
            *split("web/client/README.md", "elements", "Elements and modules", without=("Files",), deep=True),
            *whole("web/react/README.md", "elements/react.md"),
            *whole(f"{SWIFT}/PickerClient.md", "elements/swift.md", "Swift"),
            *whole(f"{SWIFT}/WheelsAndCalendar.md", "elements/swiftui.md")],
        "A client of your own": [
            *split(GUIDE, "protocol", without=("Let your users in", "EventSource and <img>: tickets")),
            *whole("web/guide/java.md", "protocol/java.md"), *split("web/guide/rehearse.md", "protocol/rehearse")],
        "HTTP": http_pages(),
        "WebSocket": socket_pages(),
        "Operate": split("deploy/README.md", "operate", deep=True),
        "Project": [
            *whole("SECURITY.md", "project/security.md"), *whole("ARCHITECTURE.md", "project/architecture.md"),
            *whole("Tests/bench/RESULTS.md", "project/benchmarks.md"),
            *whole("Tests/bench/PEERS.md", "project/peers.md"),
            *whole("Tests/README.md", "project/tests.md"), *whole("CHANGELOG.md", "project/changelog.md")],
    }


class Site:
    """The site that is being built."""

    def __init__(self):
        self.parts = parts()
        self.pages = {page.address: page for pages in self.parts.values() for page in pages}
        self.folder = Path(tempfile.mkdtemp(prefix="pickerd-docs"))
        links = Links(self.pages.values())
        for page in self.pages.values():
            page.text = links.in_page(page)
            path = self.folder / page.address
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page.text)
        for address, path in links.files.items():
            copy = self.folder / address
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(REPOSITORY / path, copy)

    def llms(self, about):
        """The list of all pages for programs that read, see llmstxt.org."""
        lines = ["# pickerd", "", f"> {about}", ""]
        for name, pages in self.parts.items():
            lines += [f"## {name}", "", *(
                f"- [{page.title}]({page.address})" + (f": {page.summary}" if page.summary else "")
                for page in pages), ""]
        return "\n".join(lines)


site = None


def tree(pages):
    """The pages as MkDocs wants them: those of a split document are below it, if it is not the whole part."""
    folders = {page.folder for page in pages}
    top = posixpath.commonpath(folders) if len(folders) > 1 else folders.pop()
    found = []
    for page in pages:
        one = {page.title: page.address}
        if page.folder == top or top == "":
            found.append(one)
        elif page.address.endswith("/index.md"):
            found.append({page.title: [one]})
        else:
            next(iter(found[-1].values())).append(one)
    return found


def on_config(config):
    global site
    site = Site()
    config["docs_dir"] = str(site.folder)
    config["nav"] = [{name: tree(pages)} for name, pages in site.parts.items()]
    config["mdx_configs"]["toc"] = {"slugify": lambda text, separator: slug(text)}
    config["extra"]["version"] = (REPOSITORY / "VERSION").read_text().strip()
    config["extra"]["summary"] = site.pages["index.md"].summary
    return config


def fields(table):
    """A table of fields as a list of terms, each with its example to try."""
    def row(cells):
        name, meaning, unit, default, limits, example = cells
        plain_name = re.sub(r"<[^>]+>", "", name)
        value = html.escape(html.unescape(re.sub(r"<[^>]+>", "", example)))
        # Some fields need a unit that is not the default.
        unit_needed = re.search(r"with <code>(\w+)</code> only", meaning, re.I)
        needs = f' data-unit="{unit_needed[1]}"' if unit_needed else ""
        about = default if default == "required" else f"default {default}"
        details = "" if limits in ("–", "required") else f", {limits.removeprefix('required; ')}"
        return (f'<div id="field-{plain_name}"><dt>{name}<small>{about}</small></dt><dd>{meaning}</dd>'
                f'<dd class="details">{unit}{details}. Example: {example} '
                f'<button class="try-field" type="button" hidden data-field="{plain_name}" data-value="{value}"{needs}>'
                "Try it</button></dd></div>")

    rows = [re.findall(r"<td[^>]*>(.*?)</td>", one, re.S) for one in re.findall(r"<tr>(.*?)</tr>", table, re.S)]
    return '<dl class="fields">' + "".join(row(cells) for cells in rows if cells) + "</dl>"


def example(block):
    """A definition in a block of code, with the picker beside it."""
    code = html.unescape(re.sub(r"<[^>]+>", "", block))
    try:
        kind = json.loads(code).get("kind")
    except (ValueError, AttributeError):
        return block
    if kind not in KINDS:
        return block
    block = re.sub(r"<code>", '<code role="textbox" aria-multiline="true" aria-label="Definition">', block, count=1)
    return (f'<div class="try"><div class="json"><p class="title">Definition</p>{block}</div>'
            '<div class="live" hidden><p class="title"><span>Live</span>'
            '<a class="second" target="_blank">Open in a second window</a></p>'
            f'<div class="stage" data-kind="{kind}"></div><p class="answer" role="status"></p></div></div>')


def on_page_content(text, page, config, files):
    is_definition = page.file.src_path.startswith("definitions/")
    if is_definition:
        text = re.sub(r'<div class="codehilite">.*?</div>', lambda found: example(found[0]), text, flags=re.S)
        text = re.sub(r"<table>(?:(?!</table>).)*?<th>example</th>.*?</table>",
                      lambda found: fields(found[0]), text, flags=re.S)
    text = re.sub(r"<th[^>]*></th>", "<td></td>", text)
    # What is wider than the page scrolls, also by keyboard.
    text = text.replace("<table>", '<div class="wide" tabindex="0"><table>').replace("</table>", "</table></div>")
    text = text.replace("<pre>", '<pre tabindex="0">')
    return re.sub(r"<p>(<img[^>]*>)</p>", r'<p class="picture">\1</p>', text)


def on_page_context(context, page, config, nav):
    own = site.pages[page.file.src_path]
    context["summary"] = html.escape(own.summary or config["extra"]["summary"])
    return context


def tokens():
    """The design tokens of the elements, for the page."""
    text = (REPOSITORY / "web/client/parts/tokens.js").read_text()
    return re.search(r"sheetOf\(`(.*)`\)", text, re.S)[1]


def on_post_build(config):
    folder = Path(config["site_dir"])
    sheet = folder / "docs.css"
    sheet.write_text(tokens() + sheet.read_text())
    shutil.copyfile(REPOSITORY / "web/demo/icon.svg", folder / "icon.svg")
    for address in site.pages:
        shutil.copyfile(site.folder / address, folder / address)
    (folder / "llms.txt").write_text(site.llms(config["extra"]["summary"]))
    # They are for sites with an address of their own.
    for name in ("sitemap.xml", "sitemap.xml.gz"):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(site.folder)
