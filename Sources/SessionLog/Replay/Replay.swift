import CivilTime
package import JSONText
import PickerModel
package import PickerSession

/// The outcome of a replay: applying all entries of a log again.
package struct ReplayReport: Sendable {
  /// The state at the requested revision, or at the last one.
  package let fold: SessionFold
  /// The last revision of the log.
  package let lastRevision: Int
  /// The number of entries or lines that were applied.
  package let entryCount: Int
  /// The number of snapshots or lines that were compared.
  package let comparedCount: Int
  /// The singular noun for what was compared: `snapshot` or `line`.
  package let comparedNoun: String
  /// Whether the log contains joins with roles. A log over HTTP has only the authors of commands.
  package let knowsMembers: Bool
  /// The first difference between the stored data and the replay.
  package let difference: ReplayDifference?
  /// Further remarks, as sentences.
  package let remarks: [String]
  /// Whether the log is complete; false if its last line is cut.
  package let isWhole: Bool
}

/// A difference between stored data and a replay.
package struct ReplayDifference: Hashable, Sendable {
  package let revision: Int
  /// A JSON Pointer (RFC 6901) into the stored data; `nil` if it differs as a whole.
  package let pointer: String?
  /// The stored value; `nil` if there is none.
  package let stored: JSONTree?
  /// The value of the replay; `nil` if there is none.
  package let folded: JSONTree?
  /// A sentence.
  package let detail: String

  init(
    revision: Int, pointer: String? = nil, stored: JSONTree? = nil, folded: JSONTree? = nil,
    detail: String
  ) {
    self.revision = revision
    self.pointer = pointer
    self.stored = stored
    self.folded = folded
    self.detail = detail
  }

  /// The first difference between two documents; `nil` if they are equal.
  ///
  /// - Parameter what: The noun for the stored document: `the snapshot after entry 500`.
  init?(revision: Int, _ what: String, stored: JSONTree, folded: JSONTree, apart: Set<String> = [])
  {
    guard let found = JSONDifference(stored, folded, apart: apart) else { return nil }
    self.init(
      revision: revision, pointer: found.pointer, stored: found.left, folded: found.right,
      detail: "\(what) has \(found.left.shown) at \(found.pointer), the replay has "
        + found.right.shown)
  }
}

/// An entry that a replay has just applied.
package struct ReplayedEntry {
  package let entry: LogEntry
  package let outcomes: [Outcome]
  /// The state after it.
  package let fold: SessionFold
}

/// The reason why a log cannot be replayed, as a sentence.
package struct ReplayProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The arguments are invalid: `EX_USAGE`.
    case usage
    /// The log is missing or cannot be read: `EX_NOINPUT`.
    case noInput
    /// The data is not a log that can be replayed: `EX_DATAERR`.
    case badData
  }

  package let kind: Kind
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

/// Applies the entries of a log, and retains the state at one revision.
struct Replayer {
  private(set) var fold: SessionFold
  private(set) var entryCount = 0
  private let wanted: Int?
  /// The state at the wanted revision, as soon as ``fold`` has a later one.
  private var passed: SessionFold?
  private let each: (ReplayedEntry) -> Void

  init(_ fold: SessionFold, at wanted: Int?, each: @escaping (ReplayedEntry) -> Void) {
    self.fold = fold
    self.wanted = wanted
    self.each = each
  }

  mutating func apply(_ entry: LogEntry) -> [Outcome] {
    // An entry makes at most three revisions, and one for each patch of notes that waits. The state
    // is copied only near the wanted one.
    let reach = 2 + fold.decision.waitingNotes.count
    let isNear = passed == nil && wanted.map { fold.revision >= $0 - reach } == true
    let before = isNear ? fold : nil
    let outcomes = fold.apply(entry)
    entryCount += 1
    if let before, let wanted, fold.revision > wanted {
      passed = before.revision == wanted ? before : Replayer.between(before, entry, wanted)
    }
    each(ReplayedEntry(entry: entry, outcomes: outcomes, fold: fold))
    return outcomes
  }

  /// Continues from a stored state.
  mutating func adopt(_ state: SessionFold.StoredState) {
    fold = SessionFold(fold.origin, limits: fold.limits, state: state)
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
    var state = before.state
    state.leaveStatus(by: entry)
    state.revision += 1
    var changed = SessionFold(before.origin, limits: before.limits, state: state)
    var outcomes: [Outcome] = []
    changed.applyWaiting(at: entry.at, through: wanted, &outcomes)
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

extension SessionFold.StoredState {
  /// Another status, as it is after an entry of a session that was not open.
  fileprivate mutating func leaveStatus(by entry: LogEntry) {
    var grant: Settle?
    if case .settle(let settle) = entry.body, settle.isGranted,
      settle.op == decision.confirmation?.op
    {
      grant = settle
    }
    status = grant == nil ? .open : .confirmed
    decision.end(by: grant)
  }
}
