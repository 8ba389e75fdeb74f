import PickerModel
import PickerSession

/// A step of a session's queue: see ``StepQueue``.
enum SessionStep {
  /// Apply an entry when the log has stored it. The completion receives its effects, or `nil` if
  /// it is lost. `arrival` is the time of the append, a ``HubTime/machineNanoseconds``.
  case apply(LogEntry, arrival: Int64, (([Outcome]?) -> Void)?)
  /// Refuse a command that is not appended to the log.
  case refuse(UnstoredCommand, (([Outcome]?) -> Void)?)
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

  /// Whether it applies a tick, the leave of a member or a shared definition, which may be due in
  /// thousands of sessions at the same time.
  var isTimed: Bool {
    guard case .apply(let entry, _, _) = self else { return false }
    return switch entry.body {
    case .tick, .clockSet, .left, .adopted: true
    case .joined, .roleChanged, .returned, .command, .define, .note, .settle, .revoked, .roleSet:
      false
    }
  }

  var isRefusal: Bool { if case .refuse = self { true } else { false } }

  /// Whether it waits for a record of its own to be stored. The others wait for the steps before
  /// them only.
  var waitsForLog: Bool {
    switch self {
    case .apply, .created, .end: true
    case .refuse, .attach, .look, .request: false
    }
  }

  /// Its memory in bytes including referenced objects, an estimate.
  var byteCount: Int {
    switch self {
    case .apply(let entry, _, _): 256 + entry.body.textByteCount
    case .refuse(let unstored, _): 256 + unstored.command.textByteCount
    case .attach, .look, .request, .created, .end: 256
    }
  }
}

/// What has become of an appended creation.
package enum CreationOutcome {
  case stored
  case lost
  /// Another session has its external id or idempotency key.
  case refused
}

/// A command that is refused in order, but not appended to the log.
struct UnstoredCommand {
  let member: MemberID
  let ref: Int
  let command: Command
  let reason: UnstoredReason?

  /// Whether its ref will be recorded in memory, or is not above a recorded one.
  var usesRef: Bool { reason == nil || reason == .fixedName || command.isUnknown }
}

/// A listener to be, whose join is pending.
struct Attachment {
  let member: MemberID
  let secret: String
  let language: Int
  let zone: CellZone?
  var view: MonthView?
  /// The last revision that the client has; `nil` for a new member or another epoch.
  let resumeAfter: Int?
}

extension LogEntry.Body {
  /// The size of the texts from a client, in bytes.
  var textByteCount: Int {
    switch self {
    case .joined(let joining):
      [joining.name, joining.subject, joining.info, joining.meta].reduce(0) {
        $0 + ($1?.utf8.count ?? 0)
      }
    case .revoked(let revocation): revocation.target.textByteCount
    case .roleSet(let role): role.target.textByteCount
    case .command(_, ref: _, let command, _): command.textByteCount
    case .define(let change): 64 * change.definition.weight
    case .note(let patch): 64 * patch.tree.valueCount
    case .adopted(let adoption):
      64 * ((adoption.define?.definition.weight ?? 0) + (adoption.notes?.tree.valueCount ?? 0))
    case .settle(let settle):
      settle.op.utf8.count + (settle.data?.text.utf8.count ?? 0)
        + (settle.reason?.tree.serialized().count ?? 0)
    case .roleChanged, .left, .returned, .tick, .clockSet: 0
    }
  }
}

extension Revocation.Target {
  fileprivate var textByteCount: Int {
    if case .subject(let subject) = self { subject.utf8.count } else { 64 }
  }
}

extension Command {
  var isUnknown: Bool { if case .unknown = self { true } else { false } }

  var textByteCount: Int {
    switch self {
    case .select(let selection): selection.key?.utf8.count ?? 0
    case .unknown(let text), .rename(let text): text.utf8.count
    case .mark(let mark): 16 * mark.cells.count
    case .importMarks(let marks): 32 * marks.count
    case .tap, .clear, .undo, .redo, .confirm, .confirmWindow, .cancel, .reopen: 0
    }
  }
}
