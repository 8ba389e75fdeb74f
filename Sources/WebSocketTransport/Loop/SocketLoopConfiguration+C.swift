import CWebSocketLoop

extension wsl_limits {
  init(_ configuration: SocketLoopConfiguration) {
    self.init(
      connections_max: UInt32(configuration.connectionsMax),
      network_connections_max: UInt32(configuration.addressConnectionsMax),
      count: configuration.connections?.count,
      message_bytes_max: UInt32(configuration.messageBytesMax),
      fragments_max: UInt32(configuration.fragmentsMax),
      assembly_ms: UInt32(configuration.assemblyMilliseconds),
      body_bytes_max: UInt32(configuration.bodyBytesMax),
      bodies_bytes_max: UInt64(configuration.bodiesBytesMax),
      bodies_bytes: configuration.bodies?.count,
      unsent_bytes_max: UInt64(configuration.unsent?.byteCountMax ?? .max),
      unsent_bytes: configuration.unsent?.count,
      header_ms: UInt32(configuration.headerMilliseconds),
      body_ms: UInt32(configuration.bodyMilliseconds),
      answer_ms: UInt32(configuration.answerMilliseconds),
      idle_seconds: UInt32(configuration.idleSeconds),
      ping_ms: UInt32(configuration.pingMilliseconds),
      pong_ms: UInt32(configuration.pongMilliseconds),
      close_ms: UInt32(configuration.closeMilliseconds),
      descriptors_each: configuration.hasTLS ? 3 : configuration.owners != nil ? 2 : 1)
  }
}
