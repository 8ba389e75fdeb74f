"""A session: its members and its HTTP resources."""

import json
import time
from urllib.parse import urlencode

from . import contract
from .member import Member
from .patience import PATIENCE


class Session:
    """Created by `Pickerd.session`; closes the connections that a test leaves open."""

    def __init__(self, server, created):
        self.server = server
        self.id = created["session"]
        self.epoch = created["epoch"]
        self.tokens = created.get("tokens", {})
        self.owner_token = created.get("ownerToken")
        self.path = f"/v1/sessions/{self.id}"
        self.members = []

    @property
    def url(self):
        return self.server.socket(self.path)

    # Members

    def join(self, name=None, *, role=None, **fields):
        """A joined member; `role` selects the token with `--auth token`."""
        if role or self.tokens:
            fields.setdefault("token", self.tokens[role or "owner"])
        return self.track(Member(self.url, name, **fields))

    def connect(self, **rest):
        """An open connection that has not joined."""
        return self.track(Member(self.url, join=False, **rest))

    def back(self, member, revision=None, epoch=None, **fields):
        """Resumes `member` on a new connection."""
        return self.track(member.come_back(revision, epoch, **fields))

    def track(self, member):
        self.members.append(member)
        return member

    def together(self, *names, **fields):
        """Joins members and waits until each has all others in its presence."""
        members = [self.join(name, **fields) for name in names]
        for member in members:
            member.until(lambda m: len(m.screen.members) >= len(names), what="everybody")
        return members

    # HTTP

    def get(self, locale=None, full=False, token=None, **query):
        """`GET` of the session, validated."""
        query |= {"locale": locale, "definition": "full" if full else None}
        query = {name: value for name, value in query.items() if value}
        path = self.path + ("?" + urlencode(query) if query else "")
        answer = self.server.get(path, token=token or self.tokens.get("owner"))
        assert answer.status == 200, answer
        assert answer.type == "application/json", answer.headers
        got = contract.fits("session", answer.json)
        assert (got["session"], got["epoch"]) == (self.id, self.epoch), got
        assert got["status"] == got["snapshot"]["status"], got
        return got

    def revision(self):
        return self.get()["revision"]

    def result(self):
        return self.get()["snapshot"]["result"]

    def log(self, after=None):
        """`GET …/log`: the validated lines, without gaps."""
        query = "" if after is None else f"?after={after}"
        answer = self.server.get(f"{self.path}/log{query}", token=self.tokens.get("owner"))
        assert answer.status == 200, answer
        assert answer.type == "application/x-ndjson", answer.headers
        assert not answer.body or answer.body.endswith(b"\n"), "the last line has no newline"
        lines = [contract.fits("logLine", json.loads(l)) for l in answer.body.splitlines()]
        first = (after or 0) + 1
        assert [l["revision"] for l in lines] == list(range(first, first + len(lines))), lines
        return lines

    def delete(self, token=None):
        return self.server.delete(self.path, token=token or self.tokens.get("owner"))

    def patch(self, what, change):
        """Merges a change into the `definition` or the `notes`; the answer."""
        answer = self.server.request(
            "PATCH", f"{self.path}/{what}", change, token=self.tokens.get("owner"),
            headers={"Content-Type": "application/merge-patch+json"})
        assert answer.status == 200, answer
        return answer

    # After the test

    def agree(self):
        """Asserts that every connected member has folded the server's state."""
        for member in self.members:
            until = time.monotonic() + PATIENCE
            while (differs := self.difference(member)) is not None:
                assert time.monotonic() < until, f"{member} differs: {differs}"
                member.drain(0.02)

    def difference(self, member):
        """The first difference between a member's state and the server's, or None."""
        member.drain()
        if not member.is_open or member.welcome is None:
            return None
        token = member.joined_with.get("token") or self.tokens.get("owner")
        server = self.get(member.joined_with.get("locale"), token=token)
        if member.pending:
            return f"not answered: {list(member.pending)[:5]}"
        if not member.screen.has_other_texts and (differs := member.screen.differs_from(server)):
            return differs
        theirs = {m["id"]: m for m in server["members"] if m["id"] != member.id}
        mine = {id: m for id, m in member.screen.members.items() if id != member.id}
        return None if mine == theirs else f"members {mine}, server {theirs}"

    def forget(self):
        """Drops all connections."""
        for member in self.members:
            if not member.is_dropped:
                member.drop()
