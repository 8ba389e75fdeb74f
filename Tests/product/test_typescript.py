"""The browser client's types (JSDoc and .d.ts), checked with Debian's TypeScript."""

import json
import re
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).resolve().parents[2] / "web"
STRICT = {
    "target": "ES2022", "module": "ES2022", "moduleResolution": "node",
    "lib": ["ES2022", "DOM", "DOM.Iterable"], "types": [], "allowJs": True, "checkJs": True,
    "strict": True, "noEmit": True, "noFallthroughCasesInSwitch": True,
    "baseUrl": str(WEB), "paths": {"/client/*": ["client/*"], "/demo/*": ["demo/*"]},
}


WRONG = """import { connect } from "/client/pickerd.js";
const picker = await connect("/v1/sessions/a");
picker.select("first", 1);
"""


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """The errors in the client, the demo page and a file with a mistake, from one run of tsc."""
    folder = tmp_path_factory.mktemp("types")
    wrong, project = folder / "wrong.js", folder / "tsconfig.json"
    wrong.write_text(WRONG)
    include = [f"{WEB}/**/*.js", f"{WEB}/**/*.d.ts", str(wrong)]
    project.write_text(json.dumps({"compilerOptions": STRICT, "include": include, "exclude": [f"{WEB}/react", f"{WEB}/packages"]}))
    answer = subprocess.run(["tsc", "--project", str(project)], capture_output=True, text=True,
                            timeout=600, check=False)
    assert answer.returncode != 0, answer.stdout
    return re.findall(r"^\S.*", answer.stdout, re.M)


def test_the_client_and_the_demo_page_pass_strict_type_checking(errors):
    assert [error for error in errors if "wrong.js" not in error] == []


def test_a_type_error_is_detected(errors):
    assert ["wrong.js(3,15)" in error for error in errors if "wrong.js" in error] == [True]
