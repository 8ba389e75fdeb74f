"""Which event loop has a session, and the metrics of the loops."""

import re


def loop_of(session_id, count):
    """The index of a session's loop: 64-bit FNV-1a, folded to 32 bits, modulo the count."""
    value = 0xCBF29CE484222325
    for byte in session_id.encode():
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return ((value >> 32) ^ (value & 0xFFFFFFFF)) % count


def metric(server, name):
    """A metric's value, or its values by label."""
    text = server.metrics().body.decode()
    found = re.findall(rf'^{name}(?:{{\w+="([^"]*)"}})? (\S+)$', text, re.M)
    if found and found[0][0]:
        return {label: float(value) for label, value in found}
    return float(found[0][1]) if found else None


def one_on_each_loop(server, count, definition, **rest):
    """One session on each loop, in the order of the loops."""
    found = {}
    for _ in range(8 * count):
        session = server.session(definition, **rest)
        found.setdefault(loop_of(session.id, count), session)
        if len(found) == count:
            return [found[n] for n in range(count)]
    raise AssertionError(f"all new sessions are on {sorted(found)} of {count} loops")
