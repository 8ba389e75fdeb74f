package import CivilTime
package import PickerModel
package import PickerSession
package import PickerWire

/// The outcome of sending a frame.
package enum SendOutcome: Sendable {
  /// Accepted. The hub may send another at once, unless ``Hub/full(_:)`` is called.
  case sent
  /// Accepted, but the connection is write-blocked: the hub sends no other frame before
  /// ``Hub/writable(_:at:)`` is called.
  case full
  /// Dropped because the connection is closed; ``Hub/closed(_:at:)`` follows or was called already.
  case gone
}

/// The hub's interface to its connections and threads. Its functions are called on the hub's thread
/// and call back into the hub only through ``Hub/full(_:)`` and ``inBackground(_:then:)``.
package protocol HubPort: AnyObject {
  /// Writes a frame, or buffers it if the socket is not writable.
  func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome
  /// Sends a frame to a connection that is not write-blocked, in one batch with the other frames
  /// posted in this event-loop iteration.
  ///
  /// - Returns: As ``send(_:to:)``. If the batch later finds the connection write-blocked, the port
  ///   calls ``Hub/full(_:)``.
  func post(_ frame: Frame, to connection: ConnectionID) -> SendOutcome
  /// Posts a frame to many connections. The port buffers it for a connection that becomes
  /// write-blocked meanwhile.
  ///
  /// - Returns: The indices in `connections` of those that are write-blocked
  ///   (``SendOutcome/full``).
  func post(_ frame: Frame, toAll connections: [ConnectionID]) -> [Int]
  /// Sends `last`, then closes. ``Hub/closed(_:at:)`` follows in a later event-loop iteration.
  func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?)
  /// Stops reading from a connection. Messages that were read already may still be delivered. Until
  /// ``resume(_:)`` the port must not close the connection for inactivity.
  ///
  /// Does nothing for a closed connection. The hub does not pause a paused connection.
  func pause(_ connection: ConnectionID)
  /// Reads again from a paused connection. Does nothing for a closed one.
  func resume(_ connection: ConnectionID)
  /// Reports for a latency metric that the delta of a command was sent or posted to at least one
  /// connection. The command was received at `arrival`, a ``HubTime/machineNanoseconds``.
  func delivered(commandOf arrival: Int64)
  /// Runs `work` on another thread, and then `then` with its result on the hub's thread.
  func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void)
}

extension HubPort {
  /// Default: sends at once, without a batch.
  package func post(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
    send(frame, to: connection)
  }

  /// Default: posts to one connection after the other.
  package func post(_ frame: Frame, toAll connections: [ConnectionID]) -> [Int] {
    connections.indices.filter { post(frame, to: connections[$0]) == .full }
  }

  /// Default: keeps reading. The hub then closes a connection that sends too much.
  package func pause(_ connection: ConnectionID) {}
  package func resume(_ connection: ConnectionID) {}

  /// Default: measures nothing.
  package func delivered(commandOf arrival: Int64) {}

  /// Default: runs both at once on the hub's thread.
  package func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void
  ) {
    then(work())
  }
}

/// The source of row texts by language.
package protocol TextSource: AnyObject {
  /// The texts for a BCP 47 tag or its language; `nil` if neither is known.
  func texts(for tag: String) -> (any RowTexts)?
}

/// The source of time-zone rules.
package protocol ZoneSource: AnyObject {
  /// The rules of an IANA zone; `nil` if the name is unknown.
  func rules(named name: String) -> ZoneRules?
}

/// The current time by the two clocks of the protocol.
package struct HubTime: Hashable, Sendable {
  /// The wall clock of the sessions: for `now`, ticks, `at` and the 15 s of an open tap. It can be
  /// set back, or be frozen by the operator.
  package let session: Instant
  /// The monotonic clock in nanoseconds.
  package let machineNanoseconds: Int64

  /// The monotonic clock in milliseconds: for time to live, join time-outs and absence.
  package var machine: Int64 { machineNanoseconds / 1_000_000 }

  package init(session: Instant, machineNanoseconds: Int64) {
    self.session = session
    self.machineNanoseconds = machineNanoseconds
  }

  package init(session: Instant, machine: Int64) {
    self.init(session: session, machineNanoseconds: machine * 1_000_000)
  }
}

/// A generator of ids, tokens and secrets. The server passes the system's random source, a
/// simulation a seeded one.
package struct IdentitySource {
  private var random: any RandomNumberGenerator
  private let digest: ([UInt8]) -> [UInt8]

  /// - Parameter digest: A one-way hash; SHA-256 outside simulations.
  package init(random: any RandomNumberGenerator, digest: @escaping ([UInt8]) -> [UInt8]) {
    self.random = random
    self.digest = digest
  }

  /// A text of 22 letters, digits, `-` and `_` with 131 random bits. The first character is a
  /// letter or a digit, so that a command line does not take the text for an option.
  package mutating func text() -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var bytes: [UInt8] = []
    var bits: UInt64 = 0
    for index in 0..<22 {
      if index % 10 == 0 { bits = random.next() }
      while index == 0 && bits & 63 >= 62 { bits = random.next() }
      bytes.append(alphabet[Int(bits & 63)])
      bits >>= 6
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A number from 0 to `bound` - 1.
  mutating func number(below bound: Int) -> Int { Int(random.next(upperBound: UInt64(bound))) }

  package func hash(_ secret: String) -> SecretHash { SecretHash(digest(Array(secret.utf8))) }

  /// A token that follows from secrets and does not reveal them: their hash, with two characters
  /// for each byte.
  func token(_ parts: String...) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    // Lengths before the parts, so that no two lists of parts give the same text.
    let bytes = digest(parts.flatMap { Array("\($0.utf8.count) \($0)".utf8) })
    return String(
      decoding: bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] }, as: UTF8.self)
  }

  func digest(of bytes: [UInt8]) -> [UInt8] { digest(bytes) }
}
