import JSONText

/// What a member may do.
public enum PickerRole: String, Hashable, Sendable {
  /// Looks.
  case viewer
  /// Selects, taps, clears, undoes.
  case editor
  /// Also confirms, cancels, reopens.
  case owner
}

/// Somebody in the session.
public struct PickerMember: Hashable, Sendable, Identifiable {
  public let id: String
  public let name: String
  public internal(set) var role: PickerRole
  /// `#rrggbb`.
  public let color: String
  /// Whether a connection of this member is there.
  public let isOnline: Bool
}

/// Where a finger is.
public enum PickerTouch: Hashable, Sendable {
  case row(column: Int, row: Int)
  case day(PickerDay)
}

/// What became of a session.
public enum PickerStatus: String, Hashable, Sendable {
  case open, confirmed, cancelled
}

/// What is picked; `nil` in ``PickerState/result`` while nothing is.
public enum PickerResult: Sendable {
  /// Of a `date` picker, or a calendar of single days.
  case day(PickerDay)
  /// Of a `slot` picker, by its wall clock: `2018-11-23T10:20`.
  case slot(local: String)
  /// Of `cascade` and `columns`.
  case keys([String])
  case days(PickerDay, through: PickerDay)
}

/// Keys are compared by their UTF-8 bytes.
extension PickerResult: Hashable {
  public static func == (left: PickerResult, right: PickerResult) -> Bool {
    switch (left, right) {
    case (.day(let left), .day(let right)): left == right
    case (.slot(let left), .slot(let right)): left == right
    case (.keys(let left), .keys(let right)): left.isExactly(right)
    case (.days(let start, let end), .days(let otherStart, let otherEnd)):
      start == otherStart && end == otherEnd
    case (.day, _), (.slot, _), (.keys, _), (.days, _): false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .day(let day): hasher.combine(day)
    case .slot(let local): hasher.combine(local)
    case .keys(let keys): hasher.combine(keys.map(ExactString.init))
    case .days(let start, let end):
      hasher.combine(start)
      hasher.combine(end)
    }
  }
}
