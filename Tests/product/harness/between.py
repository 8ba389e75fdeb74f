"""An HTTP proxy between `pickerd deliver` and a server, to do something at a named request."""

import http.client
import http.server
import threading


class Between(http.server.ThreadingHTTPServer):
    """Forwards to the server's admin listener, wherever that is now.

    `hook(method, path, phase)` is called `before` and `after` a request is forwarded; if it returns
    True, the connection is closed without an answer.
    """

    daemon_threads = True

    def __init__(self, server, hook):
        self.server, self.hook = server, hook
        super().__init__(("127.0.0.1", 0), Forwarding)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Forwarding(http.server.BaseHTTPRequestHandler):
    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        between = self.server
        if between.hook(self.command, self.path, "before"):
            return
        connection = between.server.connection(port=between.server.admin_port)
        try:
            connection.request(self.command, self.path, body, dict(self.headers))
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            # The server is being killed or started: `deliver` has no answer either.
            return
        finally:
            connection.close()
        if between.hook(self.command, self.path, "after"):
            return
        self.send_response(response.status)
        self.send_header("Content-Type", response.getheader("Content-Type", "text/plain"))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content)
        except OSError:
            pass

    do_GET = do_PUT = do_DELETE = forward

    def log_message(self, *_):
        pass
