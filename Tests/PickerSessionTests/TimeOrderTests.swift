import CivilTime
import PickerModel
import PickerSession
import Testing

/// Entries of several nodes, whose order is not that of their times.
@Suite struct TimeOrderTests {
  private let midnight = Instant(rfc3339: "2026-11-21T00:00:00Z".utf8)!
  private let date = #"{"kind":"date","min":"2026-11-01","max":"today"}"#

  /// Regression: the command took the new day away again, and with it the acknowledged selection.
  @Test func `a command from before midnight does not undo a selection after it`() throws {
    var session = try SessionFixture(date)
    _ = session.fold.apply(LogEntry(at: midnight, body: .tick))
    session.give(ana, 1, select(2, 20, generation: 2), after: 1000, at: midnight)
    #expect(session.fold.result == .date(["2026", "11", "21"]))

    let effects = session.give(bo, 1, .redo, after: -1500, at: midnight)

    #expect(effects.count == 1 && SessionFixture.refusal(effects) == .nothingToUndo)
    #expect(session.fold.result == .date(["2026", "11", "21"]))
  }

  @Test func `the new day is taken away again when the clock is set back`() throws {
    var session = try SessionFixture(date)
    _ = session.fold.apply(LogEntry(at: midnight, body: .tick))
    session.give(ana, 1, select(2, 20, generation: 2), after: 1000, at: midnight)

    _ = session.fold.apply(LogEntry(at: noon, body: .clockSet))

    #expect(session.fold.result == .date(["2026", "11", "20"]))
  }

  @Test func `revisions have times in their order`() throws {
    var session = try SessionFixture(letters)
    var deltas: [Delta] = []
    for (ref, milliseconds) in [0, 2000, -3000, 5000].enumerated() {
      deltas += SessionFixture.deltas(
        session.give(ana, ref + 1, select(0, (ref + 1) % 3), after: Int64(milliseconds)))
    }

    #expect(deltas.map(\.at) == [0, 2000, 2000, 5000].map { noon.adding(milliseconds: $0) })
  }

  /// Regression: one node's delayed tick took the new day away from members of another node.
  @Test func `a late tick does not move the picker back`() throws {
    var session = try SessionFixture(date)
    _ = session.fold.apply(LogEntry(at: midnight, body: .tick))
    session.give(ana, 1, select(2, 20, generation: 2), after: 1000, at: midnight)

    let effects = session.fold.apply(
      LogEntry(at: midnight.adding(milliseconds: -5), body: .tick))

    #expect(effects == [] && session.fold.remnant == .nothing)
    #expect(session.fold.result == .date(["2026", "11", "21"]))
  }

  /// The setting back itself changes no row here, but what follows depends on it.
  @Test func `setting the clock back stays in the log, setting it forward does not`() throws {
    var session = try SessionFixture(letters)
    session.give(ana, 1, select(0, 1), after: 60_000)

    let effects = session.fold.apply(LogEntry(at: noon, body: .clockSet))

    #expect(effects == [] && session.fold.remnant == .entry && session.fold.reached == noon)

    let later = noon.adding(milliseconds: 1000)
    #expect(session.fold.apply(LogEntry(at: later, body: .clockSet)) == [])
    #expect(session.fold.remnant == .nothing && session.fold.reached == noon)
  }
}
