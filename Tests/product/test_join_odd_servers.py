"""`pickerd join`, and with it the Swift client, against servers that break the protocol."""

import http.server
import json
import queue
import threading

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

from harness.patience import PATIENCE
from harness.terminal import run

#: The longest message that the client accepts.
MESSAGE_BYTES = 16 << 20
WELCOME = {
    "type": "welcome", "member": {
        "id": "m_1", "secret": "s", "name": "Ana", "role": "owner", "color": "#aabbcc"},
    "locale": "en", "epoch": "e", "revision": 4, "resumed": False,
    "now": "2018-11-23T02:00:00.000Z", "members": [],
    "snapshot": {
        "definition": {"kind": "columns"}, "status": "open", "result": {"keys": ["a"]},
        "columns": [
            {"generation": 1, "count": 1, "from": 0, "row": 0,
             "rows": [{"key": "a", "text": "A"}]}]}}


@pytest.fixture
def odd():
    """Starts a scripted server: `odd(talk)` returns its link; `talk` is called with the socket."""
    running = []

    def starts(talk, subprotocols=("pickerd.v1",)):
        server = serve(talk, "127.0.0.1", 0, subprotocols=list(subprotocols) or None,
                       compression=None, max_size=None)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        running.append(server)
        return f"ws://127.0.0.1:{server.socket.getsockname()[1]}/v1/sessions/x"

    yield starts
    for server in running:
        server.shutdown()


def padded(size):
    """A welcome of `size` bytes."""
    text = json.dumps({**WELCOME, "more": ""})
    return json.dumps({**WELCOME, "more": "x" * (size - len(text))})


def sending(*messages, then=None):
    """A script that receives the join, sends `messages` and waits for the close.

    It puts the close code into the queue `then`, even if the client closes before it has
    received all messages.
    """
    def talk(socket):
        socket.recv()
        try:
            for message in messages:
                socket.send(message)
            while True:
                socket.recv(PATIENCE)
        except (ConnectionClosed, TimeoutError):
            if then is not None:
                then.put(socket.protocol.close_code)
    return talk


def only(codes):
    """The only close code in the queue; waits for it. A list if there are several."""
    try:
        code = codes.get(timeout=PATIENCE)
    except queue.Empty:
        return None
    return code if codes.empty() else [code, *codes.queue]


@pytest.mark.parametrize("size", [100_000, MESSAGE_BYTES])
def test_a_message_at_the_limit_is_accepted(odd, size):
    status, output, complaint = run(odd(sending(padded(size))), "--timeout", PATIENCE)

    assert (status, output, complaint) == (0, "* connecting\n* connected\n= A\n", "")


def test_a_fragmented_message_is_assembled(odd):
    text = padded(50_000)

    def talk(socket):
        socket.recv()
        socket.send(text[at:at + 999] for at in range(0, len(text), 999))
        sending()(socket)

    assert run(odd(talk), "--timeout", PATIENCE)[0] == 0


@pytest.mark.parametrize("message, code", [
    (padded(MESSAGE_BYTES + 1), 1009), (b"\x00\x01", 1003)], ids=["too long", "binary"])
def test_an_unacceptable_message_closes(odd, message, code):
    codes = queue.Queue()

    status, _, complaint = run(odd(sending(message, then=codes)), "--timeout", PATIENCE)

    assert (status, only(codes)) == (1, code), complaint
    assert complaint.startswith(f"pickerd join: closed, {code}")


def test_invalid_utf_8_drops_the_connection(odd):
    def talk(socket):
        socket.recv()
        socket.send(b'{"type":"\xff"}', text=True)
        sending()(socket)

    assert run(odd(talk), "--timeout", "0.5")[0] == 1


def test_a_server_without_the_subprotocol_is_rejected(odd):
    received = []

    def talk(socket):
        received.extend(socket)

    for timeout in ("0.5", "5", PATIENCE):
        status, _, complaint = run(odd(talk, subprotocols=()), "--timeout", timeout)
        if "does not speak the subprotocol" in complaint:
            break  # A slow machine does not connect in half a second.

    assert (status, received) == (1, [])
    assert "does not speak the subprotocol" in complaint


def test_an_unanswered_handshake_counts_as_a_lost_connection(odd):
    status, _, complaint = run(odd(lambda socket: socket.socket.close()), "--timeout", "0.5")

    assert status == 1 and "no connection" in complaint


@pytest.mark.parametrize("answer", [302, 503])
def test_a_response_other_than_101_is_retried_and_redirects_are_not_followed(answer):
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(answer)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    for timeout in ("0.5", "5", PATIENCE):
        status, _, complaint = run(
            f"http://127.0.0.1:{server.server_port}/v1/sessions/x", "--timeout", timeout)
        if asked:  # A slow machine does not connect in half a second.
            break

    server.shutdown()
    server.server_close()
    assert status == 1 and "no connection" in complaint
    assert set(asked) == {"/v1/sessions/x"}, "redirects are not followed"
