import CLibPQ
import Foundation

/// Connects to that host of an address which has its `target_session_attrs`: accepts writes, unless
/// a tool only reads. Each host is asked alone, so that `prefer-standby` takes the first answer.
///
/// All hosts are tried at the same time, so that one that does not answer delays nothing. While one
/// has not answered, the others are tried again: a standby may have been promoted. If half of the
/// time has passed and less than half of the hosts have answered, there is no use in waiting for
/// that: this machine is cut off, and other nodes may not be.
struct PostgresDialing {
  private let address: PostgresAddress
  private let name: String
  private let hostCount: Int
  /// The attempts that are under way, by the places of their hosts.
  private var attempts: [Int: Attempt] = [:]
  /// When hosts that have refused are tried again.
  private var retries: [Int: ContinuousClock.Instant] = [:]
  private var failures: [Int: PostgresError] = [:]
  /// The hosts whose machines have accepted a connection or refused one.
  private var answering: Set<Int> = []

  private struct Attempt {
    let handle: OpaquePointer
    /// Whether libpq waits until it can write, not until it can read.
    var isWriting = true
  }

  private static let pause = Duration.milliseconds(200)
  /// What libpq reports of a machine without a server.
  private static let refusal = String(cString: strerror(ECONNREFUSED))

  /// - Returns: A connection that the caller must finish.
  static func connect(
    _ address: PostgresAddress, name: String
  ) throws(PostgresError) -> OpaquePointer {
    var dialing = PostgresDialing(address, name: name)
    let begin = ContinuousClock.now
    let half = begin + .milliseconds(500 * address.connectSeconds)
    let deadline = begin + .seconds(address.connectSeconds)
    defer {
      // An address that has not answered may be a former one.
      for (host, attempt) in dialing.attempts {
        address.resolved[host] = nil
        PQfinish(attempt.handle)
      }
    }
    for host in 0..<dialing.hostCount { dialing.start(host) }
    while !dialing.attempts.isEmpty && .now < (dialing.isCutOff ? half : deadline) {
      if let handle = dialing.step(until: dialing.isCutOff ? half : deadline) { return handle }
    }
    throw dialing.error
  }

  /// Whether less than half of several hosts have answered, and none of these may accept writes.
  private var isCutOff: Bool {
    hostCount > 1 && 2 * answering.count < hostCount
      && answering.isDisjoint(with: attempts.keys)
  }

  /// The error of the first host that has failed.
  private var error: PostgresError {
    var error =
      failures.min { $0.key < $1.key }?.value
      ?? PostgresError(lost: "the database does not answer")
    error.isCutOff = isCutOff
    return error
  }

  private init(_ address: PostgresAddress, name: String) {
    (self.address, self.name) = (address, name)
    hostCount = address.parameters(name: name).count
  }

  private mutating func start(_ host: Int) {
    let parameters = address.parameters(name: name)[host]
    var keywords = parameters.map { UnsafePointer(strdup($0.keyword)) }
    var values = parameters.map { UnsafePointer(strdup($0.value)) }
    defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
    keywords.append(nil)
    values.append(nil)
    guard let handle = PQconnectStartParams(keywords, values, 1) else {
      return failures[host] = PostgresError(lost: "out of memory")
    }
    // By default libpq writes notices, and errors between two calls, to standard error.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    attempts[host] = Attempt(handle: handle)
    if PQstatus(handle) == CONNECTION_BAD { failed(host) }
  }

  private mutating func failed(_ host: Int) {
    guard let attempt = attempts.removeValue(forKey: host) else { return }
    let failure = PostgresError(lost: attempt.handle)
    if failure.description.contains(PostgresDialing.refusal) { answering.insert(host) }
    failures[host] = failure
    address.resolved[host] = nil
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
    let outcome = PQconnectPoll(attempt.handle)
    switch PQstatus(attempt.handle) {
    case CONNECTION_STARTED, CONNECTION_BAD: break
    default: answering.insert(host)
    }
    switch outcome {
    case PGRES_POLLING_OK:
      attempts[host] = nil
      if let known = PQhostaddr(attempt.handle).map({ String(cString: $0) }), !known.isEmpty {
        address.resolved[host] = known
      }
      return attempt.handle
    case PGRES_POLLING_READING: attempts[host]?.isWriting = false
    case PGRES_POLLING_WRITING: attempts[host]?.isWriting = true
    default: failed(host)
    }
    return nil
  }
}
