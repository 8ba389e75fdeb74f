import JSONText
import Testing

@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// Members that resume from a long history, and do not read.
@Suite struct SlowResumeTests {
  private let fixture: HubFixture

  /// Outboxes are limited to 600 bytes.
  init() throws {
    var configuration = HubConfiguration()
    configuration.limits.outboxBytes = 600
    fixture = try HubFixture(letters, configuration)
    fixture.join(1)
  }

  /// Bo leaves with connection 2, and resumes with 4 after 30 selects.
  ///
  /// - Parameter author: The connection that selects.
  /// - Returns: How many deltas were encoded when Bo resumed.
  private func resume(after author: UInt64) -> Int {
    fixture.join(2)
    let welcome = fixture.received(2)[0]
    if author == 1 { fixture.disconnect(2) }
    for ref in 1...30 { fixture.send(author, select(ref, 0, ref % 3)) }
    if author == 2 { fixture.disconnect(2) }
    let before = fixture.hub.encoder.deltaEncodeCount
    fixture.open(4)
    fixture.send(4, #"{"type":"join"\#(fixture.resume(welcome, revision: 0))}"#)
    return fixture.hub.encoder.deltaEncodeCount - before
  }

  @Test func `missed deltas that a snapshot replaces are not encoded`() {
    fixture.port.full = [4]

    #expect(resume(after: 1) < 10)
    fixture.port.full = []
    fixture.becomeWritable(4)

    let received = fixture.received(4)
    #expect(received.map { $0["type"]?.string } == ["welcome", "snapshot"])
    #expect(received.last?["revision"] == .integer(30))
  }

  @Test func `missed commands that a snapshot replaces are answered, each once`() {
    fixture.port.full = [4]

    #expect(resume(after: 2) < 10)
    fixture.port.full = []
    fixture.becomeWritable(4)

    let received = fixture.received(4)
    #expect(received.prefix(2).map { $0["type"]?.string } == ["welcome", "snapshot"])
    let replies = received.dropFirst(2)
    #expect(replies.allSatisfy { $0["type"]?.string == "reply" })
    #expect(replies.map { $0["ref"]?.integer } == Array(1...30))
  }

  @Test func `missed deltas are not encoded for a connection that has ended`() {
    fixture.port.gone = [4]

    #expect(resume(after: 1) < 10)
    fixture.disconnect(4)

    #expect(fixture.hub.buffered.outboxBytes == 0)
    #expect(fixture.hub.buffered.writeBlockedConnections == 0)
  }
}
