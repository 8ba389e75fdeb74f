"""Runs an example: python3 web/examples/run.py NAME [PORT]

Starts pickerd with a store in memory, creates the sessions of NAME/sessions.json, and serves
NAME/index.html, in which {{pickerd}} is the address of pickerd, and {{stay}} the link of the session
`stay`. Where there is a NAME/host.py, it prepares what the sessions use, and works as the host;
where there is a NAME/site.py, it writes the page. Needs Python's standard library, and pickerd as `make` builds it, or in PICKERD=.
"""

import http.server, importlib.util, json, os, pathlib, re, signal, subprocess, sys, threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "packages/server"))

from pickerd import Pickerd  # noqa: E402  the backend kit


def started(origin):
    """Starts pickerd for a page; the process and the addresses of its API and for its operator."""
    program = os.environ.get("PICKERD", HERE.parents[1] / ".build/release/pickerd")
    process = subprocess.Popen(
        [program, "serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
         "--store", "memory:", "--origin", origin], stdout=subprocess.PIPE, text=True)
    addresses = {}
    for line in process.stdout:
        found = re.search(r"pickerd (admin|serves) (\S+)", line)
        if found:
            addresses[found[1]] = found[2].rstrip("/")
        if len(addresses) == 2:
            return process, addresses["serves"], addresses["admin"]
    sys.exit("pickerd has not started")


def module(path):
    """The module at a path; None if there is none."""
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


class Site(http.server.BaseHTTPRequestHandler):
    """The page of the example; run() sets its attributes."""

    def do_GET(self):
        fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        self.send_response(200 if self.path.split("?")[0] == "/" else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        text = (self.folder / "index.html").read_text()
        for name, value in {"pickerd": self.base, **self.links}.items():
            text = text.replace("{{" + name + "}}", value)
        if self.site:
            text = self.site.page(text, self.api, self.base, self.ids, fields)
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def run(name, port=8000):
    folder = HERE / name
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Site)
    process, base, admin = started(f"http://127.0.0.1:{server.server_port}")
    api, host = Pickerd(base), module(folder / "host.py")
    bodies = json.loads((folder / "sessions.json").read_text())
    if hasattr(host, "prepare"):
        host.prepare(api)
    ids = {each: api.create(body)["session"] for each, body in bodies.items()}
    Site.folder, Site.base, Site.api, Site.ids = folder, base, api, ids
    Site.links = {each: f"{base}/s/{id}" for each, id in ids.items()}
    Site.site = module(folder / "site.py")
    if hasattr(host, "work"):
        threading.Thread(target=host.work, args=(api, Pickerd(admin)), daemon=True).start()
    print(f"{name}: http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    finally:
        process.terminate()


if __name__ == "__main__":
    run(*sys.argv[1:])
