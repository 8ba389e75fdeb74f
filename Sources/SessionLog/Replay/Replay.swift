import CivilTime
package import JSONText
import PickerModel
package import PickerSession

/// What folding a log again has found.
package struct ReplayReport: Sendable {
  /// The state at the revision that was asked for, or at the last one.
  package let standing: SessionFold
  /// The last revision of the log.
  package let lastRevision: Int
  /// How many entries or lines have been folded.
  package let entryCount: Int
  /// How many stored states or changes have been compared.
  package let comparedCount: Int
  /// What they are, in the singular: `snapshot`.
  package let comparedNoun: String
  /// Whether the log says who joined as what; else only who gave a command that was accepted.
  package let knowsMembers: Bool
  /// The first place at which what is stored is not what folding makes.
  package let difference: ReplayDifference?
  /// What is to be said besides, as sentences.
  package let remarks: [String]
  /// Whether the log is there to its end.
  package let isWhole: Bool
}

/// Where and in what something stored is not what folding makes.
package struct ReplayDifference: Hashable, Sendable {
  package let revision: Int
  /// An RFC 6901 pointer into what is stored; `nil` if all of it is not as it should be.
  package let pointer: String?
  /// `nil` where nothing is stored.
  package let stored: JSONTree?
  /// `nil` where folding makes nothing.
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

  /// The first place at which two documents differ; `nil` if they mean the same.
  ///
  /// - Parameter what: What is compared: `a snapshot after entry 500`.
  init?(revision: Int, _ what: String, stored: JSONTree, folded: JSONTree, apart: Set<String> = [])
  {
    guard let place = JSONDifference(stored, folded, apart: apart) else { return nil }
    self.init(
      revision: revision, pointer: place.pointer, stored: place.left, folded: place.right,
      detail: "\(what) has \(place.left.shown) at \(place.pointer), folding makes "
        + place.right.shown)
  }
}

/// One entry as a replay has just folded it.
package struct ReplayedEntry {
  package let entry: LogEntry
  package let outcomes: [Outcome]
  /// The state after it.
  package let fold: SessionFold
}

/// Why nothing can be replayed, as a sentence.
package struct ReplayProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// What was asked for makes no sense.
    case usage
    /// It is not there, or cannot be read.
    case noInput
    /// It is there, and is no log that can be folded.
    case badData
  }

  package let kind: Kind
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

/// Folds a log again, and holds the state at one revision.
struct Replayer {
  private(set) var fold: SessionFold
  private(set) var entryCount = 0
  private let wanted: Int?
  /// The state at the wanted revision, from when it has passed on.
  private var passed: SessionFold?
  private let each: (ReplayedEntry) -> Void

  init(_ fold: SessionFold, at wanted: Int?, each: @escaping (ReplayedEntry) -> Void) {
    self.fold = fold
    self.wanted = wanted
    self.each = each
  }

  mutating func apply(_ entry: LogEntry) -> [Outcome] {
    // An entry makes three revisions at most. Nothing is copied before it matters.
    let isNear = passed == nil && wanted.map { fold.revision >= $0 - 2 } == true
    let before = isNear ? fold : nil
    let outcomes = fold.apply(entry)
    entryCount += 1
    if let before, let wanted, fold.revision > wanted {
      passed = before.revision == wanted ? before : Replayer.between(before, entry, wanted)
    }
    each(ReplayedEntry(entry: entry, outcomes: outcomes, fold: fold))
    return outcomes
  }

  /// Goes on from a stored state.
  mutating func adopt(_ kept: SessionFold.StoredState) {
    fold = SessionFold(fold.origin, limits: fold.limits, kept: kept)
  }

  /// The state between the revisions that one entry made: a command is preceded by the tick to its
  /// time, a reopening followed by a definition that waited for it, and by the tick.
  private static func between(
    _ before: SessionFold, _ entry: LogEntry, _ wanted: Int
  ) -> SessionFold {
    guard before.status != .open else {
      var ticked = before
      _ = ticked.apply(LogEntry(at: entry.at, body: .tick))
      return ticked
    }
    var kept = before.kept
    kept.status = .open
    kept.revision += 1
    var reopened = SessionFold(before.origin, limits: before.limits, kept: kept)
    if wanted > reopened.revision {
      var outcomes: [Outcome] = []
      reopened.applyPendingDefinition(at: entry.at, &outcomes)
    }
    return reopened
  }

  /// The state at the wanted revision, or at the last.
  func standing(of what: String) throws(ReplayProblem) -> SessionFold {
    if let passed { return passed }
    guard let wanted, wanted != fold.revision else { return fold }
    throw ReplayProblem(
      .usage, "\(what) has no revision \(wanted): it begins at 0 and ends at \(fold.revision)")
  }
}
