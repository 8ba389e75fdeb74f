"""What a contributor finds: the issue forms, the hosted workflow, and the steps of a release."""

import json
import os
import re
import shutil
import subprocess
from importlib.resources import files

import jsonschema_rs
import pytest
import yaml

from harness.pickerd import REPOSITORY, binary

GUIDE = (REPOSITORY / "CONTRIBUTING.md").read_text()
GITHUB = REPOSITORY / ".github"
WORKFLOW = GITHUB / "workflows/test.yml"
FORMS = GITHUB / "ISSUE_TEMPLATE"


def accepted(text, schema):
    """Whether a YAML text fits a schema of GitHub's files, from schemastore.org."""
    file = files("check_jsonschema") / f"builtin_schemas/vendor/github-{schema}.json"
    # PyYAML reads YAML 1.1, where `on` is true.
    value = {"on" if name is True else name: each for name, each in yaml.safe_load(text).items()}
    return jsonschema_rs.validator_for(json.loads(file.read_text())).is_valid(value)


def test_the_workflow_and_the_issue_forms_are_what_the_host_accepts():
    workflow = WORKFLOW.read_text()
    assert accepted(workflow, "workflows")
    assert not accepted(workflow.replace("runs-on:", "run-on:"), "workflows")

    forms = {path.stem: path.read_text() for path in FORMS.glob("*.yml")}
    assert accepted(forms.pop("config"), "issue-config")
    assert set(forms) == {"bug", "feature", "question"}
    for name, text in forms.items():
        assert accepted(text, "issue-forms"), name
        assert not accepted(text.replace("body:", "bodies:"), "issue-forms"), name


def test_make_check_is_the_gate_of_what_a_submission_must_pass():
    jobs = yaml.safe_load(WORKFLOW.read_text())["jobs"]

    def commands(name):
        return [step["run"] for step in jobs[name]["steps"] if "run" in step]

    assert commands("check")[-1] == "make check" and "needs" not in jobs["check"]
    assert commands("test")[-1] == "CI=true bash .ci/run"
    assert commands("image")[0] == "make image"
    assert all(jobs[name]["needs"] == "check" for name in jobs if name != "check")
    assert jobs["image"]["strategy"]["matrix"]["runner"] == ["ubuntu-24.04", "ubuntu-24.04-arm"]
    assert "make test" in (REPOSITORY / ".ci/run").read_text()


def test_the_guide_names_targets_files_and_forms_that_exist():
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.M))
    named = {word for command in re.findall(r"`make ([^`]+)`", GUIDE.replace("\n", " "))
             for word in command.split() if re.fullmatch(r"[a-z-]+", word)}
    assert named >= {"run", "check", "test", "format", "release", "image"}
    assert named <= targets, named - targets

    for path in re.findall(r"`((?:web|Tests|Sources|\.ci)/[\w./-]+)`", GUIDE):
        assert (REPOSITORY / path).exists(), path
    titles = {yaml.safe_load(path.read_text()).get("name") for path in FORMS.glob("*.yml")}
    assert set(re.findall(r'form\s+"(\w+)"', GUIDE)) <= titles


@pytest.fixture
def copy(tmp_path):
    """A repository with the files of this one."""
    folder = tmp_path / "copy"
    names = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True,
                           text=True, check=True).stdout.strip("\0").split("\0")
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (REPOSITORY / name).exists():
            shutil.copy(REPOSITORY / name, folder / name)
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def git(folder, *arguments):
    subprocess.run(["git", "-c", "user.name=T", "-c", "user.email=t@example.org", *arguments],
                   cwd=folder, check=True, capture_output=True)


def commit(folder):
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message=copy")


def refusal(copy):
    """What release.sh says when it refuses."""
    target = copy.parent / "files"
    environment = {name: value for name, value in os.environ.items() if name != "REHEARSAL"}
    done = subprocess.run([copy / "deploy/release.sh", binary(), target, "none"],
                          capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and not target.exists(), done.stdout
    return done.stderr


def test_a_release_refuses_addresses_of_nobody_and_a_version_without_changes(copy):
    listed = re.findall(r"^  ([\w./-]+):\d+:", refusal(copy), re.M)

    assert {"SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "deploy/Dockerfile",
            ".github/ISSUE_TEMPLATE/config.yml", "deploy/debian/control.in"} <= set(listed)
    for name in listed:
        path = copy / name
        path.write_text(path.read_text().replace("pickerd.invalid", "example.org"))
    changelog = copy / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("\n## [1.", "\n## [0."))
    commit(copy)

    said = refusal(copy)
    assert ".invalid" not in said
    assert said.startswith("release.sh: CHANGELOG.md has no section ## [")
