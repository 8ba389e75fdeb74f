"""TLS in pickerd: certificates, their reload, and the redirect from http."""

import json
import re
import signal
import subprocess
import threading

import pytest
from cryptography import x509

from harness.certificates import Authority
from harness.definitions import CALENDAR
from harness.pickerd import run, wait_until
from rawsocket import PING, PONG, Raw, open_websocket

DAY = {"definition": CALENDAR}


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def secure(start, authority, tmp_path):
    """A server with TLS, two loops and a redirect; its files can be replaced."""
    paths = [tmp_path / "certificate.pem", tmp_path / "key.pem"]
    install(authority.issue(), paths)
    server = start(limits={"pingMilliseconds": 600_000}, options=[
        "--tls-certificate", str(paths[0]), "--tls-key", str(paths[1]), "--loops", "2",
        "--redirect-http", "127.0.0.1:0"])
    server.paths = paths
    server.tls = authority.client()
    return server


def install(issued, paths):
    for source, target in zip((issued.certificate, issued.key), paths):
        target.write_bytes(source.read_bytes())
    return issued.serial


def secured(server, method, path, body=None):
    with Raw(("127.0.0.1", server.port), tls=server.tls) as raw:
        return raw.exchange(method, path, body=json.dumps(body).encode() if body else b"",
                            host=f"localhost:{server.port}")


def serial(server):
    """The serial number of the certificate that the server presents now."""
    with Raw(("127.0.0.1", server.port), tls=server.tls) as raw:
        return int(raw.socket.getpeercert()["serialNumber"], 16)


def joined(server, path):
    web = open_websocket(
        ("127.0.0.1", server.port), path, tls=server.tls, Sec_WebSocket_Protocol="pickerd.v1")
    web.send_text(json.dumps({"type": "join", "name": "Ada"}))
    return web


def created(server):
    status, _, body = secured(server, "POST", "/v1/sessions", DAY)
    assert status == 201, body
    return json.loads(body)


def test_sessions_are_served_over_tls_on_every_loop(secure):
    for _ in range(8):
        session = created(secure)
        assert f"wss://localhost:{secure.port}/" in json.dumps(session)
        with joined(secure, f"/v1/sessions/{session['session']}") as web:
            assert json.loads(web.read_text())["type"] == "welcome"
        status, _, body = secured(secure, "GET", f"/v1/sessions/{session['session']}")
        assert status == 200, body


def test_sighup_reloads_the_certificate_without_dropping_a_connection(secure, authority):
    before = serial(secure)
    session = created(secure)
    failures = []
    is_over = threading.Event()

    def ask():
        while not is_over.is_set():
            try:
                assert secured(secure, "GET", f"/v1/sessions/{session['session']}")[0] == 200
            except Exception as error:  # noqa: BLE001 - the test shows it
                failures.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    with joined(secure, f"/v1/sessions/{session['session']}") as web:
        web.read_text()
        for _ in range(3):
            new = install(authority.issue(), secure.paths)
            secure.process.send_signal(signal.SIGHUP)
            wait_until(lambda: serial(secure) == new, what="the new certificate")
            assert new != before
        is_over.set()
        asking.join()
        assert failures == []
        web.send_frame(PING, b"still here")
        while web.read_frame() != (PONG, b"still here"):
            pass


def test_an_unusable_certificate_of_the_file_is_reported_with_its_place_at_a_reload(
        start, authority, tmp_path):
    paths = [tmp_path / "certificate.pem", tmp_path / "key.pem"]
    install(authority.issue(), paths)
    file = tmp_path / "pickerd.yaml"
    written = f"tlsCertificate: {paths[0]}\ntlsKey: {paths[1]}\n"
    file.write_text(written)
    server = start(clock=None, options=["--config", str(file)])
    paths[1].write_bytes(authority.issue().key.read_bytes())
    file.write_text(written + "host: a/b\n")
    server.process.send_signal(signal.SIGHUP)

    # Both problems, although the host would be found before the files are read.
    server.logged(
        f"SIGHUP: the previous configuration remains in effect: {file}:2:9: tlsKey: {paths[1]} is "
        "not the key of the certificate.",
        f"SIGHUP: the previous configuration remains in effect: {file}:3:7: host: ")


def refusal(*options):
    found = run("serve", "--check", *options)
    assert found.returncode == 1
    return found.stderr


def test_unusable_files_are_refused_with_their_names(authority, tmp_path):
    one, other = authority.issue(), authority.issue("rsa")
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("nonsense")
    encrypted = tmp_path / "encrypted.pem"
    subprocess.run(["openssl", "pkey", "-in", one.key, "-aes128", "-passout", "pass:x", "-out",
                    encrypted], check=True)

    def text(certificate, key):
        return refusal("--tls-certificate", certificate, "--tls-key", key)

    assert f"{other.key} is not the key of the certificate" in text(one.certificate, other.key)
    assert f"{nonsense} is not a certificate in PEM format" in text(nonsense, one.key)
    assert f"{nonsense} is not a private key in PEM format" in text(one.certificate, nonsense)
    assert f"{encrypted} is encrypted" in text(one.certificate, encrypted)
    assert "No such file" in text(tmp_path / "missing", one.key)


EXPIRY = "pickerd_tls_certificate_expiry_timestamp_seconds"


def expiry(server):
    """The metric's value; `None` without TLS."""
    found = re.search(rf"^{EXPIRY} (\S+)$", server.metrics().body.decode(), re.M)
    return found and int(found[1])


def valid_until(issued):
    certificate = x509.load_pem_x509_certificate(issued.certificate.read_bytes())
    return certificate.not_valid_after_utc


def test_the_expiry_is_a_metric_that_follows_a_reload_with_a_warning_14_days_before(
        start, authority, tmp_path):
    paths = [tmp_path / "certificate.pem", tmp_path / "key.pem"]
    first, soon, late = (authority.issue(days=days) for days in (15, 13, -1))
    install(first, paths)
    server = start(options=[
        "--tls-certificate", str(paths[0]), "--tls-key", str(paths[1]), "--loops", "2"])
    assert expiry(server) == valid_until(first).timestamp()
    assert "expires soon" not in server.log.read_text()

    for issued, text in ((soon, "expires soon: it is valid until"),
                         (late, "has expired: it was valid until")):
        install(issued, paths)
        server.process.send_signal(signal.SIGHUP)
        day = valid_until(issued).date().isoformat()
        server.logged(f"the TLS certificate {text} {day}")
        wait_until(lambda: expiry(server) == valid_until(issued).timestamp(), what="the metric")
    # The log has an event's time and level before its message.
    lines = [line for line in server.log.read_text().splitlines() if "TLS certificate" in line]
    assert ["warning" in line for line in lines] == [False, True, True], lines


def plain(server, method, path, headers=()):
    with Raw(("127.0.0.1", server.redirect_port)) as raw:
        return raw.exchange(method, path, headers, host=f"localhost:{server.redirect_port}")


def test_plain_requests_are_redirected_or_refused(secure):
    there = f"https://localhost:{secure.port}"
    for method in ("GET", "HEAD"):
        status, headers, _ = plain(secure, method, "/v1/sessions/a%20b?locale=de&x=%26%C3%BC")
        assert status == 308
        assert headers["location"] == there + "/v1/sessions/a%20b?locale=de&x=%26%C3%BC"
    for target in ("/", "/?a=&b&c=d", "/a%2Fb/../c;d+e?x=%26;y&z=+"):
        assert plain(secure, "GET", target)[1]["location"] == there + target
    for method in ("POST", "PUT", "DELETE"):
        status, headers, body = plain(secure, method, "/v1/sessions", [("Content-Length", "0")])
        assert (status, json.loads(body)["code"]) == (403, "notAllowed")
        assert "location" not in headers
    with Raw(("127.0.0.1", secure.redirect_port)) as raw:
        assert raw.upgrade("/v1/sessions/x", Sec_WebSocket_Protocol="pickerd.v1")[0] == 403
    with Raw(("127.0.0.1", secure.redirect_port)) as raw:
        assert raw.exchange("GET", "/", host="evil.example")[0] == 421
