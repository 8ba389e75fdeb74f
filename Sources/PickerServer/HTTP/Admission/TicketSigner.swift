import CivilTime
import PickerHub
import PickerSession
import WebSocketTransport

/// Signs and verifies tickets, which grant read access to one resource of a session in a URL.
///
/// A ticket consists of its times and an HMAC, so that the server stores nothing and every loop
/// can verify it. The key is generated at the start; a restart invalidates all tickets.
/// - Source: web/guide/README.md, "EventSource and `<img>`: tickets"; RFC 2104.
struct TicketSigner: Sendable {
  /// The resource that a ticket grants access to.
  enum Purpose: String, Sendable { case events, months }

  private static let signatureBytes = 16
  private let key: [UInt8]

  /// - Parameter key: 64 bytes, the block size of SHA-256.
  init(key: [UInt8] = SocketLoop.randomBytes(64)) {
    precondition(key.count == 64, "the key must have the block size of SHA-256")
    self.key = key
  }

  /// - Parameter expiry: Milliseconds of the monotonic clock.
  func ticket(
    for purpose: Purpose, of session: SessionID, until expiry: Int64, _ ticket: Ticket
  ) -> String {
    let fields = [expiry, ticket.issuedAt.milliseconds, ticket.endsAt ?? 0]
    let facts = fields.map { String($0, radix: 36) }.joined(separator: "-")
    return facts + "." + Hexadecimal.encode(Array(signature(purpose, session, facts)))
  }

  /// - Returns: What the ticket says; `nil` if it is invalid or has expired.
  func verify(
    _ text: String, for purpose: Purpose, of session: SessionID, at now: Int64
  ) -> Ticket? {
    guard let dot = text.firstIndex(of: ".") else { return nil }
    let fields = text[..<dot].split(separator: "-").map { Int64($0, radix: 36) }
    guard fields.count == 3, let expiry = fields[0], let issued = fields[1], let end = fields[2],
      now < expiry
    else { return nil }
    let ticket = Ticket(
      issuedAt: Instant(milliseconds: issued), endsAt: end == 0 ? nil : end)
    let right = self.ticket(for: purpose, of: session, until: expiry, ticket)
    guard right.utf8.count == text.utf8.count else { return nil }
    // Compare in constant time to prevent timing attacks.
    return zip(right.utf8, text.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0 ? ticket : nil
  }

  private func signature(
    _ purpose: Purpose, _ session: SessionID, _ times: String
  ) -> ArraySlice<UInt8> {
    let message = Array("\(purpose.rawValue) \(times) \(session.text)".utf8)
    let inner = SocketLoop.sha256(key.map { $0 ^ 0x36 } + message)
    return SocketLoop.sha256(key.map { $0 ^ 0x5C } + inner).prefix(TicketSigner.signatureBytes)
  }
}
