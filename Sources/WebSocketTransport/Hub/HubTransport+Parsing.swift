import BackgroundWork

/// Large request bodies.
extension HubTransport {
  /// Counts a body that is needed after its request has been read towards `bodiesBytesMax`.
  ///
  /// - Parameter byteCount: Negative when the body is needed no more.
  package func countBody(_ byteCount: Int) {
    loop.bodies.add(byteCount)
  }

  /// Parses a request's body on another thread, then calls `then` on this one.
  ///
  /// Bodies of all loops are parsed one at a time. The body counts towards `bodiesBytesMax` until
  /// it is parsed, which bounds the queue.
  package func parseInBackground<Parsed: Sendable>(
    _ body: HTTPBody, _ parse: @escaping @Sendable ([UInt8]) -> Parsed,
    then: @escaping (Parsed) -> Void
  ) {
    // Safe: both are passed through the other thread, but only used on the loop's.
    nonisolated(unsafe) let then = then
    nonisolated(unsafe) let transport = self
    HubTransport.parsing.async { [loop] in
      let parsed = parse(body.bytes)
      loop.post {
        then(parsed)
        transport.rearm()
      }
    }
  }
}
