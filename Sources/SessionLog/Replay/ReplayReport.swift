package import JSONText
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
