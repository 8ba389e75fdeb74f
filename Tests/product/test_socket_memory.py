"""The transport under valgrind: no leaks and no invalid reads, even in libwebsockets' bugs."""

from conftest_socket import under_valgrind  # noqa: F401
from rawsocket import CLOSE, TEXT


def test_every_way_to_move_and_close_a_connection_is_clean_under_valgrind(
        under_valgrind):  # noqa: F811
    server = under_valgrind(loops=2)
    with server.raw() as raw:  # CVE-2025-11677
        assert raw.exchange("GET", "/hello")[0] == 200
        assert raw.upgrade("/hello", Upgrade="foo")[0] == 200
        assert raw.upgrade("/hello", Upgrade="h2c")[0] == 200
        assert raw.exchange("POST", "/echo", [("Upgrade", "foo")], b"body")[2] == b"body"
    for head in (b"BREW / HTTP/1.1\r\n\r\n", b"CONNECT a:1 HTTP/1.1\r\n\r\n",
                 b"GET /%zz HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"y" * 13_000):
        with server.raw() as raw:
            raw.send(head)
            assert raw.response()[0] >= 400
    for changes in ({"Sec_WebSocket_Version": "8"}, {"Host": None},
                    {"Sec_WebSocket_Protocol": "chat"}):
        with server.raw() as raw:
            assert raw.upgrade(**changes)[0] >= 400
    with server.raw() as raw:
        raw.upgrade("/refused")
    for opcode, payload in ((3, b"x"), (2, b"x"), (TEXT, b"\xff"), (CLOSE, b"x"),
                            (TEXT, b"x" * 65537), (CLOSE, b"")):
        with server.websocket() as web:
            web.send_frame(opcode, payload)
            web.read_close()
    with server.websocket("/script") as web:
        web.send_text("flood-close 1 3000000 4404")
        assert web.read_close() == (4404, "done")
    with server.raw() as raw:
        assert raw.exchange("POST", "/echo", body=b"b" * 100_000)[2] == b"b" * 100_000
        assert raw.exchange("GET", "/stream?pieces=20")[0] == 200
    with server.raw() as raw:
        raw.request("POST", "/echo", [("Content-Length", "99999999")])
        assert raw.response()[0] == 413
    for number in range(6):
        with server.raw() as raw:
            if number % 2:
                assert raw.exchange("GET", "/hello")[0] == 200
            assert raw.upgrade("/?over")[0] == 101
            raw.send_frame(TEXT, b"x" * 3000)
            assert len(raw.read_text()) == 3000
    for path in ("/hello?over", "/stream?over&pieces=20", "/request?over&a=b"):
        with server.raw() as raw:
            assert raw.exchange("GET", path)[0] == 200
    with server.raw() as raw:
        assert raw.exchange("GET", "/hello?over")[0] == 200
        assert raw.exchange("POST", "/echo", body=b"b" * 100_000)[2] == b"b" * 100_000
    moved = [server.websocket("/?over"), server.raw()]
    moved[1].request("GET", "/stream?over&pieces=-1")
    moved[1].read_line()
    left_open = [server.websocket(), *(server.raw() for _ in range(3))]
    left_open[0].send_frame(TEXT, b"half", final=False)
    left_open[1].request("GET", "/never")
    left_open[2].request("GET", "/stream?pieces=-1")
    left_open[3].request("POST", "/echo", [("Content-Length", "50")])
    assert server.counters()["webSockets"] >= 1
    assert server.stop() == 0, server.log.read_text()
