"""The proxy configurations in deploy/ with a Unix socket between proxy and server."""

import ssl

import pytest

from harness.definitions import LISTS
from harness.proxies import ProxiedPickerd
from test_event_streams import Watcher
from test_http_commands import Poster
from test_proxies import PROXIES, create_from, create_until_limited


@pytest.mark.parametrize("kind", PROXIES)
def test_a_unix_socket_can_connect_proxy_and_server(kind, tmp_path, monkeypatch):
    server = ProxiedPickerd(
        tmp_path / "pickerd.log", kind, tmp_path, is_unix=True, clock=None,
        limits={"createsPerSecond": 3},
        options=("--store", f"sqlite:{tmp_path}/store.sqlite", "--host", "localhost"))
    monkeypatch.setattr(ssl, "create_default_context", lambda: server.proxy.member_context)
    session = server.session(LISTS, now=None)
    ana = session.join("Ana")
    watcher = Watcher(session)
    Poster(session).do("select", column=1, row=2, generation=1)
    watcher.reach(1)
    watcher.close()
    create_until_limited(server, 30, lambda _: create_from(server, "127.0.0.2"))
    ana.drain(0.05)
    server.kill()
    server.start()

    back = session.back(ana)
    back.select(0, 1)
    session.agree()
    session.forget()
    server.stop()
