import PickerSession
import WebSocketTransport

/// Signs and checks tickets: a viewer's rights for one thing of one session, in a URL.
///
/// A ticket is its expiry and a signature, so that nothing is stored and every loop can check it.
/// The key is made at the start: a restart makes all tickets invalid, as if they had expired.
/// - Source: protocol.md, "Tickets"; RFC 2104.
struct TicketSigner: Sendable {
  /// What a ticket opens.
  enum Purpose: String, Sendable { case events, months }

  private static let signatureBytes = 16
  private let key: [UInt8]

  /// - Parameter key: 64 bytes, the block of SHA-256.
  init(key: [UInt8] = SocketLoop.randomBytes(64)) {
    precondition(key.count == 64, "the key is a block of SHA-256")
    self.key = key
  }

  /// - Parameter expiry: Milliseconds of the machine's clock that never steps.
  func ticket(for purpose: Purpose, of session: SessionID, until expiry: Int64) -> String {
    let expiryText = String(expiry, radix: 36)
    let signature = signature(purpose, session, expiryText)
    return expiryText + "." + signature.map { byte in
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
    // In constant time: the time must not tell how much of a guess was right.
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
