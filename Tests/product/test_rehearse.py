"""`pickerd rehearse`: our clients pass; each broken client fails in the scene for its bug."""

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, binary, wait_until

GUIDE = REPOSITORY / "web/guide"
JAVA = REPOSITORY / "web/packages/java/src/main/java/org/pickerd/client/PickerClient.java"
JARS = ":".join(f"/usr/share/java/{name}.jar" for name in ("com.android.json", "okhttp", "okio"))


def rehearse(*arguments, client=()):
    """Runs `pickerd rehearse`; its exit status and output."""
    command = [str(binary()), "rehearse", "--jobs", "12", *map(str, arguments)]
    run = subprocess.run(command + (["--", *client] if client else []), capture_output=True,
                         text=True)
    return run.returncode, run.stdout + run.stderr


def failed(output):
    return re.findall(r"^FAILED  ([\w-]+)", output, re.M)


FORKED = str(Path(__file__).parent / "clients/forked.py")


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The command that runs `rehearse.py` of a folder, in a fork of a running interpreter."""
    path = tmp_path_factory.mktemp("forked") / "socket"
    process = subprocess.Popen([sys.executable, FORKED, "serve", str(path)])
    wait_until(path.exists, what="the socket of forked.py")
    yield lambda folder: [sys.executable, "-I", "-S", FORKED, str(path),
                          str(folder / "rehearse.py"), "{url}"]
    process.kill()
    process.wait()


def test_a_report_that_cannot_be_written_is_refused_before_the_scenes(tmp_path):
    status, output = rehearse("--junit", str(tmp_path / "none/report.xml"), client=["true"])

    assert status == 73 and "cannot write" in output and "scenes" not in output


# Clients that pass


def test_the_guides_client_passes(python, tmp_path):
    report = tmp_path / "report.xml"

    status, output = rehearse("--patience", PATIENCE, "--junit", str(report), client=python(GUIDE))

    assert status == 0, output
    suite = ElementTree.parse(report).getroot()
    assert (suite.get("failures"), len(suite)) == ("0", int(suite.get("tests")))
    assert f"{len(suite)} of {len(suite)} scenes passed" in output and len(suite) >= 20


def test_the_guides_command_starts_its_client():
    command = [sys.executable, str(GUIDE / "rehearse.py"), "{url}"]

    status, output = rehearse("--patience", PATIENCE, "--scene", "resume", client=command)

    assert status == 0, output


def test_join_passes():
    status, output = rehearse("--patience", PATIENCE, client=[str(binary()), "join", "--json", "{url}"])
    assert status == 0, output


def test_the_java_client_passes(tmp_path):
    if not shutil.which("javac"):
        pytest.fail("javac is missing: apt-get install openjdk-17-jdk-headless")
    subprocess.run(["javac", "-cp", JARS, "-d", str(tmp_path), str(JAVA), str(GUIDE / "PickerLines.java")],
                   check=True, timeout=PATIENCE)
    java = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", f"{JARS}:{tmp_path}",
            "PickerLines", "{url}"]

    # A JVM takes half a second of a core to start.
    status, output = rehearse("--patience", PATIENCE, "--jobs", "4", client=java)

    assert status == 0, output


# Clients that are broken

BROKEN = {
    "ignores generation": (
        "stale-column", 'generation=shown["generation"]', "generation=1"),
    "restarts its refs": (
        "early-command-calendar resume-availability",
        "self.ref = max(self.ref, known)", "self.ref = 0"),
    "does not resend": (
        "cut-command-wheels late-again-calendar late-command-availability",
        "for sent in self.queue:  # Each is done", "for sent in []:  # Each is done"),
    "applies a delta twice": (
        "duplicate", 'elif message["revision"] == self.revision + 1:', "else:"),
    "reconnects after 4410": (
        "close-44", "or 4300 <= code < 4500", "or 4300 <= code < 4500 and code != 4410"),
    "has no back-off after 4503": (
        "close-45", "time.sleep(random", "time.sleep(0 if code == 4503 else random"),
    "fails on an unknown type": (
        "unknown", "        if fold:  # An unknown",
        '        assert fold or message["type"] in ("error", "reply"), "unknown"\n'
        "        if fold:  # An unknown"),
    "drops the changes of a refusal": (
        "refusal-calendar refusal-wheels",
        '        for change in message["changes"]:\n            self.fold(change)\n\n'
        "    def on_draining", "\n    def on_draining"),
    "reconnects too early": (
        "draining", 'self.drain = message["reconnectAfterMs"] / 1000', "self.drain = 0"),
    "sends late commands in another epoch": (
        "another-epoch", 'if self.epoch != message["epoch"]:', "if False:"),
    "keeps marks on cells that are numbered anew": (
        "cells cells-resume stale-cells",
        'if key != "change"}, marks=[])', 'if key != "change"})'),
    "sends commands before the welcome": (
        "another-epoch another-member early-command-wheels",
        "        return self.receive()\n\n    def receive",
        "        for sent in self.queue:\n            self.give(sent)\n"
        "        return self.receive()\n\n    def receive"),
    "does not see its own role": (
        "role", 'self.update_role(message.get("changed", []))', "pass"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_client_fails_in_the_scene_for_its_bug(fault, python, tmp_path):
    scenes, right, wrong = BROKEN[fault]
    text = (GUIDE / "client.py").read_text()
    assert text.count(right) == 1, "client.py does not contain the replaced text"
    (tmp_path / "client.py").write_text(text.replace(right, wrong))
    shutil.copy(GUIDE / "rehearse.py", tmp_path)

    # A scene beside them passes. A busy machine may delay a client for longer than the default of
    # 3 s, or longer than the limit that its bug exceeds.
    report = tmp_path / "report.xml"
    played = [word for name in ["clamp-wheels", *scenes.split()] for word in ("--scene", name)]
    for patience in ("3", "30", "300"):
        status, output = rehearse(
            "--patience", patience, "--junit", report, *played, client=python(tmp_path))
        if (status, sorted(failed(output))) == (1, scenes.split()):
            break

    assert (status, sorted(failed(output))) == (1, scenes.split()), output
    assert "contract: " in output
    failures = [case for case in ElementTree.parse(report).iter("testcase") if len(case)]
    assert sorted(case.get("name") for case in failures) == scenes.split()
    if fault == "fails on an unknown type":
        assert "| AssertionError: unknown" in output, "what the client has written"
        assert "AssertionError: unknown" in failures[0].find("failure").text


# The command


def test_unknown_scenes_and_addresses_are_rejected():
    assert rehearse("--scene", "dance", client=["true"])[0] == 64
    assert rehearse("--scene", "gap", "--kind", "calendar", client=["true"])[0] == 64
    assert rehearse("--listen", "nowhere")[0] == 69


def test_the_guide_and_the_help_describe_the_instructions():
    page = (GUIDE / "rehearse.md").read_text()
    shown = subprocess.run([str(binary()), "rehearse", "--help"], capture_output=True, text=True,
                          check=True).stdout
    for word in ('{"type":"state"}', "/rehearse/next", "/rehearse/state", "{url}", "unanswered"):
        assert word in page and word in shown, word
    scenes = re.findall(r"^ +[w-][c-][a-] ([\w-]+): ", shown.split("SCENES")[1], re.M)
    assert len(scenes) >= 20 and "stale-column" in scenes
