import CivilTime
import JSONText
import PickerModel
import Testing

@testable import PickerSession

/// `at` and `hits`: commands whose author has not seen the current state.
@Suite struct LateCommandTests {
  /// The params of the last outcome as JSON; `nil` if it is not a refusal with `stale`.
  private func stale(_ effects: [Effect]) -> String? {
    guard case .answered(_, let answer)? = effects.last,
      case .refused(let refusal, _) = answer.body, refusal.code == .stale
    else { return nil }
    return String(decoding: JSONTree.object(refusal.params).serialized(), as: UTF8.self)
  }

  @Test(arguments: [Command.act(.clear), .undo, .redo, .confirm, .cancel])
  func `a late command is stale after another member's change of the value`(
    command: Command
  ) throws {
    var session = try SessionFixture(calendar)
    session.give(ana, 1, tap("2026-11-20"))
    session.give(bo, 1, tap("2026-11-22"))

    let effects = session.give(ana, 2, command, if: .at(1))

    #expect(stale(effects) == #"{"revision":2,"by":"Bo"}"#)
    #expect(session.fold.revision == 2 && session.fold.status == .open)
  }

  @Test func `a late command is done if its author has seen the last change`() throws {
    var session = try SessionFixture(calendar)
    session.give(bo, 1, tap("2026-11-20"))
    session.give(bo, 2, tap("2026-11-22"))

    session.give(ana, 1, .confirm, if: .at(2))

    #expect(session.fold.status == .confirmed)
  }

  @Test func `the author's own later commands do not make a command stale`() throws {
    var session = try SessionFixture(calendar)
    session.give(bo, 1, tap("2026-11-20"))
    session.give(ana, 1, tap("2026-11-22"))
    session.give(ana, 2, tap("2026-11-25"))

    session.give(ana, 3, .act(.clear), if: .at(1))

    #expect(session.fold.picker.range == nil)
  }

  @Test func `another member's change before the author's own one counts`() throws {
    var session = try SessionFixture(calendar)
    session.give(bo, 1, tap("2026-11-20"))
    session.give(cem, 1, tap("2026-11-22"))
    session.give(ana, 1, tap("2026-11-25"))

    let effects = session.give(ana, 2, .undo, if: .at(1))

    #expect(stale(effects) == #"{"revision":2,"by":"Cem"}"#)
  }

  @Test func `a reopen is stale after another member's change of the status`() throws {
    var session = try SessionFixture(calendar)
    session.give(ana, 1, .cancel)
    session.join(MemberID("Dan"), as: .owner)
    session.give(MemberID("Dan"), 1, .reopen)

    #expect(stale(session.give(ana, 2, .reopen, if: .at(1))) == #"{"revision":2,"by":"Dan"}"#)
  }

  @Test func `a change by time makes a command stale and has no member`() throws {
    var session = try SessionFixture(slot)

    let effects = session.give(ana, 1, .confirm, if: .at(0), after: 11 * 60_000)

    #expect(SessionFixture.deltas(effects).map(\.author) == [nil])
    #expect(stale(effects) == #"{"revision":1}"#)
    #expect(session.fold.status == .open)
    session.give(ana, 2, .confirm, if: .at(1), after: 11 * 60_000)
    #expect(session.fold.status == .confirmed)
  }

  @Test func `a command of the host is stale after a change by time`() throws {
    var session = try SessionFixture(slot)
    _ = session.fold.apply(
      LogEntry(at: noon.adding(milliseconds: 3 * 3_600_000), body: .tick))
    #expect(session.fold.revision == 1)

    let effects = session.give(.host, 0, .confirm, if: .at(0), after: 3 * 3_600_000)

    #expect(stale(effects) == #"{"revision":1}"#)
    #expect(session.fold.status == .open)
  }

  @Test func `a command of the host is stale after another command of the host, and after itself`()
    throws
  {
    var session = try SessionFixture(letters)
    session.give(ana, 1, .confirm)
    session.give(.host, 0, .reopen, if: .at(1))
    #expect(session.fold.status == .open)
    #expect(stale(session.give(.host, 0, .reopen, if: .at(1))) == #"{"revision":2}"#)
    // Another process of the host.
    session.give(.host, 0, select(0, 1))
    session.give(.host, 0, .confirm)

    #expect(stale(session.give(.host, 0, .reopen, if: .at(1))) == #"{"revision":4}"#)
    #expect(stale(session.give(.host, 0, .cancel, if: .at(2))) == #"{"revision":4}"#)
    #expect(session.fold.status == .confirmed)
  }

  @Test func `a confirm of the host is stale after a definition that changes the value`() throws {
    var session = try SessionFixture(letters)
    let tree = try JSONTree.parse(Array(#"{"kind":"columns","columns":[["b"],["x"]]}"#.utf8))
    let made = try Definition.make(from: tree) { _ in .utc }
    let change = DefinitionChange(version: 2, definition: made, source: .whole)
    _ = session.fold.apply(LogEntry(at: noon, body: .revised(.init(definition: change))))
    #expect(session.fold.revision == 1)

    #expect(stale(session.give(.host, 0, .confirm, if: .at(0))) == #"{"revision":1}"#)
  }

  @Test func `a change that keeps value and status makes nothing stale`() throws {
    var session = try SessionFixture(calendar)
    session.give(ana, 1, tap("2026-11-20"))
    session.give(ana, 2, tap("2026-11-22"))
    let patch = try JSONTree.parse(Array(#"{"days":{"2026-11-20":{"text":"!"}}}"#.utf8))
    _ = session.fold.apply(LogEntry(at: noon, body: .revised(.init(notes: NotesPatch(patch)))))
    #expect(session.fold.revision == 3)

    session.give(ana, 3, .confirm, if: .at(2))

    #expect(session.fold.status == .confirmed)
  }

  @Test func `a revision that the session does not have is stale`() throws {
    var session = try SessionFixture(calendar)
    #expect(stale(session.give(ana, 1, .undo, if: .at(9))) == "{}")
    session.give(bo, 1, tap("2026-11-20"))

    let effects = session.give(ana, 2, .confirm, if: .at(9))

    #expect(stale(effects) == #"{"revision":1,"by":"Bo"}"#)
  }

  @Test func `a tap is stale if the range has other hits than its author saw`() throws {
    var session = try SessionFixture(calendar)
    session.give(ana, 1, tap("2026-11-20"), if: .hits(0))
    session.give(bo, 1, tap("2026-11-22"), if: .hits(1))

    let effects = session.give(ana, 2, tap("2026-11-24"), if: .hits(1))

    #expect(stale(effects) == #"{"revision":2,"by":"Bo"}"#)
    guard case .answered(_, let answer)? = effects.last,
      case .refused(_, let correction) = answer.body
    else { return #expect(Bool(false)) }
    #expect(correction == .range)
    session.give(ana, 3, tap("2026-11-24"), if: .hits(2))
    #expect(session.fold.revision == 3)
    #expect(stale(session.give(bo, 2, tap("2026-11-26"), if: .hits(-1))) != nil)
  }

  @Test func `a command sent again has the same answer`() throws {
    var session = try SessionFixture(calendar)
    session.give(bo, 1, tap("2026-11-20"))
    let first = session.give(ana, 1, .act(.clear), if: .at(0))
    session.give(bo, 2, .act(.clear))
    session.give(ana, 2, tap("2026-11-23"), if: .hits(0))
    session.give(bo, 3, tap("2026-11-25"))

    #expect(session.give(ana, 1, .act(.clear), if: .at(0)) == first)
    #expect(SessionFixture.reply(session.give(ana, 2, tap("2026-11-23"), if: .hits(0))) == 3)
  }

  @Test func `stale is checked after the status and before what the command needs`() throws {
    var session = try SessionFixture(calendar)
    session.give(bo, 1, tap("2026-11-20"))
    session.give(bo, 2, tap("2026-11-22"))
    session.give(bo, 3, .act(.clear))
    #expect(stale(session.give(ana, 1, .confirm, if: .at(1))) != nil)
    session.give(ana, 2, .cancel)

    #expect(SessionFixture.refusal(session.give(ana, 3, .act(.clear), if: .at(1))) == .notOpen)
  }

  @Test func `what decides is restored from a snapshot`() throws {
    var session = try SessionFixture(calendar)
    session.give(bo, 1, tap("2026-11-20"))
    session.give(ana, 1, tap("2026-11-22"))
    session.fold = SessionFold(session.fold.origin, state: session.fold.state)

    #expect(stale(session.give(ana, 2, .confirm, if: .at(0))) == #"{"revision":1,"by":"Bo"}"#)
    #expect(stale(session.give(bo, 2, .undo, if: .at(1))) == #"{"revision":2,"by":"Ana"}"#)
  }

  @Test func `the two pairs decide as the whole log would`() throws {
    var random = SystemRandomNumberGenerator()
    let members: [MemberID?] = [ana, bo, cem, nil]
    for _ in 0..<200 {
      var pairs = LastChanges()
      var log: [LastChanges.Change] = []
      for revision in 1...Int.random(in: 1...8, using: &random) {
        let change = LastChanges.Change(
          revision: revision, member: members.randomElement(using: &random)!)
        pairs.add(revision: revision, by: change.member)
        log.append(change)
        for member in [ana, bo, cem] {
          #expect(pairs.last(before: member) == log.last { $0.member != member }, "\(log)")
        }
        #expect(pairs.last(before: .host) == change, "\(log)")
      }
    }
  }
}
