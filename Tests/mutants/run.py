#!/usr/bin/env python3
"""Breaks the lines of `mutants.py`, one at a time, and shows which tests notice.

All Swift mutants are in one build, of a copy of the sources: there each of their lines is chosen
at run time, by the variable MUTANT. Browser mutants are edits of copies of the pages. The parts of
an area run until one fails. A part that hangs has found the mutant too.

    run.py [--jobs N] [--only 3,21,40] [--check]
"""

import argparse
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants import ALL, AREAS

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".build" / "mutants"
TREE, BUILD = WORK / "tree", WORK / "build"
#: After this time a part hangs, however busy the machine is.
PART_SECONDS = 3600
SWITCH = """#if canImport(Glibc)
  import Glibc
#endif
/// The number of the selected mutant, 0 for none.
private let selected = getenv("MUTANT").flatMap { Int32(String(cString: $0)) } ?? 0
@inline(never) func mutated(_ number: Int32) -> Bool { selected == number }
"""


def swift(*filters):
    tests = [word for name in filters for word in ("--filter", name)]
    return [str(BUILD / "debug/pickerdPackageTests.xctest"), "--testing-library", "swift-testing",
            *tests]


def pytest(*patterns):
    """The product tests of files; the pages are those of the tree that runs them."""
    return ["pytest", *patterns]


def protocol():
    """The protocol's test files in `make check`."""
    names = re.search(r"PROTOCOL=\((.*?)\)", (ROOT / "Tests/run.sh").read_text(), re.DOTALL)[1]
    return [f"test_{name}.py" for name in names.split() if name != "mutants"]


#: Runs a command in a network of its own: servers of other runs do not take its ports. A browser
#: whose machine has no interface is never online.
NETWORK = """ip link set lo up && ip link add mutant type veth peer name far && ip link set far up &&
ip address add 10.78.0.1/24 dev mutant && ip link set mutant up && exec "$@"
"""
ALONE = ["unshare", "--net", "sh", "-c", NETWORK, "sh"]
if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode != 0:
    ALONE = []
SIMULATOR = str(BUILD / "debug/picker-simulator")
#: The parts of each area: name and command, fast ones first.
PARTS = {
    "core": [
        ("modules", swift(r"^(CivilTime|PickerModel|PickerSession|PickerWire)Tests\.")),
        ("hub", swift(r"^PickerHubTests\.")),
        ("worlds", [SIMULATOR, "--seed", "1", "--count", "20"]),
        ("client", swift(r"^PickerClientTests\.")),
        ("protocol", pytest(*protocol(), "test_availability_import.py")),
        ("tokens, slow readers", pytest("test_token_renewal.py", "test_slow_readers.py",
                                        "test_session_memory.py")),
    ],
    "log": [
        ("stores", swift(r"^SessionLogTests\.")),
        ("hub", swift(r"^PickerHubTests\.")),
        ("simulator", swift(r"^PickerSimulatorTests\.")),
        ("worlds", [SIMULATOR, "--seed", "1", "--count", "20"]),
        ("nodes", [SIMULATOR, "--seed", "1", "--count", "16", "--nodes", "4"]),
        ("store", pytest("test_store_*.py", "test_log*.py")),
        ("feed", pytest("test_feed*.py", "test_deliver*.py")),
        ("tools", pytest("test_tools_*.py", "test_upgrade.py")),
        ("databases", pytest("test_postgres*.py", "test_cluster*.py")),
    ],
    "client": [
        ("node", ["node", "--test", "--test-reporter=tap"]),
        ("fingers, days", pytest("test_web_gestures.py", "test_web_wheels.py", "test_web_finding.py",
                                 "test_web_nights.py")),
        ("pages", pytest("test_web_*.py", "test_mixed_clients.py")),
        ("rehearsal", pytest("test_rehearse.py")),
    ],
}


def anchors():
    """The mutants whose line is not found exactly once."""
    lost = []
    for number, mutant in ALL.items():
        path = ROOT / mutant.file
        count = path.read_text().count(mutant.old) if path.exists() else 0
        if count != 1:
            lost.append(f"mutant {number}: {mutant.file} has {count} times: {mutant.old}")
    return lost


def copy(target, changed=lambda name, text: text):
    """Copies what is built and tested, and writes only the files that differ."""
    kept = {target / "Sources" / name / "Mutated.swift" for name in os.listdir(ROOT / "Sources")}
    for top in ["Package.swift", "Package.resolved", "Makefile", "README.md", "ARCHITECTURE.md",
                "SECURITY.md", "CHANGELOG.md", "LICENSE", "Sources", "Tests", "web", "deploy"]:
        source = ROOT / top
        for path in sorted(source.rglob("*")) if source.is_dir() else [source]:
            if not path.is_file() or "__pycache__" in path.parts:
                continue
            name = str(path.relative_to(ROOT))
            kept.add(target / name)
            text = path.read_bytes()
            if name.endswith((".swift", ".js")):
                text = changed(name, text.decode()).encode()
            copied = target / name
            if not copied.exists() or copied.read_bytes() != text:
                copied.parent.mkdir(parents=True, exist_ok=True)
                copied.write_bytes(text)
                shutil.copymode(path, copied)
    for folder in ("Sources", "Tests"):
        for path in [path for path in (target / folder).rglob("*") if path.is_file()]:
            if path not in kept and "__pycache__" not in path.parts:
                path.unlink()


def switch(number, mutant):
    """The text that takes the place of a Swift mutant's line: both, and a condition."""
    if mutant.form == "statement":
        return f"if mutated({number}) {{ {mutant.new} }} else {{ {mutant.old} }}"
    if mutant.form == "sql":
        return f'\\(mutated({number}) ? "{mutant.new}" : "{mutant.old}")'
    return f"(mutated({number}) ? ({mutant.new}) : ({mutant.old}))"


def build():
    """Builds a copy of the sources that has all Swift mutants."""
    swift_mutants = {n: mutant for n, mutant in ALL.items() if mutant.form != "text"}

    def changed(name, text):
        for number, mutant in swift_mutants.items():
            if mutant.file == name:
                text = text.replace(mutant.old, switch(number, mutant))
        return text

    copy(TREE, changed)
    for module in {Path(mutant.file).parts[1] for mutant in swift_mutants.values()}:
        file = TREE / "Sources" / module / "Mutated.swift"
        if not file.exists() or file.read_text() != SWITCH:
            file.write_text(SWITCH)
    for arguments in (["--build-tests"], ["--product", "picker-simulator"]):
        made = subprocess.run(
            ["swift", "build", "--scratch-path", str(BUILD), *arguments], cwd=TREE,
            capture_output=True, text=True, check=False)
        if made.returncode != 0:
            lines = [line for line in made.stdout.splitlines() if "error" in line]
            sys.exit("the mutants do not compile:\n" + "\n".join(lines[:40]) + made.stderr[-2000:])


def arguments(command, tree):
    """The arguments of a part's process, in the folder `tree`."""
    if command[0] == "node":
        return [*command, *sorted(str(file) for file in (tree / "Tests").glob("*/*.test.mjs"))]
    if command[0] != "pytest":
        return command
    folder = tree / "Tests/product"
    files = sorted({str(file) for pattern in command[1:] for file in folder.glob(pattern)})
    return [*ALONE, str(ROOT / ".venv/bin/python"), "-m", "pytest", "-q", "-x", "--tb=line", *files]


#: The first line of a failure, by tool: its text is what the table shows.
FAILURE = re.compile(
    r"^✘ (?:Test|Suite) (?!run )(.*?)(?: recorded an issue| failed after| with \d+ argument).*$"
    r"|^not ok \d+ - (.*)$|^(?:FAILED|ERROR) (?:.*/)?(test_\S+).*|^(seed \d+, .*)$")


def run(command, tree, number):
    """Runs a part; the first failure, or `None`."""
    environment = {
        # With a mutant many tests wait in vain.
        "PATIENCE": "120", **os.environ,
        "MUTANT": str(number), "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1",
        "PICKERD": str(tree / ".build/debug/pickerd")}
    process = subprocess.Popen(
        arguments(command, tree), cwd=tree, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        start_new_session=True)
    hangs = threading.Event()

    def end():
        hangs.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(PART_SECONDS, end)
    timer.start()
    try:
        last = ""
        for line in process.stdout:
            last = line.strip() or last
            found = FAILURE.match(line.strip())
            if found:
                return next(text for text in found.groups() if text)
        if process.wait() == 0:
            return None
        return "it hangs" if hangs.is_set() else f"it ends early: {last}"
    finally:
        timer.cancel()
        if command[0] == "pytest":
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                pass
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def prepare(tree):
    """Copies the pages and tests, and the server, which serves the pages of its own tree."""
    copy(tree)
    place(tree)


def place(tree):
    (tree / ".build/debug").mkdir(parents=True, exist_ok=True)
    shutil.copy2(BUILD / "debug/pickerd", tree / ".build/debug/pickerd")


def area(number):
    return next(name for name, mutants in AREAS.items() if ALL[number] in mutants)


def attempt(number, tree):
    """The part that finds a mutant, with the first failure; `None` if none does."""
    mutant = ALL[number]
    if mutant.form == "text":
        file = tree / mutant.file
        text = file.read_text()
        file.write_text(text.replace(mutant.old, mutant.new))
    try:
        for name, command in PARTS[area(number)]:
            # Twice: on a busy machine a test may fail without the mutant.
            failure = run(command, tree, number) and run(command, tree, number)
            if failure:
                return name, failure
    finally:
        if mutant.form == "text":
            file.write_text(text)
    return None


def prove(areas, jobs):
    """Without a mutant, all parts pass: otherwise their failures would prove nothing."""
    place(TREE)
    parts = {str(command): (part, command)
             for name in sorted(areas) for part, command in PARTS[name]}

    def proven(named):
        part, command = named
        failure = run(command, TREE, 0) and run(command, TREE, 0)
        return failure and f"without a mutant, a test of {part} fails: {failure}"

    with ThreadPoolExecutor(jobs if ALONE else 1) as pool:
        if failures := [failure for failure in pool.map(proven, parts.values()) if failure]:
            sys.exit("\n".join(failures))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", help="numbers of mutants, separated by commas")
    parser.add_argument("--check", action="store_true", help="only whether all lines are found")
    parser.add_argument("--unproven", action="store_true", help="without a run that has no mutant")
    options = parser.parse_args()
    if lost := anchors():
        sys.exit("\n".join(lost))
    # A shell starts what runs in the background without it, and a test sends it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if options.check:
        return print(f"{len(ALL)} mutants")
    chosen = [int(n) for n in options.only.split(",")] if options.only else list(ALL)
    build()
    if not options.unproven:
        prove({area(number) for number in chosen}, options.jobs)
    waiting = queue.SimpleQueue()
    for number in chosen:
        waiting.put(number)
    results = {}

    def work(worker):
        # The copies with a browser mutant; those of Swift are in the build.
        tree = WORK / f"pages-{worker}"
        prepare(tree)
        while True:
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            since = time.monotonic()
            results[number] = attempt(number, tree)
            part, failure = results[number] or ("SURVIVED", "")
            print(f"{number:3} {part:10} {time.monotonic() - since:5.0f} s  {ALL[number].breaks}"
                  f"{': ' + failure if failure else ''}", flush=True)

    workers = [threading.Thread(target=work, args=(n,)) for n in range(options.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print()
    for name in AREAS:
        numbers = [number for number in results if area(number) == name]
        found = [number for number in numbers if results[number]]
        survivors = [str(number) for number in sorted(set(numbers) - set(found))]
        print(f"{name:7} {len(found):3} of {len(numbers)} found"
              + (f"; survivors: {', '.join(survivors)}" if survivors else ""))
    return None


if __name__ == "__main__":
    main()
