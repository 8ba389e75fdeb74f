import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// RoomServer PORT DELTA_BYTES [CERTIFICATE]: the same work as Tests/bench/bare does on
/// libwebsockets, on SwiftNIO: one event loop, and a delta's frame encoded once for all members.
/// The file also has the certificate's key.
let arguments = CommandLine.arguments
guard (3...4).contains(arguments.count), let port = Int(arguments[1]),
  let deltaBytes = Int(arguments[2])
else {
  print("RoomServer PORT DELTA_BYTES [CERTIFICATE]")
  exit(64)
}
let tls = try arguments.dropFirst(3).first.map { file in
  try NIOSSLContext(
    configuration: .makeServerConfiguration(
      certificateChain: NIOSSLCertificate.fromPEMFile(file).map { .certificate($0) },
      privateKey: .privateKey(NIOSSLPrivateKey(file: file, format: .pem))))
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
      // Directly before the socket or TLS, so that its writes bypass the frame encoder.
      let writer = FrameWriter()
      let tls = try? channel.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
      try channel.pipeline.syncOperations.addHandler(
        writer, position: tls.map { .after($0) } ?? .first)
      let member = MemberHandler(writer: writer, room: rooms.value.room(at: head.uri))
      try channel.pipeline.syncOperations.addHandler(member)
    }
  })

let server = try ServerBootstrap(group: group)
  .serverChannelOption(.backlog, value: 1024)
  .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
  .childChannelInitializer { channel in
    channel.eventLoop.makeCompletedFuture {
      if let tls {
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
      }
      try channel.pipeline.syncOperations.configureHTTPServerPipeline(
        withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
    }
  }
  .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
  .bind(host: "127.0.0.1", port: port).wait()
try server.closeFuture.wait()
