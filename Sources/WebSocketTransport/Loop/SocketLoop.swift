import CWebSocketLoop
package import PickerHub
import Synchronization

/// A WebSocket and HTTP/1.1 server on one thread, built on libwebsockets.
///
/// The loop implements RFC 6455: it assembles messages, validates UTF-8, sends pings, and closes
/// connections that violate the RFC or a limit. The handler receives complete messages and the end
/// of each connection. Everything but ``post(_:)`` and the static functions must be called on the
/// thread that calls ``run()``.
///
/// `@unchecked Sendable` because of `post` only, whose state is protected by the mailbox's mutex.
package final class SocketLoop: @unchecked Sendable {
  /// Receives the loop's events. Must be set before ``run()``, which releases it when it returns.
  package var handler: (any SocketLoopHandler)?

  let configuration: SocketLoopConfiguration
  var loop: OpaquePointer?
  var admitted: UpgradeRequest?
  /// Who serves the connection whose head was received last, if this loop does not.
  var place: Place?
  /// The busy time of event-loop iterations.
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
    let problem = ProblemBuffer()
    // C expects an array of pointers; the copies must live until wsl_create() returns.
    let pointers = names.map { name in
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: name.count)
      _ = copy.initialize(from: name)
      return copy
    }
    defer { for pointer in pointers { pointer.deallocate() } }
    loop = wsl_create(
      &limits, pointers.map { UnsafePointer($0.baseAddress) }, names.count, &handlers,
      Unmanaged.passUnretained(self).toOpaque(), problem.text, ProblemBuffer.capacity)
    if loop == nil { throw problem.thrown() }
  }

  deinit {
    if let loop { wsl_destroy(loop) }
  }

  /// Listens on exactly one numeric IPv4 or IPv6 address, at most 16 times per loop.
  ///
  /// - Parameter port: 0 selects any free port.
  /// - Returns: The actual port.
  /// - Throws: ``SocketLoopProblem``. The loop is then unchanged.
  package func listen(
    host: String, port: UInt16, _ listening: Listening = Listening()
  ) throws(SocketLoopProblem) -> UInt16 {
    let problem = ProblemBuffer()
    let real = wsl_listen(
      loop, wsl_listening(listening), host, port, problem.text, ProblemBuffer.capacity)
    guard let real = UInt16(exactly: real) else { throw problem.thrown() }
    return real
  }

  /// Accepts connections from a listening socket that the caller has opened. Counts as a call of
  /// ``listen(host:port:_:)``.
  ///
  /// - Parameter descriptor: A TCP or Unix socket. The loop owns it, also after an error.
  package func listen(on descriptor: CInt, _ listening: Listening) throws(SocketLoopProblem) {
    guard wsl_listen_on(loop, wsl_listening(listening), descriptor) else {
      throw SocketLoopProblem(description: "there are too many listeners")
    }
  }

  /// Runs the event loop until ``stop()`` or the end of a ``drain(withinMilliseconds:)``. Then ends
  /// all remaining connections, calls `closed` for each, and frees all resources. May be called
  /// once per loop.
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

  /// Closes the listening sockets, and HTTP connections as soon as their requests are answered.
  /// WebSockets and streams continue.
  package func stopListening() { wsl_stop_listening(loop) }

  /// Stops listening, and stops the loop when the last connection has ended, or after the given
  /// time at the latest. The handler must close the WebSockets (1001).
  package func drain(withinMilliseconds: Int) {
    wsl_drain(loop, UInt32(clamping: withinMilliseconds))
  }

  /// Makes ``run()`` return after the current event-loop iteration.
  package func stop() { wsl_stop(loop) }

  /// Makes the next event-loop iteration begin without waiting for events. Safe on any thread.
  package func wake() { wsl_wake(loop) }

  /// Schedules `work` on the loop's thread. Safe on any thread; work runs in the order of posting.
  ///
  /// - Returns: False if the loop has ended; `work` is then dropped.
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

  /// Sets the loop's only timer to a time of ``monotonicMilliseconds()``, replacing the previous
  /// one; `nil` clears it.
  package func setTimer(atMonotonicMilliseconds time: Int64?) { wsl_timer(loop, time ?? -1) }

  package var counters: SocketLoopCounters { SocketLoopCounters(wsl_count(loop)) }

  /// The bytes of all large request bodies in memory, of all loops that share the count.
  package var bodyBytes: Int { configuration.bodies?.byteCount ?? 0 }

  /// The bytes of responses and messages that clients have not read; see ``UnsentBytes``.
  package var unsentBytes: Int { configuration.unsent?.byteCount ?? 0 }

  /// The connection limit in effect, which RLIMIT_NOFILE may have reduced.
  package var connectionsMax: Int { Int(wsl_connections_max(loop)) }
}
