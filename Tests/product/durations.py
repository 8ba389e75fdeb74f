"""Stores the seconds of each file in runs of the tests, by which conftest.py orders the files.

    .venv/bin/python Tests/product/durations.py .build/test-logs/product.xml

Files that the reports do not have keep theirs.
"""

import json
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).parent
FILE = FOLDER / "durations.json"


def main(*reports):
    seconds = Counter()
    for report in reports:
        for case in ElementTree.parse(report).iter("testcase"):
            # What failed may have waited for minutes.
            if case.find("failure") is None and case.find("error") is None:
                seconds[case.get("classname").split(".")[-1]] += float(case.get("time"))
    stored = json.loads(FILE.read_text()) | {
        name: max(1, round(count)) for name, count in seconds.items()}
    exists = {name: count for name, count in sorted(stored.items())
              if (FOLDER / f"{name}.py").exists()}
    FILE.write_text(json.dumps(exists, indent=0) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
