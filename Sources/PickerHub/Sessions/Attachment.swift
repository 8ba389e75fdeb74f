import PickerModel
import PickerSession

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
