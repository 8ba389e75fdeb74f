"""Clients that offer an upgrade to HTTP/2: the header is ignored (RFC 9110, section 7.8)."""

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.definitions import LISTS

JAVA = Path(__file__).parent / "clients" / "UpgradeClient.java"


def test_curl_with_an_http_2_upgrade_receives_http_1_1_responses(server):
    if not shutil.which("curl"):
        pytest.fail("curl is missing: apt-get install curl")
    base = f"http://127.0.0.1:{server.port}"
    run = subprocess.run(
        ["curl", "--http2", "-sS", "-w", "%{http_version} %{http_code}\\n", f"{base}/healthz",
         f"{base}/healthz", "-o", "/dev/null", "-o", "/dev/null"],
        capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["1.1", "200", "1.1", "200"]


def test_the_java_client_sends_requests_and_opens_a_websocket(server):
    """Its default is HTTP/2: over plain TCP it sends `Upgrade: h2c` in every request."""
    if not shutil.which("java"):
        pytest.fail("java is missing: apt-get install openjdk-17-jdk-headless")
    session = server.session(LISTS)
    run = subprocess.run(
        ["java", str(JAVA), f"127.0.0.1:{server.port}", session.path],
        capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.split() == ["HTTP_1_1", "200", "HTTP_1_1", "201", "HTTP_1_1", "200",
                                  "pickerd.v1", "welcome"]
