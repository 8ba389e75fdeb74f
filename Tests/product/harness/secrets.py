"""The tokens, secrets and ids that the tests of this process have used; no log may have one.

With open access the id of a session admits everyone who knows it, so it is a secret, too.
"""

import re

#: Fields of responses.
FIELDS = re.compile(
    rb'"(?:secret|token|ticket|owner|editor|viewer|session)": ?"([\w.~-]{20,})"')
WORD = re.compile(r"[\w.~-]{20,}")
#: As texts.
used = set()


def note(body):
    """Notes the secrets in the body of a response."""
    if len(body) < 1 << 16:
        used.update(found.decode() for found in FIELDS.findall(body))


def note_text(secret):
    if secret and WORD.fullmatch(secret):
        used.add(secret)


def leaked(log):
    """The secrets in the text of a log."""
    return used.intersection(WORD.findall(log))
