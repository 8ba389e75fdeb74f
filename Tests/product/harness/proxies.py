"""The shipped configurations of nginx, HAProxy and Caddy, started in front of a server."""

import contextlib
import http.client
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess

from .certificates import Authority
from .patience import PATIENCE
from .pickerd import REPOSITORY, Pickerd, wait_until
from .ports import free_ports


def substituted(text, changes):
    """`text` with every key of `changes` replaced; each must occur."""
    for old, new in changes.items():
        assert old in text, f"the shipped configuration no longer has {old!r}"
        text = text.replace(old, new)
    return text


#: The line of a node in nginx.conf.
NGINX_SERVER = "server 127.0.0.1:7681 max_fails=1 fail_timeout=2s;"


class Proxy:
    """A proxy with the shipped configuration; only names, addresses and paths are replaced.

    HAProxy's checks have more time: a busy machine may delay the answer of a node. A backend is a
    port of 127.0.0.1, or the path of a Unix socket. `apis` are the ports of the
    nodes' `--api-listen`, for HAProxy. With a `prefix` the server is below that path,
    see deploy/README.md; if `removes`, the proxy removes it from the requests.
    """

    #: How each proxy writes a Unix socket.
    UNIX = {"nginx": "unix:", "haproxy": "unix@", "caddy": "unix/"}

    def __init__(self, kind, folder, *backends, port=None, prefix="", removes=False, apis=()):
        self.kind, self.folder = kind, folder
        self.prefix, self.removes = prefix, removes
        self.backends = [
            f"127.0.0.1:{each}" if isinstance(each, int) else f"{self.UNIX[kind]}{each}"
            for each in backends]
        self.apis = apis
        self.http_port, self.port, self.admin_port, self.api_port = free_ports(4)
        self.port = port or self.port
        authority = Authority(folder)
        self.issued, self.root = authority.issue(), authority.root
        self.log = (folder / "log").open("wb")
        self.processes = []
        self.environment = {}
        self._start(*getattr(self, f"_{kind}")())
        wait_until(self._accepts, what=f"{kind}'s listener")
        self.context = ssl.create_default_context(cafile=self.root)
        # For members: their library reads and writes in two threads, which Python's TLS sockets do
        # not support. With TLS 1.3, whose session tickets arrive after the handshake, 1 of 100
        # handshakes was lost (Python 3.11).
        self.member_context = ssl.create_default_context(cafile=self.root)
        self.member_context.maximum_version = ssl.TLSVersion.TLSv1_2

    def _start(self, *arguments):
        self.processes.append(subprocess.Popen(
            arguments, stdout=self.log, stderr=self.log, cwd=self.folder,
            env={"HOME": str(self.folder), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                 **self.environment}))

    def _accepts(self):
        assert self.processes[-1].poll() is None, (self.folder / "log").read_text()
        # Caddy listens before its authority has issued the certificate.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        try:
            with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as probe:
                context.wrap_socket(probe, server_hostname="localhost").close()
            return True
        except OSError:
            return False

    def _shipped(self, name, changes):
        text = substituted((REPOSITORY / "deploy" / name).read_text(), changes)
        path = self.folder / name
        path.write_text(text)
        return path

    def _nginx(self):
        site = self._shipped("nginx.conf", {
            "location / {": f"location {self.prefix}/ {{",
            "location = /v1/clock": f"location = {self.prefix}/v1/clock",
            "proxy_pass http://pickerd;": f"proxy_pass http://pickerd{'/' * self.removes};",
            NGINX_SERVER: "\n  ".join(
                NGINX_SERVER.replace("127.0.0.1:7681", backend) for backend in self.backends),
            "listen 80;": f"listen 127.0.0.1:{self.http_port};",
            "listen 443 ssl": f"listen 127.0.0.1:{self.port} ssl",
            "/etc/letsencrypt/live/pick.example.org/fullchain.pem": str(self.issued.certificate),
            "/etc/letsencrypt/live/pick.example.org/privkey.pem": str(self.issued.key),
            "/var/log/nginx/pickerd.log": str(self.folder / "access.log"),
            "server_name pick.example.org;": "server_name localhost;"})
        folders = "\n".join(
            f"{name}_temp_path {self.folder}/{name};"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        main = self.folder / "main.conf"
        main.write_text(
            f"daemon off; user root; worker_processes 1; pid {self.folder}/pid;\n"
            "error_log stderr; events { worker_connections 200; }\n"
            f"http {{ {folders} include {site}; }}\n")
        return [program("nginx"), "-p", self.folder, "-c", main, "-e", "stderr"]

    def _haproxy(self):
        https = "http-request redirect scheme https code 301 unless { ssl_fc }\n"
        removes = f"  http-request replace-path {self.prefix}(/.*) \\1\n" if self.removes else ""
        clock = "/v1/clock" if self.removes else f"{self.prefix}/v1/clock"
        path = self._shipped("haproxy.cfg", {
            https: https + removes,
            "{ path /v1/clock }": f"{{ path {clock} }}",
            "bind :80": f"bind 127.0.0.1:{self.http_port}",
            "bind :443": f"bind 127.0.0.1:{self.port}",
            "/etc/haproxy/pick.example.org.pem": str(self.issued.both),
            '"${PICKERD_LOG-/dev/log}" local0': "stderr format raw local0",
            "  user haproxy\n  group haproxy\n": "",
            "  timeout connect 5s\n": "  timeout connect 5s\n  timeout check 30s\n",
            '"${PICKERD_API_BIND-127.0.0.1:7685}"': f"127.0.0.1:{self.api_port}",
            "server pickerd 127.0.0.1:7681": f"server pickerd {self.backends[0]}",
            **{f"server node{n} 10.0.0.{n}:7684": f"server node{n} 127.0.0.1:{api}"
               for n, api in enumerate(self.apis, start=1)},
            **{f"server node{n} 10.0.0.{n}:7681": f"server node{n} {backend}"
               for n, backend in enumerate(self.backends, start=1) if self.backends[1:]}})
        if self.backends[1:]:
            self.environment["PICKERD_BACKEND"] = "cluster"
        subprocess.run([program("haproxy"), "-c", "-f", path], check=True, capture_output=True,
                       env={**os.environ, **self.environment})
        return [program("haproxy"), "-db", "-f", path]

    def _caddy(self):
        assert not self.removes
        path = self._shipped("Caddyfile", {
            "respond /v1/clock 404": f"respond {self.prefix}/v1/clock 404",
            "grace_period 10s": "grace_period 10s\n\tskip_install_trust\n\tdefault_bind 127.0.0.1"
                                f"\n\tadmin 127.0.0.1:{self.admin_port}\n"
                                f"\thttp_port {self.http_port}\n\thttps_port {self.port}"})
        # Its own authority issues certificates for localhost.
        self.root = self.folder / ".local/share/caddy/pki/authorities/local/root.crt"
        self.environment |= {"DOMAIN": "localhost", "PICKERD": self.backends[0]}
        return [program("caddy"), "run", "--adapter", "caddyfile", "--config", path]

    def reload(self):
        """Reloads the configuration, as `systemctl reload` does."""
        match self.kind:
            case "nginx":
                self.processes[0].send_signal(signal.SIGHUP)
            case "haproxy":
                # What its master process does: a new process takes over the listeners. The kernel
                # resets connections that the old one has not accepted before it closes its own.
                old = self.processes[-1].pid
                self._start(*self._haproxy(), "-sf", str(old))
                wait_until(lambda: f"({old}) : Proxy public stopped" in self.access_log(),
                           what="the end of the old listeners")
            case "caddy":
                subprocess.run(
                    [program("caddy"), "reload", "--force", "--adapter", "caddyfile", "--config",
                     self.folder / "Caddyfile", "--address", f"127.0.0.1:{self.admin_port}"],
                    check=True, capture_output=True, cwd=self.folder,
                    env={**os.environ, **self.environment})

    def connection(self, timeout=PATIENCE, source=None):
        """A connection of a client."""
        return http.client.HTTPSConnection(
            "localhost", self.port, timeout=timeout, context=self.context,
            source_address=(source, 0) if source else None)

    def access_log(self):
        """Everything that the proxy has logged."""
        access = self.folder / "access.log"
        return (access.read_text() if access.exists() else "") + (self.folder / "log").read_text()

    def stop(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.log.close()


def program(name):
    """The path of a program that Debian may install in /usr/sbin."""
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin")
    assert found, f"{name} is not installed: make test installs it"
    return found


@contextlib.contextmanager
def traced(server, calls, trace):
    """Writes the server's system calls with these names into a file."""
    strace = subprocess.Popen(
        [program("strace"), "-f", "-p", str(server.process.pid), "-e", f"trace={calls}",
         "-o", trace], stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"})
    try:
        assert b"attached" in strace.stderr.readline()
        yield
    finally:
        strace.terminate()
        strace.wait()


class ProxiedPickerd(Pickerd):
    """A server whose clients connect through a proxy with TLS, which may use a Unix socket.

    With a `prefix` its clients reach it below that path.
    """

    def __init__(self, log, proxy_kind, folder, is_unix=False, prefix="", removes=False, **rest):
        self.proxy = None
        self.prefix = prefix
        port = free_ports(1)[0]
        if prefix:
            rest["environment"] = {"PICKERD_PUBLIC_URL": f"https://localhost:{port}{prefix}/"}
        place = str(folder / "web") if is_unix else free_ports(1)[0]
        listen = f"unix:{place}" if is_unix else f"127.0.0.1:{place}"
        super().__init__(log, listen=listen, **rest)
        self.proxy = Proxy(
            proxy_kind, folder, place, port=port, prefix=prefix, removes=removes)

    def connection(self, port=None, timeout=PATIENCE, source=None):
        """A connection through the proxy, or directly to `port`."""
        if port:
            return super().connection(port, timeout)
        return self.proxy.connection(timeout, source)

    def request(self, method, path, body=None, *, port=None, **rest):
        return super().request(method, path if port else self.prefix + path, body, port=port, **rest)

    def socket(self, path):
        return f"wss://localhost:{self.proxy.port}{self.prefix}{path}"

    def stop(self):
        if self.proxy:
            self.proxy.stop()
        super().stop()


def redirect(proxy):
    """The response of the proxy's HTTP listener to `GET /x`: status and Location without port."""
    connection = http.client.HTTPConnection("127.0.0.1", proxy.http_port, timeout=PATIENCE)
    connection.request("GET", "/x", headers={"Host": "localhost"})
    response = connection.getresponse()
    location = re.sub(r":\d+/", "/", response.getheader("Location"))
    connection.close()
    return response.status, location
