"""A server with TLS."""

import http.client

from .certificates import Authority
from .patience import PATIENCE
from .pickerd import Pickerd


class SecurePickerd(Pickerd):
    """A server whose certificate is for localhost, of an authority in `folder`."""

    def __init__(self, folder, **rest):
        self.authority = Authority(folder)
        issued = self.authority.issue()
        super().__init__(folder / "log", options=(
            "--tls-certificate", issued.certificate, "--tls-key", issued.key), **rest)

    def connection(self, port=None, timeout=PATIENCE):
        if port:
            return super().connection(port, timeout)
        return http.client.HTTPSConnection(
            "localhost", self.port, timeout=timeout, context=self.authority.client())

    def socket(self, path):
        return f"wss://localhost:{self.port}{path}"
