"""Static files: content types, ETags and policy. Paths: StaticFilesTests."""

import re
from pathlib import Path

WEB = Path(__file__).resolve().parents[2] / "web"
FILES = sorted(path for folder in ("client", "demo") for path in (WEB / folder).rglob("*")
               if path.suffix in (".js", ".css", ".html", ".json", ".svg"))
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".json": "application/json",
         ".svg": "image/svg+xml"}


def address(path):
    return "/" + path.relative_to(WEB).as_posix().replace("demo/index.html", "")


def test_every_file_has_a_content_type_an_etag_and_no_cache(server):
    assert len(FILES) > 50
    for path in FILES:
        answer = server.get(address(path))
        assert answer.status == 200, path
        named = f'content="http://127.0.0.1:{server.port}/demo/screenshots/'.encode()
        assert answer.body.replace(named, b'content="demo/screenshots/') == path.read_bytes()
        assert answer.type == TYPES[path.suffix], path
        assert answer.headers["x-content-type-options"] == "nosniff"
        # File names have no hashes, so browsers must revalidate to see an update.
        stable = "public, max-age=3600" if path.parent.name == "v1" else "no-cache"
        assert answer.headers["cache-control"] == stable

        again = server.get(address(path), headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
        assert server.get(address(path), headers={"If-None-Match": '"other"'}).status == 200


def test_the_page_has_a_strict_policy(server):
    answer = server.get("/")
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    page = answer.body.decode()
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*\ssrc=)", page)


def test_the_page_and_its_scripts_have_relative_urls_only():
    """A proxy can serve them below a path."""
    texts = {path: path.read_text() for path in FILES if path.suffix in (".js", ".css", ".html")}
    absolute = [(path.name, found) for path, text in texts.items() for found in re.findall(
        r"""(?m)^(?!\s*//).*?["'`(](/(?:v1|client|demo)/[^"'`)]*)""", text)]

    # The path of an id alone, see `sessionURL`.
    assert absolute == [("pickerd.js", "/v1/sessions/${encodeURIComponent(session")], absolute
