import Foundation
import PickerHub
import PickerSession

/// An encoded snapshot. Encoding may take long (1,000 members with 256 refs each are megabytes), so
/// it is not done on the writing queue.
struct EncodedSnapshot: Sendable {
  /// The epoch of the session when the snapshot was made.
  let epoch: String
  let entryCount: Int
  let revision: Int
  let isIdle: Bool
  let nextTick: Int64?
  let status: SessionStatus
  let idleMilliseconds: Int64
  let spent: SpentEntries
  let eventSequence: Int
  let checksum: Int64
  let body: Data
  /// The current and the shown definition of the state; `nil` if it is the origin's.
  let definition: StoredDocument?
  let shown: StoredDocument?

  init(_ snapshot: LogSnapshot, digest: ([UInt8]) -> [UInt8]) {
    epoch = snapshot.epoch
    entryCount = snapshot.entryCount
    revision = snapshot.state.facts.revision
    isIdle = snapshot.isIdle
    nextTick = snapshot.nextTick?.milliseconds
    status = snapshot.state.facts.status
    idleMilliseconds = snapshot.idleMilliseconds
    spent = snapshot.spent
    eventSequence = snapshot.eventSequence
    checksum = StateChecksum(snapshot.state, snapshot.picker).value
    var state = snapshot.state
    definition = state.definition.map { StoredDocument($0.definition, digest: digest) }
    shown = state.shown.map { StoredDocument($0.definition, digest: digest) }
    (state.definition, state.shown) = (nil, nil)
    body = Data(state.tree.serialized())
  }

  /// The memory that it takes while it is pending, in bytes.
  var byteCount: Int {
    256 + body.count + documentByteCount + 8 * (spent.dropped.count + spent.ticks.count)
  }

  private var documentByteCount: Int { (definition?.body.count ?? 0) + (shown?.body.count ?? 0) }
}
