"""Three PostgreSQL servers under Patroni, with etcd."""

import http.client
import json
import secrets
import subprocess
from pathlib import Path

from processes import PATH, Failure, accepts

POSTGRES = Path("/usr/lib/postgresql/15/bin")
DATABASES = 3


class Databases:
    """A primary and two standbys, of which one must have a commit before it is answered."""

    def __init__(self, processes, ports):
        self.processes, self.folder = processes, processes.folder
        self.passwords = {
            name: secrets.token_urlsafe(18) for name in ("postgres", "replicator", "pickerd")}
        self.etcd_ports = next(ports), next(ports)
        self.ports = {f"pg{n + 1}": (next(ports), next(ports)) for n in range(DATABASES)}
        self.passfile = self.folder / "passfile"

    def start(self):
        self.passfile.touch(mode=0o600)
        self.passfile.write_text("".join(
            f"*:*:*:{user}:{self.passwords[user]}\n" for user in ("pickerd", "postgres")))
        self.start_etcd()
        self.start_patroni()

    def start_etcd(self):
        client, peer = self.etcd_ports
        clients, peers = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
        self.processes.start("etcd", [
            "etcd", "--name", "etcd", "--data-dir", self.processes.mine("etcd"),
            "--listen-client-urls", clients, "--advertise-client-urls", clients,
            "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
            "--initial-cluster", f"etcd={peers}", "--log-level", "warn"], user=self.processes.user)
        self.processes.wait_until(lambda: accepts(client), "etcd")

    def start_patroni(self):
        # The first one creates the database; the others copy it.
        first, *others = self.ports
        for names in ([first], others):
            for name in names:
                self.processes.mine(name)
                settings = json.dumps(self.settings(name, *self.ports[name]), indent=1)
                path = self.processes.mine(f"{name}.yml", settings)
                self.processes.start(name, ["patroni", path], user=self.processes.user)
            self.processes.wait_until(lambda: all(map(self.role, names)), " or ".join(names))
        self.sql("postgres", f"CREATE ROLE pickerd LOGIN PASSWORD '{self.passwords['pickerd']}'")
        self.sql("postgres", "CREATE DATABASE pickerd OWNER pickerd")

    def settings(self, name, port, rest):
        """Patroni's settings of one server. YAML is a superset of JSON."""
        return {
            "scope": "pickerd", "name": name,
            "etcd3": {"hosts": f"127.0.0.1:{self.etcd_ports[0]}"},
            "restapi": {"listen": f"127.0.0.1:{rest}", "connect_address": f"127.0.0.1:{rest}"},
            "bootstrap": {
                "dcs": {
                    # A primary that has not renewed its lock for 6 s is replaced; one whose
                    # process has died, at once (primary_start_timeout).
                    "ttl": 6, "loop_wait": 1, "retry_timeout": 2, "primary_start_timeout": 0,
                    "master_start_timeout": 0, "maximum_lag_on_failover": 1 << 20,
                    "postgresql": {"use_pg_rewind": True, "use_slots": True, "parameters": {
                        "synchronous_commit": "on",
                        # A standby follows a new primary after half a second, not after 5 s.
                        "wal_retrieve_retry_interval": "500ms",
                        # A commit is answered when one of the other two has it.
                        "synchronous_standby_names": f"ANY 1 ({', '.join(self.ports)})"}}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"]},
            "postgresql": {
                "listen": f"127.0.0.1:{port}", "connect_address": f"127.0.0.1:{port}",
                "bin_dir": str(POSTGRES), "data_dir": str(self.folder / name / "data"),
                "pgpass": str(self.folder / name / "pgpass"),
                "authentication": {
                    role: {"username": user, "password": self.passwords[user]} for role, user in
                    (("superuser", "postgres"), ("replication", "replicator"))},
                "parameters": {
                    "unix_socket_directories": "", "shared_buffers": "32MB", "max_connections": 60},
                "pg_hba": ["host all all 127.0.0.1/32 scram-sha-256",
                           "host replication replicator 127.0.0.1/32 scram-sha-256"]}}

    def role(self, name):
        """The role that Patroni reports once PostgreSQL is running."""
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.ports[name][1], timeout=5)
            connection.request("GET", "/patroni")
            state = json.load(connection.getresponse())
            return state.get("role") if state.get("state") == "running" else None
        except (OSError, http.client.HTTPException, ValueError):
            return None

    def store(self):
        """The database's URL. libpq finds the primary; passwords are in the passfile."""
        hosts = ",".join(f"127.0.0.1:{port}" for port, _ in self.ports.values())
        return f"postgres://pickerd@{hosts}/pickerd?target_session_attrs=read-write"

    def sql(self, database, statement):
        """Runs a statement on the primary as the superuser."""
        address = self.store().replace("pickerd@", "postgres@")
        address = address.replace("/pickerd?", f"/{database}?")
        done = subprocess.run(
            ["psql", "-X", "-q", "-d", address, "-v", "ON_ERROR_STOP=1"], input=statement,
            text=True, capture_output=True, timeout=60,
            env={**PATH, "PGPASSFILE": str(self.passfile)})
        if done.returncode:
            raise Failure(f"PostgreSQL refuses: {done.stderr}")
