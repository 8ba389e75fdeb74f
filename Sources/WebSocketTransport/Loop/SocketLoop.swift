import CWebSocketLoop
import Glibc
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
  /// Connections whose owner is looked up, by the number of the lookup.
  var held: [Int: HeldConnection] = [:]
  var lookupCount = 0
  private(set) var isDraining = false
  private(set) var listeners: [Listener] = []
  var operatorCount = 0
  /// Is closed to accept a connection when the process is out of descriptors.
  var spareDescriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
  var counted = SocketLoopCounters.Own()
  let counts: ConnectionCount
  let bodies: BodyBytes
  let unsent: UnsentBytes
  /// The connection limit in effect, which RLIMIT_NOFILE may have reduced.
  package let connectionsMax: Int
  /// The ``TLSCertificate/expirySeconds`` of the certificate in force; `nil` without one.
  package internal(set) var certificateExpirySeconds: Int64?
  private var log = TransportLog()
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
    let descriptorsEach = configuration.hasTLS ? 3 : configuration.owners != nil ? 2 : 1
    let fitted = DescriptorLimit.fit(configuration.connectionsMax, each: descriptorsEach)
    connectionsMax = fitted.connections
    counts =
      configuration.connections
      ?? ConnectionCount(
        connectionsMax: fitted.connections,
        addressConnectionsMax: configuration.addressConnectionsMax)
    counts.limit(to: fitted.connections)
    bodies = configuration.bodies ?? BodyBytes()
    unsent = configuration.unsent ?? UnsentBytes(byteCountMax: .max)
    if let warning = fitted.warning { configuration.log(false, warning) }
    var limits = wsl_limits(configuration, connectionsMax: connectionsMax)
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
    guard let loop else { return }
    wsl_destroy(loop)
    Glibc.close(spareDescriptor)
  }

  /// Listens on exactly one numeric IPv4 or IPv6 address, at most 16 times per loop.
  ///
  /// - Parameter port: 0 selects any free port.
  /// - Returns: The actual port.
  /// - Throws: ``SocketLoopProblem``. The loop is then unchanged.
  package func listen(
    host: String, port: UInt16, _ listening: Listening = Listening()
  ) throws(SocketLoopProblem) -> UInt16 {
    let (descriptor, bound) = try ListeningSocket.open(host: host, port: port)
    try listen(on: descriptor, listening)
    return bound
  }

  /// Accepts connections from a listening socket that the caller has opened. Counts as a call of
  /// ``listen(host:port:_:)``.
  ///
  /// - Parameter descriptor: A TCP or Unix socket. The loop owns it, also after an error.
  package func listen(on descriptor: CInt, _ listening: Listening) throws(SocketLoopProblem) {
    listeners.append(Listener(descriptor: descriptor, listening: listening))
    guard wsl_listen(loop, descriptor, listening.isShared) else {
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
    for connection in held.values { discard(connection.connection) }
    held = [:]
    wsl_destroy(loop)
    Glibc.close(spareDescriptor)
    loop = nil
    handler = nil
  }

  /// Closes the listening sockets, and HTTP connections as soon as their requests are answered.
  /// WebSockets and streams continue.
  package func stopListening() { wsl_stop_listening(loop) }

  /// Stops listening, and stops the loop when the last connection has ended, or after the given
  /// time at the latest. The handler must close the WebSockets (1001).
  package func drain(withinMilliseconds: Int) {
    isDraining = true
    refuseHeld(until: .max)
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

  package var counters: SocketLoopCounters {
    counted.logLinesDropped = log.droppedCount
    return SocketLoopCounters(wsl_count(loop), adding: counted)
  }

  /// The bytes of all large request bodies in memory, of all loops that share the count.
  package var bodyBytes: Int { bodies.byteCount }

  /// The bytes of responses and messages that clients have not read; see ``UnsentBytes``.
  package var unsentBytes: Int { unsent.byteCount }

  /// Logs a line that may have any bytes.
  func log(_ isError: Bool, _ line: UnsafePointer<CChar>) {
    let now = SocketLoop.monotonicMilliseconds()
    if let line = log.line(line, atMilliseconds: now) { configuration.log(isError, line) }
  }
}
