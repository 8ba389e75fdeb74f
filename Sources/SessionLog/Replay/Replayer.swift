import CivilTime
import PickerModel
package import PickerSession

/// An entry that a replay has just applied.
package struct ReplayedEntry {
  package let entry: LogEntry
  package let effects: [Effect]
  /// The state after it.
  package let fold: SessionFold
}

/// Applies all entries of a session, and retains the state at one revision.
struct Replayer<Source: EntrySource> {
  private(set) var cursor: EntryCursor<Source>
  private(set) var entryCount = 0
  private let wanted: Int?
  /// The state at the wanted revision, as soon as the cursor has a later one.
  private var passed: SessionFold?
  private let each: (ReplayedEntry) -> Void

  init(_ cursor: EntryCursor<Source>, at wanted: Int?, each: @escaping (ReplayedEntry) -> Void) {
    self.cursor = cursor
    self.wanted = wanted
    self.each = each
  }

  var fold: SessionFold { cursor.fold }

  /// As ``EntryCursor/next(crossing:)``.
  mutating func next(
    crossing: EntryCursor<Source>.Crossing = { _, _ in nil }
  ) throws -> EntryCursor<Source>.Next? { try cursor.next(crossing: crossing) }

  mutating func apply(_ next: EntryCursor<Source>.Next) -> [Effect] {
    // An entry makes at most four revisions (a time-out, a definition, a tick, its own), and one
    // for each patch of notes that waits. The state is copied only near the wanted one.
    let reach = 3 + fold.decision.waitingNotes.count
    let isNear = passed == nil && wanted.map { fold.revision >= $0 - reach } == true
    let before = isNear ? fold : nil
    let effects = cursor.apply(next)
    entryCount += 1
    if let before, let wanted, fold.revision > wanted {
      passed =
        before.revision == wanted ? before : Replayer.between(before, next.entry, wanted)
    }
    each(ReplayedEntry(entry: next.entry, effects: effects, fold: fold))
    return effects
  }

  /// The state at a revision between those before and after an entry. A command is preceded by a
  /// tick to its time; a reopening is followed by a pending definition and by a tick.
  private static func between(
    _ before: SessionFold, _ entry: LogEntry, _ wanted: Int
  ) -> SessionFold {
    guard before.status != .open else {
      var ticked = before
      _ = ticked.apply(LogEntry(at: entry.at, body: .tick))
      return ticked
    }
    let now = before.time(of: entry)
    var state = before.state
    state.facts.leaveStatus(by: entry, at: now)
    state.facts.revision += 1
    var changed = SessionFold(before.origin, limits: before.limits, state: state)
    var effects: [Effect] = []
    changed.applyWaiting(at: now, through: wanted, &effects)
    return changed
  }

  /// The state at the wanted revision, or at the last one.
  func requestedFold(of what: String) throws(ReplayProblem) -> SessionFold {
    if let passed { return passed }
    guard let wanted, wanted != fold.revision else { return fold }
    throw ReplayProblem(
      .usage, "\(what) has no revision \(wanted): it begins at 0 and ends at \(fold.revision)")
  }
}

extension SessionFold.Facts {
  /// Another status, as it is after an entry of a session that was not open.
  fileprivate mutating func leaveStatus(by entry: LogEntry, at now: Instant) {
    var grant: Settle?
    if case .settle(let settle) = entry.body, settle.isGranted,
      let confirmation = decision.confirmation, settle.op == confirmation.op,
      now < confirmation.until
    {
      grant = settle
    }
    status = grant == nil ? .open : .confirmed
    decision.end(by: grant)
  }
}
