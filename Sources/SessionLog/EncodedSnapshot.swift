import Foundation
import PickerHub
import PickerSession

/// A snapshot as it is written. Encoding one may take long (1,000 members with 256 refs each are
/// megabytes), so the writing thread gets it encoded.
struct EncodedSnapshot: Sendable {
  let entryCount: Int
  let revision: Int
  let isIdle: Bool
  let nextTick: Int64?
  let idleMilliseconds: Int64
  let spent: SpentEntries
  let checksum: Int64?
  let body: Data

  init(_ snapshot: LogSnapshot) {
    entryCount = snapshot.entryCount
    revision = snapshot.kept.revision
    isIdle = snapshot.isIdle
    nextTick = snapshot.nextTick?.milliseconds
    idleMilliseconds = snapshot.idleMilliseconds
    spent = snapshot.spent
    checksum = snapshot.picker.map { StateChecksum(snapshot.kept, $0).value }
    body = Data(snapshot.kept.tree.serialized())
  }

  /// Bytes that it takes while it is pending.
  var byteCount: Int { 256 + body.count + 8 * (spent.dropped.count + spent.ticks.count) }
}
