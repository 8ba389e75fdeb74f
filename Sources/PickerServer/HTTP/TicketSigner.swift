import PickerSession
import WebSocketTransport

/// Signs and verifies tickets, which grant read access to one resource of a session in a URL.
///
/// A ticket consists of its expiry and an HMAC, so that the server stores nothing and every loop
/// can verify it. The key is generated at the start; a restart invalidates all tickets.
/// - Source: protocol.md, "Tickets"; RFC 2104.
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
  func ticket(for purpose: Purpose, of session: SessionID, until expiry: Int64) -> String {
    let expiryText = String(expiry, radix: 36)
    let signature = signature(purpose, session, expiryText)
    return expiryText + "."
      + signature.map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
  }

  func isValid(
    _ ticket: String, for purpose: Purpose, of session: SessionID, at now: Int64
  ) -> Bool {
    guard let dot = ticket.firstIndex(of: "."), let expiry = Int64(ticket[..<dot], radix: 36),
      now < expiry
    else { return false }
    let right = self.ticket(for: purpose, of: session, until: expiry)
    guard right.utf8.count == ticket.utf8.count else { return false }
    // Compare in constant time to prevent timing attacks.
    return zip(right.utf8, ticket.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private func signature(
    _ purpose: Purpose, _ session: SessionID, _ expiry: String
  ) -> ArraySlice<UInt8> {
    let message = Array("\(purpose.rawValue) \(expiry) \(session.text)".utf8)
    let inner = SocketLoop.sha256(key.map { $0 ^ 0x36 } + message)
    return SocketLoop.sha256(key.map { $0 ^ 0x5C } + inner).prefix(TicketSigner.signatureBytes)
  }
}
