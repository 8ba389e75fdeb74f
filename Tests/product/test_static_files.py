"""Static files: content types, ETags, policy, and no access outside the web folder."""

import re
import socket
from pathlib import Path

import pytest

from harness.patience import PATIENCE

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


@pytest.mark.parametrize("path", [
    "/client/", "/client", "/demo", "/client/core", "/client/core/", "/demo/words/",
    "/client/../demo/demo.js", "/client/../../Package.swift", "/../Package.swift", "/demo/..%2f..%2fPackage.swift",
    "/demo/%2e%2e/%2e%2e/Package.swift", "/demo/..\\..\\Package.swift", "//etc/passwd", "/demo//etc/passwd",
    "/demo/demo.js%00.html", "/client/pickerd.js/", "/demo/.hidden", "/client/README.md/..", "/%64emo/%2fdemo.js"])
def test_folders_and_path_traversal_are_rejected(server, path):
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while data := line.recv(65536):
            answer += data
    # libwebsockets resolves dots in the path; the result is a file in the web folder or nothing.
    status = int(answer.split(b" ")[1]) if answer else 400
    assert status in (400, 403, 404) or (status == 200 and (WEB / "demo" / "demo.js").read_bytes() in answer), answer[:300]
    assert b"swift-tools-version" not in answer and b"root:" not in answer
