"""A TLS proxy in front of a plain TCP server."""

import select
import socket
import ssl
import subprocess
import threading


class TLSFront:
    """Terminates TLS and forwards to a plain TCP server."""

    def __init__(self, port, folder):
        self.certificate = folder / "certificate.pem"
        key = folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-keyout", key, "-out", self.certificate], check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            secure = self.context.wrap_socket(client, server_side=True)
        except OSError:
            client.close()
            return
        server = socket.create_connection(("127.0.0.1", self.target))
        with secure, server:
            try:
                while self._carry(secure, server):
                    pass
            except OSError:
                pass

    @staticmethod
    def _carry(secure, server):
        """Forwards what has arrived, in one thread: Python's TLS sockets do not support two."""
        ready = [secure] if secure.pending() else select.select([secure, server], [], [])[0]
        if server in ready:
            data = server.recv(65536)
            secure.sendall(data)
            return data
        secure.settimeout(0)
        try:
            data = secure.recv(65536)
        except ssl.SSLWantReadError:
            return True
        finally:
            secure.settimeout(None)
        server.sendall(data)
        return data

    def close(self):
        self.listener.close()
