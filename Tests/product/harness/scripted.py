"""A server whose connections the test itself serves, for what a real server does not do."""

import json
import queue
import threading
from contextlib import contextmanager

from websockets.sync.server import serve


class Scripted:
    """`url` is the address of its only session."""

    def __init__(self):
        self.connections = queue.Queue()
        self.ended = threading.Event()
        self.listener = serve(self.accept, "127.0.0.1", 0, subprotocols=["pickerd.v1"])
        self.url = f"ws://127.0.0.1:{self.listener.socket.getsockname()[1]}/v1/sessions/x"

    def accept(self, connection):
        self.connections.put(connection)
        self.ended.wait()  # A connection ends with its handler.

    def connection(self):
        """The client's next connection, after its `join` was received."""
        connection = self.connections.get(timeout=180)
        assert receive(connection)["type"] == "join"
        return connection


@contextmanager
def scripted():
    server = Scripted()
    with server.listener as listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.ended.set()


def receive(connection):
    return json.loads(connection.recv(180))


def send(connection, *messages):
    for message in messages:
        connection.send(json.dumps(message))
