"""The packages for PyPI, Maven and Swift: checked, installed from the files of a release, and used.

Those for npm are in test_client_package.py.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.definitions import CALENDAR
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, wait_until

JARS = ":".join(f"/usr/share/java/{name}.jar" for name in ("com.android.json", "okhttp", "okio"))
VERSION = (REPOSITORY / "VERSION").read_text().strip()
WHEEL = f"python/pickerd-{VERSION}-py3-none-any.whl"
TOKEN = json.loads((REPOSITORY / "Tests/golden/backend-kit/tokens.json").read_text())[0]


def run(*command, **rest):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True,
                          timeout=PATIENCE, **rest)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Python


@pytest.fixture(scope="module")
def python(release, tmp_path_factory):
    """The Python of an environment with nothing but the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    run(sys.executable, "-m", "pip", f"--python={folder / 'bin/python'}", "install", "--no-deps",
        "--no-index", release / WHEEL)
    return folder / "bin/python"


def test_twine_accepts_the_wheel_and_the_sdist(release):
    run(sys.executable, "-m", "twine", "check", "--strict", release / WHEEL,
        release / f"python/pickerd-{VERSION}.tar.gz")


def test_the_installed_kit_makes_the_token_of_a_vector(python, tmp_path):
    text = f"""import pickerd
claims = {TOKEN["claims"]!r}
assert pickerd.sign_token({TOKEN["key"]!r}, **claims) == {TOKEN["token"]!r}
print(pickerd.__version__)"""
    assert run(python, "-I", "-c", text, cwd=tmp_path).strip() == VERSION


def test_a_program_is_checked_against_the_types_of_the_kit(python, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""from pickerd import Pickerd, PickerdError, sign_token, verify_webhook

pickerd = Pickerd("http://127.0.0.1:7681", "pk_a.b", retry_seconds=5)
token: str = sign_token("pk_a.b", session=["a"], role="owner", sub="17")
event: dict[str, object] = verify_webhook(["whsec_a"], {}, b"")
try:
    for one in pickerd.feed(types=["session.confirming"]):
        outcome: str = pickerd.settle(one["data"]["session"], one["data"]["op"], True, reason={"en": "full"})
except PickerdError as error:
    status: int = error.status
pickerd.settle("a", "b", "yes")
""")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", f"--python-executable={python}", program],
                          capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE)
    # All else is right.
    wrong, = (line for line in done.stdout.splitlines() if "error:" in line)
    assert wrong.startswith("program.py:11: ") and '"str"; expected "bool"' in wrong


def test_the_source_of_the_kit_has_no_type_errors():
    run(sys.executable, "-m", "mypy", "--strict", "--no-warn-return-any", "--cache-dir", os.devnull,
        REPOSITORY / "web/packages/server/pickerd.py")


# Java


@pytest.fixture
def maven(release):
    """The folder of the client in a Maven repository."""
    return release / "maven/org/pickerd/pickerd-client" / VERSION


def test_a_program_for_java_11_uses_the_client_in_its_jar(maven, server, tmp_path):
    jars = f"{JARS}:{maven / f'pickerd-client-{VERSION}.jar'}"
    example, = re.findall(r"(?ms)^```java\n(.*?)^```$", (REPOSITORY / "web/guide/java.md").read_text())
    (tmp_path / "Example.java").write_text(f"""import java.nio.file.Path;
        import org.json.JSONObject;
        import org.pickerd.client.PickerClient;
        class Example {{ void example() throws Exception {{ {example} }} }}""")
    run("javac", "--release", "11", "-Xlint:all,-options", "-Werror", "-cp", jars, "-d", tmp_path,
        REPOSITORY / "web/guide/PickerLines.java", tmp_path / "Example.java")
    session = server.session(CALENDAR)
    lines = [{"type": "tap", "date": "2018-11-20"}, {"type": "tap", "date": "2018-11-22"}]
    with subprocess.Popen(["java", "-cp", f"{jars}:{tmp_path}", "PickerLines", session.url],
                          stdin=subprocess.PIPE, text=True) as client:
        client.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
        client.stdin.flush()
        wait_until(lambda: session.get()["revision"] == 2, what="two taps")
        client.stdin.close()
        assert client.wait(PATIENCE) == 0
    assert session.result() == {"start": "2018-11-20", "end": "2018-11-22", "days": 3}


KOTLIN = """import kotlinx.coroutines.runBlocking
import org.json.JSONObject
import org.pickerd.client.PickerClient
import org.pickerd.client.answer
import org.pickerd.client.state

fun tap(date: String): JSONObject = JSONObject().put("type", "tap").put("date", date)

suspend fun example(client: PickerClient) {{ {example} }}

fun main(arguments: Array<String>) = runBlocking<Unit> {{
  val client = PickerClient(arguments[0], "Mia", object : PickerClient.Events {{}}).start()
  println(client.answer(tap("2018-11-20")).getInt("revision"))
  println(client.answer(tap("1999-01-01")).getString("code"))
  println(client.answer(JSONObject().put("type", "select")).getString("code"))
  println(client.state().getInt("unanswered"))
  client.close()
  println(client.answer(tap("2018-11-21")).getString("type"))
}}
"""


def test_a_program_in_kotlin_waits_for_answers_in_coroutines(maven, server, tmp_path):
    jars = ":".join([JARS, str(maven / f"pickerd-client-{VERSION}.jar"), *(
        f"/usr/share/java/{name}.jar" for name in (
            "kotlin-stdlib", "kotlinx-coroutines-core", "atomicfu"))])
    *_, example = re.findall(r"(?ms)^```kotlin\n(.*?)^```$", (REPOSITORY / "web/guide/java.md").read_text())
    (tmp_path / "program.kt").write_text(KOTLIN.format(example=example))
    run("kotlinc", "-jvm-target", "1.8", "-classpath", jars, "-d", tmp_path / "classes", tmp_path / "program.kt")
    session = server.session(CALENDAR)

    printed = run("java", "-cp", f"{jars}:{tmp_path / 'classes'}", "ProgramKt", session.url)

    assert printed.split() == ["1", "outsideMonths", "badMessage", "0", "lost"]


def test_the_files_for_maven_are_those_that_maven_central_asks_for(maven):
    jar, sources, documentation, pom = (
        maven / f"pickerd-client-{VERSION}{end}" for end in (".jar", "-sources.jar", "-javadoc.jar", ".pom"))
    names = [set(zipfile.ZipFile(path).namelist()) for path in (jar, sources, documentation)]
    for each, name in zip(names, ("PickerClient.class", "PickerClient.java", "PickerClient.html")):
        assert {f"org/pickerd/client/{name}", "META-INF/LICENSE"} <= each
    # The version of the classes of Java 11.
    assert zipfile.ZipFile(jar).read("org/pickerd/client/PickerClient.class")[6:8] == bytes([0, 55])
    for path in (jar, sources, documentation, pom):
        for name in ("md5", "sha1"):
            assert Path(f"{path}.{name}").read_text() == hashlib.new(name, path.read_bytes()).hexdigest()

    space = "{http://maven.apache.org/POM/4.0.0}"
    project = ElementTree.parse(pom).getroot()
    fields = {each.tag.removeprefix(space): each for each in project}
    assert [fields[name].text for name in ("groupId", "artifactId", "version")] == [
        "org.pickerd", "pickerd-client", VERSION]
    assert fields["licenses"].find(f"{space}license/{space}name").text == "Apache-2.0"
    needed = {each.find(f"{space}artifactId").text for each in fields["dependencies"]}
    assert needed == {"okhttp", "json"}


# Swift: an application names the repository and a tag; nothing is uploaded.


def test_swift_package_manager_accepts_the_client_as_a_dependency_by_tag():
    manifest = json.loads(run("swift", "package", "--package-path", REPOSITORY, "dump-package"))
    targets = {target["name"]: target for target in manifest["targets"]}
    product, = (one for one in manifest["products"] if one["name"] == "PickerClient")
    assert "library" in product["type"]

    waiting, found = list(product["targets"]), set()
    while waiting:
        name = waiting.pop()
        if name in targets and name not in found:
            found.add(name)
            waiting += [one.get("byName", one.get("target"))[0] for one in targets[name]["dependencies"]
                        if "byName" in one or "target" in one]
            # It refuses a dependency with such flags that has a version.
            assert "unsafeFlags" not in json.dumps(targets[name]), name
    assert {"PickerClient", "JSONText", "CivilTime"} <= found
    # A package of others could have them.
    assert not [name for name in found if "product" in json.dumps(targets[name]["dependencies"])]
    assert "unsafeFlags" in json.dumps(targets["CMachine"])
