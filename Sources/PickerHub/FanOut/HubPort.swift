package import CivilTime
package import PickerModel
package import PickerSession
package import PickerWire

/// What became of a frame.
package enum SendOutcome: Sendable {
  /// Taken; the connection can take another at once, until ``Hub/full(_:)``.
  case sent
  /// Taken; the hub waits for ``Hub/writable(_:at:)`` before it sends another.
  case full
  /// The connection is gone; ``Hub/closed(_:at:)`` follows, or has come.
  case gone
}

/// The connections, as the hub sees them. Its calls never call back into the hub, but for
/// ``Hub/full(_:)`` and ``inBackground(_:then:)``.
package protocol HubPort: AnyObject {
  /// Sends a frame now, or keeps it if the socket is busy.
  func send(_ frame: Frame, to connection: ConnectionID) -> SendOutcome
  /// Sends a frame to a connection that can take one, together with what else is posted in this
  /// turn.
  ///
  /// - Returns: As ``send(_:to:)``; or ``SendOutcome/sent``, and ``Hub/full(_:)`` follows.
  func post(_ frame: Frame, to connection: ConnectionID) -> SendOutcome
  /// Posts a frame to many. For one that gets full meanwhile, the port holds it back.
  ///
  /// - Returns: The places in `connections` of those that answer ``SendOutcome/full``.
  func post(_ frame: Frame, toAll connections: [ConnectionID]) -> [Int]
  /// Sends `last`, then closes; ``Hub/closed(_:at:)`` follows in a later turn.
  func close(_ connection: ConnectionID, code: UInt16, reason: String, last: Frame?)
  /// Stops reading from a connection. Messages that have been read already may still come. Until
  /// ``resume(_:)`` the connection must not be closed for its silence.
  ///
  /// Does nothing for a connection that is gone. A connection is paused once at a time.
  func pause(_ connection: ConnectionID)
  /// Reads again from a connection that is paused; does nothing for one that is gone.
  func resume(_ connection: ConnectionID)
  /// The delta of a command has been sent or posted to a connection that can take it. The command
  /// arrived at `arrival`, which is a ``HubTime/machineNanoseconds``.
  func delivered(commandOf arrival: Int64)
  /// Does what takes long on another thread, and then `then` on the hub's.
  func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void)
}

extension HubPort {
  /// A port that has no faster way sends at once.
  package func post(_ frame: Frame, to connection: ConnectionID) -> SendOutcome {
    send(frame, to: connection)
  }

  /// A port that has no faster way posts to one after the other.
  package func post(_ frame: Frame, toAll connections: [ConnectionID]) -> [Int] {
    connections.indices.filter { post(frame, to: connections[$0]) == .full }
  }

  /// A port without flow control goes on: the hub then closes a connection that sends too much.
  package func pause(_ connection: ConnectionID) {}
  package func resume(_ connection: ConnectionID) {}

  /// A port that measures nothing.
  package func delivered(commandOf arrival: Int64) {}

  /// A port without other threads does the work at once.
  package func inBackground<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value) -> Void
  ) {
    then(work())
  }
}

/// The languages that rows can be written in.
package protocol TextSource: AnyObject {
  /// The texts for a BCP 47 tag or its language; `nil` if neither is known.
  func texts(for tag: String) -> (any RowTexts)?
}

/// The zone rules by IANA name.
package protocol ZoneSource: AnyObject {
  func rules(named name: String) -> ZoneRules?
}

/// Now, by the two clocks that the protocol knows.
package struct HubTime: Hashable, Sendable {
  /// The sessions' clock: `now`, ticks, `at` and the 15 s of an open tap.
  package let session: Instant
  /// The machine's clock in nanoseconds, which never goes back.
  package let machineNanoseconds: Int64

  /// ``machineNanoseconds`` in milliseconds: time to live, joins, absence.
  package var machine: Int64 { machineNanoseconds / 1_000_000 }

  package init(session: Instant, machineNanoseconds: Int64) {
    self.session = session
    self.machineNanoseconds = machineNanoseconds
  }

  package init(session: Instant, machine: Int64) {
    self.init(session: session, machineNanoseconds: machine * 1_000_000)
  }
}

/// Secrets and names, from a source of random that the shell or a seed gives.
package struct IdentitySource {
  private var random: any RandomNumberGenerator
  private let digest: ([UInt8]) -> [UInt8]

  /// - Parameter digest: A one-way hash; SHA-256 outside simulations.
  package init(random: any RandomNumberGenerator, digest: @escaping ([UInt8]) -> [UInt8]) {
    self.random = random
    self.digest = digest
  }

  /// 22 letters, digits, `-` and `_`, the first a letter or a digit, so that a command does not
  /// take it for an option: 131 random bits.
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

  /// A number from 0, to spread things in time.
  mutating func number(below bound: Int) -> Int { Int(random.next(upperBound: UInt64(bound))) }

  package func hash(_ secret: String) -> SecretHash { SecretHash(digest(Array(secret.utf8))) }

  func digest(of bytes: [UInt8]) -> [UInt8] { digest(bytes) }
}
