"""Counts what the server answers to an attacker: an attack that is only refused measures nothing."""

import re
from collections import Counter

#: Of this process: HTTP statuses, and types or codes of messages.
ANSWERS = Counter()
CODE = re.compile(rb'"code":"(\w+)"')
TYPE = re.compile(rb'"type":"(\w+)"')


def note(answer):
    ANSWERS[str(answer)] += 1


def repeat(stop, work):
    """Calls `work` until the end of the attack; failures are noted."""
    while not stop.is_set():
        try:
            work()
        except OSError as failure:
            note(failure)
            stop.wait(0.01)


def note_messages(messages):
    for message in messages:
        found = CODE.search(message, 0, 300) or TYPE.search(message, 0, 300)
        note(found[1].decode() if found else "?")


def shown(answers):
    """Answers by their number, the most frequent first."""
    return ", ".join(f"{count} × {answer}" for answer, count in Counter(answers).most_common())
