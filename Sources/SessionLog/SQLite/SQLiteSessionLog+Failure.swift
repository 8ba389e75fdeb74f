import CSQLite
import Foundation
import PickerHub
import PickerSession

/// Failure of the store: no append is accepted until a probe has succeeded.
extension SQLiteSessionLog {
  /// The number of bytes that a probe writes: as much as a few commands need.
  private static let probeBytes = 65_536

  /// Checks that the files still have their names: what is written to a renamed or deleted file
  /// would be missing after a restart.
  ///
  /// - Throws: ``StoreProblem`` if a file of the store was removed or replaced.
  func checkFiles() throws {
    for file in files where !file.isInPlace {
      throw StoreProblem(
        "\(file.path) was moved, removed or replaced while the server was running. Put it back; if "
          + "that is impossible, stop pickerd with SIGTERM and start it again")
    }
    guard lock.isInPlace else {
      throw StoreProblem(
        "\(path).lock was removed while the server was running: restart pickerd")
    }
  }

  /// Stops accepting appends, reports the pending records as lost, and probes the store every half
  /// second.
  func fail(_ records: [StoreRecord], _ error: any Error) {
    writer = SQLiteBatchWriter(limits, feedLimits, versions, digest: digest)
    let sentence = sentence(error)
    let later = state.withLock { state in
      state.failure = sentence
      return state.failed()
    }
    notify(.message(sentence))
    // A session with a lost snapshot is lost too: its list of spent entries is gone, and only a
    // reload makes it again.
    notify(.lost((records + later).sessions))
    probeLater(error)
  }

  private func sentence(_ error: any Error) -> String {
    "the store \(path) is not writable: \(error)"
  }

  private func probeLater(_ error: any Error) {
    // A damaged store does not recover by waiting. The next start checks it and reports what to do.
    if (error as? SQLiteError)?.code == SQLITE_CORRUPT { return }
    queue.asyncAfter(deadline: .now() + 0.5) { self.probe() }
  }

  /// Tries to write to the store; on success accepts appends again.
  private func probe() {
    do {
      try pool.write { database in
        // No wait for another program's lock: it would delay the other work of this queue.
        try database.run("PRAGMA busy_timeout = 0")
        defer { try? database.run("PRAGMA busy_timeout = 5000") }
        try database.run("UPDATE store SET probe = zeroblob(?)", [SQLiteSessionLog.probeBytes])
        try database.run("UPDATE store SET probe = 0")
      }
      try checkFiles()
      state.withLock { $0.failure = nil }
      notify(.message("the store \(path) is writable again"))
      deleteEndedLater()
    } catch {
      state.withLock { $0.failure = sentence(error) }
      probeLater(error)
    }
  }
}
