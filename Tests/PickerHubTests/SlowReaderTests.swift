import JSONText
import PickerModel
import Testing

@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

@Suite struct SlowReaderTests {
  /// Ana reads; Bo is write-blocked from his join on, and his outbox is limited to 600 bytes.
  private func makeFixture(_ definition: String = letters) throws -> HubFixture {
    var configuration = HubConfiguration()
    configuration.limits.outboxBytes = 600
    let fixture = try HubFixture(definition, configuration)
    fixture.join(1)
    fixture.port.full = [2]
    fixture.join(2)
    fixture.forgetAll()
    return fixture
  }

  private func selectOften(_ fixture: HubFixture, refs: ClosedRange<Int>) {
    for ref in refs { fixture.send(1, select(ref, 0, ref % 3)) }
  }

  @Test func `pending deltas over the limit are replaced by one snapshot`() throws {
    let fixture = try makeFixture()

    selectOften(fixture, refs: 1...9)
    #expect(fixture.types(2).isEmpty)
    fixture.port.full = []
    fixture.becomeWritable(2)

    let received = fixture.received(2)
    #expect(received.map { $0["type"]?.string } == ["snapshot"])
    #expect(received[0]["revision"] == .integer(9))
  }

  @Test func `a connection that is reported as write-blocked later gets no more frames`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    fixture.forgetAll()

    fixture.send(1, select(1, 0, 1))
    fixture.hub.writeBlocked(ConnectionID(raw: 2))
    #expect(fixture.received(2).map { $0["revision"] } == [.integer(1)])
    fixture.send(1, select(2, 0, 2))
    #expect(fixture.received(2).isEmpty)
    fixture.becomeWritable(2)

    #expect(fixture.received(2).map { $0["revision"] } == [.integer(2)])
    fixture.hub.writeBlocked(ConnectionID(raw: 99))
  }

  @Test func `a connection that becomes write-blocked during a close gets no more frames`() throws {
    var configuration = HubConfiguration()
    configuration.limits.outboxMessages = 3
    let fixture = try HubFixture(letters, configuration)
    for raw: UInt64 in 1...3 { fixture.join(raw) }
    fixture.port.full = [1]
    for ref in 1...4 { fixture.send(1, select(ref, 0, ref % 3)) }
    fixture.wait(1000)
    fixture.forgetAll()
    fixture.port.full = [1, 2]

    fixture.send(1, select(5, 0, 2))
    #expect(fixture.port.closes[1] == 4508)
    #expect(fixture.types(2) == ["presence"])
    #expect(fixture.types(3) == ["presence", "delta"])
    fixture.port.full = []
    fixture.becomeWritable(2)

    #expect(fixture.types(2) == ["delta"])
  }

  @Test func `a slow reader does not delay others`() throws {
    let fixture = try makeFixture()

    selectOften(fixture, refs: 1...9)

    #expect(fixture.types(1).filter { $0 == "delta" }.count == 9)
  }

  @Test func `answers follow the snapshot, and the member's own delta becomes a reply`() throws {
    let fixture = try makeFixture()
    fixture.send(2, select(1, 0, 2))
    fixture.send(2, select(2, 7, 1))
    selectOften(fixture, refs: 1...9)

    fixture.port.full = []
    fixture.becomeWritable(2)

    let received = fixture.received(2)
    #expect(received.map { $0["type"]?.string } == ["snapshot", "reply", "refused"])
    #expect(received.map { $0["ref"]?.integer } == [nil, 1, 2])
  }

  @Test func `a refusal after a snapshot has the snapshot's revision`() throws {
    let fixture = try makeFixture()
    fixture.send(2, select(2, 7, 1))
    selectOften(fixture, refs: 1...9)
    fixture.becomeWritable(2)
    let snapshot = fixture.received(2)[0]

    // The snapshot blocks the socket again; another delta is queued behind the refusal.
    fixture.send(1, select(10, 0, 1))
    fixture.port.full = []
    fixture.becomeWritable(2)

    let received = fixture.received(2)
    #expect(snapshot["type"] == .string("snapshot"))
    #expect(received.map { $0["type"]?.string } == ["refused", "delta"])
    #expect(received[0]["revision"] == snapshot["revision"])
  }

  @Test func `months and touches are sent again after a snapshot`() throws {
    let fixture = try makeFixture(calendar)
    fixture.send(1, #"{"type":"touch","date":"2026-11-05"}"#)
    fixture.send(2, #"{"type":"months","from":"2026-11","count":1}"#)
    for ref in 1...9 { fixture.send(1, #"{"type":"tap","ref":\#(ref),"date":"2026-11-20"}"#) }

    fixture.port.full = []
    fixture.becomeWritable(2)

    #expect(fixture.types(2) == ["snapshot", "months", "presence"])
  }

  @Test func `a reader that stalls for 10 s is closed with 4508`() throws {
    let fixture = try makeFixture()
    selectOften(fixture, refs: 1...9)

    fixture.wait(9_999)
    #expect(fixture.port.closes.isEmpty)
    fixture.wait(1)

    #expect(fixture.port.closes == [2: 4508])
    #expect(fixture.hub.session(fixture.session)?.listeners.map(\.connection.raw) == [1])
  }

  @Test func `a reader with more pending messages than the limit is closed`() throws {
    var configuration = HubConfiguration()
    configuration.limits.outboxMessages = 4
    let fixture = try HubFixture(letters, configuration)
    fixture.port.full = [1]
    fixture.join(1)

    for ref in 1...4 { fixture.send(1, #"{"type":"undo","ref":\#(ref)}"#) }
    #expect(fixture.port.closes.isEmpty)
    fixture.send(1, #"{"type":"undo","ref":5}"#)

    #expect(fixture.port.closes == [1: 4508])
  }

  @Test func `an outbox buffers up to its limit, and one byte more drops the updates`() {
    var outbox = Outbox()
    outbox.isFull = true
    let frame = Frame([1, 2, 3])
    outbox.append(.updates(frame), byteCountMax: 6)
    outbox.append(.answer(frame, Answer(ref: 1, body: .reply(revision: 1))), byteCountMax: 6)
    #expect(outbox.waiting.count == 2)
    #expect(outbox.byteCount == 6)
    #expect(!outbox.needsSnapshot)

    outbox.append(.updates(Frame([1])), byteCountMax: 6)

    #expect(outbox.needsSnapshot)
    #expect(outbox.waiting.count == 1)
  }

  @Test func `while all outboxes are at their maximum, each is small`() throws {
    let value = #"{"text": "\#(String(repeating: "x", count: 200))", "key": "K"}"#
    let rows = (0..<100).map { value.replacing("K", with: "\($0)") }.joined(separator: ",")
    var configuration = HubConfiguration()
    configuration.limits.outboxesBytes = 200_000
    let fixture = try HubFixture(#"{"kind": "columns", "columns": [[\#(rows)]]}"#, configuration)
    let members: [UInt64] = [2, 3, 4, 5]
    fixture.join(1)
    fixture.port.full = Set(members)
    for member in members { fixture.join(member) }

    // Each refusal has the rows of the column: about 22 KB.
    for ref in 1...20 {
      for member in members {
        fixture.send(
          member, #"{"type": "select", "ref": \#(ref), "column": 0, "row": 1, "generation": 9}"#)
      }
    }

    #expect(fixture.hub.buffered.outboxBytes < 300_000)
    fixture.forgetAll()
    fixture.port.full = []
    fixture.becomeWritable(2)
    let types = fixture.types(2)
    #expect(types.filter { $0 == "refused" }.count == 20)
    #expect(types.contains("snapshot"))
  }

  @Test func `too many small updates are replaced by a snapshot`() {
    var outbox = Outbox()
    outbox.isFull = true
    for _ in 0..<3 { outbox.append(.updates(Frame([1])), byteCountMax: 1000, countMax: 3) }
    #expect(!outbox.needsSnapshot)

    outbox.append(.updates(Frame([1])), byteCountMax: 1000, countMax: 3)

    #expect(outbox.needsSnapshot)
    #expect(outbox.waiting.isEmpty)
  }

  @Test func `a welcome precedes the snapshot that replaces later updates`() {
    var outbox = Outbox()
    outbox.isFull = true
    outbox.append(.retained(Frame([1])), byteCountMax: 2)
    outbox.append(.updates(Frame([1, 2])), byteCountMax: 2)

    #expect(outbox.needsSnapshot)
    #expect(outbox.nextRetained() != nil)
    #expect(outbox.nextRetained() == nil)
  }
}
