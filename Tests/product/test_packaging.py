"""The Dockerfile, the Debian package and the bill of materials, as far as no chroot is needed.

`make deploy-check` (Tests/deploy) installs the package and runs the Dockerfile's steps.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from harness.pickerd import REPOSITORY, Pickerd, binary
from harness.release import make_release

DOCKERFILE = (REPOSITORY / "deploy/Dockerfile").read_text()


def run(*command, **rest):
    done = subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, cwd=REPOSITORY, **rest)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_hadolint_has_no_objections():
    assert run(Path(sys.executable).parent / "hadolint", "deploy/Dockerfile") == ""


def test_the_image_runs_as_a_numeric_user_and_checks_its_health():
    last = DOCKERFILE[DOCKERFILE.rindex("\nFROM "):]

    assert re.search(r"^FROM \S+-slim AS runtime$", DOCKERFILE, re.M) and "\nFROM runtime\n" in last
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", last, re.M)
    assert "HEALTHCHECK" in last and "STOPSIGNAL SIGTERM" in last


def test_the_image_is_for_every_architecture_and_starts_without_a_shell():
    assert not re.search(r"amd64|x86.64|arm64|aarch64", re.sub(r"(?m)^#.*$", "", DOCKERFILE))
    for name in ("ENTRYPOINT", "CMD"):
        for arguments in re.findall(rf"^ *{name} (.*)$", DOCKERFILE, re.M):
            assert json.loads(arguments)[0] in ("/usr/bin/pickerd", "serve"), arguments


def test_make_image_says_what_is_built_and_when(tmp_path):
    (tmp_path / "docker").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (tmp_path / "docker").chmod(0o755)

    given = run("make", "-s", "image", "IMAGE=registry.example/pickerd:9", "IMAGE_ARGS=--push",
                env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}).splitlines()

    values = dict(each.split("=", 1) for each in given if re.match(r"[A-Z]+=", each))
    assert set(values) == {"REVISION", "CREATED"}
    assert all(re.search(rf"^ARG {name}=", DOCKERFILE, re.M) for name in values)
    head = run("git", "rev-parse", "HEAD").strip()
    assert values["REVISION"] in (head, f"{head}-dirty")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", values["CREATED"])
    assert given[:5] == ["build", "-f", "deploy/Dockerfile", "-t", "registry.example/pickerd:9"]
    assert given[-2:] == ["--push", "."]


def test_the_health_check_needs_no_public_port(server):
    command = json.loads(re.search(r"^HEALTHCHECK .*\n +CMD (.*)$", DOCKERFILE, re.M)[1])
    assert command[0] == "/usr/bin/pickerd"

    def check(port):
        return subprocess.run([binary(), *command[1:]], capture_output=True, text=True, env={
            "PATH": os.environ["PATH"], "PICKERD_LISTEN": "unix:/run/pickerd/web",
            "PICKERD_ADMIN_LISTEN": f"127.0.0.1:{port}"})

    found = check(server.admin_port)
    assert (found.returncode, found.stdout, found.stderr) == (0, "alive\n", "")
    missing = check(1)
    assert missing.returncode == 1 and missing.stdout == ""
    assert missing.stderr.startswith("pickerd health: GET http://127.0.0.1:1/healthz: ")
    assert len(missing.stderr.splitlines()) == 1


@pytest.fixture(scope="module")
def package(release, tmp_path_factory):
    """The Debian package and its files."""
    folder = tmp_path_factory.mktemp("deb")
    path = next(release.glob("*.deb"))
    with (folder / "data.tar").open("wb") as data:
        subprocess.run(["dpkg-deb", "--fsys-tarfile", path], stdout=data, check=True)
    with tarfile.open(folder / "data.tar") as archive:
        yield path, archive


def test_the_package_has_the_service_the_pages_and_the_examples(package):
    names = package[1].getnames()

    for name in ("usr/bin/pickerd", "usr/lib/systemd/system/pickerd.service",
                 "usr/lib/systemd/system/pickerd.socket",
                 "usr/lib/systemd/system/pickerd-api.socket",
                 "usr/lib/systemd/system/pickerd-redirect.socket",
                 "etc/default/pickerd", "usr/share/pickerd/web/demo/index.html",
                 "usr/share/pickerd/web/docs/index.html",
                 "usr/share/doc/pickerd/copyright", "usr/share/doc/pickerd/README.md",
                 "usr/share/doc/pickerd/examples/haproxy.cfg"):
        assert f"./{name}" in names, name


def test_the_program_has_nothing_that_only_a_debugger_or_profiler_reads(package, release):
    program = package[1].extractfile("./usr/bin/pickerd").read()
    bill = json.loads(next(release.glob("*.cdx.json")).read_text())
    said = bill["metadata"]["component"]["hashes"][0]["content"]
    assert hashlib.sha256(program).hexdigest() == said, "the bill is of this program"

    # By `make build`, which has the flags; SYMBOLS=yes and other builds keep them.
    sections = set(re.findall(r"\] (\.\S+)", run("readelf", "-SW", binary())))
    assert ".text" in sections
    assert not {name for name in sections if name.startswith(".debug") or name == ".symtab"}
    # 34 MB of it are ICU's data, which have the words and formats of all languages.
    assert len(program) < 72_000_000


def test_the_package_belongs_to_root_and_nobody_else_can_write_to_it(package):
    for member in package[1].getmembers():
        assert (member.uname, member.gname) == ("root", "root"), member.name
        assert member.mode & 0o7022 == 0, f"{member.name} {member.mode:o}"


def test_the_files_of_the_package_have_the_time_of_the_commit(package):
    commit = int(run("git", "-c", "log.showSignature=false", "log", "-1", "--format=%ct"))
    assert {member.mtime for member in package[1].getmembers()} == {commit}


def test_the_packages_unit_starts_the_packages_program(package):
    unit = package[1].extractfile("./usr/lib/systemd/system/pickerd.service").read().decode()

    assert "ExecStart=/usr/bin/pickerd serve" in unit and "/usr/local" not in unit


def test_the_package_depends_on_its_libraries_and_keeps_settings(package):
    control = run("dpkg-deb", "-f", package[0])

    fields = dict(re.findall(r"^(\w+): (.*)$", control, re.M))
    for name in ("libc6 (>=", "libwebsockets17", "libwebsockets-evlib-uv", "libsqlite3-0",
                 "libyaml-0-2", "tzdata", "procps"):
        assert name in fields["Depends"], name
    # Loaded only by what needs them.
    assert (fields["Recommends"], fields["Suggests"]) == ("libcurl4", "libpq5")
    assert "libcurl" not in fields["Depends"] and "libpq" not in fields["Depends"]
    assert f"Version: {run(binary(), '--version').strip()}\n" in control
    assert run("dpkg-deb", "-I", package[0], "conffiles").split() == ["/etc/default/pickerd"]


def test_the_settings_of_the_package_are_known_to_the_server(package, tmp_path):
    text = package[1].extractfile("./etc/default/pickerd").read().decode()
    # systemd removes quotes as a shell does.
    settings = {name: "".join(shlex.split(value))
                for name, value in re.findall(r"^#?(PICKERD_\w+)=(.*)$", text, re.M)}
    assert len(settings) > 3

    said = subprocess.run(
        [binary(), "serve", "--check", "--store", "memory:"], capture_output=True, text=True,
        env={**os.environ, **settings})

    assert (said.returncode, said.stderr) == (0, "")


def test_the_folder_of_a_release_is_all_that_one_installs_from(release, tmp_path, monkeypatch):
    version = (REPOSITORY / "VERSION").read_text().strip()
    files = {str(path.relative_to(release)) for path in release.rglob("*") if path.is_file()}
    assert files >= {
        f"pickerd-{version}.tar.gz", "pickerd.py", f"pickerd-{version}.cdx.json", "SHA256SUMS",
        *(f"npm/pickerd-{name}-{version}.tgz" for name in ("client", "react", "server")),
        f"python/pickerd-{version}-py3-none-any.whl", f"python/pickerd-{version}.tar.gz"}
    listed = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=release,
                            capture_output=True, text=True, check=True).stdout
    assert {line.split(":")[0] for line in listed.splitlines()} == files - {"SHA256SUMS"}

    subprocess.run(["dpkg-deb", "-x", next(release.glob("*.deb")), tmp_path], check=True)
    monkeypatch.setenv("PICKERD", str(tmp_path / "usr/bin/pickerd"))
    server = Pickerd(tmp_path / "log", clock=None)
    assert server.get("/v1/openapi.json").json["info"]["version"] == version
    assert server.get("/").status == 200
    server.stop()
    packages = tmp_path / "node_modules/@pickerd"
    for name in ("client", "react", "server"):
        with tarfile.open(release / f"npm/pickerd-{name}-{version}.tgz") as archive:
            archive.extractall(packages, filter="data")
        (packages / "package").rename(packages / name)
    subprocess.run(["node", "--input-type=module", "--eval",
                    'await import("@pickerd/server"); await import("@pickerd/client")'],
                   cwd=tmp_path, check=True)
    react = json.loads((packages / "react/package.json").read_text())
    assert react["version"] == react["peerDependencies"]["@pickerd/client"] == version
    subprocess.run([sys.executable, "-c", "import pickerd; pickerd.Pickerd"], cwd=release,
                   env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, check=True)
    assert json.loads((release / f"pickerd-{version}.cdx.json").read_text())[
        "metadata"]["component"]["version"] == version
    with tarfile.open(release / f"pickerd-{version}.tar.gz") as source:
        names = set(source.getnames())
    changes = (release / f"CHANGELOG-{version}.md").read_text()
    assert changes.startswith(f"## [{version}] - 2") and changes.count("\n## ") == 0
    assert len(changes.splitlines()) > 10
    assert {f"pickerd-{version}/{name}" for name in ("Makefile", "Package.swift", "README.md", "VERSION")} <= names
    assert not {name for name in names if "/.build" in name or "Package.resolved" in name}


@pytest.fixture(scope="module")
def sbom(release):
    return next(release.glob("*.cdx.json")).read_text()


def test_the_bill_of_materials_is_valid_cyclonedx(sbom):
    # The import takes 2 s of CPU time.
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(sbom) is None
    broken = sbom.replace('"type": "application"', '"type": "applicaton"')
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(broken) is not None


def test_the_bill_of_materials_has_every_library_with_its_licence(sbom):
    components = {each["name"]: each for each in json.loads(sbom)["components"]}

    for name in re.findall(r'url: "[^"]*/([\w.-]+)", (?:exact|from)', (
            REPOSITORY / "Package.swift").read_text()):
        assert name in components, name
    for name in ("libwebsockets17", "libwebsockets-evlib-uv", "libssl3", "libsqlite3-0", "libc6",
                 "libcurl4", "libldap-2.5-0", "libpq5", "libyaml-0-2"):
        assert components[name]["purl"].startswith("pkg:deb/debian/"), name
    for name, each in components.items():
        assert each["version"] and each["licenses"], name


def test_equal_sources_make_equal_releases(release, tmp_path):
    make_release(tmp_path / "again")

    assert (tmp_path / "again/SHA256SUMS").read_text() == (release / "SHA256SUMS").read_text()
