"""A room server on socketify, which is uWebSockets: each room is a topic, no compression."""

from collections import defaultdict

from room import CERTIFICATE, PORT, WELCOME, Room, is_join
from socketify import App, AppListenOptions, AppOptions, CompressOptions, OpCode

rooms = defaultdict(Room)
app = App(AppOptions(key_file_name=CERTIFICATE, cert_file_name=CERTIFICATE)
          if CERTIFICATE else None)


def upgrade(response, request, context):
    response.upgrade(request.get_header("sec-websocket-key"), "pickerd.v1", "", context,
                     request.get_url())


def message(member, text, _):
    path = member.get_user_data()
    if is_join(text):
        member.subscribe(path)
        member.send(WELCOME, OpCode.TEXT)
    else:
        app.publish(path, rooms[path].delta(text), OpCode.TEXT)


# Members are never skipped: by default those with 64 KiB of unsent messages are.
app.ws("/*", {"compression": CompressOptions.DISABLED, "max_backpressure": 16 << 20,
              "upgrade": upgrade, "message": message})
app.listen(AppListenOptions(port=PORT, host="127.0.0.1"))
# Blocks in libuv; app.run() would poll it beside asyncio, which this server does not use.
app.loop.uv_loop.run()
