import PickerSession
import Testing

@testable import PickerServer

@Suite struct TicketSignerTests {
  private let signer = TicketSigner(key: [UInt8](repeating: 7, count: 64))
  private let session = SessionID("abc")

  @Test func `a ticket is valid only for its purpose and session and until it expires`() {
    let ticket = signer.ticket(for: .events, of: session, until: 1_000)

    #expect(signer.isValid(ticket, for: .events, of: session, at: 999))
    #expect(!signer.isValid(ticket, for: .events, of: session, at: 1_000))
    #expect(!signer.isValid(ticket, for: .months, of: session, at: 0))
    #expect(!signer.isValid(ticket, for: .events, of: SessionID("abd"), at: 0))
    #expect(!TicketSigner().isValid(ticket, for: .events, of: session, at: 0))
  }

  @Test func `any other text is not a ticket`() {
    let ticket = signer.ticket(for: .events, of: session, until: 1_000)
    let later = ticket.replacing(String(1_000, radix: 36), with: String(9_000, radix: 36))

    for text in ["", ".", "x", later, ticket + "0", String(ticket.dropLast()), "-" + ticket] {
      #expect(!signer.isValid(text, for: .events, of: session, at: 0), "\(text)")
    }
    for index in ticket.indices {
      var changed = ticket
      changed.replaceSubrange(index...index, with: ticket[index] == "0" ? "1" : "0")
      #expect(!signer.isValid(changed, for: .events, of: session, at: 0), "\(changed)")
    }
  }
}
