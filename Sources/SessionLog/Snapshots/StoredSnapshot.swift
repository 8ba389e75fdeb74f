import Foundation
import JSONText
import PickerModel
import PickerSession

/// A stored snapshot: a row of the table `snapshot`, with its definitions.
struct StoredSnapshot {
  let sequence: Int
  let revision: Int
  let isIdle: Bool
  let rowCount: Int
  let body: Data
  /// The current and the shown definition of the state; `nil` if it is the origin's.
  let definition: Data?
  let shown: Data?
  /// Whether it refers to a definition that is missing.
  let lacksDefinition: Bool
  let checksum: Int64
  /// The versions with which it was made.
  let versions: FoldVersions
  /// The versions of the log before it, if the log gives another state with later versions. The
  /// session then continued from this snapshot under a new epoch.
  let replaces: String?

  /// Decodes the state.
  ///
  /// - Parameter make: Finds or makes a definition, other than the origin's, from its document.
  /// - Throws: ``StoredProblem`` if it is not a snapshot of such a session.
  func state(
    of origin: SessionOrigin, make: (JSONTree) -> Definition?
  ) throws -> SessionFold.StoredState {
    guard !lacksDefinition, let state = SessionFold.StoredState(tree: try tree, make: make),
      state.picker.fits((state.shown ?? state.definition)?.definition ?? origin.definition)
    else {
      throw StoredProblem(
        "a snapshot of session \(origin.id.shortened) is not as pickerd writes it")
    }
    return state
  }

  private var tree: JSONTree {
    get throws {
      let tree = try JSONTree.parse([UInt8](body), depthMax: StoredReading.depthMax)
      guard definition != nil || shown != nil, case .object(var members) = tree else { return tree }
      for (name, document) in [("definition", definition), ("shown", shown)] {
        guard let document else { continue }
        let value = try JSONTree.parse([UInt8](document), depthMax: StoredReading.depthMax)
        members.append(.init(name, value))
      }
      return .object(members)
    }
  }

  /// Whether entries before it have been compacted.
  var isCompacted: Bool { rowCount < sequence }
}

/// A difference between the state that members have seen and the one that the log gives with the
/// current versions. The session then needs a new epoch.
struct StoredDivergence: Error {
  let number: Int64
  /// Its epoch until now.
  let epoch: String
  /// The sequence number of the snapshot from which the session continues; `nil` if there is none.
  let sequence: Int?
  /// The snapshot's checksum with the current versions.
  let checksum: Int64?
  /// The versions with which it was made.
  let versions: FoldVersions
}

extension StoredDivergence {
  /// The log line about a session that is renewed.
  func notice(of session: SessionID, replayedWith current: FoldVersions) -> StoreNotice {
    .message(
      "session \(session.shortened) was stored with \(versions.text), but replays differently with "
        + "\(current.text): it continues from its last snapshot under a new epoch")
  }
}
