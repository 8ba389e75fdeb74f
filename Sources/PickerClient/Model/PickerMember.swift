import JSONText

/// What a member may do. Each role may do all that the roles before it may.
public enum PickerRole: String, Hashable, Sendable {
  /// May only watch.
  case viewer
  /// May also select, tap, mark, clear, undo and redo.
  case editor
  /// May also confirm, cancel and reopen.
  case owner
}

/// A member of the session.
public struct PickerMember: Hashable, Sendable, Identifiable {
  public let id: String
  public internal(set) var name: String
  public internal(set) var role: PickerRole
  /// `#rrggbb`.
  public let color: String
  /// Whether the member is connected.
  public let isOnline: Bool
}

/// The position of a finger or a pointer.
public enum PickerTouch: Hashable, Sendable {
  case row(column: Int, row: Int)
  case day(PickerDay)
}

/// Whether a session can be changed, or how it ended. An owner can reopen it,
/// unless ``PickerState/isReopenedByHost``.
public enum PickerStatus: String, Hashable, Sendable {
  case open
  /// The host decides on the confirmation, until ``PickerState/until`` at the latest. An owner can
  /// cancel it.
  case confirming
  case confirmed, cancelled
}

/// The picked value, see ``PickerState/result``.
public enum PickerResult: Sendable {
  /// The result of a `date` picker, or of a calendar that selects single days.
  case day(PickerDay)
  /// The result of a `slot` picker, or of an `availability` of times, in the session's local time:
  /// `2018-11-23T10:20`. The instant is in ``PickerState/resultInstant``.
  case slot(local: String)
  /// The result of `cascade` and `columns`: one key per column that has rows.
  case keys([String])
  /// The result of a calendar that selects ranges, or of an `availability` of dates; both days are
  /// included.
  case days(PickerDay, through: PickerDay)
  /// The result of a calendar of nights: the days of arrival and of departure.
  case nights(PickerDay, until: PickerDay)
}

/// Keys are compared by their UTF-8 bytes.
extension PickerResult: Hashable {
  public static func == (left: PickerResult, right: PickerResult) -> Bool {
    switch (left, right) {
    case (.day(let left), .day(let right)): left == right
    case (.slot(let left), .slot(let right)): left == right
    case (.keys(let left), .keys(let right)): left.isExactly(right)
    case (.days(let start, let end), .days(let otherStart, let otherEnd)),
      (.nights(let start, let end), .nights(let otherStart, let otherEnd)):
      start == otherStart && end == otherEnd
    case (.day, _), (.slot, _), (.keys, _), (.days, _), (.nights, _): false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .day(let day): hasher.combine(day)
    case .slot(let local): hasher.combine(local)
    case .keys(let keys): hasher.combine(keys.map(ExactString.init))
    case .days(let start, let end), .nights(let start, let end):
      hasher.combine(start)
      hasher.combine(end)
    }
  }
}
