"""The opening handshake over raw sockets. - Source: RFC 6455, section 4"""

import pytest

from conftest_socket import echo  # noqa: F401
from rawsocket import KEY, accept_of, problem


def upgrade(echo, path="/", **changes):
    with echo.raw() as raw:
        return raw.upgrade(path, **changes)


def is_refused(echo, status, **changes):
    """Asserts a problem document and the end of the connection."""
    with echo.raw() as raw:
        answer = raw.upgrade(**changes)
        assert answer[0] == status, answer
        raw.read_to_end()
        problem(answer)
        return answer[1]


def test_the_response_has_the_hash_of_the_key(echo):
    status, headers, _ = upgrade(echo)
    assert status == 101
    assert headers["upgrade"].lower() == "websocket"
    assert headers["connection"].lower() == "upgrade"
    assert headers["sec-websocket-accept"] == accept_of(KEY)
    assert "sec-websocket-protocol" not in headers


@pytest.mark.parametrize("connection", ["Upgrade", "upgrade", "keep-alive, Upgrade", "UPGRADE,x"])
@pytest.mark.parametrize("protocol", ["websocket", "WebSocket"])
def test_header_names_and_tokens_are_case_insensitive(echo, connection, protocol):
    assert upgrade(echo, Connection=connection, Upgrade=protocol)[0] == 101


@pytest.mark.parametrize("version", ["12", "8", "0", "14", "130", "013", "13, 8", "thirteen", None])
def test_an_unsupported_version_is_rejected_with_426_and_the_supported_one(echo, version):
    headers = is_refused(echo, 426, Sec_WebSocket_Version=version)
    assert headers["sec-websocket-version"] == "13"
    assert headers["upgrade"] == "websocket"


#: Changes of a handshake that is answered 400.
BAD = [
    *({"Sec_WebSocket_Key": key} for key in (
        None, "", "x", KEY[:-1], KEY + "=", KEY * 2, "!" * 22 + "==", "x" * 3000)),
    *({"method": method} for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS")),
    *({"version": version} for version in ("HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.10")),
    *({"Connection": value} for value in (None, "keep-alive", "up", "upgraded", "x" * 2000)),
    {"Host": None}, {"Content_Length": "5"},
]


@pytest.mark.parametrize("changes", BAD, ids=str)
def test_a_handshake_that_breaks_the_rfc_is_rejected_with_400(echo, changes):
    is_refused(echo, 400, **changes)


@pytest.mark.parametrize("protocol", ["h2c", "foo", "websocket, h2c", "TLS/1.0", "x" * 500])
def test_an_upgrade_to_another_protocol_is_ignored(echo, protocol):
    """RFC 9110, section 7.8: the server ignores the header and answers the request."""
    with echo.raw() as raw:
        for method, body in (("GET", b""), ("POST", b"body"), ("GET", b"")):
            headers = [("Connection", "Upgrade, HTTP2-Settings"), ("Upgrade", protocol),
                       ("HTTP2-Settings", "AAMAAABkAARAAAAAAAIAAAAA")]
            status, _, answer = raw.exchange(
                method, "/echo" if body else "/hello", headers, body=body)
            assert (status, answer) == (200, body or b"hello")
        assert raw.upgrade()[0] == 101
        raw.send_text("and on")
        assert raw.read_text() == "and on"


def test_an_http_2_preface_drops_the_connection(echo):
    with echo.raw() as raw:
        raw.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9))
        assert b" 101 " not in raw.read_to_end()


def test_the_handler_can_reject_a_handshake_with_its_own_document(echo):
    status, headers, body = upgrade(echo, "/refused")
    assert (status, body) == (403, b'{"code":"notAllowed","status":403}')


@pytest.mark.parametrize("offered, chosen", [
    ("echo.v1", "echo.v1"), ("echo.v2", "echo.v2"), ("chat, echo.v2", "echo.v2"),
    ("echo.v2,echo.v1", "echo.v2"), (None, None)])
def test_the_first_supported_subprotocol_is_selected(echo, offered, chosen):
    status, headers, _ = upgrade(echo, Sec_WebSocket_Protocol=offered)
    assert status == 101
    assert headers.get("sec-websocket-protocol") == chosen


@pytest.mark.parametrize("offered", ["chat", "echo", "echo.v11", "Echo.v1", "http", "default", ",",
                                     "x" * 63, "a," * 100])
def test_an_offer_without_a_supported_subprotocol_is_rejected_with_400(echo, offered):
    assert upgrade(echo, Sec_WebSocket_Protocol=offered)[0] == 400
