import PickerModel
import PickerSession

/// A command that is refused in order, but not appended to the log.
struct UnstoredCommand {
  let member: MemberID
  let ref: Int
  let command: Command
  let reason: UnstoredReason?

  /// Whether its ref will be recorded in memory, or is not above a recorded one.
  var usesRef: Bool { reason == nil || reason == .fixedName || command.isUnknown }
}
