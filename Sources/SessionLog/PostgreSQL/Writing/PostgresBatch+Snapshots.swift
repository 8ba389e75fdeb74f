import Foundation
import PickerSession

/// Snapshots and definitions.
extension PostgresBatch {
  mutating func store(_ document: StoredDocument, isLogged: Bool, of session: SessionID) {
    add(
      "SELECT store_definition($1, $2, $3, $4)",
      [.text(session.text), .bytes(document.digest), .bytes(document.body), .bool(isLogged)])
  }

  mutating func store(_ snapshot: EncodedSnapshot, of session: SessionID) {
    for document in [snapshot.definition, snapshot.shown] {
      if let document { store(document, isLogged: false, of: session) }
    }
    let spacing = SnapshotSpacing(limits)
    // One of another epoch may cover entries that a failover or a restore has lost.
    check(
      session,
      """
      SELECT coalesce((
        SELECT store_snapshot(
          $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
        FROM session WHERE id = $1 AND epoch = $20 AND head >= $2), true)
      """,
      [
        .text(session.text), .int(snapshot.entryCount), .int(snapshot.revision),
        .bool(snapshot.isIdle), .bytes(snapshot.body), .int(snapshot.checksum),
        .bytes(snapshot.definition?.digest), .bytes(snapshot.shown?.digest),
        .int(versions.rules), .text(versions.tzdata), .ints(snapshot.spent.dropped),
        .ints(snapshot.spent.ticks), .int(snapshot.eventSequence), .int(snapshot.nextTick),
        .int(snapshot.idleMilliseconds), .text(snapshot.status.rawValue),
        .int(-spacing.revision(before: 0)), .int(spacing.rowCountMax),
        .int(spacing.rowCountMin), .text(snapshot.epoch),
      ])
  }
}
