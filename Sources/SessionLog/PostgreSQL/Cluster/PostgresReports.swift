import PickerHub
import PickerSession
import Synchronization

/// The reports of records to the hubs, from the threads that write and read.
final class PostgresReports: Sendable {
  private let served = Mutex(ServedSessions())
  let notify: @Sendable (StoreNotice) -> Void

  init(notify: @escaping @Sendable (StoreNotice) -> Void) { self.notify = notify }

  /// Changes the state of the sessions. The outcome is reported before the next change.
  func report(_ body: (inout ServedSessions) -> ServedSessions.Report) {
    served.withLock { served in
      let report = body(&served)
      if !report.committed.isEmpty { notify(.committed(report.committed)) }
      if !report.lost.isEmpty { notify(.lost(report.lost)) }
    }
  }

  func use<Value: Sendable>(_ body: (inout ServedSessions) -> Value) -> Value {
    served.withLock { body(&$0) }
  }

  /// The log has lost records of some sessions.
  func lost(_ sessions: [SessionID]) {
    report { served in
      for session in sessions { served.remove(session) }
      return ServedSessions.Report(lost: sessions)
    }
  }
}
