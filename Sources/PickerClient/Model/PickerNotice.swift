/// A change that an app may announce to its user, with the id of the member that made it (`by`):
/// ``host`` for a command of the host; `nil` if time or another change of the host made it.
///
/// ```swift
/// switch notice {
/// case .moved(_, let row, _, let correction?, _):
///   announce("\(correction.wanted) is not available, \(row.text) is selected")
/// case .refused(_, let detail, _, _): announce(detail)
/// case .joined(let member): announce("\(member.name) has joined")
/// default: break
/// }
/// ```
public enum PickerNotice: Hashable, Sendable {
  /// A column has another selected row. `cause` is `select`, `reset`, `undo`, or `clamp` with a
  /// correction.
  case moved(column: Int, to: PickerRow, cause: String, correction: PickerCorrection?, by: String?)
  /// The range changed. `cause` is `tap`, `clear`, `undo`, `tick`, or `clamp` with a correction.
  case ranged(PickerRange?, cause: String, correction: PickerCorrection?, by: String?)
  /// The host's new definition has taken the selected slot away. `wanted` is its local time, as
  /// `2018-11-23T10:20`; ``PickerState/result`` is the next one, `nil` if none is left. Follows a
  /// ``moved(column:to:cause:correction:by:)`` for each column with another selected row.
  case slotGone(wanted: String, because: PickerSlotLoss)
  /// The total of the same days or nights is another one, because the host has changed a price.
  case repriced(PickerTotal?, before: PickerTotal?)
  /// Another member has changed its marks.
  case marked(PickerAvailability.Respondent)
  /// The cells of an availability were numbered anew: the host or time has changed them.
  case cells
  /// The marks of an availability cannot be changed any more, or can again.
  case closed(Bool)
  /// Another number of units of an inventory is taken.
  case units(Int)
  /// What the session holds, is offered or waits for is another; `nil`: nothing any more, for the
  /// `reason` `released`, `expired`, `moved`, `left`, `booked` or `lost`.
  case hold(PickerHold?, before: PickerHold?, reason: String?)
  case status(PickerStatus, by: String?)
  /// The host did not confirm what an owner confirmed: it `denied` it, it `cancelled` the
  /// confirmation, or a `timeout` ended its time without an answer. `detail` is the host's text, in
  /// this member's language. Follows the ``status(_:by:)``.
  case notConfirmed(reason: String, detail: String?)
  /// A command of this member was refused, which changed nothing. `command` is `nil` if it is no
  /// longer pending.
  case refused(
    code: RefusalCode, detail: String, params: RefusalParams = RefusalParams(),
    command: PickerCommand?)
  /// A command was sent, but the server has forgotten the member or the session's history since.
  /// Whether it was executed is unknown.
  case lost(PickerCommand)
  case joined(PickerMember)
  case left(PickerMember)
  case wentOffline(PickerMember)
  case cameBack(PickerMember)
  /// A member, possibly this one, has another role.
  case promoted(PickerMember)
  /// Another member has a new name.
  case renamed(PickerMember, before: String)

  /// The `by` of a command of the host, for example of a hotel's desk. No member has this id.
  public static let host = "host"
}

/// Why a new definition has taken a slot away.
public enum PickerSlotLoss: String, Hashable, Sendable {
  /// It is booked.
  case taken
  /// It is outside the opening times.
  case closed
  /// It is not possible by other options, or for a reason of a newer server.
  case rules
}

/// The value that was requested or selected before, and why another one was selected instead.
public struct PickerCorrection: Hashable, Sendable {
  /// The text of the requested row, or the requested day as `YYYY-MM-DD`; empty if unknown.
  public let wanted: String
  /// `min`, `max`, `monthLength`, `noSuchTime`, `elapsed`, `maxDays`, `blocked`, `gone`, `minDays`,
  /// `soldOut`, `held`, `offered`, `selection`, `noArrival`, `noDeparture`, `maxNights`,
  /// `minNights`, `unit`, or a reason of a newer server.
  public let reason: String
}
