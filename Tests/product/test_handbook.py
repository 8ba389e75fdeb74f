"""The handbook, deploy/README.md: complete and correct.

Metrics, panels and alerts: test_monitoring.py.
"""

import re
import subprocess

import pytest

from harness.pickerd import REPOSITORY, binary

HANDBOOK = (REPOSITORY / "deploy/README.md").read_text()
FOLDERS = ("SessionLog", "PickerServer", "WebSocketTransport", "CWebSocketLoop",
           "CCertificates", "PickerHub")
#: The calls that log a warning or end the start of the server with an error.
WRITERS = r"\.(?:warning|error|critical|message)\(|StoreProblem\(|SocketLoopProblem\(|handlers\.log\(|snprintf\(problem,"
LITERAL = r'"((?:[^"\\]|\\\((?:[^()"]|"[^"]*"|\((?:[^()]|\([^()]*\))*\))*\)|\\.)*)"'
INTERPOLATION = r"\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|%\w"


def plain(text):
    """Text without Markdown's code marks and line breaks."""
    return " ".join(text.replace("`", "").split())


def argument(text, start):
    """The text of a call's arguments, from behind the opening parenthesis at `start`."""
    depth = 1
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return text[start:index]
    return ""


def logged_texts():
    """The literals that the sources log or report, as (file, text)."""
    found = []
    for folder in FOLDERS:
        for path in sorted((REPOSITORY / "Sources" / folder).rglob("*")):
            if path.suffix not in (".swift", ".c"):
                continue
            source = path.read_text()
            for match in re.finditer(WRITERS, source):
                arguments = argument(source, match.end())
                if match[0] == "handlers.log(" and not arguments.startswith("loop->owner, true"):
                    continue
                joined = re.sub(r'"\s*\+?\s*"', "", arguments)
                found += [(path.name, text) for text in re.findall(LITERAL, joined)]
    return found


TEXTS = sorted(set(logged_texts()))


def test_the_sources_were_understood():
    texts = " ".join(text for _, text in TEXTS)

    assert len(TEXTS) > 20
    for expected in ("no web folder found", "writable again", "was stored with", "libuv plugin"):
        assert expected in texts, expected


@pytest.mark.parametrize("file, text", TEXTS)
def test_the_handbook_has_every_warning_and_every_error_at_the_start(file, text):
    book = plain(HANDBOOK)
    pieces = [plain(piece).strip(" :;.()[]") for piece in re.split(INTERPOLATION, text)]

    for piece in pieces:
        if len(re.findall(r"\w", piece)) >= 6:
            assert piece in book, f"{file}: {text}"


def test_the_handbook_mentions_the_failure_of_the_store():
    """Its text is composed in a function, so the search above does not see it."""
    source = (REPOSITORY / "Sources/SessionLog/SQL/SQLSessionLog.swift").read_text()

    assert "is not writable:" in source and "is not writable: …" in HANDBOOK


def test_every_option_of_serve_is_in_the_settings():
    said = subprocess.run([binary(), "serve", "--help"], capture_output=True, text=True).stdout
    options = set(re.findall(r"^  (--[\w-]+)", said, re.M)) - {"--check", "--version"}

    assert len(options) > 12
    assert {option for option in options if f"| `{option}` |" not in HANDBOOK} == set()


def test_every_internal_link_has_its_heading():
    headings = {re.sub(r"[^\w -]", "", line.lower()).strip().replace(" ", "-")
                for line in re.findall(r"^#+ (.*)$", HANDBOOK, re.M)}

    assert set(re.findall(r"\]\(#([\w-]+)\)", HANDBOOK)) <= headings


def test_every_linked_and_named_file_exists():
    for path in re.findall(r"\]\((\.\./[^)#]+)\)", HANDBOOK):
        assert (REPOSITORY / "deploy" / path).exists(), path
    named = HANDBOOK + (REPOSITORY / "SECURITY.md").read_text()
    for path in re.findall(r"`((?:deploy|Tests)/[\w./-]+)`", named):
        assert (REPOSITORY / path).exists(), path


def test_a_second_restore_does_not_overwrite_the_store_set_aside_by_the_first(tmp_path):
    store, backup = tmp_path / "store", tmp_path / "backup"
    block = next(each for each in re.findall(r"```sh\n(.*?)```", HANDBOOK, re.S) if "monday" in each
                 and "systemctl" in each)
    script = block.replace("/var/lib/pickerd", str(store)).replace("/backup", str(backup))
    script = 'systemctl() { :; }; install() { cp "$7" "$8"; }\n' + script
    store.mkdir()
    backup.mkdir()
    (store / "pickerd.sqlite").write_text("original")
    (backup / "monday.sqlite").write_text("monday")

    for _ in range(2):
        subprocess.run(["sh", "-uc", script], check=True)

    aside = sorted(path.read_text() for path in backup.rglob("pickerd.sqlite"))
    assert aside == ["monday", "original"]
    assert (store / "pickerd.sqlite").read_text() == "monday"


def test_the_default_limits_in_the_handbook_are_those_of_the_server():
    said = subprocess.run([binary(), "serve", "--help"], capture_output=True, text=True).stdout
    limits = dict(re.findall(r"^  (\w+) +(\d+)  ", said, re.M))

    for name in ("connections", "connectionsPerAddress", "sessions"):
        assert f"{int(limits[name]):,}" in HANDBOOK, name
