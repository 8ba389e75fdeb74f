import CivilTime
import JSONText
import Machine
import PickerHub
import PickerSession

/// Signs and verifies tickets, which grant read access to one resource of a session in a URL.
///
/// A ticket consists of its times and an HMAC, so that the server stores nothing and every loop
/// can verify it. The store has the key, so that tickets are valid after a restart and at all nodes
/// of a database, which share its clock, too. With sessions in memory it is generated at the start.
/// - Source: web/guide/README.md, "EventSource and `<img>`: tickets"; RFC 2104.
struct TicketSigner: Sendable {
  /// The resource that a ticket grants access to.
  enum Purpose: String, Sendable { case events, months, ics }

  /// The longest time for which a ticket is valid: a day, and a minute by which the clock may have
  /// been set back since, or another node's may be behind.
  private static let millisecondsMax: Int64 = 86_460_000
  private static let signatureBytes = 16
  private static let lastingFields: [Int64] = [0, 0, 0]
  private let key: [UInt8]
  /// The clock of the store, in milliseconds; `nil`: the monotonic clock of this machine.
  private let clock: (@Sendable () -> Int64)?

  /// - Parameter key: 64 bytes, the block size of SHA-256.
  init(
    key: [UInt8] = SecureRandom.bytes(64), clock: (@Sendable () -> Int64)? = nil
  ) {
    precondition(key.count == 64, "the key must have the block size of SHA-256")
    self.key = key
    self.clock = clock
  }

  /// - Parameters:
  ///   - expiry: Milliseconds of the monotonic clock.
  ///   - now: The same.
  func ticket(
    for purpose: Purpose, of session: SessionID, until expiry: Int64, _ ticket: Ticket,
    at now: Int64
  ) -> String {
    let ahead = ahead(at: now)
    return text(
      purpose, session,
      [
        expiry + ahead, ticket.lastRevocation?.milliseconds ?? 0,
        ticket.endsAt.map { $0 + ahead } ?? 0,
      ])
  }

  /// A ticket for the event of a session that is valid as long as the session exists.
  func lastingTicket(of session: SessionID) -> String {
    text(.ics, session, TicketSigner.lastingFields)
  }

  /// - Returns: What the ticket says; `nil` if it is invalid or has expired.
  func verify(
    _ text: String, for purpose: Purpose, of session: SessionID, at now: Int64
  ) -> Ticket? {
    guard let dot = text.firstIndex(of: ".") else { return nil }
    let fields = text[..<dot].split(separator: "-").compactMap { Int64($0, radix: 36) }
    let ahead = ahead(at: now)
    guard fields.count == 3 else { return nil }
    let isLasting = purpose == .ics && fields == TicketSigner.lastingFields
    // A clock that was ahead has issued tickets that would be valid for longer.
    guard
      isLasting
        || now + ahead < fields[0] && fields[0] - now - ahead <= TicketSigner.millisecondsMax
    else { return nil }
    let right = self.text(purpose, session, fields)
    guard right.utf8.count == text.utf8.count else { return nil }
    // Compare in constant time to prevent timing attacks.
    guard zip(right.utf8, text.utf8).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else { return nil }
    if isLasting { return Ticket(isLasting: true) }
    return Ticket(
      lastRevocation: fields[1] == 0 ? nil : Instant(milliseconds: fields[1]),
      endsAt: fields[2] == 0 ? nil : fields[2] - ahead)
  }

  /// How far the clock of the tickets is ahead of the monotonic clock.
  private func ahead(at now: Int64) -> Int64 { clock.map { $0() - now } ?? 0 }

  private func text(_ purpose: Purpose, _ session: SessionID, _ fields: [Int64]) -> String {
    let facts = fields.map { String($0, radix: 36) }.joined(separator: "-")
    return facts + "." + Hexadecimal.encode(Array(signature(purpose, session, facts)))
  }

  private func signature(
    _ purpose: Purpose, _ session: SessionID, _ times: String
  ) -> ArraySlice<UInt8> {
    let message = Array("\(purpose.rawValue) \(times) \(session.text)".utf8)
    guard let digest = HMAC.sha256(message, key: key) else {
      preconditionFailure("libcrypto cannot compute an HMAC")
    }
    return digest.prefix(TicketSigner.signatureBytes)
  }
}
