import CWebSocketLoop

extension wsl_limits {
  init(_ configuration: SocketLoopConfiguration, connectionsMax: Int) {
    self.init(
      connections_max: UInt32(connectionsMax),
      message_bytes_max: UInt32(configuration.messageBytesMax),
      fragments_max: UInt32(configuration.fragmentsMax),
      assembly_ms: UInt32(configuration.assemblyMilliseconds),
      body_bytes_max: UInt32(configuration.bodyBytesMax),
      header_ms: UInt32(configuration.headerMilliseconds),
      body_ms: UInt32(configuration.bodyMilliseconds),
      answer_ms: UInt32(configuration.answerMilliseconds),
      idle_seconds: UInt32(configuration.idleSeconds),
      ping_ms: UInt32(configuration.pingMilliseconds),
      pong_ms: UInt32(configuration.pongMilliseconds),
      close_ms: UInt32(configuration.closeMilliseconds))
  }
}
