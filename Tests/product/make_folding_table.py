#!/usr/bin/env python3
"""Writes Sources/PickerModel/Find/FoldingTable.swift: how `find` folds each Unicode scalar.

    python3 Tests/product/make_folding_table.py [--check]

With --check it compares the file instead, and fails if it is another one.
"""

import pathlib
import sys
import unicodedata

FILE = pathlib.Path(__file__).parents[2] / "Sources/PickerModel/Find/FoldingTable.swift"
HEAD = '''/// How each Unicode scalar is folded, without Hangul syllables, which have a formula: NFKD, full
/// case folding, and no characters of a combining class other than 0. Written by
/// `Tests/product/make_folding_table.py` from Unicode {version}; ``TextFolding`` reads it.
///
/// An entry is `FIRST-LAST` (removed), `FIRST-LAST+OFFSET` or `FIRST-LAST/2+OFFSET` (every second
/// scalar), or `FIRST=A,B.C`: `FIRST` becomes A, and the scalar after it becomes B and C. All
/// numbers are hexadecimal. Scalars without an entry stay as they are.
let foldingTable: StaticString = """
{entries}
  """
'''
WIDTH = 96


def fold(text):
    """The folded form in which `find` compares texts (web/guide/README.md, "Find")."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(scalar for scalar in folded if unicodedata.combining(scalar) == 0)


def mapping():
    surrogates, syllables = range(0xD800, 0xE000), range(0xAC00, 0xD7A4)
    scalars = (one for one in range(0x110000) if one not in surrogates and one not in syllables)
    return {one: fold(chr(one)) for one in scalars if fold(chr(one)) != chr(one)}


def run(known, first, step):
    """The last scalar of a run that begins with `first` and has the same offset."""
    offset, last = ord(known[first]) - first, first
    while len(known.get(last + step, "")) == 1 and ord(known[last + step]) - last - step == offset:
        last += step
    return last


def entries(known):
    written, done = [], set()
    for first in sorted(known):
        if first in done:
            continue
        if known[first] == "":
            last = first
            while known.get(last + 1) == "":
                last += 1
            written.append((first, f"{first:X}-{last:X}"))
            done.update(range(first, last + 1))
            continue
        if len(known[first]) == 1:
            last, step = max((run(known, first, step), -step) for step in (1, 2))
            if last - first >= 4:
                offset = ord(known[first]) - first
                by = "" if step == -1 else "/2"
                written.append((first, f"{first:X}-{last:X}{by}{offset:+X}"))
                done.update(range(first, last + 1, -step))
                continue
        values = ".".join(f"{ord(scalar):X}" for scalar in known[first])
        if written and written[-1][0] == first - 1 and "=" in written[-1][1]:
            written[-1] = (first, f"{written[-1][1]},{values}")
        else:
            written.append((first, f"{first:X}={values}"))
        done.add(first)
    return [entry for _, entry in written]


def lines(words):
    line = ""
    for word in words:
        # A list may be longer than a line: it goes on where it was, after a comma.
        while word:
            room = WIDTH - len(line) - (1 if line else 0)
            if len(word) <= room:
                line, word = f"{line} {word}" if line else word, ""
            else:
                cut = word.rfind(",", 0, room) + 1 if room > 0 else 0
                if cut:
                    line, word = f"{line} {word[:cut]}" if line else word[:cut], word[cut:]
                yield f"  {line}"
                line = ""
    yield f"  {line}"


def source():
    text = "\n".join(lines(entries(mapping())))
    return HEAD.format(version=unicodedata.unidata_version, entries=text)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if FILE.read_text() == source() else f"{FILE} is not what this script writes")
    FILE.write_text(source())
