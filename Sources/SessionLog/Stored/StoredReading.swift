import CivilTime
import Foundation
import JSONText
import PickerHub
import PickerModel
import PickerSession
import PickerWire

/// Reading stored sessions, from the rows of any store.
enum StoredReading {
  /// The outcome of reading a session.
  enum Outcome {
    /// - Parameter byteCount: The size of its log.
    case loaded(LoadedSession, byteCount: Int)
    /// Applying its entries with the current rules and zone database gives another state than its
    /// members have seen.
    case diverged(StoredDivergence)
  }

  /// Loads a session from its newest snapshot and the entries after it, and its recent deltas from
  /// an older snapshot.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since 1970 by the store's clock.
  ///   - definition: Finds or makes the definition of its creation.
  ///   - make: Finds or makes a later definition from its document.
  /// - Throws: ``StoredProblem`` or the store's error.
  static func load(
    _ rows: some SessionRows, limits: SessionLimits, _ versions: FoldVersions,
    now: Int64,
    definition: (StoredOrigin) throws -> Definition, make: @escaping (JSONTree) -> Definition?
  ) throws -> Outcome {
    let session = rows.session
    let (origin, limits) = try created(session, limits, definition: definition)
    var folding = try StoredFolding(rows, origin, limits, versions, make: make)
    if let divergence = try folding.start(SnapshotSpacing(limits)) { return .diverged(divergence) }
    let tail = try folding.foldTail()
    return .loaded(
      LoadedSession(
        fold: folding.fold, entryCount: folding.sequence, snapshotEntryCount: tail.start,
        spent: tail.spent, idleMilliseconds: max(0, now - session.activeAt),
        isSnapshotted: tail.isIdle, eventSequence: session.eventSequence, missed: tail.missed),
      byteCount: session.byteCount)
  }

  /// A session's origin, and the limits that stay in force for it.
  static func created(
    _ session: StoredSession, _ limits: SessionLimits,
    definition: (StoredOrigin) throws -> Definition
  ) throws -> (origin: SessionOrigin, limits: SessionLimits) {
    let stored = try StoredOrigin([UInt8](session.origin), of: session.id)
    let origin = try SessionOrigin(
      id: session.id, epoch: session.epoch, stored.others, definition: try definition(stored))
    return (origin, try limits.asCreated(stored.others))
  }

  /// The maximum nesting of an entry or a snapshot: that of the deepest body that is accepted, and
  /// what is stored around it.
  static let depthMax = bodyDepthMax + 8
}

extension StoredReading {
  /// Decodes an entry.
  ///
  /// - Parameters:
  ///   - definition: The definition before the entry, which a patch changes. Entries that several
  ///     nodes append have no patches.
  ///   - document: Finds the encoded definition with a digest.
  static func entry(
    _ body: Data, of session: SessionID, after definition: Definition?,
    document: (Data) throws -> Data?, make: (JSONTree) -> Definition?
  ) throws -> LogEntry {
    var tree = try JSONTree.parse([UInt8](body), depthMax: depthMax)
    if let digest = tree["digest"]?.string.flatMap({ Data(hexadecimal: $0) }),
      case .object(let members) = tree
    {
      guard let body = try document(digest) else {
        throw StoredProblem("a definition of session \(session.shortened) is missing")
      }
      let document = try JSONTree.parse([UInt8](body), depthMax: depthMax)
      tree = .object(members + [.init("definition", document)])
    }
    guard let entry = LogEntry(tree: tree, after: definition, make: make) else {
      throw StoredProblem("an entry of session \(session.shortened) is not as pickerd writes it")
    }
    return entry
  }
}

extension SessionRows {
  /// Decodes an entry.
  ///
  /// - Parameter definition: The definition before the entry.
  func entry(
    _ body: Data, after definition: Definition, make: (JSONTree) -> Definition?
  ) throws -> LogEntry {
    try StoredReading.entry(
      body, of: session.id, after: definition, document: document, make: make)
  }
}
