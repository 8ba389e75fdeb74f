"""The backend kit of pickerd: member tokens, webhooks, and the HTTP API with retries.

One file to copy; it needs Python 3.9 and only its standard library. Tokens with ES256 or EdDSA and
webhooks with Ed25519 also need the package `cryptography`. README.md has examples; index.js is the
same in JavaScript. A `Pickerd` may be used by several threads.
"""

from __future__ import annotations

import base64
import hmac
import http.client
import json
import random
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from email.message import Message
from typing import Any

#: In the order in which both kits write them, so that they make the same token.
CLAIMS = ("aud", "session", "role", "sub", "name", "locale", "info", "meta", "nbf", "iat", "exp")
ROLES = ("viewer", "editor", "owner")
#: The most bytes of JSON, and the most levels of all claims.
BYTES_MAX = {"info": 1024, "meta": 4096}
LEVELS_MAX = 128
#: After these a request is sent again if that is safe.
TEMPORARY = (429, 502, 503, 504)
#: The key of a client without one.
_NO_KEY: Any = object()


class WebhookError(Exception):
    """A request to the webhook that must not be believed: answer 401."""


class PickerdError(Exception):
    """A refusal, or no answer.

    `status`: the HTTP status, 0 if there was no answer. `code`: for the program, such as
    `versionMismatch`; `noAnswer` without an answer that can be read, `badMessage` with the status 0
    for an argument that cannot be sent. `detail`: one sentence for developers. `keys`: of an
    inventory, those that cannot be had (at most 10), with `soldOut`, `held` and `waiting`.
    `problem`: the whole body, with `pointer`, `session`, `stands` where the server sends them.
    """

    def __init__(self, request: str, status: int, problem: dict[str, Any], retry_after: float = 0,
                 is_sent: bool = True):
        text = json.dumps(problem, ensure_ascii=False)
        super().__init__(f"{request}: {status or 'no answer'} {text}")
        self.request, self.status, self.problem = request, status, problem
        self.code, self.detail = problem.get("code", ""), problem.get("detail", "")
        self.keys: list[str] = problem.get("keys", [])
        self.retry_after, self.is_sent = retry_after, is_sent


# Member tokens


def _encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def _is_deeper(value: Any, levels: int) -> bool:
    """Whether objects and lists have more levels; a text has none."""
    if not isinstance(value, (dict, list, tuple)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(one, levels - 1) for one in inner)


def _require_cryptography() -> None:
    try:
        import cryptography.hazmat.primitives.asymmetric.ed25519  # noqa: F401
    except ImportError as error:
        raise ImportError("ES256 and Ed25519 need the package cryptography: "
                          "pip install cryptography") from error


def _signer(key: str, kid: str | None) -> tuple[str, str, Callable[[bytes], bytes]]:
    """The algorithm and the id of a signing key, and the function that signs."""
    if key.startswith("pk_"):
        id, _, secret = key[3:].partition(".")
        return "HS256", kid or id, lambda text: hmac.digest(secret.encode(), text, "sha256")
    if not kid:
        raise ValueError("a private key needs kid, the id of its key in the key file")
    _require_cryptography()
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils

    private = serialization.load_pem_private_key(key.encode(), None)
    if isinstance(private, ed25519.Ed25519PrivateKey):
        return "EdDSA", kid, private.sign
    if not (isinstance(private, ec.EllipticCurvePrivateKey)
            and isinstance(private.curve, ec.SECP256R1)):
        raise ValueError("a private key must be of P-256 or Ed25519")

    def sign(text: bytes) -> bytes:
        numbers = utils.decode_dss_signature(private.sign(text, ec.ECDSA(hashes.SHA256())))
        return b"".join(number.to_bytes(32, "big") for number in numbers)

    return "ES256", kid, sign


def _check_claims(claims: dict[str, Any]) -> None:
    for name in claims:
        if name not in CLAIMS:
            raise TypeError(f"{name} is not a claim of a member token")
    ids = claims["session"] if isinstance(claims["session"], list) else [claims["session"]]
    if not 1 <= len(ids) <= 16 or not all(id and isinstance(id, str) for id in ids):
        raise ValueError("session must be the id of a session, or a list of 1 to 16")
    if claims["role"] not in ROLES:
        raise ValueError(f"role must be one of {', '.join(ROLES)}")
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    if not audiences or not all(isinstance(one, str) for one in audiences):
        raise TypeError("aud must be a string")
    given = {name: value for name, value in claims.items() if value is not None}
    for name in ("sub", "name", "locale"):
        if not isinstance(given.get(name, ""), str):
            raise TypeError(f"{name} must be a string")
        if re.search(r"[\ud800-\udfff]", given.get(name, "")):
            raise ValueError(f"{name} is not Unicode")
    if not 1 <= len(given.get("sub", "x")) <= 128:
        raise ValueError("sub must have 1 to 128 characters")
    for name in ("nbf", "iat", "exp"):
        at = given.get(name, 0)
        if isinstance(at, bool) or not isinstance(at, (int, float)):
            raise TypeError(f"{name} must be a number of seconds since 1970")
        if not -62_135_596_800 <= at < 253_402_300_800:
            raise ValueError(f"{name} must be seconds since 1970, before the year 10000")
    if _is_deeper(given, LEVELS_MAX):
        raise ValueError(f"the claims have more than {LEVELS_MAX} levels")
    for name, most in BYTES_MAX.items():
        if len(_json(given.get(name))) > most:
            raise ValueError(f"{name} has more than {most} bytes of JSON")
    if not 1 <= claims["exp"] - claims["iat"] <= 86_400:
        raise ValueError("a token must be valid for 1 to 86,400 seconds")


def sign_token(key: str, *, session: str | list[str], role: str, kid: str | None = None,
               seconds: int = 3600, **claims: Any) -> str:
    """A member token: who may join which session, and what they may do.

    key: `pk_ID.SECRET`, as `pickerd key add … --alg HS256` printed it, or a private key (PEM) of
    P-256 (ES256) or Ed25519 (EdDSA); then `kid` is the id of its public key in the key file.
    session: an id, or a list of up to 16. role: `viewer`, `editor` or `owner`.
    seconds: how long it is valid, 1…86,400.
    claims: `sub` (1 to 128 characters), `name`, `locale`, `info` and `meta` (at most 1 and 4 KiB of
    JSON), `nbf`; and instead of the defaults `aud` (`pickerd`), `iat` (now) and `exp` (`iat` +
    `seconds`), in Unix seconds.

    Raises TypeError or ValueError for a claim that pickerd would refuse, ImportError if a private
    key is given and `cryptography` is missing.
    """
    issued = claims.get("iat", int(time.time()))
    claims = {"aud": "pickerd", "session": session, "role": role, "iat": issued,
              "exp": issued + seconds, **claims}
    _check_claims(claims)
    algorithm, kid, sign = _signer(key, kid)
    header = {"alg": algorithm, "typ": "JWT", "kid": kid}
    ordered = {name: claims[name] for name in CLAIMS if claims.get(name) is not None}
    text = b".".join(_encoded(_json(part)) for part in (header, ordered))
    token = text + b"." + _encoded(sign(text))
    if len(token) > 8192:
        raise ValueError("the token is longer than 8 KiB")
    return token.decode()


# Webhooks


def _signature(text: str) -> tuple[str, bytes]:
    """The version and the bytes of one signature of the header."""
    version, _, value = text.partition(",")
    try:
        return version, base64.b64decode(value, validate=True)
    except ValueError:
        return version, b""


def _is_signed(secret: str, text: bytes, signatures: list[tuple[str, bytes]]) -> bool:
    if secret.startswith("whpk_"):
        _require_cryptography()
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(secret[5:]))
        for version, one in signatures:
            try:
                if version == "v1a":
                    key.verify(one, text)
                    return True
            except InvalidSignature:
                pass
        return False
    if not secret.startswith("whsec_"):
        raise ValueError("a secret begins with whsec_ or whpk_")
    expected = hmac.digest(base64.b64decode(secret[6:]), text, "sha256")
    return any(version == "v1" and hmac.compare_digest(one, expected)
               for version, one in signatures)


def verify_webhook(secrets: str | list[str], headers: Mapping[str, str], body: bytes, *,
                   tolerance_seconds: float = 300, now: float | None = None) -> dict[str, Any]:
    """The event of a webhook that `pickerd deliver` has posted, or WebhookError.

    secrets: `whsec_…`, or a list while one is replaced; `whpk_` and the Base64 of the public key
    for a secret `whsk_…` of `pickerd deliver`. headers: with `webhook-id`, `webhook-timestamp` and
    `webhook-signature`. body: the bytes as they were received. now: Unix seconds.

    Returns `{"id", "type", "timestamp", "position", "watermark", "data"}`. An event can arrive
    again: ignore an `id` that you know. Raises WebhookError if no signature is right or the
    timestamp is off by more than `tolerance_seconds`, ValueError for another kind of secret.
    """
    id, at, listed = (headers.get(f"webhook-{name}") or "" for name in (
        "id", "timestamp", "signature"))
    signatures = [_signature(one) for one in listed.split(" ")]
    text = f"{id}.{at}.".encode() + body
    listed_secrets = [secrets] if isinstance(secrets, str) else secrets
    if not any(_is_signed(secret, text, signatures) for secret in listed_secrets):
        raise WebhookError("no signature is right: not from pickerd, or with another secret")
    now = time.time() if now is None else now
    if not re.fullmatch("[0-9]+", at) or abs(now - int(at)) > tolerance_seconds:
        raise WebhookError(f"webhook-timestamp is off by more than {tolerance_seconds} seconds")
    return {**json.loads(body), "id": id}


# The HTTP API


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def _unsendable(request: str, error: Exception) -> PickerdError:
    return PickerdError(request, 0, {"code": "badMessage", "detail": str(error)})


def _segment(text: str) -> str:
    """A text as one segment of a path."""
    try:
        return urllib.parse.quote(str(text), safe="")
    except UnicodeEncodeError as error:
        raise _unsendable(repr(text), error) from None


def _problem(error: urllib.error.HTTPError, text: str) -> dict[str, Any]:
    """The problem that an answer has, or the beginning of what a proxy says instead."""
    try:
        is_problem = error.headers.get_content_type() == "application/problem+json"
        problem = json.loads(text) if is_problem else None
    except ValueError:
        problem = None
    return problem if isinstance(problem, dict) else {"detail": text[:500]}


def _attempt(method: str, url: str, data: bytes | None, headers: dict[str, str],
             timeout: float) -> tuple[Message, str]:
    """One attempt: the headers and the text of the answer if its status is below 300, otherwise a
    PickerdError."""
    name = f"{method} {url}"
    try:
        request = urllib.request.Request(url, data, headers, method=method)
        with _OPENER.open(request, timeout=timeout) as answer:
            return answer.headers, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        try:
            text = error.read().decode(errors="replace")
        except (OSError, http.client.HTTPException):
            text = ""
        wait = error.headers.get("Retry-After") or ""
        seconds = int(wait) if wait.isdecimal() else 0
        raise PickerdError(name, error.code, _problem(error, text), seconds) from None
    except (TypeError, ValueError, http.client.InvalidURL) as error:
        raise _unsendable(name, error) from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        is_sent = not isinstance(reason, (ConnectionRefusedError, socket.gaierror))
        problem = {"code": "noAnswer", "detail": str(reason) or type(reason).__name__}
        raise PickerdError(name, 0, problem, is_sent=is_sent) from None


def _is_json(kind: str) -> bool:
    return kind == "application/json" or kind.endswith("+json")


def _parsed(request: str, headers: Any, text: str) -> Any:
    """The JSON of an answer, or its text if it is of another type; None without one."""
    if not _is_json(headers.get_content_type()):
        return text or None
    try:
        return json.loads(text) if text else None
    except ValueError as error:
        problem = {"code": "noAnswer", "detail": f"the answer is not JSON: {error}"}
        raise PickerdError(request, 0, problem) from None


def _may_repeat(error: PickerdError, is_repeatable: bool) -> bool:
    if error.code == "badMessage":
        return False
    if is_repeatable:
        return error.status == 0 or error.status in TEMPORARY
    return error.status == 429 or not error.is_sent


class Pickerd:
    """pickerd's HTTP API with an API key.

    url: of the listener for backends, `https://pick.example.org` or with a path. key:
    `pk_ID.SECRET`; without one for a server with `--auth open`. timeout_seconds: for one attempt.
    retry_seconds: how long a request is repeated, with a back-off of up to 1, 2, 4 … 30 seconds
    and never before `Retry-After`.

    A request is repeated after 429, 502, 503, 504 and if there is no answer. `command`, and a JSON
    Patch without `if_match`, could be done twice: they are repeated only after 429 and if no
    connection could be made. Every method raises PickerdError, also for arguments that cannot be
    sent, at once. The constructor raises ValueError if `url` is no address of http or https, or
    `key` is empty or None.
    """

    def __init__(self, url: str, key: str = _NO_KEY, *, timeout_seconds: float = 10,
                 retry_seconds: float = 30):
        if not isinstance(url, str) or not re.fullmatch(r"(?i)https?://[^/\s]\S*", url):
            raise ValueError(
                "url must be the address of pickerd, such as https://pick.example.org")
        # An empty key, or None, may be an environment variable that is not set.
        if key is not _NO_KEY and (not isinstance(key, str) or not key):
            raise ValueError(
                "key must be an API key, pk_ID.SECRET; without one for a server with --auth open")
        self._url, self._key = url.rstrip("/"), "" if key is _NO_KEY else key
        self._timeout_seconds, self._retry_seconds = timeout_seconds, retry_seconds

    def _send(self, method: str, path: str, body: Any = None, *, headers: Mapping[str, str] = {},
              is_repeatable: bool = True, wait_seconds: float = 0,
              retry_seconds: float | None = None) -> tuple[Message, str]:
        """Sends a request until it succeeds, must not be repeated, or the seconds are over."""
        all_headers = {"Content-Type": "application/json", **headers}
        if self._key:
            all_headers["Authorization"] = f"Bearer {self._key}"
        # What is not allowed in an address, such as a space, is escaped.
        url = self._url + urllib.parse.quote(path, "%/?#[]@!$&'()*+,;=:~", errors="replace")
        try:
            data = None if method == "GET" else b"" if body is None else _json(body)
        except (TypeError, ValueError, RecursionError) as error:
            raise _unsendable(f"{method} {url}", error) from None
        end = time.monotonic() + (self._retry_seconds if retry_seconds is None else retry_seconds)
        attempts = 0
        while True:
            try:
                timeout = self._timeout_seconds + wait_seconds
                return _attempt(method, url, data, all_headers, timeout)
            except PickerdError as error:
                wait = random.uniform(0, min(30, 2 ** min(attempts, 5)))
                wait = max(wait, error.retry_after)
                if not _may_repeat(error, is_repeatable) or time.monotonic() + wait > end:
                    raise
            attempts += 1
            time.sleep(wait)

    def request(self, method: str, path: str, body: Any = None, *,
                headers: Mapping[str, str] = {}, is_repeatable: bool = True) -> Any:
        """Any other request of `/v1/openapi.json`.

        path: with its query, percent-encoded where an id needs it. Returns the JSON of the answer;
        the text of one that is not JSON, such as a calendar event, a drawing, or the lines of a
        log; None for an empty one.
        """
        answer = self._send(method, path, body, headers=headers, is_repeatable=is_repeatable)
        return _parsed(f"{method} {self._url}{path}", *answer)

    def create(self, body: dict[str, Any], *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Creates a session: `{"session", "epoch", "revision", "socket"}`.

        body: `definition` or `uses`, and what else the guide lists under "Create a session".
        idempotency_key: 1…64 characters; for 24 hours the same key makes the same session. By
        default a random one, so that a lost answer makes no second session; give one that you have
        stored if your process may end in between.

        PickerdError: `badDefinition`, with `problem["pointer"]`; `keyReused`; `externalTaken`,
        with `problem["session"]`.
        """
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return self.request("POST", "/v1/sessions", body, headers=headers)

    def create_by(self, external: str, body: dict[str, Any]) -> dict[str, Any]:
        """Creates the session with your own id `external` (1…200 characters), or returns it.

        With `"differs": True` it was created with another body.
        """
        return self.request("PUT", f"/v1/sessions/by/{_segment(external)}", body)

    def session(self, session: str) -> dict[str, Any]:
        """A session: `status`, `revision`, `snapshot` with `result`, `members`; while the status
        is `confirming` also `op` and `until`. PickerdError: `noSuchSession`."""
        return self.request("GET", f"/v1/sessions/{_segment(session)}")

    def sessions(self, **query: str) -> Iterator[dict[str, Any]]:
        """All sessions in the order of creation, each with `session`, `status`, `external`, and
        with `include="result"` with `revision` and `result`.
        query: `status`, `external`, `uses`, `include`, `after`."""
        for page in self._pages("/v1/sessions", {"after": "0", **query}):
            yield from page["sessions"]

    def _pages(self, path: str, query: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The pages of a list."""
        page: dict[str, Any] = {"next": query.get("after")}
        while "next" in page:
            asked = {"limit": 500, **query, "after": page["next"]}
            asked = {name: value for name, value in asked.items() if value is not None}
            text = urllib.parse.urlencode(asked, errors="replace")
            page = self.request("GET", f"{path}?{text}")
            yield page

    def delete_session(self, session: str, *, release: bool = False) -> None:
        """Ends a session. With `release` its booking is deleted, too; otherwise a confirmed
        session keeps it. PickerdError: `noSuchSession`, also if the answer to the first attempt
        was lost."""
        query = "?release=true" if release else ""
        self.request("DELETE", f"/v1/sessions/{_segment(session)}{query}")

    def _patch(self, path: str, patch: Any, if_match: int | None) -> dict[str, Any]:
        """A merge patch has the same effect twice; a JSON Patch may not, unless it has a
        version."""
        is_list = isinstance(patch, list)
        headers = {"Content-Type": f"application/{'json' if is_list else 'merge'}-patch+json"}
        if if_match is not None:
            headers["If-Match"] = f'"{if_match}"'
        is_repeatable = not is_list or if_match is not None
        return self.request("PATCH", path, patch, headers=headers, is_repeatable=is_repeatable)

    def patch_definition(
            self, session: str, patch: Any, *, if_match: int | None = None) -> dict[str, Any]:
        """Changes what can be picked in a session.

        patch: a merge patch (dict, `None` removes) or a JSON Patch (list). if_match: the `version`
        that you have read. PickerdError: `badDefinition`, with `problem["pointer"]`;
        `versionMismatch`, also if the answer to the first attempt was lost: read again, compare,
        patch what still differs; `patchFailed`.
        """
        return self._patch(f"/v1/sessions/{_segment(session)}/definition", patch, if_match)

    def patch_notes(self, session: str, patch: dict[str, Any]) -> dict[str, Any]:
        """Changes prices and other notes: `{"days": {"2026-12-24": {"text", "amount"?}}}` or
        `{"columns": {"0": {KEY: {"text"}}}}`; `None` removes a note."""
        return self._patch(f"/v1/sessions/{_segment(session)}/notes", patch, None)

    def shared(self, name: str) -> dict[str, Any]:
        """A shared definition: `{"definition", "notes", "version"}`.
        PickerdError: `noSuchDefinition`."""
        path = f"/v1/definitions/{_segment(name)}"
        headers, text = self._send("GET", path)
        # A proxy that compresses the answer makes a weak one of it.
        version = int(headers["ETag"].removeprefix("W/").strip('"'))
        return {**_parsed(f"GET {self._url}{path}", headers, text), "version": version}

    def put_shared(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """Creates or replaces a shared definition: `{"name", "version", "over"?}`. An equal one
        changes nothing.

        body: `{"definition", "notes"?, "inventory"?}`. `over`: keys of the inventory of which more
        is taken than there is, at most 100. PickerdError: `badDefinition`, with
        `problem["pointer"]`; `inUse` if sessions keep an inventory from being added or taken away.
        """
        return self.request("PUT", f"/v1/definitions/{_segment(name)}", body)

    def patch_shared(self, name: str, patch: Any, *, if_match: int | None = None) -> dict[str, Any]:
        """Changes a shared definition, and so all sessions that use it: `{"name", "version",
        "over"?}`. patch: of `{"definition", "notes", "inventory"}`; the rest as for
        `patch_definition` and `put_shared`."""
        return self._patch(f"/v1/definitions/{_segment(name)}", patch, if_match)

    def counts(self, name: str, *, keys: list[str] | None = None, from_: str | None = None,
               through: str | None = None) -> Iterator[dict[str, Any]]:
        """What is taken of an inventory: `{"key", "capacity", "booked", "held", "offered",
        "waiting", "free"}` for each key.

        keys: these, at most 366. Without it all that have units of their own, or of which something
        is taken or waited for, from `from_` through `through`. PickerdError: `noSuchInventory`.
        """
        path = f"/v1/definitions/{_segment(name)}/inventory"
        if keys is None:
            pages = self._pages(path, {"from": from_, "through": through})
        else:
            text = urllib.parse.urlencode([("key", key) for key in keys], errors="replace")
            pages = iter([self.request("GET", f"{path}?{text}")] if keys else [])
        for page in pages:
            for key, count in page["keys"].items():
                yield {"key": key, **count}

    def book(self, name: str, booking: str, keys: list[str], *, units: int | None = None,
             over: bool | None = None) -> dict[str, Any]:
        """Books units of an inventory for somebody elsewhere: `{"booking", "keys", "units"}`.

        booking: your own id, 1…64 characters; the same request again does nothing. keys: 1…366.
        units: of each key, 1…1,000, by default 1. over: past the capacity, holds and the waiting
        list. PickerdError: `soldOut`, `held` or `waiting`, with `keys`; `keyReused` if the id has
        another booking; `full`; `noSuchInventory`.
        """
        body = {"booking": booking, "keys": keys, "units": units, "over": over}
        body = {name: value for name, value in body.items() if value is not None}
        return self.request("POST", f"/v1/definitions/{_segment(name)}/bookings", body)

    def booking(self, name: str, booking: str) -> dict[str, Any]:
        """A booking: `{"booking", "keys", "units", "over"?, "session"?}`; that of a session has
        the id of the session. PickerdError: `noSuchBooking`, `noSuchInventory`."""
        path = f"/v1/definitions/{_segment(name)}/bookings/{_segment(booking)}"
        return self.request("GET", path)

    def bookings(self, name: str, *, key: str | None = None) -> Iterator[dict[str, Any]]:
        """All bookings of an inventory, or those of a key, in the order of their ids."""
        path = f"/v1/definitions/{_segment(name)}/bookings"
        for page in self._pages(path, {"key": key}):
            yield from page["bookings"]

    def delete_booking(self, name: str, booking: str) -> None:
        """Deletes a booking, if there is one; the waiting list gets its units. PickerdError:
        `inUse` for that of a session that has not ended."""
        path = f"/v1/definitions/{_segment(name)}/bookings/{_segment(booking)}"
        self.request("DELETE", path)

    def command(self, session: str, command: dict[str, Any]) -> dict[str, Any]:
        """A command of the host: a delta, a reply, or `{"type": "refused", "code", "detail"}`.

        command: `{"type": "select" | "tap" | "set" | "clear" | "confirm" | "cancel" | "reopen" |
        "units" | "hold" | "release" | "wait", …}` with `hits` or `at`, so that a second one is
        refused; a `cancel` may have a `reason`. After PickerdError `noAnswer` it is not known
        whether it was done: read the session.
        """
        path = f"/v1/sessions/{_segment(session)}/commands"
        return self.request("POST", path, command, is_repeatable=False)

    def settle(self, session: str, op: str, granted: bool, *,
               reason: str | dict[str, str] | None = None,
               data: Any = None) -> str:
        """Decides on a confirmation. Send the same decision until it is answered.

        reason: for the members, at most 200 characters, or a dict by locale. data: at most 4 KiB of
        JSON, the same each time; comes back in the result.

        Returns what stands: "granted": the session was confirmed with this `op`. "denied": you have
        denied it. "late": it was cancelled, timed out, or pickerd does not have it: undo your
        booking. "ended": the session has ended; its event `session.ended` has its status.
        """
        body = {"op": op, "granted": granted, "reason": reason, "data": data}
        body = {name: value for name, value in body.items() if value is not None}
        try:
            self.request("POST", f"/v1/sessions/{_segment(session)}/settle", body)
            return "granted" if granted else "denied"
        except PickerdError as error:
            is_granted = error.problem.get("stands", {}).get("granted") is True
            outcomes = {"noSuchOp": "late", "noSuchSession": "ended",
                        "tooLate": "granted" if is_granted else "late"}
            if error.code not in outcomes:
                raise
            return outcomes[error.code]

    def feed(self, after: str = "", *, types: list[str] | tuple[str, ...] = (),
             wait_seconds: int = 25) -> Iterator[dict[str, Any]]:
        """The events of all sessions, in the order of the feed, without an end.

        after: the `cursor` of the last event that you have handled; without one, from the oldest.
        types: `session.confirming` and so on; by default all. wait_seconds: of a long poll, at most
        60. Each event is `{"id", "position", "type", "timestamp", "data", "cursor"}`: store its
        `cursor`, a text `EPOCH:POSITION`, in the same transaction as what you do because of it.

        The event `{"type": "restarted", "cursor"}` says that events were missed, because the cursor
        is too old or a backup was restored: read your sessions. The oldest event follows. While
        pickerd cannot be reached, it waits, up to 30 seconds between attempts; every other
        PickerdError is raised, such as `badToken` and `notAllowed`.
        """
        epoch, _, position = after.rpartition(":")
        is_restarted = False
        while True:
            seconds = 0 if is_restarted else wait_seconds
            query: dict[str, str | int] = {"waitSeconds": seconds}
            if position:
                query["after"] = position
            if epoch:
                query["epoch"] = epoch
            if types:
                query["types"] = ",".join(types)
            try:
                headers, text = self._send("GET", f"/v1/feed?{urllib.parse.urlencode(query)}",
                                           wait_seconds=seconds, retry_seconds=float("inf"))
            except PickerdError as error:
                if error.status != 410:
                    raise
                epoch = error.problem.get("epoch", epoch)
                position, is_restarted = str(error.problem.get("oldest", 1) - 1), True
                continue
            epoch = headers["Feed-Epoch"]
            if is_restarted:
                yield {"type": "restarted", "cursor": f"{epoch}:{position}"}
            is_restarted = False
            for line in filter(None, text.split("\n")):
                event = json.loads(line)
                yield {**event, "cursor": f"{epoch}:{event['position']}"}
            position = headers["Feed-Position"]
