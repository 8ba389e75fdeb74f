import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// RoomServer PORT DELTA_BYTES: the same work as Tests/bench/bare does on libwebsockets, on
/// SwiftNIO: one event loop, and a delta's frame encoded once for all members.
let arguments = CommandLine.arguments
guard arguments.count == 3, let port = Int(arguments[1]), let deltaBytes = Int(arguments[2]) else {
  print("RoomServer PORT DELTA_BYTES")
  exit(64)
}

let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
let loop = group.next()
let rooms = try loop.submit { NIOLoopBound(Rooms(deltaBytes: deltaBytes), eventLoop: loop) }
  .wait()

let upgrader = NIOWebSocketServerUpgrader(
  shouldUpgrade: { channel, _ in
    var headers = HTTPHeaders()
    headers.add(name: "Sec-WebSocket-Protocol", value: "pickerd.v1")
    return channel.eventLoop.makeSucceededFuture(headers)
  },
  upgradePipelineHandler: { channel, head in
    channel.eventLoop.makeCompletedFuture {
      // First in the pipeline, so that its writes bypass the frame encoder.
      let writer = FrameWriter()
      try channel.pipeline.syncOperations.addHandler(writer, position: .first)
      let member = MemberHandler(writer: writer, room: rooms.value.room(at: head.uri))
      try channel.pipeline.syncOperations.addHandler(member)
    }
  })

let server = try ServerBootstrap(group: group)
  .serverChannelOption(.backlog, value: 1024)
  .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
  .childChannelInitializer { channel in
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.configureHTTPServerPipeline(
        withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
    }
  }
  .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
  .bind(host: "127.0.0.1", port: port).wait()
try server.closeFuture.wait()
