"""A host: a key file made by `pickerd key`, and member tokens signed by PyJWT."""

import shutil
import time
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from .pickerd import run as pickerd


class Host:
    """Keys `api` (sessions), `feed`, `decide`, `signing` (HS256), `es` and `ed`."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.file = self.folder / "keys.json"
        self.private = {"es": ec.generate_private_key(ec.SECP256R1()),
                        "ed": ed25519.Ed25519PrivateKey.generate()}
        self.api = self.add("api", "sessions")
        self.secret = self.add("signing", "tokens", "--alg", "HS256").split(".", 1)[1]
        for kid, algorithm in (("es", "ES256"), ("ed", "EdDSA")):
            public = self.folder / f"{kid}.pem"
            public.write_bytes(self.private[kid].public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
            self.add(kid, "tokens", "--alg", algorithm, "--public-key", public)

    def add(self, name, scope, *more):
        """Adds a key; returns `pk_ID.SECRET`, or another line for a key without a secret."""
        added = pickerd("key", "add", self.file, name, "--scope", scope, *more)
        assert added.returncode == 0, added.stderr
        return added.stdout.strip()

    def prepare(self, name):
        """A signing key that the server does not know before the returned function is called."""
        file, self.file = self.file, self.folder / f"{name}.json"
        shutil.copy2(file, self.file)
        self.private[name] = self.add(name, "tokens", "--alg", "HS256").split(".", 1)[1]
        prepared, self.file = self.file, file
        return lambda: prepared.replace(file)

    def revoke_key(self, name):
        revoked = pickerd("key", "revoke", self.file, name)
        assert revoked.returncode == 0, revoked.stderr

    def claims(self, session, role="editor", **more):
        now = int(time.time())
        claims = {"aud": "pickerd", "session": session, "role": role, "iat": now,
                  "exp": now + 3600, **more}
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, session, role="editor", *, kid="signing", headers=None, **more):
        algorithm = {"es": "ES256", "ed": "EdDSA"}.get(kid, "HS256")
        key = self.private.get(kid, self.secret)
        return jwt.encode(self.claims(session, role, **more), key, algorithm=algorithm,
                          headers={"kid": kid, **(headers or {})})
