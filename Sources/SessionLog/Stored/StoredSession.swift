import Foundation
import PickerSession

/// The row of a session that has not ended.
struct StoredSession: Sendable {
  let id: SessionID
  let number: Int64
  let epoch: String
  let origin: Data
  /// The number of entries of its log, compacted ones included.
  let entryCount: Int
  /// The size of its log in bytes.
  let byteCount: Int
  /// The last entry whose events are in the feed.
  let eventSequence: Int
  /// The time of its last revision or join, in milliseconds since 1970.
  let activeAt: Int64
  /// The versions with which it was created.
  let versions: FoldVersions
}

/// The stored rows of a session, read in one transaction: all values belong to one state of the
/// store.
protocol SessionRows {
  var session: StoredSession { get }
  func newestSnapshot() throws -> StoredSnapshot?
  /// The sequence of ``newestSnapshot()``, without reading the snapshot.
  func newestSnapshotSequence() throws -> Int?
  func oldestSnapshotSequence() throws -> Int?
  /// The snapshots with sequences after `sequence` and up to `last`, oldest first.
  func snapshots(after sequence: Int, through last: Int) throws -> [StoredSnapshot]
  /// The newest snapshot of a revision up to `revision`, or from which the session continued under
  /// a new epoch.
  func snapshot(upTo revision: Int) throws -> StoredSnapshot?
  /// The snapshot where reading the history begins; see ``SnapshotSpacing``.
  func baseSequence(revision: Int, rowCount: Int) throws -> Int?
  /// Calls `each` with entries in the order of their sequences, until it returns `false`.
  func entries(
    after sequence: Int, through last: Int,
    each: (_ sequence: Int, _ body: Data) throws -> Bool
  ) throws
  /// The encoded definition with a digest.
  func document(_ digest: Data) throws -> Data?
}
