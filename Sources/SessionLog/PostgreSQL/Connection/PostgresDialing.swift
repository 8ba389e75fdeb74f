import CLibPQ
import Foundation

/// Connects to that host of an address which accepts writes.
///
/// All hosts are tried at the same time, so that one that does not answer delays nothing. While one
/// has not answered, the others are tried again: a standby may have been promoted.
struct PostgresDialing {
  private let parameters: [[PostgresAddress.Parameter]]
  /// The attempts that are under way, by the places of their hosts.
  private var attempts: [Int: Attempt] = [:]
  /// When hosts that have refused are tried again.
  private var retries: [Int: ContinuousClock.Instant] = [:]
  private var failures: [Int: PostgresError] = [:]

  private struct Attempt {
    let handle: OpaquePointer
    /// Whether libpq waits until it can write, not until it can read.
    var isWriting = true
  }

  private static let pause = Duration.milliseconds(200)

  /// - Returns: A connection that the caller must finish.
  static func connect(
    _ address: PostgresAddress, name: String
  ) throws(PostgresError) -> OpaquePointer {
    var dialing = PostgresDialing(parameters: address.parameters(name: name))
    let deadline = ContinuousClock.now + .seconds(address.connectSeconds)
    defer { for attempt in dialing.attempts.values { PQfinish(attempt.handle) } }
    for host in dialing.parameters.indices { dialing.start(host) }
    while !dialing.attempts.isEmpty && .now < deadline {
      if let handle = dialing.step(until: deadline) { return handle }
    }
    // That of the first host.
    throw dialing.failures.min { $0.key < $1.key }?.value
      ?? PostgresError(lost: "the database does not answer")
  }

  private init(parameters: [[PostgresAddress.Parameter]]) { self.parameters = parameters }

  private mutating func start(_ host: Int) {
    var keywords = parameters[host].map { UnsafePointer(strdup($0.keyword)) }
    var values = parameters[host].map { UnsafePointer(strdup($0.value)) }
    defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
    keywords.append(nil)
    values.append(nil)
    guard let handle = PQconnectStartParams(keywords, values, 1) else {
      return failures[host] = PostgresError(lost: "out of memory")
    }
    attempts[host] = Attempt(handle: handle)
    if PQstatus(handle) == CONNECTION_BAD { failed(host) }
  }

  private mutating func failed(_ host: Int) {
    guard let attempt = attempts.removeValue(forKey: host) else { return }
    failures[host] = PostgresError(lost: attempt.handle)
    retries[host] = .now + PostgresDialing.pause
    PQfinish(attempt.handle)
  }

  /// Waits for the next answer of a host.
  ///
  /// - Returns: The connection that is established.
  private mutating func step(until deadline: ContinuousClock.Instant) -> OpaquePointer? {
    let hosts = Array(attempts.keys)
    var descriptors = hosts.map { host in
      let attempt = attempts[host]!
      let events = attempt.isWriting ? POLLOUT : POLLIN
      return pollfd(fd: PQsocket(attempt.handle), events: Int16(events), revents: 0)
    }
    let end = retries.values.min().map { min($0, deadline) } ?? deadline
    let milliseconds = Int32(clamping: Int((end - .now) / .milliseconds(1)) + 1)
    poll(&descriptors, nfds_t(descriptors.count), max(0, milliseconds))
    for (host, descriptor) in zip(hosts, descriptors) where descriptor.revents != 0 {
      if let handle = advance(host) { return handle }
    }
    for (host, time) in retries where time <= .now {
      retries[host] = nil
      start(host)
    }
    return nil
  }

  private mutating func advance(_ host: Int) -> OpaquePointer? {
    guard let attempt = attempts[host] else { return nil }
    switch PQconnectPoll(attempt.handle) {
    case PGRES_POLLING_OK:
      attempts[host] = nil
      return attempt.handle
    case PGRES_POLLING_READING: attempts[host]?.isWriting = false
    case PGRES_POLLING_WRITING: attempts[host]?.isWriting = true
    default: failed(host)
    }
    return nil
  }
}
