"""The server process: command line, startup line, signals and shutdown."""

import json
import contextlib
import os
import re
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from harness.definitions import LISTS
from harness.patience import PATIENCE
from harness.pickerd import Pickerd, binary, run, wait_until
from rawsocket import Raw


def test_a_check_whose_output_cannot_be_written_fails():
    with open("/dev/full", "w") as full:
        check = subprocess.run([str(binary()), "serve", "--check", "--store", "memory:"],
                               stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    assert check.returncode == 74 and "cannot write the output" in check.stderr


def test_the_addresses_are_json_if_the_log_is():
    process = subprocess.Popen(
        [str(binary()), "serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
         "--store", "memory:", "--log-format", "json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        lines = [json.loads(process.stdout.readline()) for _ in range(2)]
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0
    assert [line["message"].split("http")[0] for line in lines] == ["pickerd admin ",
                                                                    "pickerd serves "]
    assert all(line["level"] == "notice" and line["time"] for line in lines)


def test_a_log_that_cannot_be_written_does_not_end_the_server(tmp_path):
    """As on a full disk, or when the reader of the log has ended."""
    with open("/dev/full", "w") as full:
        arguments = [str(binary()), "serve", "--listen", "127.0.0.1:0", "--store", "memory:"]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=full, text=True) as server:
            line = server.stdout.readline()
            server.terminate()
            assert line.startswith("pickerd serves http")
            assert server.wait(PATIENCE) == 0


@pytest.mark.parametrize("auth", ["open", "token"])
def test_sighup_without_keys_does_not_end_the_server(start, auth):
    server = start(auth=auth)
    server.process.send_signal(signal.SIGHUP)
    for _ in range(3):
        assert server.get("/healthz").status == 200
    assert server.is_alive


def test_a_server_loads_neither_libcurl_nor_libpq(server):
    maps = Path(f"/proc/{server.process.pid}/maps").read_text()
    assert "libsqlite3" in maps
    for name in ("libcurl", "libpq", "libldap"):
        assert name not in maps, name


def test_a_libpq_that_cannot_be_loaded_is_reported(tmp_path):
    (tmp_path / "libpq.so.5").touch()
    done = run("serve", "--listen", "127.0.0.1:0", "--store", "postgres://x@127.0.0.1/x",
               env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    assert done.returncode == 64 and "install libpq5" in done.stderr, done


@pytest.mark.parametrize("form", ["text", "json"])
def test_long_and_harmful_texts_are_one_short_line_each_at_every_level(tmp_path, request, form):
    server = Pickerd(tmp_path / "log", options=("--log-level", "trace", "--log-format", form))
    request.addfinalizer(server.stop)
    session = server.session(LISTS)
    harmful = "\n2026-01-01T00:00:00Z error FORGED\u001b[31m\u0085\u2028".encode() + b"x" * 9000
    for name in ("Origin", "Sec-WebSocket-Protocol", "X-Forwarded-For", "User-Agent", "Cookie",
                 "Host", "Authorization", "Accept-Language"):
        for value in (harmful, b"\x1b[31mFORGED", b"x" * 9000):
            # It may be refused before all of it is sent.
            with Raw(("127.0.0.1", server.port)) as raw, contextlib.suppress(OSError):
                raw.send(b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                         b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                         b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s: %s\r\n\r\n" % (
                             session.path.encode(), name.encode(), value))
                raw.socket.shutdown(socket.SHUT_WR)
                raw.read_to_end()
    for target in ("/v1/sessions/%0AFORGED%1b%5b31m" + "x" * 9000, "/%0d%0aFORGED?x=%0AFORGED"):
        server.get(target)
    session.join("Ana\nFORGED\u001b[31m" + "x" * 40)
    bad = session.connect()
    bad.send_text("\nFORGED\u001b[31m" + "x" * 9000)
    bad.closed(4400)

    server.complete_log()
    lines = server.log.read_bytes().split(b"\n")

    assert len(lines) > 6 and max(map(len, lines)) < 3000
    for line in lines[:-1]:
        start_of_line = rb"pickerd (serves|admin) |" + (
            rb'\{"time":' if form == "json" else rb"\d{4}-\d\d-\d\dT[\d:]+Z \w+ ")
        assert re.match(start_of_line, line), line
        assert not re.search("[\\x00-\\x1f\\x7f-\\x9f\u2028\u2029]", line.decode()), line


def test_fewer_descriptors_than_connections_need_are_warned_of_once(tmp_path):
    """Regression: the line had the level info, and each further loop wrote another one."""
    log = tmp_path / "log"
    with log.open("w") as lines, subprocess.Popen(
            ["prlimit", "--nofile=1024:1024", str(binary()), "serve", "--listen", "127.0.0.1:0",
             "--store", "memory:", "--loops", "2"], stdout=lines, stderr=lines) as server:
        try:
            wait_until(lambda: "pickerd serves" in log.read_text(), what="the start")
        finally:
            server.terminate()
    found = [line for line in log.read_text().splitlines() if "open files" in line]
    assert len(found) == 1, found
    assert "warning transport: at most 512 connections instead of 16384: the limit" in found[0]
