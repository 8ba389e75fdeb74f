// A room server on ws: PORT DELTA_BYTES [CERTIFICATE]. A delta is encoded once; no compression.
const fs = require("node:fs");
const { createServer } = process.argv[4] ? require("node:https") : require("node:http");
const { WebSocketServer, WebSocket } = require("ws");

const [port, deltaBytes] = process.argv.slice(2, 4).map(Number);
const pem = process.argv[4] && fs.readFileSync(process.argv[4]);
const rooms = new Map();

function roomAt(path) {
  if (!rooms.has(path)) rooms.set(path, { members: new Set(), revision: 0 });
  return rooms.get(path);
}

// As long as pickerd's for the same tap.
function deltaOf(room, tap) {
  const head = `{"type":"delta","revision":${++room.revision},"changes":[{"change":"row",`
    + `"column":0,"row":${JSON.parse(tap).row},"text":"`;
  return Buffer.from(head.padEnd(deltaBytes - 4, "x") + '"}]}');
}

const server = createServer(pem ? { cert: pem, key: pem } : {});
const sockets = new WebSocketServer({
  server, clientTracking: false, perMessageDeflate: false, skipUTF8Validation: true,
});
sockets.on("connection", (member, request) => {
  const room = roomAt(request.url);
  member.on("message", (message) => {
    if (message[9] === 0x6a) {  // {"type":"join"
      room.members.add(member);
      return member.send('{"type":"welcome"}');
    }
    const delta = deltaOf(room, message);
    for (const each of room.members) {
      if (each.readyState === WebSocket.OPEN) each.send(delta, { binary: false });
    }
  });
  member.on("close", () => room.members.delete(member));
});
server.listen({ port, host: "127.0.0.1", backlog: 1024 });
