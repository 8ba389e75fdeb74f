import JSONText
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// Commands that are refused without being appended to the log.
@Suite struct UnstoredTests {
  private func codes(_ fixture: HubFixture, _ raw: UInt64) -> [String?] {
    fixture.received(raw).map { $0["code"]?.string ?? $0["type"]?.string }
  }

  /// A session with tokens.
  private struct Guarded {
    let fixture: HubFixture
    let session: SessionID
    let tokens: JSONTree

    init() throws {
      let fixture = try HubFixture(letters, HubConfiguration(authentication: .token))
      self.fixture = fixture
      let request = try CreateRequest(Array(#"{"definition":\#(letters)}"#.utf8))
      var made: CreatedSession?
      fixture.hub.begin { host throws(HubProblem) in
        try await host.create(request, socketBase: "", at: fixture.now)
      } answer: {
        made = try? $0.get()
      }
      let created = try #require(made)
      session = created.id
      tokens = try #require(try JSONTree.parse(created.body)["tokens"])
    }

    func join(_ raw: UInt64, _ role: String, _ fields: String = "") {
      fixture.open(raw, session: session)
      let token = tokens[role]?.string ?? ""
      fixture.send(raw, #"{"type":"join","token":"\#(token)"\#(fields)}"#)
    }
  }

  @Test func `a command of an unknown type is refused and not stored`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    (fixture.log.records, fixture.port.frames) = ([], [:])

    fixture.send(1, #"{"type":"\#(String(repeating: "w", count: 60_000))","ref":1}"#)
    fixture.send(1, #"{"type":"wish","ref":1}"#)

    #expect(codes(fixture, 1) == ["unknownType", "unknownType"])
    #expect(fixture.log.records.isEmpty)
  }

  @Test func `a command over the rate is refused and not stored`() throws {
    var configuration = HubConfiguration()
    configuration.limits.messagesPerSecond = 1
    let fixture = try HubFixture(letters, configuration)
    fixture.join(1)
    fixture.send(1, select(1, 0, 1))
    (fixture.log.records, fixture.port.frames) = ([], [:])

    fixture.send(1, select(2, 0, 2))
    fixture.send(1, #"{"type":"select","ref":3,"column":0,"row":2,"generation":1,"key":5}"#)

    #expect(codes(fixture, 1) == ["tooMany", "tooMany"])
    #expect(fixture.log.records.isEmpty)
  }

  @Test func `a command of a viewer is refused and not stored`() throws {
    let guarded = try Guarded()
    guarded.join(1, "viewer")
    (guarded.fixture.log.records, guarded.fixture.port.frames) = ([], [:])

    guarded.fixture.send(1, select(1, 0, 1))
    guarded.fixture.send(1, select(1, 0, 1))

    #expect(codes(guarded.fixture, 1) == ["notAllowed", "notAllowed"])
    #expect(guarded.fixture.log.records.isEmpty)
  }

  /// Regression: such a command was not stored, so that it was done when it was sent again after the
  /// session had been reloaded and the editor had become the owner.
  @Test func `a command for owners is refused and stored when an editor gives it`() throws {
    let guarded = try Guarded()
    guarded.join(1, "editor")
    let open = try HubFixture(letters)
    open.join(1)
    open.join(2)
    for (fixture, raw) in [(guarded.fixture, UInt64(1)), (open, 2)] {
      (fixture.log.records, fixture.port.frames) = ([], [:])

      for (type, ref) in [("confirm", 1), ("cancel", 2), ("reopen", 3)] {
        fixture.send(raw, #"{"type":"\#(type)","ref":\#(ref)}"#)
      }
      fixture.send(raw, select(4, 0, 1))

      #expect(codes(fixture, raw) == ["notAllowed", "notAllowed", "notAllowed", "delta"])
      #expect(fixture.log.records.count == 4)
    }
  }

  @Test func `an editor that becomes owner may confirm before that is stored`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    fixture.forgetAll()
    fixture.log.outcome = .pending

    fixture.send(1, #"{"type":"leave"}"#)
    fixture.send(2, #"{"type":"confirm","ref":1}"#)
    fixture.store()

    #expect(fixture.fold.status == .confirmed)
  }

  @Test func `a command of a viewer whose join is pending is not stored`() throws {
    let guarded = try Guarded()
    guarded.fixture.log.outcome = .pending
    guarded.fixture.log.records = []
    guarded.join(1, "viewer")

    guarded.fixture.send(1, select(1, 0, 1))
    #expect(guarded.fixture.log.records.count == 1)
    guarded.fixture.hub.committed(1, of: guarded.session, at: guarded.fixture.now)

    #expect(codes(guarded.fixture, 1) == ["welcome", "notAllowed"])
  }

  @Test func `a viewer that resumes as an editor may select before the join is stored`() throws {
    let guarded = try Guarded()
    let fixture = guarded.fixture
    guarded.join(1, "viewer")
    let welcome = fixture.received(1)[0]
    fixture.log.outcome = .pending
    guarded.join(2, "editor", fixture.resume(welcome, revision: 0))

    fixture.send(2, select(1, 0, 1))
    fixture.hub.committed(2, of: guarded.session, at: fixture.now)

    #expect(codes(fixture, 2) == ["welcome", "delta"])
  }

  @Test func `a refusal is sent in order with the other answers of its connection`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.wait(100)
    fixture.forgetAll()
    fixture.log.outcome = .pending

    fixture.send(1, select(1, 0, 1))
    fixture.send(1, #"{"type":"wish","ref":2}"#)
    fixture.send(1, select(3, 0, 2))
    #expect(codes(fixture, 1).isEmpty)
    fixture.store()

    #expect(codes(fixture, 1) == ["delta", "unknownType", "delta"])
  }

  @Test func `a key is stored only if the command may need it`() throws {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.log.records = []
    let selection = #""column":0,"generation":1,"key":"b""#

    fixture.send(1, #"{"type":"select","ref":1,"row":1,\#(selection)}"#)
    fixture.log.outcome = .pending
    fixture.send(1, select(2, 0, 0))
    fixture.send(1, #"{"type":"select","ref":3,"row":1,\#(selection)}"#)

    let keys = fixture.log.records.map { record -> String? in
      guard case .entry(let entry) = record,
        case .command(_, ref: _, .act(.columns(.select(let selection))), _) = entry.body
      else { return "no select" }
      return selection.key
    }
    #expect(keys == [nil, nil, "b"])
  }
}
