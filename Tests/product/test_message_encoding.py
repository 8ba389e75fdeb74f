"""Binary messages (1003), invalid UTF-8 (1007) and messages over the limit (1009)."""

import pytest

from harness.definitions import DATE


def test_a_binary_message_closes_with_1003(server):
    session = server.session(DATE)
    ana, bo = session.together("Ana", "Bo")

    ana.web.send(b'{"type":"touch"}')

    ana.closed(1003)
    bo.receives_nothing()


@pytest.mark.parametrize("bad", [
    b'{"type":"touch","x":"\xff"}', b'{"type":"touch","x":"\xc0\xaf"}', b"\xed\xa0\x80",
    b'{"type":"touch","x":"\xf4\x90\x80\x80"}', b'{"type":"touch"}\xe2\x82'])
def test_invalid_utf_8_closes_with_1007(server, bad):
    session = server.session(DATE)
    ana, bo = session.together("Ana", "Bo")

    ana.send_text(bad)

    ana.closed(1007)
    bo.receives_nothing()


def test_a_message_of_64_kib_is_accepted(server):
    ana = server.session(DATE).join("Ana")
    text = '{"type":"touch","x":"%s"}'

    ana.send_text(text % ("x" * (65536 - len(text) + 2)))

    ana.receives_nothing()


def test_a_message_over_64_kib_closes_with_1009(server):
    session = server.session(DATE)
    ana, bo = session.together("Ana", "Bo")
    text = '{"type":"touch","x":"%s"}'

    ana.send_text(text % ("x" * (65537 - len(text) + 2)))

    ana.closed(1009)
    bo.receives_nothing()


def test_a_join_over_64_kib_closes_with_1009(server):
    ana = server.session(DATE).connect()

    ana.send_text('{"type":"join","name":"' + "x" * 70_000 + '"}')

    ana.closed(1009)


def test_the_message_length_limit_is_configurable(small):
    session = small.session(DATE)
    ana, bo = session.join("Ana"), session.join("Bo")
    text = '{"type":"touch","x":"%s"}'

    ana.send_text(text % ("x" * (2048 - len(text) + 2)))
    ana.receives_nothing()

    bo.send_text(text % ("x" * (2049 - len(text) + 2)))
    bo.closed(1009)


def test_the_message_length_is_counted_in_bytes(server):
    ana = server.session(DATE).join("Ana")

    ana.send_text('{"type":"touch","x":"' + "日" * 22_000 + '"}')

    ana.closed(1009)
