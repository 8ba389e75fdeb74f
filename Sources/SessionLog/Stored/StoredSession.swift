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
