"""A scan of a server's TLS with sslyze, against version 5.7 of Mozilla's recommendations; kTLS."""

import pytest

from harness.certificates import Authority
from harness.patience import PATIENCE
from harness.pickerd import Pickerd, wait_until
from harness.proxies import traced
from rawsocket import Raw


@pytest.fixture(scope="module")
def sslyze():
    # Each process that runs tests imports this file, but only one needs the library.
    import sslyze.mozilla_tls_profile.tls_config_checker
    return sslyze


@pytest.fixture(scope="module")
def mozilla(sslyze):
    return sslyze.mozilla_tls_profile.tls_config_checker


@pytest.fixture(scope="module", params=["ec", "rsa"])
def scanned(request, tmp_path_factory, sslyze, mozilla):
    folder = tmp_path_factory.mktemp("scan")
    authority = Authority(folder)
    issued = authority.issue(request.param)
    server = Pickerd(folder / "log", clock=None, limits={"joinMilliseconds": 120_000}, options=[
        "--tls-certificate", issued.certificate, "--tls-key", issued.key])
    wanted = mozilla.SCAN_COMMANDS_NEEDED_BY_MOZILLA_CHECKER | {
        sslyze.ScanCommand.TLS_1_3_EARLY_DATA, sslyze.ScanCommand.SESSION_RESUMPTION}
    scanner = sslyze.Scanner()
    scanner.queue_scans([sslyze.ServerScanRequest(
        sslyze.ServerNetworkLocation("localhost", server.port, ip_address="127.0.0.1"),
        sslyze.ServerNetworkConfiguration("localhost", network_timeout=PATIENCE),
        scan_commands=wanted,
        scan_commands_extra_arguments=sslyze.ScanCommandsExtraArguments(
            certificate_info=sslyze.CertificateInfoExtraArgument(
                custom_ca_file=authority.root)))])
    result, = scanner.get_results()
    server.stop()
    return result


def check(scanned, mozilla, name):
    mozilla.check_server_against_tls_configuration(
        scanned, mozilla.MozillaTlsConfiguration.get(mozilla.TlsConfigurationEnum[name]))


def test_the_server_follows_mozillas_intermediate_configuration(scanned, mozilla):
    """Versions, ciphers, curves, certificate, compression and known attacks."""
    check(scanned, mozilla, "MOZILLA_INTERMEDIATE")
    renegotiation = scanned.scan_result.session_renegotiation.result
    assert renegotiation.client_renegotiations_success_count == 0


def test_the_scan_finds_what_a_stricter_configuration_refuses(scanned, mozilla):
    with pytest.raises(mozilla.ServerNotCompliantWithTlsConfiguration) as found:
        check(scanned, mozilla, "MOZILLA_MODERN")
    assert "TLSv1.2" in str(found.value)


def test_there_is_no_early_data_and_no_session_cache(scanned):
    result = scanned.scan_result
    assert result.tls_1_3_early_data.result.supports_early_data is False
    resumption = result.session_resumption.result
    assert resumption.tls_ticket_resumption_result == "FULLY_SUPPORTED"
    assert resumption.session_id_resumption_result == "NOT_SUPPORTED"


KERNEL_TLS = """
openssl_conf = all
[all]
ssl_conf = ssl
[ssl]
system_default = defaults
[defaults]
Options = KTLS
"""


def test_the_kernels_tls_is_not_used_though_openssl_cnf_turns_it_on(start, tmp_path):
    """A connection that moves to another loop would be encrypted twice."""
    authority = Authority(tmp_path)
    issued = authority.issue()
    (tmp_path / "openssl.cnf").write_text(KERNEL_TLS)
    server = start(clock=None, options=[
        "--tls-certificate", issued.certificate, "--tls-key", issued.key],
        environment={"OPENSSL_CONF": str(tmp_path / "openssl.cnf")})
    trace = tmp_path / "trace"
    with traced(server, "setsockopt,accept4", trace):
        with Raw(("127.0.0.1", server.port), tls=authority.client()) as raw:
            assert raw.exchange("GET", "/healthz")[0] == 200
        wait_until(lambda: "accept4(" in trace.read_text(), what="the trace of the connection")
    assert "TCP_ULP" not in trace.read_text() and "SOL_TLS" not in trace.read_text()
