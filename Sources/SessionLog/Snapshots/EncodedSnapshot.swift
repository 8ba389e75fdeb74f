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
  /// The definitions that the state has, if they are not the origin's.
  let definition: StoredDocument?
  let shown: StoredDocument?

  init(_ snapshot: LogSnapshot, digest: ([UInt8]) -> [UInt8]) {
    entryCount = snapshot.entryCount
    revision = snapshot.kept.revision
    isIdle = snapshot.isIdle
    nextTick = snapshot.nextTick?.milliseconds
    idleMilliseconds = snapshot.idleMilliseconds
    spent = snapshot.spent
    checksum = snapshot.picker.map { StateChecksum(snapshot.kept, $0).value }
    var kept = snapshot.kept
    definition = kept.definition.map { StoredDocument($0.definition, digest: digest) }
    shown = kept.shown.map { StoredDocument($0.definition, digest: digest) }
    (kept.definition, kept.shown) = (nil, nil)
    body = Data(kept.tree.serialized())
  }

  /// Bytes that it takes while it is pending.
  var byteCount: Int {
    256 + body.count + documentByteCount + 8 * (spent.dropped.count + spent.ticks.count)
  }

  private var documentByteCount: Int { (definition?.body.count ?? 0) + (shown?.body.count ?? 0) }
}
