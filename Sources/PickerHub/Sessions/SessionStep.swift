import PickerSession

/// A step of a session's queue: see ``StepQueue``.
enum SessionStep {
  /// Apply an entry when the log has stored it. The completion receives its effects, or `nil` if
  /// it is lost. `arrival` is the time of the append, a ``HubTime/machineNanoseconds``.
  case apply(LogEntry, arrival: Int64, (([Effect]?) -> Void)?)
  /// Append an entry whose question to the inventory depends on the steps before it.
  case ask(LogEntry, arrival: Int64, (([Effect]?) -> Void)?)
  /// Refuse a command that is not appended to the log.
  case refuse(UnstoredCommand, (([Effect]?) -> Void)?)
  /// Make a connection a listener.
  case attach(HubConnection, Attachment)
  /// Read the session; skipped if it has ended or was unloaded.
  case look((HostedSession) -> Void)
  /// Answer a request about the session; `nil` if it has ended or was unloaded.
  case request((HostedSession?) -> Void)
  /// Complete a creation.
  case created((CreationOutcome) -> Void)
  /// Close all connections and remove the session.
  case end((_ isStored: Bool) -> Void)

  /// See ``LogEntry/Facts/isTimed``.
  var isTimed: Bool { entry?.facts.isTimed ?? false }

  /// The entry that it appends or has appended.
  var entry: LogEntry? {
    switch self {
    case .apply(let entry, _, _), .ask(let entry, _, _): entry
    case .refuse, .attach, .look, .request, .created, .end: nil
    }
  }

  /// Whether the inventory has not decided its entry yet.
  var isUndecided: Bool {
    switch self {
    case .ask: true
    case .apply(let entry, _, _): entry.demand != nil
    case .refuse, .attach, .look, .request, .created, .end: false
    }
  }

  var isRefusal: Bool { if case .refuse = self { true } else { false } }

  /// Whether it waits for a record of its own to be stored. The others wait for the steps before
  /// them only.
  var waitsForLog: Bool {
    switch self {
    case .apply, .created, .end: true
    case .ask, .refuse, .attach, .look, .request: false
    }
  }

  /// Its memory in bytes including referenced objects, an estimate.
  var byteCount: Int {
    switch self {
    case .apply(let entry, _, _), .ask(let entry, _, _): 256 + entry.facts.textByteCount
    case .refuse(let unstored, _): 256 + unstored.command.byteCount
    case .attach, .look, .request, .created, .end: 256
    }
  }
}
