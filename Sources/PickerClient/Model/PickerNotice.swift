/// What people should hear of: a change and whose it was.
public enum PickerNotice: Hashable, Sendable {
  /// A row moved. `cause` is `select`, `reset`, `undo`, or `clamp` with a correction.
  case moved(column: Int, to: PickerRow, cause: String, correction: PickerCorrection?, by: String?)
  /// The range changed. `cause` is `tap`, `clear`, `undo`, `tick`, or `clamp` with a correction.
  case ranged(PickerRange?, cause: String, correction: PickerCorrection?, by: String?)
  case status(PickerStatus, by: String?)
  /// The own command `command` was refused; nothing changed by it.
  case refused(code: RefusalCode, detail: String, command: PickerCommand?)
  /// A command was sent to a server that forgot us: nobody can say whether it was done.
  case lost(PickerCommand)
  case joined(PickerMember)
  case left(PickerMember)
  case wentOffline(PickerMember)
  case cameBack(PickerMember)
  case promoted(PickerMember)
}

/// What was asked for, and why it did not come.
public struct PickerCorrection: Hashable, Sendable {
  /// The text of the row, or the day, that was asked for; empty if unknown.
  public let wanted: String
  /// `min`, `max`, `monthLength`, `noSuchTime`, `elapsed`, `maxDays`, `blocked`, or a newer one.
  public let reason: String
}
