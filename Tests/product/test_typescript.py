"""The browser client's types (JSDoc and .d.ts), checked with Debian's TypeScript."""

import json
import subprocess
from pathlib import Path

WEB = Path(__file__).resolve().parents[2] / "web"
STRICT = {
    "target": "ES2022", "module": "ES2022", "moduleResolution": "node",
    "lib": ["ES2022", "DOM", "DOM.Iterable"], "types": [], "allowJs": True, "checkJs": True,
    "strict": True, "noEmit": True, "noFallthroughCasesInSwitch": True,
    "baseUrl": str(WEB), "paths": {"/client/*": ["client/*"], "/demo/*": ["demo/*"]},
}


def checked(folder, include):
    project = folder / "tsconfig.json"
    project.write_text(json.dumps({"compilerOptions": STRICT, "include": include}))
    answer = subprocess.run(["tsc", "--project", str(project)], capture_output=True, text=True,
                            timeout=120, check=False)
    return answer.returncode, answer.stdout


def test_the_client_and_the_demo_page_pass_strict_type_checking(tmp_path):
    status, output = checked(tmp_path, [f"{WEB}/**/*.js", f"{WEB}/**/*.d.ts"])
    assert status == 0, output


def test_a_type_error_is_detected(tmp_path):
    wrong = tmp_path / "wrong.js"
    wrong.write_text('import { connect } from "/client/pickerd.js";\n'
                     'const picker = await connect("/v1/sessions/a");\n'
                     "picker.select(\"first\", 1);\n")
    status, output = checked(tmp_path, [str(wrong)])
    assert status != 0
    assert "wrong.js(3,15)" in output
