import CWebSocketLoop
package import PickerHub
import Synchronization

/// A WebSocket and HTTP/1.1 server on one thread, over libwebsockets.
///
/// RFC 6455 is the loop's own business: it assembles messages, validates UTF-8, pings, and closes
/// who breaks a rule or a limit; the handler hears whole messages and the end. Everything but
/// ``post(_:)`` and the static functions belongs to the thread that calls ``run()``.
///
/// `@unchecked Sendable` for `post` alone: what it touches is in the mailbox's mutex.
package final class SocketLoop: @unchecked Sendable {
  /// Who is told. Held strongly until ``run()`` returns; set it before.
  package var handler: (any SocketLoopHandler)?

  let configuration: SocketLoopConfiguration
  var loop: OpaquePointer?
  var admitted: UpgradeRequest?
  /// How long event-loop iterations were busy.
  package internal(set) var iterationSeconds = Histogram.seconds
  private let mailbox = Mutex(Mailbox())

  private struct Mailbox {
    var work: [@Sendable () -> Void] = []
    var isOpen = true
  }

  /// - Throws: ``SocketLoopProblem`` if libwebsockets or its libuv plugin cannot be started.
  package init(_ configuration: SocketLoopConfiguration) throws(SocketLoopProblem) {
    self.configuration = configuration
    var limits = wsl_limits(configuration)
    var handlers = SocketLoop.handlers
    let names = configuration.subprotocols.map { Array($0.utf8CString) }
    let problem = Problem()
    // The names live in `names` until the call is over; C wants an array of pointers to them.
    let pointers = names.map { name in
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: name.count)
      _ = copy.initialize(from: name)
      return copy
    }
    defer { for pointer in pointers { pointer.deallocate() } }
    loop = wsl_create(
      &limits, pointers.map { UnsafePointer($0.baseAddress) }, names.count, &handlers,
      Unmanaged.passUnretained(self).toOpaque(), problem.text, Problem.capacity)
    if loop == nil { throw problem.thrown() }
  }

  deinit {
    if let loop { wsl_destroy(loop) }
  }

  /// Listens at exactly one numeric address, IPv4 or IPv6, once per loop and audience.
  ///
  /// - Parameters:
  ///   - port: 0 is any free port.
  ///   - isAdmin: Requests of this listener's connections have ``RequestHead/isAdmin`` set, and
  ///     the connections stay on this loop.
  /// - Returns: The real port.
  /// - Throws: ``SocketLoopProblem``. The loop is unchanged.
  package func listen(
    host: String, port: UInt16, isAdmin: Bool = false
  ) throws(SocketLoopProblem) -> UInt16 {
    let problem = Problem()
    let audience = isAdmin ? WSL_ADMIN : WSL_PUBLIC
    let real = wsl_listen(loop, audience, host, port, problem.text, Problem.capacity)
    guard let real = UInt16(exactly: real) else { throw problem.thrown() }
    return real
  }

  /// Serves until ``stop()`` or the end of a ``drain(withinMilliseconds:)``; ends all connections
  /// that are left, each with its `closed`; and frees everything. Once per loop.
  package func run() {
    wsl_run(loop)
    mailbox.withLock { mailbox in
      mailbox.isOpen = false
      mailbox.work = []
    }
    wsl_destroy(loop)
    loop = nil
    handler = nil
  }

  /// Accepts no more connections. Those that are open stay.
  package func stopListening() { wsl_stop_listening(loop) }

  /// Stops listening, and stops the loop when the last connection is gone, after that time at the
  /// latest. Closing the WebSockets (1001) is the handler's.
  package func drain(withinMilliseconds: Int) {
    wsl_drain(loop, UInt32(clamping: withinMilliseconds))
  }

  /// Makes ``run()`` return soon.
  package func stop() { wsl_stop(loop) }

  /// Does `work` soon, on the loop's thread, in the order of posting. From any thread.
  ///
  /// - Returns: False if the loop is over; the work is dropped then.
  @discardableResult
  package func post(_ work: @escaping @Sendable () -> Void) -> Bool {
    mailbox.withLock { mailbox in
      guard mailbox.isOpen else { return false }
      mailbox.work.append(work)
      if mailbox.work.count == 1 { wsl_wake(loop) }
      return true
    }
  }

  func drainMailbox() {
    let work = mailbox.withLock { mailbox in
      defer { mailbox.work = [] }
      return mailbox.work
    }
    for piece in work { piece() }
  }

  /// Sets the one timer to a time of ``monotonicMilliseconds()``, in place of the one before; nil
  /// clears it.
  package func setTimer(atMonotonicMilliseconds time: Int64?) { wsl_timer(loop, time ?? -1) }

  package var counters: SocketLoopCounters {
    let counted = wsl_count(loop)
    return SocketLoopCounters(
      connections: Int(counted.connections), webSockets: Int(counted.websockets),
      accepted: Int(counted.accepted), refusedFull: Int(counted.refused_full),
      refusedOfAddress: Int(counted.refused_network),
      failed: Int(counted.failed), timedOut: Int(counted.timed_out),
      logLinesDropped: Int(counted.log_lines_dropped))
  }
}

/// Room for C's sentence about what is wrong.
private struct Problem: ~Copyable {
  static let capacity = 300
  let text = UnsafeMutablePointer<CChar>.allocate(capacity: Problem.capacity)

  init() { text.pointee = 0 }
  deinit { text.deallocate() }

  func thrown() -> SocketLoopProblem { SocketLoopProblem(description: String(cString: text)) }
}

extension wsl_limits {
  fileprivate init(_ configuration: SocketLoopConfiguration) {
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
      header_ms: UInt32(configuration.headerMilliseconds),
      body_ms: UInt32(configuration.bodyMilliseconds),
      answer_ms: UInt32(configuration.answerMilliseconds),
      idle_seconds: UInt32(configuration.idleSeconds),
      ping_ms: UInt32(configuration.pingMilliseconds),
      pong_ms: UInt32(configuration.pongMilliseconds),
      close_ms: UInt32(configuration.closeMilliseconds))
  }
}
