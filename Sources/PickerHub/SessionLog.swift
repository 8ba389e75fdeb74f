import CivilTime
package import PickerSession

/// One record of a session's log.
package enum LogRecord: Sendable {
  /// The first: the session exists.
  case created(SessionOrigin)
  case entry(LogEntry)
  /// The last: nothing of the session is done any more.
  case ended
}

/// What a log says to a record.
package enum AppendOutcome: Sendable {
  /// It is in, as firmly as this log keeps anything.
  case stored
  /// The log says later, by ``Hub/stored(_:at:)``, in the order of the appends of a session.
  case pending
  /// It is not in, and will not be.
  case failed
}

/// The one order in which the commands of a session happened, and where it is kept.
///
/// A command is appended; when the log says that it is in, it is applied, and only then does anybody
/// hear of it. So no member ever sees what a crash could take back.
/// - Source: architecture.md, property 2.
package protocol SessionLog: AnyObject {
  func append(_ record: LogRecord, of session: SessionID) -> AppendOutcome
  /// All entries of a session so far, oldest first, to fold it anew.
  func entries(of session: SessionID) -> [LogEntry]
}
