"""Three PostgreSQL servers under Patroni, each with a member of etcd."""

import http.client
import json
import secrets
from pathlib import Path

from processes import accepts

HERE = Path(__file__).resolve().parent
POSTGRES = Path("/usr/lib/postgresql/15/bin")
DATABASES = 3


class Databases:
    """A primary and two standbys. One of them must have a commit before it is answered, and is
    promoted when the primary is lost; Patroni chooses it.

    `addresses` are those of the servers' machines, by name; without one, it is this machine.
    """

    def __init__(self, processes, ports, addresses):
        self.processes, self.folder = processes, processes.folder
        self.passwords = {
            name: secrets.token_urlsafe(18) for name in ("postgres", "replicator", "pickerd")}
        names = [f"pg{n + 1}" for n in range(DATABASES)]
        self.addresses = {name: addresses.get(name, "127.0.0.1") for name in names}
        #: Of PostgreSQL, of Patroni's HTTP server, and of etcd for clients and for its members.
        self.ports = {name: tuple(next(ports) for _ in range(4)) for name in names}
        self.passfile = self.folder / "passfile"

    def start(self):
        self.passfile.touch(mode=0o600)
        self.passfile.write_text("".join(
            f"*:*:*:{user}:{self.passwords[user]}\n" for user in ("pickerd", "postgres")))
        for name in self.ports:
            self.start_etcd(name)
        self.processes.wait_until(
            lambda: all(accepts(ports[2], self.addresses[name])
                        for name, ports in self.ports.items()), "etcd")
        self.start_patroni()

    def start_etcd(self, name):
        clients, peers = self.url(name, 2), self.url(name, 3)
        cluster = ",".join(f"etcd-{each}={self.url(each, 3)}" for each in self.ports)
        self.processes.start(f"etcd-{name}", [
            "etcd", "--name", f"etcd-{name}", "--data-dir", self.processes.mine(f"etcd-{name}"),
            "--listen-client-urls", clients, "--advertise-client-urls", clients,
            "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
            "--initial-cluster", cluster, "--log-level", "warn", "--enable-v2",
            "--heartbeat-interval", "100", "--election-timeout", "500"], user=self.processes.user,
            keep=True)

    def url(self, name, port):
        return f"http://{self.addresses[name]}:{self.ports[name][port]}"

    def start_patroni(self):
        # The first one creates the database; the others copy it.
        first, *others = self.ports
        self.script = self.processes.mine(
            "create-database.sh", (HERE / "create-database.sh").read_text(), mode=0o700)
        for names in ([first], others):
            for name in names:
                self.processes.mine(name)
                settings = self.processes.mine(f"{name}.d")
                self.processes.mine(f"{name}.d/1.yml", (HERE / "patroni.yml").read_text())
                self.processes.mine(f"{name}.d/2.yml", json.dumps(self.settings(name), indent=1))
                self.processes.start(
                    name, ["patroni", settings], user=self.processes.user, keep=True,
                    environment={"PICKERD_DATABASE_PASSWORD": self.passwords["pickerd"]})
            self.processes.wait_until(lambda: all(map(self.role, names)), " or ".join(names))
        self.processes.wait_until(
            lambda: "synchronous standby" in map(self.role, self.ports), "synchronous standby")

    def settings(self, name):
        """What differs from patroni.yml. YAML is a superset of JSON."""
        address, (port, rest, *_) = self.addresses[name], self.ports[name]
        return {
            "name": name,
            # Not etcd3: see compose.yaml.
            "etcd": {"hosts": [
                f"{self.addresses[each]}:{ports[2]}" for each, ports in self.ports.items()]},
            "restapi": {"listen": f"{address}:{rest}", "connect_address": f"{address}:{rest}"},
            "bootstrap": {
                "post_init": str(self.script),
                "dcs": {
                    # As short as they can be on one machine, which may be busy: loop_wait + 2 *
                    # retry_timeout must not be more than ttl.
                    "ttl": 5, "retry_timeout": 2,
                    "postgresql": {"parameters": {"wal_keep_size": "256MB"}}}},
            "postgresql": {
                "listen": f"{address}:{port}", "connect_address": f"{address}:{port}",
                "bin_dir": str(POSTGRES), "data_dir": str(self.folder / name / "data"),
                "pgpass": str(self.folder / name / "pgpass"),
                "authentication": {
                    role: {"username": user, "password": self.passwords[user]} for role, user in
                    (("superuser", "postgres"), ("replication", "replicator"))},
                "parameters": {"shared_buffers": "32MB"}}}

    def role(self, name):
        """The role that Patroni reports once PostgreSQL is running."""
        try:
            connection = http.client.HTTPConnection(
                self.addresses[name], self.ports[name][1], timeout=5)
            connection.request("GET", "/patroni")
            state = json.load(connection.getresponse())
            if state.get("state") != "running":
                return None
            return "synchronous standby" if state.get("sync_standby") else state.get("role")
        except (OSError, http.client.HTTPException, ValueError):
            return None

    def store(self):
        """The database's URL. libpq finds the primary; passwords are in the passfile."""
        hosts = ",".join(f"{self.addresses[name]}:{self.ports[name][0]}" for name in self.ports)
        return f"postgres://pickerd@{hosts}/pickerd?target_session_attrs=read-write"
