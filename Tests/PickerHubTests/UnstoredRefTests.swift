import JSONText
import PickerModel
import Testing

@testable import PickerHub
@testable import PickerSession

/// The refs of commands that are refused without being appended to the log.
@Suite struct UnstoredRefTests {
  private func codes(_ fixture: HubFixture, _ raw: UInt64) -> [String?] {
    fixture.received(raw).map { $0["code"]?.string ?? $0["type"]?.string }
  }

  @Test func `the ref of a command of an unknown type is remembered but not stored`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    (fixture.log.records, fixture.port.frames) = ([], [:])

    fixture.send(1, #"{"type":"wish","ref":5}"#)
    fixture.send(1, #"{"type":"undo","ref":4}"#)
    let first = fixture.received(1)
    fixture.send(1, #"{"type":"redo","ref":5}"#)
    let again = fixture.received(1)

    #expect(first.map { $0["code"]?.string } == ["unknownType", "oldRef"])
    #expect(again == [first[0]])
    #expect(fixture.log.records.isEmpty)
    fixture.send(1, select(6, 0, 1))
    #expect(codes(fixture, 1) == ["delta"])
  }

  @Test func `the ref of a refusal that waits for the log is remembered`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.wait(100)
    fixture.forgetAll()
    fixture.log.outcome = .pending

    fixture.send(1, select(1, 0, 1))
    for (type, ref) in [("wish", 5), ("undo", 4), ("redo", 5), ("redo", 1), ("undo", 6)] {
      fixture.send(1, #"{"type":"\#(type)","ref":\#(ref)}"#)
    }
    fixture.store()

    let expected = ["delta", "unknownType", "oldRef", "unknownType", "reply", "delta"]
    #expect(codes(fixture, 1) == expected)
  }

  @Test func `the refs of a viewer are remembered when it resumes as the owner`() throws {
    let fixture = try HubFixture(letters, HubConfiguration(authentication: .token))
    func join(_ raw: UInt64, as role: String, _ fields: String = "") -> JSONTree {
      fixture.join(raw, #","token":"\#(fixture.tokens[role] ?? "")"\#(fields)"#)
      return fixture.received(raw)[0]
    }
    let viewer = join(1, as: "viewer")
    fixture.send(1, select(5, 0, 1))
    fixture.send(1, select(4, 0, 1))
    #expect(codes(fixture, 1) == ["notAllowed", "oldRef"])

    let owner = join(2, as: "owner", fixture.resume(viewer, revision: 0))
    fixture.forgetAll()
    fixture.send(2, select(5, 0, 1))
    fixture.send(2, select(6, 0, 1))

    #expect(owner["ref"]?.integer == 5)
    #expect(codes(fixture, 2) == ["notAllowed", "delta"])
  }

  @Test func `the number of remembered refs that are not stored is limited`() throws {
    var configuration = HubConfiguration()
    configuration.limits.session.refs = 2
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)
    fixture.forgetAll()

    for ref in [1, 2, 3, 1, 2] { fixture.send(1, #"{"type":"wish","ref":\#(ref)}"#) }

    let expected = ["unknownType", "unknownType", "unknownType", "oldRef", "unknownType"]
    #expect(codes(fixture, 1) == expected)
  }
}
