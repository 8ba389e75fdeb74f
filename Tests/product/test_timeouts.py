"""Configurable timeouts of the transport."""

import time

from rawsocket import Raw


def test_header_milliseconds_limits_the_time_for_a_request_header(start):
    server = start(limits={"headerMilliseconds": 1000})
    with Raw(("127.0.0.1", server.port), timeout=10) as raw:
        raw.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        begun = time.monotonic()
        raw.read_to_end()
        assert 0.8 < time.monotonic() - begun < 4
