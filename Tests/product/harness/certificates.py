"""A certificate authority for tests, with certificates that may be expired."""

import datetime
import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


@dataclass
class Certificate:
    """PEM files of a certificate and its key, and of both."""

    certificate: Path
    key: Path
    both: Path
    serial: int


class Authority:
    """Issues certificates for localhost and 127.0.0.1 into a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tests")])
        self.root = folder / "root.pem"
        usage = x509.BasicConstraints(ca=True, path_length=0)
        signs = x509.KeyUsage(
            digital_signature=False, content_commitment=False, key_encipherment=False,
            data_encipherment=False, key_agreement=False, key_cert_sign=True, crl_sign=True,
            encipher_only=False, decipher_only=False)
        identifier = x509.SubjectKeyIdentifier.from_public_key(self.key.public_key())
        root = self._signed(
            self.name, self.key, 30, [(usage, True), (signs, True), (identifier, False)])
        self.root.write_bytes(root.public_bytes(serialization.Encoding.PEM))
        self.count = 0

    def issue(self, kind="ec", days=30):
        """A new certificate that is valid until `days` from now."""
        key = ec.generate_private_key(ec.SECP256R1()) if kind == "ec" else (
            rsa.generate_private_key(65537, 2048))
        names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        server = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        signed = self._signed(
            subject, key, days, [(names, False), (server, False), (issuer, False)])
        self.count += 1
        paths = [self.folder / f"{self.count}-{part}.pem" for part in ("cert", "key", "both")]
        texts = [signed.public_bytes(serialization.Encoding.PEM), key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption())]
        for path, text in zip(paths, [*texts, b"".join(texts)]):
            path.write_bytes(text)
        return Certificate(*paths, signed.serial_number)

    def client(self, **versions):
        """A client's context that trusts this authority."""
        context = ssl.create_default_context(cafile=self.root)
        for name, version in versions.items():
            setattr(context, name, version)
        return context

    def _signed(self, subject, key, days, extensions):
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(self.name)
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=60))
            .not_valid_after(now + datetime.timedelta(days=days)))
        for extension, is_critical in extensions:
            builder = builder.add_extension(extension, is_critical)
        return builder.sign(self.key, hashes.SHA256())
