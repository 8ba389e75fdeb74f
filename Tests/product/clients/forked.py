"""Runs Python programs in forks of a process that has imported websockets.

    python forked.py serve SOCKET                    the process that is forked, until it is killed
    python -I -S forked.py SOCKET PROGRAM ARGUMENT…  runs PROGRAM with this process's standard files

`pickerd rehearse` starts a client per scene, and a new interpreter spends most of its CPU time on
imports. The second form imports only built-in modules. When it is killed, the program ends, too.
"""

import sys

SIZE = 65536


def launch(path, words):
    """Passes the standard files and the arguments; exits with the program's status."""
    from _socket import AF_UNIX, SCM_RIGHTS, SOCK_SEQPACKET, SOL_SOCKET, socket

    connection = socket(AF_UNIX, SOCK_SEQPACKET)
    connection.connect(path)
    descriptors = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
    connection.sendmsg(["\0".join(words).encode()], [(SOL_SOCKET, SCM_RIGHTS, descriptors)])
    status = connection.recv(1)
    sys.exit(status[0] if status else 1)


def serve(path):
    import os
    import socket

    import websockets.sync.client  # noqa: F401

    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path + ".new")
        listener.listen(100)
        os.rename(path + ".new", path)  # It exists only while it accepts connections.
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                if os.fork() == 0:  # A grandchild needs no wait.
                    listener.close()
                    run(connection)
                os._exit(0)
            os.wait()
            connection.close()


def run(connection):
    """Runs the program of one connection in this process, and exits."""
    import os
    import runpy
    import socket
    import threading
    import traceback

    words, descriptors, _, _ = socket.recv_fds(connection, SIZE, 3)
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)

    def end_with_the_launcher():
        connection.recv(1)
        os._exit(1)

    threading.Thread(target=end_with_the_launcher, daemon=True).start()
    sys.argv = words.decode().split("\0")
    sys.path[0] = os.path.dirname(sys.argv[0])
    status = 0
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    connection.send(bytes([status & 255]))
    os._exit(status & 255)


if sys.argv[1] == "serve":
    serve(sys.argv[2])
else:
    launch(sys.argv[1], sys.argv[2:])
