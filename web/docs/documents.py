"""Documents of the repository as pages: split at their headings, with links that lead to the pages."""

import posixpath
import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FENCE = re.compile(r" *```")


def slug(heading):
    """The id of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def plain(heading):
    return heading.replace("`", "").strip()


class Document:
    """A document, as its beginning and its sections at headings of the second level."""

    def __init__(self, path):
        self.path = path
        self.parts = parts_of((REPOSITORY / path).read_text().split("\n"))
        self.title = plain(self.parts[0][0].removeprefix("# "))

    @property
    def beginning(self):
        return "\n".join(self.parts[0])

    @property
    def whole(self):
        return "\n".join(line for part in self.parts for line in part)

    @property
    def sections(self):
        """The sections by their headings, each with its own headings one level higher."""
        return {plain(part[0].removeprefix("## ")): raised(part) for part in self.parts[1:]}

    @property
    def subsections(self):
        """As `sections`, with those of the third level apart, for pages of one task each."""
        found = {}
        for heading, text in self.sections.items():
            beginning, *others = parts_of(text.split("\n"))
            found[heading] = "\n".join(beginning)
            found.update({plain(part[0].removeprefix("## ")): raised(part) for part in others})
        return found


def parts_of(lines):
    """The lines before the first heading of the second level, and those of each section."""
    parts, is_code = [[]], False
    for line in lines:
        is_code ^= bool(FENCE.match(line))
        if line.startswith("## ") and not is_code:
            parts.append([])
        parts[-1].append(line)
    return parts


def raised(lines):
    """The text of a section, with its headings one level higher."""
    is_code, found = False, []
    for line in lines:
        is_code ^= bool(FENCE.match(line))
        found.append(line[1:] if line.startswith("##") and not is_code else line)
    return "\n".join(found)


class Page:
    """A page of the site, from a document or made."""

    def __init__(self, address, title, text, source=None):
        self.address, self.title, self.text, self.source = address, title, text.strip() + "\n", source

    @property
    def folder(self):
        return posixpath.dirname(self.address)

    @property
    def anchors(self):
        is_code, found = False, []
        for line in self.text.split("\n"):
            is_code ^= bool(FENCE.match(line))
            if not is_code and re.match(r"#+ ", line):
                found.append(slug(line.lstrip("#")))
        return found

    @property
    def summary(self):
        """The first sentence of the page."""
        for block in re.split(r"\n\s*\n", self.text):
            if re.match(r"[^#|!<\-\d$>]", block) and not FENCE.match(block):
                text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(block.split())).replace("**", "")
                return re.match(r".*?[.](?= |$)|.*", text)[0].rstrip(".:")
        return ""


def whole(path, address, title=None):
    document = Document(path)
    return [Page(address, title or document.title, document.whole, path)]


def section(path, heading, address, title=None):
    return [Page(address, title or heading, Document(path).sections[heading], path)]


def split(path, folder, title=None, without=(), deep=False):
    """A page for the beginning of a document, and one for each of its sections, or subsections."""
    document = Document(path)
    sections = document.subsections if deep else document.sections
    return [Page(f"{folder}/index.md", title or document.title, document.beginning, path),
            *(Page(f"{folder}/{slug(heading)}.md", heading, text, path)
              for heading, text in sections.items() if heading not in without)]


def section_split(path, heading, folder):
    """A page for the beginning of a section, and one for each of its subsections."""
    beginning, *others = parts_of(Document(path).sections[heading].split("\n"))
    return [Page(f"{folder}/index.md", heading, "\n".join(beginning), path),
            *(Page(f"{folder}/{slug(part[0].removeprefix('## '))}.md", plain(part[0].removeprefix("## ")),
                   raised(part), path) for part in others)]


class Links:
    """Makes the links of documents lead to pages, and to copies of files that are no pages."""

    #: What any static host, and pickerd, serves with the right type.
    SERVED = {".png", ".svg", ".json", ".txt", ".webp", ".gif"}

    def __init__(self, pages):
        self.first, self.anchors, self.files = {}, {}, {}
        for page in pages:
            if page.source:
                self.first.setdefault(page.source, page)
                for anchor in page.anchors:
                    self.anchors.setdefault((page.source, anchor), page)

    def in_page(self, page):
        """The text of a page with its links changed."""
        pieces = re.split(r"(?ms)(^ *```.*?^ *```$)", page.text)
        for index in range(0, len(pieces), 2):
            pieces[index] = re.sub(
                r"(!?)\[([^\[\]]+)\]\(([^()\s]+)\)", lambda found: self.link(page, *found.groups()),
                re.sub(r"<doc:(\w+)>", r"[\1](\1.md)", pieces[index]))
        return "".join(pieces)

    def link(self, page, mark, text, target):
        if re.match(r"[a-z]+:", target) or page.source is None:
            return f"{mark}[{text}]({target})"
        name, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.source), name)) if name else page.source
        other = self.page_of(path, anchor)
        if other is None and (REPOSITORY / path / "index.html").is_file():
            path = f"{path}/index.html"
        if other is None and not (REPOSITORY / path).is_file():
            return text
        address = other.address if other else self.file(path)
        if other is page and anchor:
            return f"{mark}[{text}](#{anchor})"
        relative = posixpath.relpath(address, page.folder or ".")
        has_own = other and anchor and anchor != page_anchor(other)
        return f"{mark}[{text}]({relative}{'#' + anchor if has_own else ''})"

    def page_of(self, path, anchor):
        if (REPOSITORY / path).is_dir():
            path = posixpath.join(path, "README.md")
        return self.anchors.get((path, anchor)) or self.first.get(path)

    def file(self, path):
        """The address of a copy of a file. Sources are plain texts, for each host to serve."""
        address = f"files/{path}"
        if Path(path).suffix not in self.SERVED:
            address += ".txt"
        self.files[address] = path
        return address


def page_anchor(page):
    """The anchor of a page's own heading, which a link to it does not need."""
    return page.anchors[0] if page.anchors else None
