"""A scan of a server's TLS with sslyze, against version 5.7 of Mozilla's recommendations."""

import pytest
from sslyze import (
    CertificateInfoExtraArgument, ScanCommand, ScanCommandsExtraArguments, Scanner,
    ServerNetworkLocation, ServerScanRequest)
from sslyze.mozilla_tls_profile.tls_config_checker import (
    SCAN_COMMANDS_NEEDED_BY_MOZILLA_CHECKER, MozillaTlsConfiguration,
    ServerNotCompliantWithTlsConfiguration, TlsConfigurationEnum,
    check_server_against_tls_configuration)

from harness.certificates import Authority
from harness.pickerd import Pickerd

OTHERS = {ScanCommand.TLS_1_3_EARLY_DATA, ScanCommand.SESSION_RESUMPTION}


@pytest.fixture(scope="module", params=["ec", "rsa"])
def scanned(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scan")
    authority = Authority(folder)
    issued = authority.issue(request.param)
    server = Pickerd(folder / "log", clock=None, options=[
        "--tls-certificate", issued.certificate, "--tls-key", issued.key])
    scanner = Scanner()
    scanner.queue_scans([ServerScanRequest(
        ServerNetworkLocation("localhost", server.port, ip_address="127.0.0.1"),
        scan_commands=SCAN_COMMANDS_NEEDED_BY_MOZILLA_CHECKER | OTHERS,
        scan_commands_extra_arguments=ScanCommandsExtraArguments(
            certificate_info=CertificateInfoExtraArgument(custom_ca_file=authority.root)))])
    result, = scanner.get_results()
    server.stop()
    return result


def test_the_server_follows_mozillas_intermediate_configuration(scanned):
    """Versions, ciphers, curves, certificate, renegotiation, compression and known attacks."""
    check_server_against_tls_configuration(
        scanned, MozillaTlsConfiguration.get(TlsConfigurationEnum.MOZILLA_INTERMEDIATE))


def test_the_scan_finds_what_a_stricter_configuration_refuses(scanned):
    with pytest.raises(ServerNotCompliantWithTlsConfiguration) as found:
        check_server_against_tls_configuration(
            scanned, MozillaTlsConfiguration.get(TlsConfigurationEnum.MOZILLA_MODERN))
    assert "TLSv1.2" in str(found.value)


def test_there_is_no_early_data_and_no_session_cache(scanned):
    result = scanned.scan_result
    assert result.tls_1_3_early_data.result.supports_early_data is False
    resumption = result.session_resumption.result
    assert resumption.tls_ticket_resumption_result == "FULLY_SUPPORTED"
    assert resumption.session_id_resumption_result == "NOT_SUPPORTED"
