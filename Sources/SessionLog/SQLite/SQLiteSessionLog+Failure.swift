import Foundation
import GRDB
import PickerHub
import PickerSession

/// What happens when nothing can be stored: nothing is taken until it can.
extension SQLiteSessionLog {
  /// Bytes of the journal that must be had before the store counts as healthy.
  private static let probeBytes = 65_536

  /// A store without its name keeps nothing that a restart would find.
  ///
  /// - Throws: ``StoreProblem`` if a file of the store has been removed or replaced.
  func checkPlace() throws {
    for file in files where !file.isInPlace {
      throw StoreProblem(
        "\(file.path) has been moved, removed or replaced under the server. Put it back; if that "
          + "cannot be done, stop pickerd with SIGTERM and start it again")
    }
    guard lock.isInPlace else {
      throw StoreProblem("\(path).lock has been removed under the server: start pickerd again")
    }
  }

  /// Takes nothing more, tells what is lost, and tries again every half second.
  func fail(_ records: [SQLiteBatchWriter.Record], _ error: any Error) {
    writer = SQLiteBatchWriter(limits, versions, digest: digest)
    let sentence = sentence(error)
    let later = state.withLock { state in
      state.failure = sentence
      defer {
        state.records = []
        state.byteCount = 0
      }
      return state.records
    }
    notify(.said(sentence))
    // A lost snapshot takes the list of spent entries with it: that is made again by a load.
    var lost: [SessionID] = []
    var isKnown: Set<SessionID> = []
    for record in records + later where isKnown.insert(record.session).inserted {
      lost.append(record.session)
    }
    notify(.lost(lost))
    probeLater(error)
  }

  private func sentence(_ error: any Error) -> String {
    "the store \(path) cannot be written: \(error.storeText)"
  }

  private func probeLater(_ error: any Error) {
    // What is damaged is not mended by waiting: a start looks through it, and says what to do.
    if (error as? DatabaseError)?.resultCode == .SQLITE_CORRUPT { return }
    queue.asyncAfter(deadline: .now() + 0.5) { self.probe() }
  }

  /// Tries whether the store can be written again, with as much as a few commands need.
  private func probe() {
    do {
      try pool.writeWithoutTransaction { database in
        // The other threads' turns come before a lock of somebody else's is gone.
        try database.execute(sql: "PRAGMA busy_timeout = 0")
        defer { try? database.execute(sql: "PRAGMA busy_timeout = 5000") }
        try database.execute(
          sql: "UPDATE store SET probe = zeroblob(?)",
          arguments: [SQLiteSessionLog.probeBytes])
        try database.execute(sql: "UPDATE store SET probe = 0")
      }
      try checkPlace()
      state.withLock { $0.failure = nil }
      notify(.said("the store \(path) can be written again"))
      deleteEndedLater()
    } catch {
      state.withLock { $0.failure = sentence(error) }
      probeLater(error)
    }
  }
}
