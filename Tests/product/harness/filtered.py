"""filtered.py FILE PROGRAM ARGUMENT… : runs a program that may only make the system calls in FILE.

Others fail with EPERM, as with systemd's SystemCallFilter= and SystemCallErrorNumber=EPERM.
"""

import ctypes
import errno
import os
import sys
from pathlib import Path

#: seccomp.h: SCMP_ACT_ALLOW, SCMP_ACT_ERRNO(EPERM).
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM


def restrict(names):
    """Loads the filter; it stays in force for the program that is executed next."""
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(REFUSE)))
    for name in names:
        number = library.seccomp_syscall_resolve_name(name.encode())
        # Negative numbers are calls that this architecture does not have.
        if number >= 0:
            added = library.seccomp_rule_add_array(context, ctypes.c_uint32(ALLOW), number, 0, None)
            assert added == 0, (name, added)
    assert library.seccomp_load(context) == 0, "the kernel refuses the filter"


if __name__ == "__main__":
    restrict(Path(sys.argv[1]).read_text().split())
    os.execv(sys.argv[2], sys.argv[2:])
