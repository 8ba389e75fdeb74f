import CivilTime
import PickerHub
import PickerSession
import Testing

@testable import PickerServer

@Suite struct TicketSignerTests {
  private let signer = TicketSigner(key: [UInt8](repeating: 7, count: 64))
  private let session = SessionID("abc")
  private let content = Ticket(lastRevocation: Instant(milliseconds: 1_800_000_000_000), endsAt: 7)

  @Test func `a ticket is valid only for its purpose and session and until it expires`() {
    let ticket = signer.ticket(for: .events, of: session, until: 1_000, content, at: 0)

    #expect(signer.verify(ticket, for: .events, of: session, at: 999) == content)
    #expect(signer.verify(ticket, for: .events, of: session, at: 1_000) == nil)
    #expect(signer.verify(ticket, for: .months, of: session, at: 0) == nil)
    #expect(signer.verify(ticket, for: .events, of: SessionID("abd"), at: 0) == nil)
    #expect(TicketSigner().verify(ticket, for: .events, of: session, at: 0) == nil)
    let endless = Ticket()
    let other = signer.ticket(for: .months, of: session, until: 1_000, endless, at: 0)
    #expect(signer.verify(other, for: .months, of: session, at: 0) == endless)
  }

  @Test func `a ticket of one node is valid at another, whose machine has been up for longer`() {
    let key = [UInt8](repeating: 7, count: 64)
    let one = TicketSigner(key: key) { 1_700_000_000_000 }
    let two = TicketSigner(key: key) { 1_700_000_000_500 }
    let ticket = one.ticket(
      for: .events, of: session, until: 1_000,
      Ticket(lastRevocation: content.lastRevocation, endsAt: 2_000), at: 0)

    let verified = two.verify(ticket, for: .events, of: session, at: 70_000)

    #expect(verified?.endsAt == 71_500)
    #expect(two.verify(ticket, for: .events, of: session, at: 70_500) != nil)
    let later = TicketSigner(key: key) { 1_700_000_001_000 }
    #expect(later.verify(ticket, for: .events, of: session, at: 70_500) == nil)
  }

  @Test func `a ticket is valid for at most a day and a minute, even if its clock was ahead`() {
    let key = [UInt8](repeating: 7, count: 64)
    func isValid(_ milliseconds: Int64, clockBehind: Int64) -> Bool {
      let ticket = TicketSigner(key: key) { 1_700_000_000_000 }.ticket(
        for: .events, of: session, until: milliseconds, content, at: 0)
      let verifier = TicketSigner(key: key) { 1_700_000_000_000 - clockBehind }
      return verifier.verify(ticket, for: .events, of: session, at: 0) != nil
    }
    #expect(isValid(86_400_000, clockBehind: 0))
    #expect(isValid(86_400_000, clockBehind: 60_000), "clocks of nodes differ")
    #expect(!isValid(86_400_000, clockBehind: 60_001))
    #expect(!isValid(1_000, clockBehind: 31_536_000_000), "a machine that started a year ahead")
  }

  @Test func `a lasting ticket is valid for the event of its session only`() {
    let ticket = signer.lastingTicket(of: session)
    let lasting = Ticket(isLasting: true)

    #expect(signer.lastingTicket(of: session) == ticket)
    let aCentury: Int64 = 3_155_760_000_000
    #expect(signer.verify(ticket, for: .ics, of: session, at: aCentury) == lasting)
    for purpose in [TicketSigner.Purpose.events, .months] {
      #expect(signer.verify(ticket, for: purpose, of: session, at: 0) == nil)
    }
    #expect(signer.verify(ticket, for: .ics, of: SessionID("abd"), at: 0) == nil)
    #expect(TicketSigner().verify(ticket, for: .ics, of: session, at: 0) == nil)
    let short = signer.ticket(for: .ics, of: session, until: 1_000, content, at: 0)
    #expect(signer.verify(short, for: .ics, of: session, at: 999) == content)
    #expect(signer.verify(short, for: .ics, of: session, at: 1_000) == nil)
    let signature = short.drop { $0 != "." }
    #expect(signer.verify("0-0-0" + signature, for: .ics, of: session, at: 0) == nil)
  }

  @Test func `any other text is not a ticket`() {
    let ticket = signer.ticket(for: .events, of: session, until: 1_000, content, at: 0)
    let later = ticket.replacing(String(1_000, radix: 36), with: String(9_000, radix: 36))

    for text in ["", ".", "x", later, ticket + "0", String(ticket.dropLast()), "-" + ticket] {
      #expect(signer.verify(text, for: .events, of: session, at: 0) == nil, "\(text)")
    }
    for index in ticket.indices {
      var changed = ticket
      changed.replaceSubrange(index...index, with: ticket[index] == "0" ? "1" : "0")
      #expect(signer.verify(changed, for: .events, of: session, at: 0) == nil, "\(changed)")
    }
  }
}
