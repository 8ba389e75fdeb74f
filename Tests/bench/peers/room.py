"""What the servers in Python share: their arguments, PORT DELTA_BYTES [CERTIFICATE], and a room."""

import json
import logging
import ssl
import sys

PORT, DELTA_BYTES = int(sys.argv[1]), int(sys.argv[2])
CERTIFICATE = sys.argv[3] if len(sys.argv) > 3 else None
WELCOME = '{"type":"welcome"}'
# A connection that ends without a close frame is no error here.
logging.disable()


def tls():
    """The context of a server with the certificate, whose file also has the key."""
    if not CERTIFICATE:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


class Room:
    """Members that receive each other's taps."""

    def __init__(self):
        self.members = set()
        self.revision = 0

    def delta(self, tap):
        """The delta of a tap, as long as pickerd's."""
        self.revision += 1
        head = (f'{{"type":"delta","revision":{self.revision},"changes":[{{"change":"row",'
                f'"column":0,"row":{json.loads(tap)["row"]},"text":"')
        return head.ljust(DELTA_BYTES - 4, "x") + '"}]}'


def is_join(message):
    return message[9:10] in ("j", b"j")
